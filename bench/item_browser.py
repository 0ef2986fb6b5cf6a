"""The item browser with 15 systems in Chromium: first view, filter, search and item.

    python -m bench.item_browser 10000 1000000          # prints times, files and the memory that writing takes

`first filter` loads the columns of the filter, `filter` has them. The files are those that were just written, so the
system's own cache has most of them.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import NotInstalledError
from tests.results.site.chromium import arguments, executable
from tests.results.site.example_items import drawn, source_of, write_site
from whatif.results.reporting.items import Item, ItemAnswer, ItemPicture, ItemQuestion
from whatif.results.site.sources import BenchmarkSource

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SMALL = {"_ITEMS": 200, "_ROUNDS": 1}
_ITEMS = 50_000
_SYSTEMS = [f"Model {number} of {number * 7} billion parameters" for number in range(1, 16)]
_ROUNDS = 5
_LIMITS = {"first view": 1.0, "first filter": 0.3, "filter": 0.3, "search": 0.3}  # seconds
_WORDS = (
    *("dog", "cat", "red", "blue", "sofa", "ball", "tree", "river"),
    *("street", "kitchen", "child", "lamp", "horse", "window", "bread", "train"),
)

# Seconds from a change of the address to the frame after the one in which the list or the item has been drawn, and to
# the one after a search has ended.
_GO = """async (hash) => {
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  const changed = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
  location.hash = hash;
  await changed; // the page listens too, and first
  while (document.querySelector("#items[aria-busy]")) await drawn();
  await drawn();
  const first = seconds();
  while (/so far/.test(document.getElementById("count").textContent)) await drawn();
  return [first, seconds()];
}"""
_FILTERS = (
    "original=right&counterfactual=wrong",
    f"system={_SYSTEMS[3].replace(' ', '+')}&original=right&counterfactual=wrong",
    "all=none",
    f"system={_SYSTEMS[0].replace(' ', '+')}&other={_SYSTEMS[9].replace(' ', '+')}",
    "group=group+7",
)
_SEARCHES = ("q=sofa+river", "q=%22red+kitchen%22", "q=nothing+like+this", "q=4711", "q=e")


def measure() -> dict[str, Any]:
    """Seconds of the slowest filter; prints all times. The peer is the limit that the page must keep."""
    times = measured(_ITEMS)
    ours = max(*times["first filter"], *times["filter"])
    return {
        "name": "site-50k-items",
        "ours": ours,
        "peer": _LIMITS["filter"],
        "unit": "s",
        "ratio": _LIMITS["filter"] / ours,
        "peer_name": "the limit for a filter over 50,000 items",
        "times": {name: statistics.median(seconds) for name, seconds in times.items()},
    }


def measured(count: int) -> dict[str, list[float]]:
    """Seconds of each kind of action over so many items; prints them. Raises NotInstalledError without Chromium."""
    from playwright.sync_api import sync_playwright

    path = executable()
    if path is None:
        raise NotInstalledError("Chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        command = [sys.executable, "-m", "bench.item_browser", "--write", str(count), folder]
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout, end="", flush=True)
        browser = driver.chromium.launch(executable_path=path, args=arguments())
        times = _times(browser, (Path(folder) / "bench/items.html").as_uri(), count)
        browser.close()
    for name, seconds in times.items():
        print(f"  {name:14} median {statistics.median(seconds):.3f} s, slowest {max(seconds):.3f} s", flush=True)
        if statistics.median(seconds) > _LIMITS.get(name, float("inf")):
            print(f"  {name}: slower than its limit of {_LIMITS[name]} s", flush=True)
    return times


def _write(count: int, folder: Path) -> None:
    """Writes a site; prints what it took."""
    started = time.perf_counter()
    page = write_site(_source(count), folder)
    seconds = time.perf_counter() - started
    sizes: dict[str, list[int]] = {}
    for entry in os.scandir(page.parent / "data"):
        sizes.setdefault(entry.name.partition("-")[0], []).append(entry.stat().st_size)
    files = ", ".join(f"{name} {len(some):,} of {sum(some) / 1e6:.1f} MB" for name, some in sorted(sizes.items()))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{count:,} items x {len(_SYSTEMS)} systems written in {seconds:.0f} s with {memory:.2f} GiB: {files}")


def _times(browser: Browser, address: str, count: int) -> dict[str, list[float]]:
    """Seconds of each kind of action. The first view is that of a new context, with nothing in memory."""
    times: dict[str, list[float]] = {}

    def note(name: str, seconds: float) -> None:
        times.setdefault(name, []).append(seconds)

    def opened(hash_: str = "") -> Page:
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.goto(f"{address}{hash_}")
        page.wait_for_selector("#items:not([aria-busy])")
        return page

    for _ in range(_ROUNDS):
        page = opened()
        note("first view", _since_navigation(page))
        page.context.close()
    for filters in _FILTERS:
        page = opened()
        note("first filter", _go(page, filters)[0])
        _go(page, "")
        note("filter", _go(page, filters)[0])
        page.context.close()
    items = [f"item-{number}" for number in range(77, count, count // _ROUNDS)]
    for item in items:
        page = opened(f"#item={item}")
        note("link to an item", _since_navigation(page))
        page.context.close()
    page = opened()
    for item in items:
        note("item", _go(page, f"item={item}")[0])
    for kind, search in (("first search", "q=horse"), *(("search", search) for search in _SEARCHES)):
        first, whole = _go(page, search)
        note(kind, first)
        note(f"whole {kind}", whole)
    return times


def _since_navigation(page: Page) -> float:
    """Seconds from the start of the navigation to when the list was first drawn."""
    page.wait_for_function("performance.getEntriesByName('whatif-shown').length")
    return float(page.evaluate("performance.getEntriesByName('whatif-shown')[0].startTime / 1000"))


def _go(page: Page, state: str) -> tuple[float, float]:
    first, whole = page.evaluate(_GO, f"#{state}")
    return float(first), float(whole)


def _source(count: int) -> BenchmarkSource:
    pictures = dict(
        drawn(colour, thing) for colour in ("red", "blue", "green") for thing in ("ball", "car", "kite", "lamp")
    )
    return BenchmarkSource(
        **{**vars(source_of([], [], pictures, f"{count:,} items")), "items": _Rows(count, sorted(pictures))}
    )


class _Rows:
    """Rows of ITEMS, made while they are read."""

    def __init__(self, count: int, image_ids: list[str]) -> None:
        self._count, self._image_ids = count, image_ids

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for number in range(self._count):
            item = self._item(number)
            questions = [{**vars(one), "answers": [vars(answer) for answer in one.answers]} for one in item.questions]
            yield {**vars(item), "position": number, "pictures": [*map(vars, item.pictures)], "questions": questions}

    def _item(self, number: int) -> Item:
        words = [_WORDS[(number * step + step) % len(_WORDS)] for step in (1, 3, 5, 7, 11, 13)]
        sides = ("original", "counterfactual")
        return Item(
            f"item-{number}",
            f"A {words[0]} near a {words[1]} {words[2]} ({number})",
            f"group {number % 23}",
            pictures=tuple(
                ItemPicture(self._image_ids[(number + place) % len(self._image_ids)], f"A {words[3 + place]}.", side)
                for place, side in enumerate(sides)
            ),
            questions=tuple(self._question(number, place, side, words) for place, side in enumerate(sides)),
        )

    def _question(self, number: int, place: int, side: str, words: list[str]) -> ItemQuestion:
        answers = []
        for system, name in enumerate(_SYSTEMS):
            draw = (number * 31 + system * 17 + place * 7 + number * system) % 10
            answer = words[draw % 3]
            answers.append(
                ItemAnswer(name, answer, draw < 6, why="equal to the right answer", response=f"It is the {answer}.",
                           prompt_tokens=300, response_tokens=12, cost=0.0002)
            )  # fmt: skip
        text = f"Which {words[4]} would be beside the {words[5]} if the {words[place]} were a {words[2]}?"
        return ItemQuestion(f"{number}-{side}", text, words[1], side, choices=tuple(words[:4]), answers=tuple(answers))


def main(arguments: list[str]) -> None:
    """Measures for each number of items on the command line; `--write` writes one site, in a process of its own."""
    if arguments[:1] == ["--write"]:
        _write(int(arguments[1]), Path(arguments[2]))
        return
    for count in arguments:
        measured(int(count))


if __name__ == "__main__":
    main(sys.argv[1:])
