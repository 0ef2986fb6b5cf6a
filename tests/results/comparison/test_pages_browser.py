"""The pages of flipped items in headless Chromium: console, accessibility, links, narrow screens."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.results.comparison.made_up import Asked, compared, write_run
from tests.results.comparison.test_pages import picture
from tests.results.site.chromium import Open, check_accessible
from tests.results.site.example_results import write_results
from tests.results.site.links import faults
from whatif.results.comparison.flips import flips_of
from whatif.results.comparison.pages import write_pages

pytestmark = pytest.mark.process

ITEMS = 210  # on two pages, the second with ten
LONG = "an-answer-that-is-one-long-word-" * 8


@pytest.fixture(scope="module", params=["without a site", "with a site"])
def first(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first page of a comparison with pictures and long words."""
    root = tmp_path_factory.mktemp("pages")
    data = picture(3)
    name = hashlib.sha256(data).hexdigest()
    questions = [Asked(pair, text=f"<b>{LONG}</b>", choices=("one", LONG), image=name) for pair in range(ITEMS)]
    for run, right in (("a", True), ("b", False)):
        write_run(root / run, questions, {"one": [right] * ITEMS}, images={name: data})
    if request.param == "with a site":
        write_results(root / "site")
    found = compared(root / "a", root / "b")
    return write_pages(root / "site", found, list(flips_of(found.compared)), "mine")


def test_no_link_is_dead(first: Path) -> None:
    site = first.parents[2]
    assert faults(site if (site / "index.html").is_file() else first.parent) == []


def test_a_page_is_accessible_and_fits_a_phone(open_page: Open, first: Path) -> None:
    check_accessible(open_page(first.with_name("page-2.html")))  # with ten items, which axe reads twenty times as fast


def test_the_next_page_is_followed_and_the_frame_is_that_of_the_site(open_page: Open, first: Path) -> None:
    opened = open_page(first)
    assert opened.title() == "Flipped items: before and after · whatif"
    opened.get_by_role("link", name="Next page").first.click()
    opened.wait_for_url("**/page-*.html")  # loaded
    assert opened.locator("article").count() == ITEMS - 200
    button = opened.get_by_role("button", name="Dark mode")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    opened.get_by_role("link", name="Overview").click()
    home = first.parents[2] / "index.html"
    opened.wait_for_url((home if home.is_file() else first).as_uri())
