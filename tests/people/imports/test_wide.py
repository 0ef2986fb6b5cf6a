"""Wide tables, as those of COCO-Counterfactuals: one row an image, one to three labels, captions in any order."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.people.imports.files import ITEMS, PAIRS, QUESTIONS, csv_file, decisions, read, reasons
from whatif.engine.artifacts.schemas import JUDGEMENTS, REJECTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.people.imports.importer import import_labels
from whatif.people.imports.labels import FINAL_DECISIONS
from whatif.people.imports.settings import LabelFile

TYPES = ("original", "counterfactual")
COLUMNS = ("caption_1", "caption_2", "filename", "type", "label_1", "label_2", "label_3", "label")


def row(
    number: int, side: int, shown: tuple[int, int], *labels: str, final: str = "", **changes: str
) -> dict[str, Any]:
    pair = PAIRS[number]
    named = {f"label_{place}": label for place, label in enumerate(labels, 1)}
    captions = {"caption_1": pair[f"caption_{shown[0]}"], "caption_2": pair[f"caption_{shown[1]}"]}
    about = {"filename": f"{pair['pair_id']}_{number}.jpg", "type": TYPES[side], "label": final}
    return {**captions, **about, **named, **changes}


def test_which_caption_was_chosen_is_read_from_the_row(tmp_path: Path) -> None:
    """People who always choose the counterfactual caption, whichever stands first."""
    draw = random.Random(1)
    rows, expected = [], {}
    for number, pair in enumerate(PAIRS):
        for side in (0, 1):
            first = draw.randrange(2)
            people = 3 if draw.random() < 0.3 else 1
            label = str(1 + (first == 0))
            rows.append(row(number, side, (first, 1 - first), *[label] * people, final=label))
            names = [*(f"label_{place + 1}" for place in range(people)), FINAL_DECISIONS]
            expected |= {(f"{pair['pair_id']}-{side}", name): "caption_1" for name in names}
    draw.shuffle(rows)
    labels = read(csv_file(tmp_path / "wide.csv", rows, COLUMNS), "wide")
    assert decisions(labels) == expected and 24 * 2 < len(expected) < 24 * 4
    assert (labels.findings, labels.unlabelled, labels.items_without_label) == ([], [], 0)
    write_artifact(tmp_path / "judgements.parquet", JUDGEMENTS, labels.judgements)


def test_a_column_that_only_names_the_own_caption_holds_no_decisions(tmp_path: Path) -> None:
    """As in the released labels, where a majority of annotators may say otherwise."""
    rows = [row(number, 0, (0, 1), *["2" if number < 12 else "1"] * 3, final="1") for number in range(len(PAIRS))]
    labels = read(csv_file(tmp_path / "wide.csv", rows, COLUMNS), "wide")
    assert FINAL_DECISIONS not in {annotator for _, annotator in decisions(labels)}
    assert reasons(labels) == {"own caption": len(PAIRS)}
    rows[0]["label"] = "2"  # corrected by whoever used the file before
    labels = read(csv_file(tmp_path / "wide.csv", rows, COLUMNS), "wide")
    assert reasons(labels) == {"own caption": len(PAIRS)}
    rows[1]["label"] = "2"  # a column that follows two of twelve majorities is an adjudicator's
    labels = read(csv_file(tmp_path / "wide.csv", rows, COLUMNS), "wide")
    assert reasons(labels) == {} and decisions(labels)[f"{PAIRS[0]['pair_id']}-0", FINAL_DECISIONS] == "caption_1"


NAMED = {"item": "filename", "side": "type", "decision": "label", "first": "caption_1", "second": "caption_2"}
BY_NUMBER = {"1": "first", "2": "second"}


def released(*, votes: bool = True, label: str = "label", differing: int = 0) -> list[dict[str, Any]]:
    """The layout of the released labels: one annotator chooses the other caption for half of the images."""
    rows = []
    for number in range(len(PAIRS)):
        for side in (0, 1):
            own, other = ("1", "2") if side == 0 else ("2", "1")
            one = row(number, side, (0, 1), *([other if number % 2 else own] if votes else []))
            one[label] = other if len(rows) < differing else own
            rows.append(one if label == "label" else {name: cell for name, cell in one.items() if name != "label"})
    return rows


@pytest.mark.parametrize("how", ["columns", "long", "wide"])
@pytest.mark.parametrize(("label", "differing"), [("label", 0), ("label", 1), ("final", 0)])
def test_the_released_column_is_refused_if_the_settings_name_it(
    tmp_path: Path, how: str, label: str, differing: int
) -> None:
    path = csv_file(tmp_path / "released.csv", released(label=label, differing=differing))
    with pytest.raises(
        WhatifError, match=rf"column {label} gives {24 - differing} of 24 images .*no decisions"
    ) as error:
        read(path, how, columns={**NAMED, "decision": label}, values=BY_NUMBER, annotator="lab")
    assert "\n" not in str(error.value) and "format wide reads label_1, label_2" in str(error.value)


def test_the_released_column_is_refused_in_a_second_file(tmp_path: Path) -> None:
    votes = csv_file(tmp_path / "votes.csv", [{**row, "label": ""} for row in released()])
    alone = csv_file(tmp_path / "alone.csv", released(votes=False))
    files = [
        LabelFile.model_validate({"path": str(votes), "format": "wide"}),
        LabelFile.model_validate(
            {"path": str(alone), "format": "columns", "columns": NAMED, "values": BY_NUMBER, "annotator": "lab"}
        ),
    ]
    with pytest.raises(WhatifError, match=r"alone\.csv: column label gives 24 of 24"):
        import_labels(files, ITEMS)


def test_without_other_labels_a_line_says_what_such_a_column_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = csv_file(tmp_path / "released.csv", released(votes=False))
    labels = read(path, "columns", columns=NAMED, values=BY_NUMBER, annotator="lab")
    told = capsys.readouterr().err
    assert len(labels.judgements) == 24 and told.count("\n") == 1 and "column label gives 24 of 24 images" in told
    path = csv_file(tmp_path / "people.csv", released(votes=False, differing=2))
    read(path, "columns", columns=NAMED, values=BY_NUMBER, annotator="lab")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("label", "decision"),
    [
        ("1", "caption_1"),
        ("2.0", "caption_0"),
        ("caption_1", "caption_1"),
        ("Caption_2", "caption_0"),
        ("caption 1", "caption_1"),
        ("Second", "caption_0"),
        ("original", "caption_0"),
        ("counterfactual", "caption_1"),
        ("correct", "caption_0"),
        ("Incorrect", "caption_1"),
        (" BOTH ", "both"),
        ("neither", "neither"),
        ("a man on  horse 2", "caption_0"),
        ('="2"', "caption_0"),
    ],
)
def test_words_and_caption_texts(tmp_path: Path, label: str, decision: str) -> None:
    labels = read(csv_file(tmp_path / "wide.csv", [row(2, 0, (1, 0), label)], COLUMNS), "wide")
    assert decisions(labels) == {("1002_2-0", "label_1"): decision}


def test_a_value_map_replaces_the_words(tmp_path: Path) -> None:
    rows = [row(0, 0, (1, 0), "A", "B"), row(1, 1, (1, 0), "right", "WRONG"), row(2, 1, (1, 0), "1", "n/a", "?")]
    values = {"a": "first", "b": "second", "right": "own", "wrong": "other", "n/a": "unlabelled"}
    labels = read(csv_file(tmp_path / "wide.csv", rows, COLUMNS), "wide", values=values)
    assert decisions(labels) == {
        ("1000_0-0", "label_1"): "caption_1",
        ("1000_0-0", "label_2"): "caption_0",
        ("1001_1-1", "label_1"): "caption_1",
        ("1001_1-1", "label_2"): "caption_0",
    }
    assert reasons(labels) == {"unknown label": 2} and len(labels.unlabelled) == 1
    assert (
        "line 4, label_1: '1' is not one of a, b, right, wrong, n/a, nor the text of an option (column label_1)"
        in labels.rejections[0]["detail"]
    )


@pytest.mark.parametrize(
    ("changes", "reason", "told"),
    [
        ({"filename": "999999_1_0.jpg"}, "unknown item", "filename is '999999_1_0.jpg'"),
        ({"type": "edited"}, "unknown side", "column type: 'edited' is none of original, counterfactual"),
        ({"type": ""}, "no side", "filename names pair 1000_0, but no column says its side"),
        ({"filename": "1000_0-1"}, "side", "column type is 'original', but item 1000_0-1 is the counterfactual"),
        ({"caption_1": "A cat"}, "other captions", "the captions 'A cat' and"),
        ({"filename": f"{PAIRS[3]['pair_id']}_0"}, "other captions", "are not those of item 1003_0-0"),
        ({"label_1": "3"}, "unknown label", "correct, incorrect, both, neither, nor the text of an option (column"),
    ],
)
def test_a_row_that_cannot_be_used_is_listed(tmp_path: Path, changes: dict[str, str], reason: str, told: str) -> None:
    rows = [row(0, 0, (0, 1), "1", **changes), row(1, 0, (0, 1), "1")]
    labels = read(csv_file(tmp_path / "wide.csv", rows, COLUMNS), "wide")
    (lost,) = labels.rejections
    assert (lost["item_id"], lost["reason"]) == ("labels-line-000002-label_1", reason)
    assert lost["detail"].startswith("wide.csv: line 2, label_1: ") and told in lost["detail"]
    assert len(labels.judgements) == 1
    write_artifact(tmp_path / "rejections.parquet", REJECTIONS, labels.rejections)


@pytest.mark.parametrize(
    "name", ["1000_0", "1000_0.png", "1000_0_17", "1000_0_17.JPG", "images/1000_0_17.jpg", "1000_0-0"]
)
def test_names_of_image_files(tmp_path: Path, name: str) -> None:
    labels = read(csv_file(tmp_path / "wide.csv", [row(0, 0, (0, 1), "1", filename=name)], COLUMNS), "wide")
    assert decisions(labels) == {("1000_0-0", "label_1"): "caption_0"}


def test_a_row_without_any_label_is_unlabelled_once(tmp_path: Path) -> None:
    rows = [row(0, 0, (0, 1)), row(1, 0, (0, 1), "", "2"), row(2, 0, (0, 1), final="1")]
    labels = read(csv_file(tmp_path / "wide.csv", rows, COLUMNS), "wide")
    assert [str(place) for place in labels.unlabelled] == ["wide.csv: line 2, label_1"]
    assert set(decisions(labels)) == {("1001_1-0", "label_2"), ("1002_2-0", FINAL_DECISIONS)}
    assert labels.items_without_label == 22 and labels.counts == {"counted": 2, "unlabelled": 1}


def test_annotators_named_in_columns_of_their_own(tmp_path: Path) -> None:
    rows = [{**row(0, 0, (0, 1), "1", "1", "2"), "annotator_1": "ann", "annotator_2": "bob", "annotator_3": "ann"}]
    labels = read(csv_file(tmp_path / "wide.csv", rows), "wide", columns={"adjudicated": ""})
    assert decisions(labels) == {("1000_0-0", "bob"): "caption_0"}
    assert reasons(labels) == {"given twice, differently": 2}
    assert "line 2, label_1 and line 2, label_3 give different values" in labels.rejections[0]["detail"]
    unnamed = csv_file(tmp_path / "unnamed.csv", [{**rows[0], "annotator_2": ""}])
    assert reasons(read(unnamed, "wide", columns={"adjudicated": ""}))["no annotator"] == 1


def test_captions_that_are_alike_are_not_told_apart(tmp_path: Path) -> None:
    from whatif.people.imports.items import Items

    items = Items.of_pairs([{**PAIRS[0], "caption_0": "a dog", "caption_1": "a dog"}], seed=0)
    rows = [row(0, 0, (0, 1), "1", "both", caption_1="a dog", caption_2="A dog")]
    labels = read(csv_file(tmp_path / "wide.csv", rows, COLUMNS), "wide", items)
    assert decisions(labels) == {("1000_0-0", "label_2"): "both"}
    assert reasons(labels) == {"order of captions": 1}


def test_without_captions_in_the_row_first_and_second_mean_nothing(tmp_path: Path) -> None:
    rows = [{"filename": "1000_0", "type": "original", "label_1": "1", "label_2": PAIRS[0]["caption_1"]}]
    labels = read(csv_file(tmp_path / "wide.csv", rows), "wide")
    assert decisions(labels) == {("1000_0-0", "label_2"): "caption_1"}
    assert "'1' is the first caption, but the row does not tell" in labels.rejections[0]["detail"]


def test_questions_have_wide_tables_too(tmp_path: Path) -> None:
    rows = [{"id": "q1", "vote 1": "accept", "vote 2": "REJECT", "answer 1": "", "answer 2": "7"}]
    columns = {"item": "id", "decision": "vote {n}", "corrected": {"answer": "answer {n}"}}
    labels = read(csv_file(tmp_path / "wide.csv", rows), "wide", QUESTIONS, columns=columns)
    assert decisions(labels) == {("q1", "vote 1"): "accept", ("q1", "vote 2"): "reject"}
    assert [one["corrected"] for one in labels.judgements] == ["{}", '{"answer":"7"}']


def test_one_column_of_labels_by_one_person(tmp_path: Path) -> None:
    """That of the final decisions, too: its labels are then no final decisions."""
    rows = [row(n, 1, (1, 0), final="1") for n in range(3)]
    path = csv_file(tmp_path / "wide.csv", rows, [name for name in COLUMNS if not name.startswith("label_")])
    labels = read(path, "wide", columns={"decision": "label"}, annotator="lab")
    assert decisions(labels) == {(f"{PAIRS[n]['pair_id']}-1", "lab"): "caption_1" for n in range(3)}
    with pytest.raises(WhatifError, match="no column says who made the labels"):
        read(path, "wide", columns={"decision": "label"})


def test_columns_that_contradict_those_of_the_format_are_one_line(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "wide.csv", [{"filename": "q1", "label_1": "accept", "new": "7"}])
    with pytest.raises(WhatifError, match=r"wide\.csv: columns: corrected\.answer: new has no \{n\}.*\(format wide\)"):
        read(path, "wide", QUESTIONS, columns={"corrected": {"answer": "new"}})


def test_a_table_without_label_columns_is_one_line(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "wide.csv", [{"filename": "1000_0", "type": "original", "score": "1"}])
    with pytest.raises(
        WhatifError, match=r"has no column label_1; .* needs label_\{n\} for n = 1, 2, ..., or .*; found: filename"
    ):
        read(path, "wide")


def test_a_table_of_other_pairs_is_one_line(tmp_path: Path) -> None:
    rows = [row(0, 0, (0, 1), "1", filename="7_7"), row(0, 0, (0, 1), "1", filename="8_8")]
    with pytest.raises(
        WhatifError, match="none of its 2 labels is about one of these pairs; line 2, label_1: filename"
    ) as error:
        read(csv_file(tmp_path / "wide.csv", rows, COLUMNS), "wide")
    assert "\n" not in str(error.value)
