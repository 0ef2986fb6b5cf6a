"""The importer: several files at once, the order of rows and files, and files that are damaged."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.people.imports import test_label_studio, test_mturk, test_question_files, test_wide
from tests.people.imports.files import (
    ITEMS,
    PAIRS,
    QUESTIONS,
    SEED,
    TASKS,
    csv_file,
    decisions,
    json_file,
    jsonl_file,
    read,
    reasons,
)
from whatif.engine.artifacts.schemas import JUDGEMENTS, REJECTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import escaped
from whatif.engine.params.base import Settings
from whatif.people.imports.importer import ImportedLabels, import_labels, summary
from whatif.people.imports.items import Item, Items
from whatif.people.imports.settings import LabelFile, LabelFiles

COLUMNS = ("item_id", "annotator", "decision", "comment", "time", "seconds")
ITEM_IDS = [*ITEMS.by_id, "unknown-1", "unknown-2"]
WORDS = ("caption_0", "caption_1", "both", "neither", "", "perhaps")


def long_rows(draw: random.Random, number: int) -> list[dict[str, Any]]:
    """Random labels, among them unknown items and words, and duplicates that agree or differ."""
    return [
        {
            "item_id": draw.choice(ITEM_IDS),
            "annotator": draw.choice(["ann", "bob", "cyd", "", "automatic:x"]),
            "decision": draw.choice(WORDS),
            "comment": draw.choice(["", "sure", "unsure"]),
            "time": draw.choice(["", "2024-05-01", "2024-05-02T10:00:00", "later"]),
            "seconds": draw.choice(["", "3", "4.5", "-1"]),
        }
        for _ in range(number)
    ]


def imported(folder: Path, parts: list[list[dict[str, Any]]], names: list[str]) -> ImportedLabels:
    files = []
    for name, rows in zip(names, parts, strict=True):
        path = (csv_file(folder / name, rows, COLUMNS)) if name.endswith("csv") else jsonl_file(folder / name, rows)
        files.append(LabelFile(path=str(path), format="long"))
    return import_labels(files, ITEMS)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_rows_and_files_changes_nothing(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    rows = long_rows(draw, 120)
    whole = imported(tmp_path, [rows], ["all.csv"])
    for trial in range(3):
        draw.shuffle(rows)
        cuts = sorted(draw.sample(range(20, 100), 2))
        parts = [rows[: cuts[0]], rows[cuts[0] : cuts[1]], rows[cuts[1] :]]
        folder = tmp_path / str(trial)
        folder.mkdir()
        names = ["a.csv", "b.jsonl", "c.csv"]
        draw.shuffle(names)
        labels = imported(folder, parts, names)
        assert labels.judgements == whole.judgements
        assert (labels.counts, labels.items_without_label) == (whole.counts, whole.items_without_label)
        details = [(row["reason"], row["detail"].rpartition(": ")[2]) for row in labels.rejections]
        expected = [(row["reason"], row["detail"].rpartition(": ")[2]) for row in whole.rejections]
        shown = ("given twice, alike", "given twice, differently")  # their details have the places
        assert sorted(one for one in details if one[0] not in shown) == sorted(
            one for one in expected if one[0] not in shown
        )
        write_artifact(folder / "judgements.parquet", JUDGEMENTS, labels.judgements)
        write_artifact(folder / "rejections.parquet", REJECTIONS, labels.rejections)


@pytest.mark.parametrize("seed", range(5))
def test_every_row_is_accounted_for(seed: int, tmp_path: Path) -> None:
    rows = long_rows(random.Random(seed), 200)
    labels = imported(tmp_path, [rows], ["all.csv"])
    assert sum(labels.counts.values()) == 200
    assert len(labels.judgements) + len(labels.rejections) + len(labels.unlabelled) == 200
    lines = [finding.place.number for finding in labels.findings] + [place.number for place in labels.unlabelled]
    assert len(set(lines)) == len(lines)
    # Recomputed independently: a label counts if its item, annotator and word are fine and it has no rival.
    said: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        if row["item_id"] in ITEMS.by_id and row["annotator"] in ("ann", "bob", "cyd") and row["decision"] in WORDS[:4]:
            said.setdefault((row["item_id"], row["annotator"]), set()).add(row["decision"])
    assert decisions(labels) == {key: next(iter(words)) for key, words in said.items() if len(words) == 1}


def test_files_of_several_formats_together(tmp_path: Path) -> None:
    task = TASKS[0]
    files = [
        LabelFile(
            path=str(csv_file(tmp_path / "ours.csv", [{"task_id": task.task_id, "annotator": "a", "label": "1"}])),
            format="whatif",
        ),
        LabelFile(path=str(csv_file(tmp_path / "wide.csv", [test_wide.row(0, 0, (1, 0), "1")])), format="wide"),
        LabelFile(path=str(json_file(tmp_path / "ls.json", test_label_studio.project())), format="label-studio"),
    ]
    labels = import_labels(files, ITEMS)
    found = decisions(labels)
    assert found[task.item_id, "a"] == f"caption_{task.sides[0]}" and found["1000_0-0", "label_1"] == "caption_1"
    assert found[task.item_id, "2"] == f"caption_{task.sides[1]}" and len(found) == 22
    assert [row["item_id"] for row in labels.rejections] == ["labels-ls.json-task-000004-annotation-99"]
    assert summary(labels.counts) == "22 counted, 1 cancelled"


def test_contradictions_across_files_name_both(tmp_path: Path) -> None:
    paths = []
    for folder, decision in (("x", "both"), ("y", "neither")):
        (tmp_path / folder).mkdir()
        row = {"item_id": "1000_0-0", "annotator": "ann", "decision": decision}
        paths.append(csv_file(tmp_path / folder / "labels.csv", [row]))
    labels = import_labels([LabelFile(path=str(path), format="long") for path in paths], ITEMS)
    assert labels.judgements == [] and reasons(labels) == {"given twice, differently": 2}
    assert [row["item_id"] for row in labels.rejections] == [f"labels-{path}-line-000002" for path in paths]
    assert f"{paths[0]}: line 2 and {paths[1]}: line 2 give different values" in labels.rejections[0]["detail"]


def test_of_labels_that_agree_the_earliest_counts(tmp_path: Path) -> None:
    about = {"item_id": "1000_0-0", "annotator": "ann", "decision": "both"}
    rows = [
        {**about, "time": "", "comment": "no time"},
        {**about, "time": "2024-05-02", "comment": "second"},
        {**about, "time": "2024-05-01", "comment": ""},
    ]
    labels = read(csv_file(tmp_path / "x.csv", rows), "long")
    assert [row["time"] for row in labels.judgements] == ["2024-05-01"]
    assert labels.rejections[0]["detail"] == (
        "x.csv: line 2: lines 2, 3, 4 give the same value; one of them counts (line 4)"
    )


def test_further_names_of_items(tmp_path: Path) -> None:
    items = Items({"a": Item("a"), "b": Item("b")}, names={"img_0042": "b"})
    rows = [{"item_id": name, "decision": "accept"} for name in ("a.png", "folder/img_0042.jpeg", "img_0043")]
    labels = read(csv_file(tmp_path / "x.csv", rows), "long", items, annotator="ann")
    assert decisions(labels) == {("a", "ann"): "accept", ("b", "ann"): "accept"}
    assert reasons(labels) == {"unknown item": 1}


def test_tables_of_rows_become_items() -> None:
    rows = [{"pair_id": "p1", "question": "How many?", "answer": 3}]
    items = Items.of_rows(rows, key="pair_id", fields=("question", "answer"))
    assert items.by_id["p1"].fields == {"question": "How many?", "answer": "3"}
    assert items.correctable == ("answer", "question") and not items.are_images_of_pairs
    with pytest.raises(WhatifError, match="pair_id p1: two rows have this id"):
        Items.of_rows(rows * 2, key="pair_id")


@pytest.mark.parametrize(("delimiter", "start", "end"), [(";", b"\xef\xbb\xbf", "\r\n"), ("\t", b"", "\r")])
def test_files_as_spreadsheets_save_them(tmp_path: Path, delimiter: str, start: bytes, end: str) -> None:
    rows = [COLUMNS[:4], ('="1000_0-0"', "ann", '="both"', "a\tb; c, d"), ("", "", "", "")]
    cells = [['"' + cell.replace('"', '""') + '"' for cell in row] for row in rows]
    path = tmp_path / "x.csv"
    path.write_bytes(start + end.join(delimiter.join(row) for row in cells).encode())
    (row,) = read(path, "long").judgements
    assert (row["item_id"], row["decision"], row["comment"]) == ("1000_0-0", "both", "a\tb; c, d")


def test_a_csv_of_excel_in_its_own_encoding_is_read_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "item_id;annotator;decision;comment\r\n1000_0-0;Jörg Müller;both;œuvre – “très” bien, ça…\r\n"
    path = tmp_path / "labels.csv"
    path.write_bytes(text.encode("cp1252"))
    (row,) = read(path, "long").judgements
    assert (row["annotator"], row["comment"]) == ("Jörg Müller", "œuvre – “très” bien, ça…")
    assert f"{path}: line 2, column annotator: is not UTF-8; read as Windows-1252" in capsys.readouterr().err


def test_a_list_of_paths_is_a_list_of_filled_in_files() -> None:
    class Read(Settings):
        labels: LabelFiles

    read_from = Read.model_validate({"labels": ["anna.csv", {"path": "bela.csv", "format": "wide"}]}).labels
    assert [(str(one.path), one.format) for one in read_from] == [("anna.csv", "whatif"), ("bela.csv", "wide")]
    assert [str(one.path) for one in Read.model_validate({"labels": "anna.csv"}).labels] == ["anna.csv"]


ENCODINGS: list[tuple[str, bytes, str]] = [
    ("no letters", b"item_id,annotator,decision\nq1,J\xa6rg,accept\n", ": byte 0xa6 is not UTF-8"),
    ("UTF-16", "item_id,annotator,decision\n".encode("utf-16"), "is a text in UTF-16; give a"),
    ("UTF-16 without a mark", "item_id,decision\n".encode("utf-16-le"), "line 1: has NUL characters"),
    ("spreadsheet", b"PK\x03\x04\x14\x00", "is a spreadsheet (.xlsx) or another zip; give a"),
    ("empty", b"  \n", "is empty"),
    ("picture", b"\x89PNG\r\n\x1a\n\xff", "is not UTF-8"),
    ("17 MiB in a line", b"x" * (17 * 1024 * 1024), "line 1 is longer than"),
]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "txt"])
@pytest.mark.parametrize(("data", "told"), [pytest.param(*rest, id=name) for name, *rest in ENCODINGS])
def test_a_file_that_is_no_text_is_one_line(suffix: str, data: bytes, told: str, tmp_path: Path) -> None:
    path = tmp_path / f"labels.{suffix}"
    path.write_bytes(data)
    with pytest.raises(WhatifError) as raised:
        read(path, "rejected-ids", QUESTIONS, annotator="ann")
    known = "is not JSON" if suffix == "json" and "longer" in told else told  # JSON may be one long line
    assert str(raised.value).startswith(f"{path}: ") and known in str(raised.value)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_byte_that_is_not_utf_8_is_named_with_its_line_and_column(end: str, tmp_path: Path) -> None:
    lines = ["\ufeffitem_id;annotator;comment", 'q1;ann;"two', 'lines; of café"', "q2;J\xf6rg;"]
    path = tmp_path / "labels.csv"
    for wrong, place in ((2, "line 3, column comment"), (3, "line 4, column annotator")):
        encoded = [line.encode("latin-1" if number == wrong else "utf-8") for number, line in enumerate(lines)]
        path.write_bytes(end.encode().join(encoded))
        with pytest.raises(
            WhatifError, match=f"labels.csv: {place}: byte 0x.. is not UTF-8; give a CSV of .* in UTF-8"
        ):
            read(path, "long", QUESTIONS)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("x.jsonl", b'{"item_id": "q1"}\n[]\n', "line 2: is not an object"),
        ("x.jsonl", b'{"item_id": "q1"}\n{"item_id":\n', "line 2: is not JSON"),
        ("x.jsonl", b'{"Item_id": "q1", "item_id ": "q2"}\n', "line 1: duplicate column item_id; keep one"),
        ("x.json", b"[" * 100_000, "is not JSON"),
        ("x.json", b'[{"item_id": ' + b"9" * 10_000 + b"}]", "is not JSON"),
        ("x.json", b'{"q1": "accept"}', "is not a JSON list"),
        ("x.json", b"[7]", "row 1: is not an object"),
        ("x.csv", b'item_id,annotator,decision\n"q1,a,accept\n', "line 2: is not CSV"),
        ("x.csv", b'item_id,annotator,decision\n"' + b"x" * 200_000 + b'"\n', "none of its 1 labels is about one of"),
        ("x.csv", b"item_id,annotator,decision,Decision\nq1,a,accept,reject\n", "duplicate column decision"),
        ("x.csv", b"item_id,annotator\n", "has no column decision"),
    ],
)
def test_malformed_tables_are_one_line(tmp_path: Path, name: str, data: bytes, told: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(WhatifError) as raised:
        read(path, "long", QUESTIONS)
    assert str(raised.value).startswith(f"{path}: ") and told in str(raised.value)


def test_a_file_that_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    for name in ("none.csv", "none.json"):
        with pytest.raises(WhatifError, match=f"{name}: cannot be read"):
            read(tmp_path / name, "long", QUESTIONS)
    with pytest.raises(WhatifError, match="cannot be read"):
        read(tmp_path, "long", QUESTIONS)


FILLED = [{"task_id": task.task_id, "annotator": "a", "label": "1", "time": "", "comment": "x"} for task in TASKS]
WIDE = [test_wide.row(n, n % 2, (1, 0), "1", "2", "both", final="1") for n in range(6)]
EXPORTED = test_label_studio.project()
MINIMAL, ORIGINAL = test_label_studio.minimal(EXPORTED), test_question_files.ORIGINAL
HITS = [
    test_mturk.assignment(n, "A", {"task_id": task.task_id}, test_mturk.answers("both", "crowd radio group"))
    for n, task in enumerate(TASKS[:5])
]
REJECTING = {"annotator": "a", "rest": "accept"}
# Name -> its format, how a good file is made, what it is about, and settings.
FORMATS: dict[str, tuple[str, Callable[[Path], object], Items, dict[str, Any]]] = {
    "whatif": ("whatif", lambda path: csv_file(path, FILLED), ITEMS, {}),
    "wide": ("wide", lambda path: csv_file(path, WIDE), ITEMS, {}),
    "long": ("long", lambda path: jsonl_file(path, long_rows(random.Random(3), 12)), ITEMS, {}),
    "label-studio JSON": ("label-studio", lambda path: json_file(path, EXPORTED[:4]), ITEMS, {}),
    "label-studio CSV": ("label-studio", lambda path: test_label_studio.as_csv(path, MINIMAL), ITEMS, {}),
    "mturk": ("mturk", lambda path: test_mturk.batch(path, HITS), ITEMS, {}),
    "corrected-copy": ("corrected-copy", lambda path: csv_file(path, ORIGINAL[:4]), QUESTIONS, {"annotator": "a"}),
    "rejected-ids": ("rejected-ids", lambda path: path.write_text("q1\nq2\n"), QUESTIONS, REJECTING),
}
SUFFIXES = {"long": ".jsonl", "label-studio JSON": ".json", "rejected-ids": ".txt"}  # of others: .csv
TOKENS = [
    *(b"\0", b'"', b'""', b",", b"\n", b"\r\n", b"\xff", b"{", b"}", b"[", b"null", b"\\ud83d", b";", b"NaN"),
    b"1e999",
]


def damaged(data: bytes, draw: random.Random) -> bytes:
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(data) + 1)
        length = draw.choice([1, 1, 2, 10, 80])
        token = draw.choice(TOKENS) * draw.choice([1, 1, 3])
        before, after, rest = data[:at], data[at:], data[at + length :]
        again = data[max(0, at - length) : at]
        data = draw.choice(
            [before, before + rest, before + token + after, before + token + rest, before + again + after]
        )
    return data


@pytest.mark.parametrize("seeds", [range(30), pytest.param(range(30, 100), marks=pytest.mark.soak)], ids=str)
@pytest.mark.parametrize("name", list(FORMATS))
def test_a_damaged_file_is_one_line_or_is_accounted_for(name: str, seeds: range, tmp_path: Path) -> None:
    how, make, items, settings = FORMATS[name]
    path = tmp_path / f"f{SUFFIXES.get(name, '.csv')}"
    make(path)
    whole = path.read_bytes()
    refused = taken = 0
    for seed in seeds:
        path.write_bytes(damaged(whole, random.Random(f"{name} {seed}")))
        try:
            labels = read(path, how, items, **settings)
        except WhatifError as error:
            refused += 1
            assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
            assert escaped(str(error)).isprintable()
            continue
        taken += 1
        keys = [(row["item_id"], row["annotator"]) for row in labels.judgements]
        assert keys == sorted(set(keys)) and all(item in items.by_id for item, _ in keys)
        assert all(row["decision"] in items.decisions for row in labels.judgements)
        for table, rows in ((JUDGEMENTS, labels.judgements), (REJECTIONS, labels.rejections)):
            write_artifact(tmp_path / "out.parquet", table, rows)
    assert taken and refused


def test_many_rows_name_each_side_of_every_pair(tmp_path: Path) -> None:
    """Every image of 1,000 pairs, with ids of which one is the beginning of another."""
    pairs = [
        {**PAIRS[0], "pair_id": f"{n // 2}" + ("_1" if n % 2 else ""), "caption_0": f"dog {n}", "caption_1": f"cat {n}"}
        for n in range(1000)
    ]
    items = Items.of_pairs(pairs, seed=SEED)
    rows = [
        {
            "caption_1": pair[f"caption_{(n + side) % 2}"],
            "caption_2": pair[f"caption_{(n + side + 1) % 2}"],
            "filename": f"{pair['pair_id']}_{n}.jpg",
            "type": test_wide.TYPES[side],
            "label_1": "2",
        }
        for n, pair in enumerate(pairs)
        for side in (0, 1)
    ]
    labels = read(csv_file(tmp_path / "wide.csv", rows), "wide", items)
    lost = {finding.reason for finding in labels.findings}
    expected = {
        (f"{pair['pair_id']}-{side}", "label_1"): f"caption_{(n + side + 1) % 2}"
        for n, pair in enumerate(pairs)
        for side in (0, 1)
    }
    assert lost <= {"other captions"} and len(labels.findings) <= 4  # pair 0 with number 1 has the name of pair 0_1
    assert decisions(labels).items() <= expected.items() and len(labels.judgements) >= len(expected) - 4
