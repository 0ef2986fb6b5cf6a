"""The pages of results in headless Chromium: accessibility, widths, colours, the toggle."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.results.site.chromium import Open, check_accessible, until

pytestmark = pytest.mark.process

PAGES = ("index.html", "bench/index.html", "bench/tables.html", "bench/figures.html")
FURTHER = ("bare/index.html", "contradictions.html")  # of the parts of the others
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.mark.parametrize("path", [*PAGES, *(pytest.param(path, marks=pytest.mark.soak) for path in FURTHER)])
def test_a_page_is_accessible_and_fits_a_phone(open_page: Open, results: Path, path: str) -> None:
    opened = open_page(results / path)
    opened.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    check_accessible(opened)


def test_the_toggle_changes_the_colours_and_is_remembered(open_page: Open, results: Path) -> None:
    opened = open_page(results / "index.html", color_scheme="light")
    light = opened.evaluate(BACKGROUND)
    button = opened.get_by_role("button", name="Dark mode")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    dark = opened.evaluate(BACKGROUND)
    assert (button.get_attribute("aria-pressed"), dark != light) == ("true", True)
    opened.reload()
    assert opened.evaluate(BACKGROUND) == dark
    opened.get_by_role("button", name="Dark mode").click()
    assert opened.evaluate(BACKGROUND) == light


def test_light_colours_can_be_chosen_in_a_dark_system(open_page: Open, results: Path) -> None:
    dark = open_page(results / "index.html", color_scheme="dark")
    before = dark.evaluate(BACKGROUND)
    assert before != open_page(results / "index.html", color_scheme="light").evaluate(BACKGROUND)
    dark.get_by_role("button", name="Dark mode").click()
    assert dark.evaluate(BACKGROUND) != before


def test_the_first_key_skips_to_the_content(open_page: Open, results: Path) -> None:
    opened = open_page(results / "bench/tables.html")
    opened.keyboard.press("Tab")
    assert opened.evaluate("document.activeElement.textContent") == "Skip to the content"
    opened.keyboard.press("Enter")
    until(opened, "document.activeElement.id === 'content'")


def test_nothing_is_cut_off_in_print(open_page: Open, results: Path) -> None:
    opened = open_page(results / "bench/tables.html", color_scheme="dark")
    opened.emulate_media(media="print")
    assert opened.evaluate(BACKGROUND) == "rgb(255, 255, 255)"
    assert opened.evaluate("getComputedStyle(document.querySelector('.scroll')).maxHeight") == "none"
    assert opened.evaluate("getComputedStyle(document.querySelector('nav.main')).display") == "none"


def test_the_current_entry_of_the_navigation_is_in_view_on_a_phone(open_page: Open, results: Path) -> None:
    opened = open_page(results / "contradictions.html", width=200, height=700)
    box = opened.locator("nav.main [aria-current]").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 200
