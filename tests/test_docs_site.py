"""`make docs`: the documentation is built as a site without a warning, and needs no network to be read."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from docs.numbers import guessed
from tests.defaults import ROOT
from tests.pipeline.checkouts import Checkout, made_once
from tests.results.site.chromium import Open, until, was_left
from tests.results.site.pages_of_all_kinds import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.process


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:

    def make(checkout: Checkout) -> None:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(checkout.path)]
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    return made_once(tmp_path_factory, "documentation", make).path


def test_the_site_is_built_without_a_warning_and_loads_nothing_from_the_web(built: Path) -> None:
    foreign = []
    for page in [*built.rglob("*.html"), *built.rglob("*.css")]:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe|source)[^>]* src="?(https?:[^"\s>]+)', text)
        loaded += re.findall(r'<link[^>]* href="?(https?:[^"\s>]+)', text)
        foreign += [(page.name, url) for url in [*loaded, *re.findall(r"url\([\"']?(https?:[^)]+)", text)]]
    assert foreign == []


def test_every_page_of_the_folder_is_in_the_site_and_no_source_is(built: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    made = {path.relative_to(built) for path in built.rglob("*.html")}
    assert pages - made == set()
    assert [path for path in built.rglob("*.py") if "repository" not in path.parts] == []


def test_no_page_and_no_title_is_twice_in_the_navigation() -> None:
    """A page that is missing there is a warning of MkDocs, which the build refuses."""

    class Loader(yaml.SafeLoader):
        """Without the objects of Python that extensions of Markdown are given."""

    Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)
    sections = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader)["nav"]
    pages = [page for section in sections for entries in section.values() for page in entries]
    paths = [path for page in pages for path in (page.values() if isinstance(page, dict) else [page])]
    titles = [title for page in pages if isinstance(page, dict) for title in page]
    assert [path for path in {*paths} if paths.count(path) > 1] == []
    assert [title for title in {*titles} if titles.count(title) > 1] == []


def test_the_reference_has_nothing_of_the_template_of_new_projects(built: Path) -> None:
    for page in (built / "reference").glob("*.html"):
        assert "my_benchmark" not in page.read_text(encoding="utf-8"), page.name


def test_reference_pages_have_all_commands_settings_and_tables(built: Path) -> None:
    from whatif.commands.cli import COMMANDS
    from whatif.engine.artifacts.schemas import TABLES

    commands = (built / "reference" / "command-line.html").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"whatif-{name}" not in commands] == []
    formats = (built / "reference" / "file-formats.html").read_text(encoding="utf-8")
    assert [label for label in ("questions/1", "images/1") if label in TABLES and label not in formats] == []
    assert "Usage: whatif show" in commands
    parameters = (built / "reference" / "params.html").read_text(encoding="utf-8")
    assert "puzzles_per_template" in parameters and "max_new_tokens" in parameters


def test_numbers_are_shown_without_their_comments(built: Path) -> None:
    text = (built / "cvqa-synthetic.html").read_text(encoding="utf-8")
    assert "released shortcuts --" not in text and "&lt;!--" not in text
    assert re.search(r"<td[^>]*>61.5 ", text)


def test_links_of_the_readme_stay_inside_the_repository() -> None:
    """What leaves the README must be in the documentation: its links are checked by tests/test_docs.py."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 110  # a screen and a half
    assert {"docs/tutorials/index.md", "docs/index.md", "CITATION.cff"} <= set(re.findall(r"\]\(([^)#\s]+)", text))


def test_the_picture_of_the_readme_has_the_numbers_of_the_tables() -> None:
    assert guessed.FILE.read_text(encoding="utf-8") == guessed.svg(), "run `make numbers`"


def finds_statistics(page: Page) -> None:
    """The search of the site finds the page of statistics."""
    page.click(".md-search__input")  # reads the index; words that are typed before are not searched for
    until(page, "document.querySelector('.md-search-result__meta').textContent.includes('Type to start')")
    page.keyboard.type("McNemar")
    page.locator(".md-search-result__list", has_text="Statistics").wait_for()


def test_search_works_in_a_browser_without_a_server(built: Path, open_page: Open) -> None:
    finds_statistics(open_page(built / "reference" / "params.html"))


def test_every_page_has_a_policy_that_runs_the_scripts_of_the_site_alone(built: Path) -> None:
    pages = [path for path in built.rglob("*.html") if "repository" not in path.parts]
    assert {"index.html", "404.html"} <= {path.name for path in pages}
    for path in pages:
        text = path.read_text(encoding="utf-8")
        before, policy, after = re.split(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
        assert not re.search(r"<(script|link|style|title)\b", before), path
        scripts = re.search(r"script-src ([^;]*);", policy)[1]
        assert policy.startswith("default-src 'none'; ") and "unsafe" not in scripts and "http" not in policy, path
        inline = [one for one in re.findall(r"<script[^>]*>", after) if "src=" not in one and "json" not in one]
        assert 0 < scripts.count("sha256-") <= len(inline), path


@pytest.mark.soak
def test_pages_from_a_server_break_no_policy_and_search_works(built: Path, browser: Browser) -> None:
    with served(built) as address:
        page = browser.new_page()
        said: list[str] = []
        page.on("console", lambda one: said.append(one.text) if one.type in ("error", "warning") else None)
        page.on("requestfailed", lambda one: None if was_left(one) else said.append(one.url))
        for name in ("cvqa-synthetic.html", "404.html", "reference/params.html"):
            page.goto(f"{address}/{name}")
        finds_statistics(page)
        assert said == []
        page.evaluate("""new Promise(failed => {
            document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="ran = 1">');
            document.body.lastElementChild.addEventListener('error', () => failed(null));
        })""")
        assert page.evaluate("self.ran") is None
        page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_a_telephone_and_follow_the_colours_of_the_system(built: Path, open_page: Open, scheme: str) -> None:
    page = open_page(built / "index.html", width=360, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.wait_for_selector(f"body[data-md-color-scheme={'slate' if scheme == 'dark' else 'default'}]")


def test_the_widest_tables_fit_a_screen(built: Path, open_page: Open) -> None:
    for name in ("audit", "index"):
        page = open_page(built / f"{name}.html", width=1280)
        page.wait_for_selector(".md-typeset__scrollwrap")
        widths = (
            "[...document.querySelectorAll('.md-typeset__scrollwrap')].map(one => one.scrollWidth - one.clientWidth)"
        )
        assert max(page.evaluate(widths)) <= 0, name
