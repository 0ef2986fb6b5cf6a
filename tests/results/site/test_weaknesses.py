"""Where models do worse, on the page of a benchmark: a planted kind, its numbers, and a link to exactly its items."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from tests.results.site.chromium import Open
from tests.results.site.example_items import source_of
from tests.results.site.test_item_browser import listed
from tests.results.site.test_item_files import pushed
from whatif.results.reporting.items import Item, ItemAnswer, ItemQuestion
from whatif.results.site.build import build
from whatif.results.site.sources import BenchmarkSource

WEAK = "Weak <model>, direct"


def items(count: int = 480) -> Iterator[Item]:
    """A third is of kites; one model answers the long counterfactual questions about them wrong, all else right."""
    for number in range(count):
        thing = ("kite", "ball", "lamp")[number % 3]
        long = number % 2 == 0
        change = "painted in the colour of grass" if long else "red"
        texts = {
            "original": f"What colour is the {thing}?",
            "counterfactual": f"What colour would the {thing} be if it were {change}?",
        }
        yield Item(
            f"item-{number}",
            f"Item {number}",
            f"{thing}s",
            questions=tuple(
                ItemQuestion(f"{number}-{side}", text, "red", side, answers=_answers(thing, side, long, number))
                for side, text in texts.items()
            ),
        )


def _answers(thing: str, side: str, long: bool, number: int) -> tuple[ItemAnswer, ...]:
    wrong = thing == "kite" and side == "counterfactual" and long
    pilot = (ItemAnswer("Pilot", "red", number % 7 > 0),) if number % 20 == 3 else ()
    return (ItemAnswer(WEAK, "red", not wrong), ItemAnswer("Strong", "red", number % 7 > 0), *pilot)


def built(source: BenchmarkSource) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    build([source], files.__setitem__, files.__setitem__)
    return files


def section(files: dict[str, bytes]) -> str:
    found = re.search(
        r'<section class="bench" aria-labelledby="worse">.*?</section>', files["bench/index.html"].decode(), re.S
    )
    return found[0] if found else ""


def test_a_planted_kind_is_shown_with_a_link_to_exactly_its_items() -> None:
    files = built(source_of(items(), [], {}, "Planted"))
    (row,) = re.findall(r"<tr><th scope=\"row\">.*?</tr>", section(files))
    cells = [html.unescape(re.sub("<[^>]+>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
    assert cells[0] == WEAK and set(cells[1].split(" and ")) == {"group is kites", "words of the presupposition > 6.5"}
    assert (cells[2], cells[4], cells[7]) == ("0.0", "100.0", "80 items")
    assert int(cells[3]) + int(cells[5]) == 480 and re.fullmatch(r"100 \[\d\d, 100\]", cells[6])  # half of the items
    (link,) = re.findall(r'href="items.html#([^"]+)"', row)
    state = parse_qs(html.unescape(link))
    shards = pushed(files["bench/data/index.js"])
    index = shards["index-0"]
    (number,) = [number for number, one in enumerate(index["views"]) if [one["name"]] == state["view"]]
    view = index["views"][number]
    assert shards[f"view-{number}-0"] == [*range(0, 480, 6)] and state["system"] == [WEAK] and WEAK in index["systems"]
    assert view["heading"] == f"{WEAK}: {cells[1]}"


def test_where_nothing_is_found_one_line_says_so_and_where_nothing_is_known_nothing() -> None:
    few = source_of([*items()][:30], [], {}, "Few")
    assert "In no kind of questions" in section(built(few)) and "<table" not in section(built(few))
    assert section(built(replace(few, items_in_all=480))) == ""  # a sample, of which views name no positions
    assert section(built(source_of([Item("a", "A")], [], {}, "No answers"))) == ""


@pytest.mark.process
def test_the_link_opens_the_browser_with_these_items(open_page: Open, tmp_path: Path) -> None:
    for path, data in built(source_of(items(), [], {}, "Planted")).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    page = open_page(tmp_path / "bench/index.html")
    page.click("section[aria-labelledby=worse] tbody a")
    page.wait_for_selector("#items:not([aria-busy])")
    assert page.inner_text("#count") == "80 of 480 items match"
    assert listed(page) == [f"item-{number}" for number in range(0, 480, 6)]
    assert page.input_value("#system") == WEAK
