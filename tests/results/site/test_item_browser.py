"""The item browser in headless Chromium: filters, search, links, details."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from tests.results.site.chromium import Open, resize, until
from tests.results.site.example_items import HOSTILE, unsided, write_site
from tests.results.site.expected_items import ITEM, expected, rows, status

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.process


IDS = "[...document.querySelectorAll('#matches a')].map(a => new URLSearchParams(a.hash.slice(1)).get('item'))"


def listed(page: Page) -> list[str]:
    """Ids of all matches, over all pages of the list."""
    page.wait_for_selector("#matches:visible, #nothing:visible")
    found: list[str] = page.evaluate(IDS)
    while link := page.query_selector("#pages-below a[rel=next]"):
        link.click()
        until(page, f"last => !{IDS}.includes(last)", arg=found[-1])
        found += page.evaluate(IDS)
    return found


STATES: tuple[dict[str, str], ...] = (
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
    {"original": "not-asked", "group": "kites"},
    {},
)
# The browser tells the page of the address first, which then shows its items, and then this.
VISIT = "hash => new Promise(shown => { addEventListener('hashchange', () => shown(null)); location.hash = hash; })"


@pytest.mark.parametrize(
    "states", [STATES[::3], pytest.param(STATES, marks=pytest.mark.soak)], ids=["every third", "all"]
)
def test_filters_show_exactly_the_items_that_match(
    show: Callable[..., Page], states: tuple[dict[str, str], ...]
) -> None:
    page = show()
    for state in states:
        ids = expected(state)
        page.evaluate(VISIT, urlencode(state))
        count = page.inner_text("#count")
        assert count == (f"{len(ids)} of {len(rows())} items match" if state else f"{len(ids)} items")
        assert listed(page) == ids, state
        assert len(state) < 2 or 0 < len(ids) < len(rows())


def test_controls_and_presets_set_the_address(show: Callable[..., Page]) -> None:
    page = show()
    page.select_option("#system", "Small model")
    page.click("text=Right on the original, wrong on the counterfactual")
    state = {"system": "Small model", "original": "right", "counterfactual": "wrong"}
    page.wait_for_selector("[aria-pressed=true]")
    assert page.evaluate("location.hash") == f"#{urlencode(state)}"
    assert listed(page) == expected(state)
    page.click("text=Models disagree")
    until(page, "document.getElementById('other').value")
    assert page.input_value("#system") == "Small model"
    other = page.input_value("#other")
    assert other not in ("", "Small model")
    assert listed(page) == expected({"system": "Small model", "other": other})
    page.click("text=No model right")
    until(page, "document.getElementById('all').value === 'none'")
    assert listed(page) == expected({"all": "none"})
    page.click("text=Clear all")
    until(page, "location.hash === ''")
    assert page.inner_text("#count") == f"{len(rows())} items"
    assert page.is_hidden("#clear")


def test_back_and_forward_go_through_filters_pages_and_items(show: Callable[..., Page]) -> None:
    page = show()
    page.select_option("#group", "balls")
    until(page, "document.getElementById('count').textContent.startsWith('65 of')")
    page.click("#pages-below a[rel=next]")
    page.wait_for_selector("text=Page 2 of 2")
    page.click("#matches li:nth-child(3) a")
    page.wait_for_selector("#item:visible")
    page.go_back()
    page.wait_for_selector("text=Page 2 of 2")
    page.go_back()
    page.go_back()
    until(page, f"document.getElementById('count').textContent === '{len(rows())} items'")
    assert page.input_value("#group") == ""
    page.go_forward()
    until(page, "document.getElementById('count').textContent.startsWith('65 of')")


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
        until(
            page,
            "query => new URLSearchParams(location.hash.slice(1)).get('q') === query"
            " && document.getElementById('count').textContent.includes('match')",
            arg=query,
        )
        assert listed(page) == ids, query
        page.evaluate("location.hash = ''")
        until(page, f"document.getElementById('count').textContent === '{len(rows())} items'")
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
    assert page.is_hidden(".reasoning .response")  # until its heading is clicked
    page.click(".reasoning summary")
    assert page.is_visible(".reasoning .response")
    assert page.text_content(".reasoning .response") == HOSTILE
    # It is the text of an option, which is long, so the table holds its letter.
    assert page.text_content(".answers .answer") == "A"
    assert page.text_content(".choices bdi >> nth=0") == HOSTILE
    page.keyboard.press("Escape")
    page.select_option("#group", HOSTILE)
    until(page, "document.getElementById('count').textContent.startsWith('1 of')")
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
    until(page, "location.hash === '#group=kites'")
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
    assert heads == ["Model", "Answer"]
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
    until(page, f"{region}.scrollLeft > 0")
    assert "item=forms" in page.evaluate("location.hash")
    assert page.query_selector("tr:not(.detail) .why") is None
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    assert axe.run(page, options={"preload": False}).response["violations"] == []
    resize(page, 360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate(f"{region}.scrollWidth <= {region}.clientWidth")


def without(site: Path, name: str, folder: Path) -> Path:
    """The page of items in a copy of the site that lacks a file."""
    shutil.copytree(site.parents[1], folder / "copy")
    (folder / "copy" / site.parent.name / name).unlink()
    return folder / "copy" / site.parent.name / site.name


def test_an_index_in_shards_shows_the_same(show: Callable[..., Page], shards: Path) -> None:
    page = show(path=shards)
    assert page.inner_text("#count") == f"{len(rows())} items"
    for state in (*STATES[:4], STATES[9], STATES[12], STATES[13]):
        page.evaluate(VISIT, urlencode(state))
        page.wait_for_selector("#items:not([aria-busy])")
        assert listed(page) == expected(state), state
    row = rows()[203]
    page = show({"item": row["item_id"], "view": "figure-9"}, path=shards)  # it is not among the view's items
    assert page.inner_text("#item-title") == row["title"]
    ids = ["pair/0200", "pair/0225"]
    links = page.eval_on_selector_all(".item-bar .button:not(.to-list)", "all => all.map(link => link.hash)")
    assert links == [f"#{urlencode({'view': 'figure-9', 'item': one})}" for one in ids]
    page = show({"item": "no/such"}, path=shards)
    assert page.inner_text("#trouble") == "This address names what is not here: item “no/such”."


def test_a_long_search_shows_what_it_finds_while_it_goes_on(open_page: Open, shards: Path) -> None:
    page = open_page(shards)
    page.wait_for_selector("#items:not([aria-busy])")
    # A second passes whenever the page asks, so each file of texts is reported; the third one does not come by itself.
    page.evaluate(
        """() => {
          let now = 0;
          performance.now = () => (now += 1000);
          const append = document.head.append.bind(document.head);
          document.head.append = (script) => {
            if (script.src.endsWith("text-2.js")) self.come = () => append(script);
            else append(script);
          };
        }"""
    )
    page.evaluate("location.hash = 'q=ball'")
    ids = [row["item_id"] for row in rows() if "ball" in str(row)]
    here = [one for one in ids if one < "pair/0050"]
    until(page, f"{IDS}.length === {len(here)}")
    assert page.inner_text("#count") == f"{len(here)} of 262 items match so far; 50 of 262 searched"
    page.click("#matches li:nth-child(2) a")
    page.wait_for_selector("#item:visible")
    assert page.inner_text(".place") == f"2 of {len(here)} so far; 50 of 262 searched"
    page.evaluate("self.come()")
    until(page, f"document.querySelector('.place').textContent === '2 of {len(ids)}'")
    page.keyboard.press("Escape")
    assert listed(page) == ids


def test_a_missing_file_is_told(browser: Any, site: Path, tmp_path: Path) -> None:
    path = without(site, "data/items-1.js", tmp_path)
    page = browser.new_page()
    page.goto(f"{path.as_uri()}#{urlencode({'item': 'pair/0105'})}")
    page.wait_for_selector("#trouble:visible")
    assert page.inner_text("#trouble") == "The file data/items-1.js cannot be read. Is the site complete?"
    page.close()


def test_missing_texts_are_told_when_somebody_searches(browser: Any, site: Path, tmp_path: Path) -> None:
    path = without(site, "data/text-0.js", tmp_path)
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("#items:not([aria-busy])")
    page.fill("#q", "ball")
    page.wait_for_selector("#trouble:visible")
    assert page.inner_text("#trouble") == "The file data/text-0.js cannot be read. Is the site complete?"
    assert page.text_content("#count") == ""  # it does not go on loading
    page.close()
