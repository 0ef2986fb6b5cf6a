"""The data files of the item browser."""

from __future__ import annotations

import json
import tracemalloc
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.results.site.example_items import HOSTILE, drawn, paired, source_of, unsided
from whatif.results.reporting.items import (
    Item,
    ItemAnswer,
    ItemPicture,
    ItemQuestion,
    with_reasoning,
    without_reasoning,
)
from whatif.results.site import item_files, item_index
from whatif.results.site.item_files import right_choice, write_item_files
from whatif.results.site.item_index import ItemIndex, normalised, over_all, script_data, side_codes
from whatif.results.site.sources import BenchmarkSource

pytestmark = pytest.mark.slow


def written(source: BenchmarkSource) -> dict[str, bytes]:
    files: dict[str, bytes] = {}

    def publish(path: str, data: bytes) -> None:
        assert path not in files, f"{path} is written twice"
        files[path] = data

    write_item_files(source, publish, publish)
    return files


def data_of(data: bytes) -> Any:
    text = data.decode("ascii")
    start, end = "(self.whatifItems=self.whatifItems||[]).push(", ");\n"
    assert text.startswith(start)
    assert text.endswith(end)
    return json.loads(text[len(start) : -len(end)])


def pushed(data: bytes) -> dict[str, Any]:
    """What the lines of a script file hand to the page, by kind and number."""
    lines = (data_of(line) for line in data.splitlines(keepends=True))
    return {f"{kind}-{number}": content for kind, number, content in lines}


