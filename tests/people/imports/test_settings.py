"""The settings of label files in `params.yaml`."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from pydantic import Field, ValidationError

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.graph.reading import named_outside, read
from whatif.engine.params.base import BenchmarkSettings, Settings
from whatif.engine.params.whole import plain
from whatif.people.imports.settings import LabelFile, LabelFiles


class Verify(Settings):
    labels: LabelFiles | None = None


class Toy(BenchmarkSettings):
    verify: Verify = Field(default_factory=Verify)


def of(text: str) -> list[LabelFile]:
    return Verify.model_validate(yaml.safe_load(text)).labels or []


def test_a_path_is_a_file_of_our_own_export() -> None:
    assert of("labels: people/tasks.csv") == [LabelFile(path="people/tasks.csv", format="whatif")]


def test_one_file_and_several() -> None:
    one = of("labels: {path: a.csv, format: wide}")
    several = of("labels: [{path: a.csv, format: wide}, {path: b.json, format: label-studio}]")
    assert several[:1] == one and several[1].format == "label-studio"
    assert Verify().labels is None


def test_words_that_yaml_reads_as_numbers() -> None:
    (file,) = of("labels: {path: a.csv, format: wide, values: {1: first, 2: second, x: both}, sides: {0: 0, 1: 1}}")
    assert file.values == {"1": "first", "2": "second", "x": "both"} and file.sides == {"0": 0, "1": 1}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{path: a.csv, format: excel}", "Input should be 'whatif', 'wide'"),
        ("{path: '', format: wide}", "at least 1 character"),
        ("{path: a.csv, format: wide, colour: red}", "Extra inputs"),
        ("{path: a.csv, format: long, values: {yes: accept}}", "YAML reads a key as true; put quotes around words"),
        ("{path: a.csv, format: long, sides: {left: 2}}", "left: 2 is no side of a pair"),
        ("{path: a.csv, format: columns}", "needs columns.item, and columns.decision or columns.corrected"),
        ("{path: a.csv, format: columns, columns: {item: x}}", "needs columns.item, and columns.decision"),
        ("{path: a.txt, format: rejected-ids}", "annotator is missing; a file of the format rejected-ids does not say"),
        (
            "{path: a.txt, format: rejected-ids, annotator: ann, columns: {decision: x}}",
            "columns.decision: the format rejected-ids has only item",
        ),
        ("{path: a.csv, format: long, annotator: ann, columns: {annotator: who}}", "are both given; keep one"),
        ("{path: a.csv, format: long, parent: b.csv}", "parent: only the format corrected-copy has one"),
        ("{path: a.csv, format: long, rest: accept}", "rest: only for the format rejected-ids"),
        ("{path: a.csv, format: long, columns: {item: ''}}", "columns.item is empty"),
        ("{path: a.csv, format: long, columns: {decision: ''}}", "columns.decision is empty"),
        ("{path: a.csv, format: wide, columns: {decision: x, comment: 'y{n}'}}", "a column has {n}, but `decision`"),
        ("{path: a.csv, format: wide, columns: {adjudicated: 'y{n}'}}", "an item has one adjudicated decision"),
        (
            "{path: a.csv, format: wide, columns: {decision: 'x{n}', corrected: {answer: y}}}",
            "corrected.answer: y has no {n}, but `decision` has; number it, too",
        ),
        ("[{path: a.csv, format: long}, {path: a.csv, format: wide}]", "a.csv is listed twice; keep one"),
        ("[]", "at least 1 item"),
    ],
)
def test_settings_that_contradict_themselves(text: str, told: str) -> None:
    with pytest.raises(ValidationError) as raised:
        of(f"labels: {text}")
    assert told in str(raised.value)


def test_label_files_and_their_parents_are_outside_the_graph() -> None:
    files = [
        {"path": "people/a.csv", "format": "wide"},
        {"path": "people/b.csv", "format": "corrected-copy", "annotator": "ann", "parent": "people/old.csv"},
    ]
    settings = Toy.model_validate({"verify": {"labels": files}})
    named: tuple[str, ...] = ("people/a.csv", "people/b.csv", "people/old.csv")

    def picked(which: Any) -> Any:
        return which.verify.labels

    assert tuple(named_outside(settings.verify)) == named
    assert read(lambda s: s.verify, "toy", settings).outside == named
    assert read(picked, "toy", settings).outside == named
    assert read(picked, "toy", Toy()).outside == ()


def test_settings_that_mean_different_things_have_different_fingerprints() -> None:
    written = ("{}", "{adjudicated: ''}", "{adjudicated: final}", "{decision: 'vote_{n}'}", "{corrected: {a: 'b_{n}'}}")
    files = [of(f"labels: {{path: a.csv, format: wide, columns: {columns}}}") for columns in written]
    assert len({canonical_json(plain(file)) for file in files}) == len(written)
    for file in files:  # what is read again from its plain form means the same
        assert Verify.model_validate({"labels": plain(file)}).labels == file
