"""Fixtures that open pages of the site in headless Chromium; tests are skipped where it is not installed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

NAMES = ("chromium", "chromium-browser", "google-chrome")
WITHIN = 60_000  # milliseconds until a state that is not shown is a failure, on a machine that does other work too
Open = Callable[..., "Page"]


def executable() -> str | None:
    """The browser of this machine, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def arguments() -> list[str]:
    """The browser's own sandbox does not work for root."""
    return ["--no-sandbox"] if os.geteuid() == 0 else []


def until(page: Page, expression: str, arg: Any = None) -> None:
    """Waits until an expression of JavaScript is true, or a function of `arg`. Raises AssertionError after a minute.

    Playwright's own `wait_for_function` calls `eval` in the page, which the policy of a page does not allow.
    """
    for _ in range(WITHIN // 50):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}")


def resize(page: Page, width: int) -> None:
    """Gives the window another width, and waits until the page has it."""
    page.set_viewport_size({"width": width, "height": 740})
    until(page, "width => innerWidth === width", width)


def was_left(request: Request) -> bool:
    """Whether a request was given up because the page was left, which says nothing of the page."""
    return request.failure == "net::ERR_ABORTED"


def check_accessible(page: Page) -> None:
    """axe finds nothing in light colours and, on a phone, in dark ones; nothing scrolls sideways."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for width, scheme in ((1280, "light"), (360, "dark")):
        resize(page, width)
        page.emulate_media(color_scheme=scheme)
        # `preload` would fetch the style sheets, which pages opened from files cannot.
        found = axe.run(page, options={"preload": False}).response["violations"]
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == [], (width, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


# A browser of a whole session would leave an event loop running, in which no other test can start one.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api")
    path = executable()
    if path is None:
        pytest.skip(f"none of {', '.join(NAMES)} is installed")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=arguments())
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens a file, with the hash of its address; takes `width`, `height` and further options of a context.

    After the test: fails if any page wrote an error or a warning to the console, or could not load a file.
    """
    contexts: list[Any] = []
    trouble: list[str] = []

    def opened(path: Path, hash_: str = "", *, width: int = 1280, height: int = 900, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(WITHIN)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: trouble.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("requestfailed", lambda one: None if was_left(one) else trouble.append(f"failed: {one.url}"))
        page.on(
            "request", lambda r: None if r.url.startswith(("file:", "data:")) else trouble.append(f"network: {r.url}")
        )
        page.on("dialog", lambda dialog: trouble.append(f"alert: {dialog.message}"))
        page.goto(path.as_uri() + hash_)
        until(page, "width => innerWidth === width", width)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert trouble == []