def in_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is divided as that of a million items is."""
    for name, items in {"TOGETHER": 0, "PER_LIST": 20, "PER_COLUMN": 100, "PER_IDS": 50}.items():
        monkeypatch.setattr(item_index, name, items)
    monkeypatch.setattr(item_files, "TEXTS_PER_FILE", 25)


def test_items_are_divided_into_files_and_found_by_their_position() -> None:
    source = paired(260)
    files = written(source)
    assert sorted(path for path in files if path.startswith("data/")) == [
        "data/index.js", "data/items-0.js", "data/items-1.js", "data/items-2.js", "data/text-0.js",
    ]  # fmt: skip
    kind, number, items = data_of(files["data/items-1.js"])
    assert (kind, number, len(items)) == ("items", 1, 100)
    row = source.items[123]  # type: ignore[index]
    assert ["".join(question["text"]) for question in items[23]["questions"]] == [q["text"] for q in row["questions"]]
    shards = pushed(files["data/index.js"])
    index = shards["index-0"]
    assert shards["list-0"][123][0] == row["item_id"]
    assert index["groups"][shards["group-0"][123]] == index["groups"][shards["list-0"][123][3]] == row["group"]
    assert index["inGroup"] == [*Counter(shards["group-0"]).values()]
    assert index["sides"] == ["original", "counterfactual"]
    assert [(view["name"], view["count"]) for view in index["views"]] == [("figure-2", 65), ("figure-9", 11)]
    assert shards["view-1-0"] == [*range(0, 260, 25)]


def test_an_index_in_shards_holds_what_one_file_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = pushed(written(paired())["data/index.js"])
    in_shards(monkeypatch)
    files = written(paired())
    apart = {name: pushed(data) for path, data in files.items() if (name := Path(path).stem) and "data/" in path}
    assert all([*content] == [name] or name == "index" for name, content in apart.items())  # each file is one shard
    assert [*apart["index"]] == ["index-0"]

    def shards(kind: str) -> list[Any]:
        names = (f"{kind}-{number}" for number in range(len(apart)))
        return [apart[name][name] for name in names if name in apart]

    assert len(shards("list")) == 14 and [*chain(*shards("list"))] == whole["list-0"]
    assert [*chain(*shards("group"))] == whole["group-0"]
    answers = [texts[number] for texts, numbers in shards("answers") for number in numbers]
    assert answers == [whole["answers-0"][0][number] for number in whole["answers-0"][1]]
    for number, _ in enumerate(whole["index-0"]["systems"]):
        for side, codes in whole[f"codes-{number}-0"].items():
            sizes = zip(shards(f"codes-{number}"), (100, 100, 62), strict=True)
            assert "".join(shard.get(side, "-" * size) for shard, size in sizes) == codes
    pairs = [pair for hashes, positions in shards("ids") for pair in zip(hashes, positions, strict=True)]
    assert len(shards("ids")) == 6 and pairs == [*zip(*whole["ids-0"], strict=True)]
    assert pairs == sorted((zlib.crc32(row[0].encode()), place) for place, row in enumerate(whole["list-0"]))


def test_differing_words_and_right_options_are_given() -> None:
    item = data_of(written(paired(8))["data/items-0.js"])[2][1]
    assert [picture["caption"] for picture in item["pictures"]] == [
        ["A ", "blue", " car on the grass."],
        ["A ", "green", " car on the grass."],
    ]
    assert [question["rightChoice"] for question in item["questions"]] == [1, 2]
    assert "notes" not in item


def test_the_reasoning_of_a_model_is_apart_from_its_response() -> None:
    texts = [with_reasoning("first\nthen", "B"), with_reasoning("endless", None), "B", "<think> is a mark", None]
    answers = tuple(ItemAnswer(f"m{place}", "B", True, response=text) for place, text in enumerate(texts))
    item = Item("a", "a", questions=(ItemQuestion("q", "What?", "B", answers=answers),))
    (found,) = data_of(written(source_of([item], [], {}, "T"))["data/items-0.js"])[2][0]["questions"]
    assert [(one.get("reasoning"), one.get("response")) for one in found["answers"]] == [
        ("first\nthen", "B"),
        ("endless", None),
        (None, "B"),
        (None, "<think> is a mark"),
        (None, None),
    ]
    longest = without_reasoning(with_reasoning("x" * 20_005, "B"))[0] or ""
    assert longest == "x" * 20_000 + " (and 5 more characters)"


def test_the_same_items_give_the_same_bytes() -> None:
    assert written(paired(40)) == written(paired(40))


def test_every_picture_is_one_file_and_pairs_have_a_difference_map() -> None:
    source = paired(60)
    files = written(source)
    shown = {picture["image_id"] for row in source.items for picture in row["pictures"]}
    assert len([path for path in files if path.startswith("pictures/")]) == len(shown)
    assert all(path.endswith(".png") for path in files if path.startswith("pictures/"))
    items = data_of(files["data/items-0.js"])[2]
    assert all(len(item["differences"]) == 1 for item in items[:60])
    assert {f"differences/{item['differences'][0]}" for item in items[:60]} <= files.keys()
    assert (items[0]["pictures"][0]["width"], items[0]["pictures"][0]["height"]) == (240, 180)


def test_image_ids_that_are_no_file_names_have_files_of_their_own() -> None:
    data = drawn("red", "ball")[1]
    ids = ("../../outside", "A", "a", "a b", "f" * 64, "f" * 20)
    items = [Item(f"i{place}", "", pictures=(ItemPicture(one),)) for place, one in enumerate(ids)]
    files = [path for path in written(source_of(items, [], dict.fromkeys(ids, data), "")) if "pictures/" in path]
    assert len(files) == len({path.lower() for path in files}) == len(ids)
    assert all(path.count("/") == 1 and ".." not in path for path in files)
    assert f"pictures/{'f' * 20}.png" in files


def test_a_script_file_holds_no_markup_and_only_ascii() -> None:
    data = script_data("items", 0, [HOSTILE, "\ud800", {"<!--": "&"}])
    assert not set(b"<>&") & set(data)
    assert data.isascii()
    assert data_of(data)[2] == [HOSTILE, "\ud800", {"<!--": "&"}]
    for path, content in written(paired(3)).items():
        assert path.startswith(("pictures/", "differences/")) or not set(b"<>&") & set(content), path


def test_numbers_that_json_lacks_are_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        script_data("items", 0, [float("nan")])


def questions(*answers: tuple[str, bool, str]) -> list[Mapping[str, Any]]:
    """Questions of one side, each with one answer of the system `s`: side, whether it is right, status."""
    return [
        {"side": side, "answers": [{"system": "s", "correct": correct, "status": status}]}
        for side, correct, status in answers
    ]


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ([("", True, "ok")], "r"),
        ([("", False, "ok")], "w"),
        ([("", False, "none")], "n"),
        ([("", False, "ambiguous")], "n"),
        ([("", False, "error")], "e"),
        ([("", True, "ok"), ("", True, "ok")], "r"),
        ([("", True, "ok"), ("", False, "error")], "e"),
        ([("", False, "none"), ("", False, "error"), ("", True, "ok")], "n"),
        ([("", False, "none"), ("", False, "ok")], "w"),
    ],
)
def test_a_side_is_right_only_if_all_its_questions_are(answers: list[tuple[str, bool, str]], code: str) -> None:
    assert side_codes(questions(*answers)) == {("s", ""): code}


def test_systems_that_are_met_later_were_not_asked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def item(number: int, *systems: str) -> Item:
        answers = tuple(ItemAnswer(system, "A", True) for system in systems)
        return Item(f"i{number}", "", questions=(ItemQuestion("q", "?", "A", answers=answers),))

    items = [item(0, "first"), item(1), item(2, "second", "first"), item(3)]
    shards = pushed(written(source_of(items, [], {}, ""))["data/index.js"])
    assert shards["index-0"]["systems"] == ["first", "second"]
    assert (shards["codes-0-0"], shards["codes-1-0"]) == ({"": "r-r-"}, {"": "--r-"})
    assert [row[4] for row in shards["list-0"]] == [{"": "r"}, {}, {"": "rr"}, {}]
    for name, number in {"TOGETHER": 0, "PER_COLUMN": 2}.items():
        monkeypatch.setattr(item_index, name, number)
    files = written(source_of(items, [], {}, ""))
    codes = [[data_of(files[f"data/codes-{system}-{shard}.js"])[2] for shard in (0, 1)] for system in (0, 1)]
    assert codes == [[{"": "r-"}, {"": "r-"}], [{}, {"": "r-"}]]


@pytest.mark.parametrize(
    ("codes", "found"),
    [
        ({}, "0"),
        ({("s", "original"): "r", ("s", "counterfactual"): "e"}, "1 re-"),
        ({("s", "original"): "r", ("t", "counterfactual"): "w"}, "2 -w- r--"),
        ({("s", ""): "r", ("t", ""): "w", ("u", ""): "r"}, "3 --r --w"),
    ],
)
def test_equal_codes_of_systems_are_noted_once(codes: dict[tuple[str, str], str], found: str) -> None:
    assert over_all(codes) == found


def test_items_without_sides_and_benchmarks_without_items_are_written() -> None:
    assert pushed(written(unsided())["data/index.js"])["index-0"]["sides"] == [""]
    files = written(source_of([], [], {}, "Nothing"))
    assert [*files] == ["data/index.js"]
    assert pushed(files["data/index.js"])["index-0"]["count"] == 0


@pytest.mark.parametrize(
    ("right", "place"),
    [
        ("two", 1),
        ("B", 1),
        ("B: two", 1),
        ("B. two", 1),
        ("two (B)", 1),
        ("two (A)", None),
        ("three", None),
        ("", None),
    ],
)
def test_the_right_option_is_found_by_text_or_letter(right: str, place: int | None) -> None:
    assert right_choice(["one", "two"], right) == place


def test_searched_text_has_no_case_accents_or_line_breaks() -> None:
    assert normalised("  Ein CAFÉ\n\tin  Ångström ﬁ ") == "ein cafe in angstrom fi"


class Many:
    """The same item again and again, made only when it is read."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.row = unsided().items[0]  # type: ignore[index]

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for number in range(self.count):
            yield {**self.row, "item_id": f"item-{number}", "position": number}


def test_memory_does_not_hold_the_items(monkeypatch: pytest.MonkeyPatch) -> None:
    def growth(write: Callable[[int], object]) -> float:
        """Bytes that each further item takes."""
        peaks = []
        for count in (5_000, 7_500):
            tracemalloc.start()
            write(count)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        return (peaks[1] - peaks[0]) / 2_500

    def index(count: int) -> None:
        made = ItemIndex(lambda path, data: None)
        for row in Many(count):
            made.add(row, ())
        made.finish([], {})

    def files(count: int) -> None:
        write_item_files(replace(unsided(), items=Many(count)), lambda path, data: None, lambda path, data: None)

    in_shards(monkeypatch)
    # Of each item beyond the shards, the index keeps numbers for its id, and the search for weaknesses its question.
    assert growth(index) < 60
    assert growth(files) < 700
