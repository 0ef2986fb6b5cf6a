"""The item browser in headless Chromium: filters, search, links, keys, dialogs, accessibility."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from tests.site.chromium import Open
from tests.site.example_items import HOSTILE, paired, unsided, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.process

ITEM = "pair/0003"
Row = Mapping[str, Any]


@cache
def rows() -> tuple[Row, ...]:
    return tuple(paired().items)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(paired(), tmp_path_factory.mktemp("site"))


@pytest.fixture
def show(open_page: Open, site: Path) -> Callable[..., Page]:
    """Opens the items with a state, and waits until they are shown."""

    def opened(state: Mapping[str, str] | None = None, **options: Any) -> Page:
        page = open_page(site, f"#{urlencode(state)}" if state else "", **options)
        page.wait_for_selector("#items:not([aria-busy])")
        return page

    return opened


IDS = "[...document.querySelectorAll('#matches a')].map(a => new URLSearchParams(a.hash.slice(1)).get('item'))"


def listed(page: Page) -> list[str]:
    """Ids of all matches, over all pages of the list."""
    page.wait_for_selector("#matches:visible, #nothing:visible")
    found: list[str] = page.evaluate(IDS)
    while link := page.query_selector("#pages-below a[rel=next]"):
        link.click()
        page.wait_for_function(f"last => !{IDS}.includes(last)", arg=found[-1])
        found += page.evaluate(IDS)
    return found


# ---- what the filters should give, computed from the rows

LETTERS = {"right": "r", "not-right": "wne", "wrong": "w", "none": "n", "error": "e", "not-asked": "-"}


def status(row: Row, system: str, side: str) -> str:
    given = [
        answer
        for question in row["questions"]
        if question["side"] == side
        for answer in question["answers"]
        if answer["system"] == system
    ]
    if not given:
        return "-"
    wrong = [answer["status"] for answer in given if not answer["correct"]]
    if not wrong:
        return "r"
    if "ok" in wrong:
        return "w"
    return "e" if set(wrong) == {"error"} else "n"


SIDES = ("original", "counterfactual")


def systems() -> list[str]:
    return sorted({a["system"] for row in rows() for q in row["questions"] for a in q["answers"]})


def right_systems(row: Row) -> list[bool]:
    """For each system that was asked about the item: whether it is right on all of it."""
    found = []
    for system in systems():
        given = [a["correct"] for q in row["questions"] for a in q["answers"] if a["system"] == system]
        if given:
            found.append(all(given))
    return found


def expected(state: Mapping[str, str]) -> list[str]:
    def matches(row: Row) -> bool:
        wanted = [(side, LETTERS[state[side]]) for side in SIDES if side in state]
        chosen = [state["system"]] if "system" in state else systems()
        tests = [
            state.get("group", row["group"]) == row["group"],
            "view" not in state or state["view"] in row["views"],
            any(all(status(row, one, side) in codes for side, codes in wanted) for one in chosen),
        ]
        if "other" in state:
            pairs = [(status(row, state["system"], side), status(row, state["other"], side)) for side in SIDES]
            tests.append(any("-" not in pair and (pair[0] == "r") != (pair[1] == "r") for pair in pairs))
        if "all" in state:
            right = right_systems(row)
            tests.append(
                bool(right)
                and {"all": all(right), "none": not any(right), "some": any(right) and not all(right)}[state["all"]]
            )
        return all(tests)

    return [row["item_id"] for row in rows() if matches(row)]


STATES: tuple[dict[str, str], ...] = (
    {},
    {"group": "kites"},
    {"view": "figure-9"},
    {"original": "right", "counterfactual": "wrong"},
    {"system": "Small model", "original": "right", "counterfactual": "wrong"},
    {"system": "Large model", "original": "wrong", "counterfactual": "right"},
    {"system": "Large model", "original": "not-right"},
    {"system": "Small model", "counterfactual": "none"},
    {"system": "Writer of programs", "original": "not-asked"},
    {"original": "error"},
    {"system": "Large model", "other": "Writer of programs"},
    {"all": "none"},
    {"all": "all"},
    {"all": "some", "group": "lamps", "view": "figure-9"},
)


@pytest.mark.parametrize("state", STATES, ids=lambda state: urlencode(state) or "none")
def test_filters_show_exactly_the_items_that_match(show: Callable[..., Page], state: dict[str, str]) -> None:
    ids = expected(state)
    page = show(state)
    count = page.inner_text("#count")
    assert count == (f"{len(ids)} of {len(rows())} items match" if state else f"{len(ids)} items")
    assert listed(page) == ids
    if len(state) > 1:
        assert 0 < len(ids) < len(rows())


def test_controls_and_presets_set_the_address(show: Callable[..., Page]) -> None:
    page = show()
    page.select_option("#system", "Small model")
    page.click("text=Right on the original, wrong on the counterfactual")
    state = {"system": "Small model", "original": "right", "counterfactual": "wrong"}
    page.wait_for_selector("[aria-pressed=true]")
    assert page.evaluate("location.hash") == f"#{urlencode(state)}"
    assert listed(page) == expected(state)
    page.click("text=Systems disagree")
    page.wait_for_function("document.getElementById('other').value")
    assert page.input_value("#system") == "Small model"
    other = page.input_value("#other")
    assert other not in ("", "Small model")
    assert listed(page) == expected({"system": "Small model", "other": other})
    page.click("text=No system right")
    page.wait_for_function("document.getElementById('all').value === 'none'")
    assert listed(page) == expected({"all": "none"})
    page.click("text=Clear all")
    page.wait_for_function("location.hash === ''")
    assert page.inner_text("#count") == f"{len(rows())} items"
    assert page.is_hidden("#clear")


def test_back_and_forward_go_through_filters_pages_and_items(show: Callable[..., Page]) -> None:
    page = show()
    page.select_option("#group", "balls")
    page.wait_for_function("document.getElementById('count').textContent.startsWith('65 of')")
    page.click("#pages-below a[rel=next]")
    page.wait_for_selector("text=Page 2 of 2")
    page.click("#matches li:nth-child(3) a")
    page.wait_for_selector("#item:visible")
    page.go_back()
    page.wait_for_selector("text=Page 2 of 2")
    page.go_back()
    page.go_back()
    page.wait_for_function(f"document.getElementById('count').textContent === '{len(rows())} items'")
    assert page.input_value("#group") == ""
    page.go_forward()
    page.wait_for_function("document.getElementById('count').textContent.startsWith('65 of')")


def test_search_finds_words_phrases_answers_and_accents(show: Callable[..., Page]) -> None:
    page = show()
    cases = {
        "purple lamp": [r["item_id"] for r in rows() if "purple" in str(r).lower() and "lamp" in str(r).lower()],
        '"the purple lamp"': [r["item_id"] for r in rows() if "the purple lamp" in r["title"].lower()],
        "CAFE": [r["item_id"] for r in rows() if r["notes"] == ["Café in the background."]],
        "pair/0011": ["pair/0011"],
        "<script>": [rows()[-2]["item_id"]],
    }
    for query, ids in cases.items():
        page.fill("#q", query)
        page.wait_for_function(
            "query => new URLSearchParams(location.hash.slice(1)).get('q') === query"
            " && document.getElementById('count').textContent.includes('match')",
            arg=query,
        )
        assert listed(page) == ids, query
        page.evaluate("location.hash = ''")
    page.fill("#q", "nothing has these words")
    page.wait_for_selector("#nothing:visible")


def test_a_link_opens_an_item_with_everything(show: Callable[..., Page]) -> None:
    page = show({"item": ITEM})
    row = rows()[3]
    assert page.inner_text("#item-title") == row["title"]
    assert page.title().startswith(row["title"])
    assert page.eval_on_selector_all("#item .asked", "all => all.map(p => p.textContent)") == [
        question["text"] for question in row["questions"]
    ]
    assert page.inner_text("del.changed >> nth=0") == "yellow"
    assert page.inner_text("ins.changed >> nth=0") == "purple"
    for place, choice in ((0, "yellow"), (1, "purple")):
        options = page.query_selector_all("ol.choices")[place].query_selector_all("li")
        right = [option.inner_text().split()[1] for option in options if "right answer" in option.inner_text()]
        assert right == [choice]
    shown = page.eval_on_selector_all(
        ".answers tbody tr:not(.detail)", "all => all.map(tr => [...tr.children].map(c => c.innerText))"
    )
    assert {line[0].removesuffix(" Details") for line in shown} == {a["system"] for a in row["questions"][0]["answers"]}
    words = {"r": "Right", "w": "Wrong", "n": "No answer", "e": "Error", "-": "Not asked"}
    for line in shown:
        system = line[0].removesuffix(" Details")
        for cell, question in zip(line[1:3], row["questions"], strict=True):
            assert words[status(row, system, question["side"])] in cell
            answer = next(a for a in question["answers"] if a["system"] == system)
            assert answer["why"] in cell
            assert (answer["answer"] or "") in cell
        tokens = [sum(a[kind] or 0 for q in row["questions"] for a in q["answers"] if a["system"] == system)
                  for kind in ("prompt_tokens", "response_tokens")]  # fmt: skip
        assert line[3:5] == [str(number) for number in tokens]


def test_details_hold_responses_turns_samples_and_programs(show: Callable[..., Page]) -> None:
    page = show({"item": ITEM})
    name = "Details: Writer of programs"
    assert page.is_hidden("text=Calls of its tools")
    page.click(f"[aria-label='{name}']")
    assert page.get_attribute(f"[aria-label='{name}']", "aria-expanded") == "true"
    assert "return thing.query('colour')  # 3" in page.inner_text(".detail:visible pre >> nth=0")
    page.click("text=Show or hide all details")
    text = page.inner_text(".answers")
    for row in rows()[3]["questions"]:
        for answer in row["answers"]:
            program = answer["program"] or {"code": "", "category": "", "calls": []}
            for part in (
                answer["response"],
                *answer["turns"],
                *answer["samples"],
                program["category"],
                *program["calls"],
            ):
                assert (part or "") in text
    page.click("text=Show or hide all details")
    assert page.query_selector(".detail:visible") is None


def test_keys_go_through_items_and_back_to_the_list(show: Callable[..., Page]) -> None:
    state = {"system": "Small model", "original": "right", "counterfactual": "wrong"}
    ids = expected(state)
    page = show(state)

    def at(item: str) -> None:
        page.wait_for_function(
            "id => document.querySelector('#item:not([hidden]) .about code')?.textContent === id", arg=item
        )

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
    assert page.evaluate("new URLSearchParams(document.activeElement.hash.slice(1)).get('item')") == ids[1]
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("j?/")
    assert page.input_value("#q") == "j?/"
    assert page.is_hidden("#help")


def test_search_key_leaves_an_item(show: Callable[..., Page]) -> None:
    page = show({"item": ITEM})
    page.keyboard.press("/")
    page.wait_for_function("document.activeElement.id === 'q'")
    page.wait_for_selector("#item", state="hidden")
    page.keyboard.type("kite")
    page.wait_for_function("location.hash === '#q=kite'")
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
    page.wait_for_function("location.hash.includes('0004')")


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
    assert page.evaluate("document.activeElement === document.querySelectorAll('.enlarge')[1]")
    assert page.is_visible("#item")  # Escape closed the dialog only


def test_the_difference_map_is_switched_on_and_stays_on(show: Callable[..., Page]) -> None:
    page = show({"item": ITEM})
    assert page.is_hidden("figure.difference")
    page.click("text=Show the difference map")
    assert page.is_visible("figure.difference")
    page.wait_for_function("document.querySelector('.difference img').naturalWidth > 0")
    page.keyboard.press("j")
    page.wait_for_function(
        "location.hash.includes('0004') && document.querySelector('.about code').textContent.endsWith('4')"
    )
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


def test_views_are_links_with_their_text(show: Callable[..., Page]) -> None:
    page = show()
    page.click("#view-links >> text=Figure 9: programs")
    page.wait_for_selector("#view-text:visible")
    assert page.inner_text("#view-text h2") == "Figure 9: programs"
    assert "calls of tools" in page.inner_text("#view-text p")
    assert listed(page) == expected({"view": "figure-9"})


def test_hostile_text_is_shown_as_text(show: Callable[..., Page]) -> None:
    row = next(row for row in rows() if row["title"] == HOSTILE)
    page = show({"item": row["item_id"]})
    page.click("button.expand")
    assert page.evaluate("document.querySelectorAll('#item script, #item img[src=x]').length") == 0
    assert page.title() != "changed"
    assert "<script>document.title='changed'</script>" in page.inner_text("#item-title")
    assert page.text_content(".asked") == HOSTILE
    assert page.text_content(".detail pre") == HOSTILE
    # It is the text of an option, which is long, so the table holds its letter.
    assert page.text_content(".answers .answer") == "A"
    assert page.text_content(".choices bdi >> nth=0") == HOSTILE
    page.keyboard.press("Escape")
    page.select_option("#group", HOSTILE)
    page.wait_for_function("document.getElementById('count').textContent.startsWith('1 of')")
    assert listed(page) == [row["item_id"]]


def test_names_that_do_not_exist_are_told(show: Callable[..., Page]) -> None:
    page = show({"item": "no/such", "system": "Nobody", "original": "rihgt"})
    assert page.inner_text("#trouble") == (
        "This address names what is not here: system “Nobody”, original “rihgt”, item “no/such”."
    )
    assert page.inner_text("#count") == f"{len(rows())} items"


def test_a_link_to_a_part_of_the_page_keeps_the_state(show: Callable[..., Page]) -> None:
    page = show({"group": "kites"})
    page.evaluate("location.hash = '#content'")
    page.wait_for_function("location.hash === '#group=kites'")
    assert listed(page) == expected({"group": "kites"})


def test_items_without_sides(open_page: Open, tmp_path: Path) -> None:
    page = open_page(write_site(unsided(), tmp_path))
    page.wait_for_selector("#items:not([aria-busy])")
    assert page.is_hidden("#field-original")
    assert page.is_visible("#field-answers")
    page.select_option("#system", "Small model")
    page.select_option("#answers", "wrong")
    page.wait_for_selector("text=1 of 4 items match")
    page.click("#matches a")
    page.wait_for_selector("#item:visible")
    heads = page.eval_on_selector_all(".answers thead th", "all => all.map(th => th.textContent)")
    assert heads == ["System", "Answer"]
    assert "Sun (B)" in page.inner_text(".answers")
    assert page.query_selector(".pictures") is None


def test_many_questions_of_an_item_scroll_in_their_own_region(open_page: Open, tmp_path: Path) -> None:
    path = write_site(unsided(), tmp_path)
    page = open_page(path, "#item=forms", width=900)
    page.wait_for_selector(".answers")
    heads = page.eval_on_selector_all(".answers thead th", "all => all.map(th => th.textContent)")
    assert heads[1:4] == ["text", "composite", "siamese"]
    assert page.eval_on_selector_all(".choices", "all => all.length") == 1  # the options that all questions share
    assert page.inner_text(".answers td >> nth=0") == "✓ Right A"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    region = "document.querySelector('.answers-scroll')"
    assert page.evaluate(f"{region}.scrollWidth > {region}.clientWidth")
    page.focus(".answers-scroll")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{region}.scrollLeft > 0")
    assert "item=forms" in page.evaluate("location.hash")
    assert page.query_selector("tr:not(.detail) .why") is None
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    assert axe.run(page, options={"preload": False}).response["violations"] == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate(f"{region}.scrollWidth <= {region}.clientWidth")


def test_a_missing_file_is_told(browser: Any, tmp_path: Path) -> None:
    path = write_site(paired(120), tmp_path)
    (path.parent / "data/items-1.js").unlink()
    page = browser.new_page()
    page.goto(f"{path.as_uri()}#{urlencode({'item': 'pair/0105'})}")
    page.wait_for_selector("#trouble:visible")
    assert page.inner_text("#trouble") == "The file data/items-1.js cannot be read. Is the site complete?"
    page.close()


def test_missing_texts_are_told_when_somebody_searches(browser: Any, tmp_path: Path) -> None:
    path = write_site(paired(20), tmp_path)
    (path.parent / "data/text-0.js").unlink()
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("#items:not([aria-busy])")
    page.fill("#q", "ball")
    page.wait_for_selector("#trouble:visible")
    assert page.inner_text("#trouble") == "The file data/text-0.js cannot be read. Is the site complete?"
    assert page.text_content("#count") == ""  # it does not go on loading
    page.close()


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


@pytest.mark.parametrize(("state", "clicks"), [pytest.param(*one[1:], id=one[0]) for one in _places()])
def test_every_part_is_accessible_in_light_and_dark_and_fits_a_phone(
    show: Callable[..., Page], state: dict[str, str], clicks: tuple[str, ...]
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = show(state, reduced_motion="reduce")
    for selector in clicks:
        page.click(selector)
    for width, scheme in ((1280, "light"), (1280, "dark"), (360, "dark")):
        page.set_viewport_size({"width": width, "height": 740})
        page.emulate_media(color_scheme=scheme)
        # `preload` would fetch the style sheets, which pages opened from files cannot.
        found = axe.run(page, options={"preload": False}).response["violations"]
        assert [(v["id"], v["impact"], [n["target"] for n in v["nodes"]]) for v in found] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(
            "[...document.querySelectorAll('dialog[open]')].every(d => d.scrollWidth <= d.clientWidth)"
        )


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
