"""The item browser in headless Chromium: keys, dialogs, accessibility, colours, print."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from tests.results.site.chromium import check_accessible, until
from tests.results.site.expected_items import ITEM, expected, rows

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.process


def test_keys_go_through_items_and_back_to_the_list(show: Callable[..., Page]) -> None:
    state = {"system": "Small model", "original": "right", "counterfactual": "wrong"}
    ids = expected(state)
    page = show(state)

    def at(item: str) -> None:
        until(page, "id => document.querySelector('#item:not([hidden]) .about code')?.textContent === id", arg=item)

    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    at(ids[1])
    assert page.evaluate("document.activeElement.id") == "item-title"
    page.keyboard.press("j")
    at(ids[2])
    page.keyboard.press("ArrowLeft")
    at(ids[1])
    page.keyboard.press("k")
    at(ids[0])
    page.keyboard.press("k")  # there is none before the first
    page.keyboard.press("ArrowRight")
    at(ids[1])
    assert page.inner_text(".place") == f"2 of {len(ids)}"
    page.keyboard.press("Escape")
    page.wait_for_selector("#browse:visible")
    until(page, "id => document.activeElement.hash?.endsWith(encodeURIComponent(id))", ids[1])
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("j?/")
    assert page.input_value("#q") == "j?/"
    assert page.is_hidden("#help")


def test_search_key_leaves_an_item(show: Callable[..., Page]) -> None:
    page = show({"item": ITEM})
    page.keyboard.press("/")
    until(page, "document.activeElement.id === 'q'")
    page.wait_for_selector("#item", state="hidden")
    page.keyboard.type("kite")
    until(page, "location.hash === '#q=kite'")
    assert page.evaluate("document.activeElement.id") == "q"


def test_keys_of_one_letter_can_be_switched_off(show: Callable[..., Page]) -> None:
    page = show({"item": ITEM})
    page.keyboard.press("?")
    page.uncheck("#letters")
    page.keyboard.press("Escape")
    page.wait_for_selector("#help", state="hidden")
    page.keyboard.press("j")
    page.keyboard.press("?")
    assert page.is_hidden("#help")
    page.keyboard.press("ArrowRight")
    until(page, "location.hash.includes('0004')")


def test_pictures_enlarge_in_a_dialog_that_gives_the_focus_back(show: Callable[..., Page]) -> None:
    page = show({"item": ITEM})
    page.focus(".enlarge >> nth=1")
    page.keyboard.press("Enter")
    page.wait_for_selector("#viewer[open]")
    assert page.evaluate("document.activeElement.closest('dialog')?.id") == "viewer"
    assert page.inner_text("#viewer-place") == "2 of 3"
    assert "purple lamp" in page.inner_text("#viewer-caption")
    page.keyboard.press("ArrowRight")
    assert "differ" in page.inner_text("#viewer-caption")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#viewer-place") == "1 of 3"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    page.wait_for_selector("#viewer", state="hidden")
    until(page, "document.activeElement === document.querySelectorAll('.enlarge')[1]")
    assert page.is_visible("#item")  # Escape closed the dialog only


def test_the_difference_map_is_switched_on_and_stays_on(show: Callable[..., Page]) -> None:
    page = show({"item": ITEM})
    assert page.is_hidden("figure.difference")
    page.click("text=Show the difference map")
    assert page.is_visible("figure.difference")
    until(page, "document.querySelector('.difference img').naturalWidth > 0")
    page.keyboard.press("j")
    until(page, "location.hash.includes('0004') && document.querySelector('.about code').textContent.endsWith('4')")
    assert page.is_visible("figure.difference")
    page.click("text=Show the difference map")
    assert page.is_hidden("figure.difference")
    assert "difference" not in page.evaluate("location.hash")


def test_the_link_to_an_item_is_copied(show: Callable[..., Page]) -> None:
    page = show({"item": ITEM, "group": "lamps"}, permissions=["clipboard-read", "clipboard-write"])
    page.click("#copy")
    page.wait_for_selector("text=Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.endswith(f"items.html#{urlencode({'item': ITEM})}")


def test_the_help_is_read_from_its_heading(show: Callable[..., Page]) -> None:
    page = show()
    page.click("#show-help")
    assert page.evaluate("document.activeElement.id") == "help-heading"


def _places() -> Iterator[tuple[str, dict[str, str], tuple[str, ...]]]:
    yield "list", {}, ()
    yield "filtered list", {"system": "Small model", "original": "right", "view": "figure-2"}, ()
    yield "item", {"item": ITEM, "system": "Small model"}, ()
    yield "programs", {"item": ITEM, "difference": "shown"}, ("text=Show or hide all details",)
    yield "dialog", {"item": ITEM}, (".enlarge >> nth=0",)
    yield "help", {}, ("#show-help",)
    yield "hostile", {"item": rows()[-2]["item_id"]}, ("button.expand",)
    yield "several questions", {"item": "several"}, ()


@pytest.mark.parametrize(
    ("state", "clicks"),
    [
        pytest.param(*one[1:], id=one[0], marks=() if one[0] in ("list", "item") else pytest.mark.soak)
        for one in _places()
    ],
)
def test_every_part_is_accessible_in_light_and_dark_and_fits_a_phone(
    show: Callable[..., Page], state: dict[str, str], clicks: tuple[str, ...]
) -> None:
    page = show(state, reduced_motion="reduce")
    for selector in clicks:
        page.click(selector)
    check_accessible(page)
    assert page.evaluate("[...document.querySelectorAll('dialog[open]')].every(d => d.scrollWidth <= d.clientWidth)")


def test_dark_and_light_colours_differ(show: Callable[..., Page]) -> None:
    colours = "[document.body, document.querySelector('#q')].map(e => getComputedStyle(e).backgroundColor)"
    dark, light = (show(color_scheme=scheme).evaluate(colours) for scheme in ("dark", "light"))
    assert all(first != second for first, second in zip(dark, light, strict=True))


def test_print_shows_the_item_alone(show: Callable[..., Page]) -> None:
    page = show({"item": ITEM})
    page.emulate_media(media="print")
    assert page.is_visible("#item-title")
    assert page.is_visible("table.answers")
    assert page.is_hidden(".item-bar")
    assert page.is_hidden("#copy")
    assert page.is_visible(".enlarge img >> nth=0")
