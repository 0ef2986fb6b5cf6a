"""The Content-Security-Policy of every page that whatif writes: there, broken by no page itself, and of effect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from dvc_render.vega import VegaRenderer

import whatif
from tests.defaults import ROOT
from tests.results.site.chromium import WITHIN, until, was_left
from tests.results.site.pages_of_all_kinds import PAGES, plots, served, write_pages_of_all_kinds
from whatif.engine.files.page_policy import hashed
from whatif.engine.workflow.project_files import project_files

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">')
STARTS = re.compile(r"<!doctype html>|<html[ >]|<script\b(?!>\?)", re.IGNORECASE)
# Parts of pages of other tools, whose policy is theirs: MTurk puts the layout into a page with scripts of its own.
PARTS = {"people/exports/mturk.py"}
EVIL = """
<script>ran = 1</script><img src="missing.png" onerror="ran = 2"><svg onload="ran = 3"></svg>
<script src="data:text/javascript,ran = 4"></script><a id="evil" href="javascript:void(ran = 5)">x</a>
<iframe srcdoc="<script>parent.ran = 6</script>"></iframe><object data="data:text/html,x"></object>
<link rel="stylesheet" href="https://evil.example/a.css"><img src="https://evil.example/p.png">
<form action="https://evil.example/f"><input name="a"></form><base href="https://evil.example/">
"""
# Their template, and with it their policy, is that of `results/index.html`.
LIKE_THE_FIRST = {"results/bench/tables.html", "results/contradictions.html", "site/comparisons/flips/index.html"}
WITH_SCRIPTS = {"results/index.html", "items/bench/items.html"}  # of our own, so that the policy lets some run
Look = Callable[[str], "tuple[Page, list[str]]"]


def test_every_template_of_a_page_has_a_policy_before_anything_else() -> None:
    """A new page without a policy fails here."""
    root = Path(whatif.__file__).parent
    sources = [path for path in root.rglob("*") if path.suffix in (".py", ".html", ".js", ".jinja")]
    found = {path: path.read_text(encoding="utf-8") for path in [*sources, ROOT / ".dvc/plots/page.html"]}
    pages = {path: text for path, text in found.items() if STARTS.search(text)}
    names = {path.relative_to(root).as_posix() for path in pages if path.is_relative_to(root)}
    assert names == PARTS | {
        "results/site/templates/page.html",
        "results/auditing/page_text.py",
        "models/programs/trace.py",
        "engine/workflow/project_files/dvc/plots/page.html",
    }
    for path, text in pages.items():
        if not str(path).endswith(tuple(PARTS)):
            before = text[: text.index('<meta http-equiv="Content-Security-Policy"')]
            assert not re.search(r"<(script|link|style|title|body)\b", before), path


def policies(folder: Path) -> dict[str, str]:
    return {name: unescape(POLICY.search((folder / name).read_text(encoding="utf-8"))[1]) for name in PAGES}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    write_pages_of_all_kinds(folder)
    return folder


def test_policies_let_nothing_of_the_page_itself_run_and_load_nothing_from_elsewhere(pages: Path) -> None:
    for name, policy in policies(pages).items():
        parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
        assert {parts[key] for key in ("default-src", "base-uri", "form-action")} == {"'none'"}, name
        scripts = parts.get("script-src", "")
        assert "unsafe" not in scripts and "*" not in policy, name
        assert ("unsafe-inline" in parts["style-src"]) == name.startswith("dvc"), name
        if not name.startswith("dvc"):
            assert "http" not in policy, name
        if name in ("audit.html", "trace.html"):
            assert not scripts, "a page without a script"


def test_the_page_of_plots_names_its_own_scripts_and_those_that_dvc_would_load() -> None:
    page = project_files()[".dvc/plots/page.html"].decode()
    assert page == (ROOT / ".dvc/plots/page.html").read_text(encoding="utf-8")
    policy = POLICY.search(page)[1]
    own = [hashed(script) for script in re.findall(r"<script>(.*?)</script>", page, re.DOTALL)]
    assert len(own) == 2 and re.findall(r"'sha256-[^']+'", policy) == own
    assert re.findall(r"https:\S+", policy) == re.findall(r'src="([^"]+)"', VegaRenderer.SCRIPTS)


@pytest.fixture
def look(browser: Browser) -> Iterator[Look]:
    """Opens an address; gives the page, and what it writes to the console or fails to load."""
    contexts: list[Any] = []

    def opened(address: str) -> tuple[Page, list[str]]:
        context = browser.new_context()
        context.set_default_timeout(WITHIN)
        contexts.append(context)
        page, said = context.new_page(), []
        page.on("console", lambda one: said.append(one.text) if one.type == "error" else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("requestfailed", lambda one: None if was_left(one) else said.append(f"{one.failure}: {one.url}"))
        page.goto(address)
        return page, said

    yield opened
    for context in contexts:
        context.close()


def works(page: Page, name: str) -> None:
    """The scripts and styles of a page are at work."""
    assert page.evaluate("getComputedStyle(document.body).fontFamily") != "Times New Roman"
    if name.startswith("dvc"):
        page.wait_for_selector("canvas")
    elif name.startswith("items"):
        page.wait_for_selector("#items:not([aria-busy]) #matches li")
        page.fill("#q", "ball")
        page.wait_for_selector("text=items match")
        page.click("#matches a")
        page.wait_for_selector("#item:not([hidden]) img")
    elif name not in ("audit.html", "trace.html"):
        before = page.evaluate("document.documentElement.dataset.theme")
        page.click("#theme")
        assert page.evaluate("document.documentElement.dataset.theme") != before
    until(
        page, "[...document.querySelectorAll('img[src]')].every(one => one.loading === 'lazy' || one.naturalWidth > 0)"
    )


@pytest.mark.process
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] * (name in LIKE_THE_FIRST)) for name in PAGES]
)
def test_a_page_works_from_a_folder_and_from_a_server_and_breaks_no_policy(look: Look, pages: Path, name: str) -> None:
    with served(pages) as address:
        for place in ((pages / name).as_uri(), f"{address}/{name}"):
            page, said = look(place)
            works(page, name)
            assert said == [], place


def refused(page: Page, said: list[str], words: str) -> None:
    """Waits until the browser says that the policy of a page forbids something."""
    for _ in range(WITHIN // 50):
        if any(words in one and "violates the following Content Security Policy" in one for one in said):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never said: {words}")


@pytest.mark.process
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] * (name not in WITH_SCRIPTS)) for name in PAGES]
)
def test_markup_in_a_page_by_mistake_runs_and_loads_nothing(look: Look, pages: Path, name: str) -> None:
    html = (pages / name).read_text(encoding="utf-8")
    place = "</template>\n</body>" if name.startswith("dvc") else "</body>"
    html = EVIL.join(html.rsplit(place, 1)[:1]) + EVIL + place + html.rsplit(place, 1)[1]
    path = (pages / name).with_name("attacked.html")
    path.write_text(html, encoding="utf-8")
    page, said = look(path.as_uri())  # which is loaded with its scripts, frames and images
    page.click("#evil", force=True, no_wait_after=True)
    page.evaluate("document.querySelector('form[action*=evil]').submit()")
    for words in ("inline script", "inline event handler", "Running the JavaScript URL", "Sending form data"):
        refused(page, said, words)
    assert page.evaluate("self.ran") is None
    assert [one for one in said if "evil.example" in one and not re.search("csp|violates", one)] == []
    assert sum("violates the following Content Security Policy" in one for one in said) >= 6
    path.write_text(POLICY.sub("", html), encoding="utf-8")
    page, _ = look(path.as_uri())
    until(page, "self.ran > 0")  # without the policy, it runs


@pytest.mark.process
def test_a_plot_of_a_hostile_name_runs_nothing(look: Look, tmp_path: Path) -> None:
    path = plots(tmp_path, "x</script></template><img src=missing.png onerror='ran = 1'><script>ran = 2</script>")
    page, said = look(path.as_uri())
    refused(page, said, "inline event handler")
    refused(page, said, "inline script")
    assert page.evaluate("self.ran") is None
