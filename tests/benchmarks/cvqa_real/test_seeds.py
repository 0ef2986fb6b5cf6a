"""Seeds: ours are right by computation, and a user's file is checked entry by entry."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from whatif.benchmarks.cvqa_real.schemas import BOOLEAN, DIRECT, GROUPS, INDIRECT
from whatif.benchmarks.cvqa_real.seeds import SeedEntry, read_entries, read_seeds
from whatif.benchmarks.cvqa_real.written_rules import fault_of
from whatif.engine.errors import WhatifError
from whatif.world.scene_answers import answer_in, asked_about
from whatif.world.scene_changes import Change, changed, chosen, the_only
from whatif.world.scene_descriptions import LINE_MARGIN, are_clear_at_an_end, is_clear_of
from whatif.world.scene_words import COUNT_WORDS
from whatif.world.scenes import Scene, draw_scene

OURS = read_entries(None)
ENTRY = """
- id: one
  group: direct
  question: How many dogs are on the sofa?
  answer: 2
  step1: Another dog comes
  step2: The answer would be 2+1=3
  new_question: How many dogs would be on the sofa if another dog came?
  new_answer: 3
"""


def scene_of(entry: SeedEntry) -> Scene:
    assert entry.scene is not None
    return draw_scene(entry.scene.split, entry.scene.number, entry.scene.seed)


def steps_of(entry: SeedEntry) -> list[Change]:
    assert entry.change is not None
    steps: list[Change] = entry.change.get("steps", [entry.change])
    return steps


def test_each_group_has_at_least_24_about_training_scenes() -> None:
    counts = Counter(entry.group for entry in OURS)
    assert set(counts) == set(GROUPS) and min(counts.values()) >= 24
    assert {entry.scene.split for entry in OURS if entry.scene} == {"train"}
    assert len({entry.scene.number for entry in OURS if entry.scene}) > 40


@pytest.mark.parametrize("entry", OURS, ids=lambda entry: entry.id)
def test_the_filter_keeps_what_examples_show(entry: SeedEntry) -> None:
    """Or a chat model would be shown what is rejected."""
    written = {
        "group": entry.group,
        "writer": "model",
        "question": entry.new_question,
        "answer": entry.new_answer,
        "step1": entry.step1,
        "step2": entry.step2,
    }
    assert fault_of(written, {"question": entry.question, "answer": entry.answer}) is None


@pytest.mark.parametrize("entry", OURS, ids=lambda entry: entry.id)
def test_both_answers_are_those_of_the_scene(entry: SeedEntry) -> None:
    scene = scene_of(entry)
    asked = asked_about(entry.question)
    assert asked is not None and entry.change is not None
    assert answer_in(scene, asked) == entry.answer
    assert answer_in(changed(scene, entry.change), asked) == entry.new_answer


@pytest.mark.parametrize("entry", [one for one in OURS if one.group == INDIRECT], ids=lambda entry: entry.id)
def test_places_are_unambiguous(entry: SeedEntry) -> None:
    scene = scene_of(entry)
    asked = asked_about(entry.question)
    assert asked is not None
    counted = chosen(scene, asked.kinds[0])
    for change in steps_of(entry):
        which = next(value for key, value in change.items() if key not in ("to", "by", "number", "exchange"))
        if "within" in which:
            assert all(is_clear_of(which["within"], scene.things[number]) for number in counted)
        if "outermost" in which:
            attributes = {key: word for key, word in which.items() if key in ("noun", "colour", "size")}
            assert are_clear_at_an_end(scene, attributes, which["outermost"], which.get("number", 1))
        if "further" in which:
            anchor = the_only(scene, which["than"])
            lines = [abs(scene.things[one].y - scene.things[anchor].y) for one in counted if one != anchor]
            assert which["further"] in ("above", "below") and min(lines) >= LINE_MARGIN


def test_steps_have_the_form_of_the_paper() -> None:
    for entry in OURS:
        if entry.group == BOOLEAN:
            assert entry.new_answer != entry.answer
            assert entry.step1.startswith(f"The new answer should be {entry.new_answer}, so ")
            assert re.match("How to make .+: ", entry.step2)
            continue
        sum_of = re.fullmatch(r"The answer would be (\d+)((?:[-+*]\d+)+)=(\d+)", entry.step2)
        assert sum_of and (sum_of[1], sum_of[3]) == (entry.answer, entry.new_answer), entry.id
        total = int(sum_of[1])
        for sign, term in re.findall(r"([-+*])(\d+)", sum_of[2]):
            total = {"+": total + int(term), "-": total - int(term), "*": total * int(term)}[sign]
        assert total == int(entry.new_answer), entry.id


def test_new_questions_ask_the_same_under_a_condition_and_do_not_say_the_answer() -> None:
    for entry in OURS:
        words = re.findall(r"\w+", entry.new_question.lower())
        assert words.count("if") == 1 and entry.new_question.endswith("?")
        asked = [word for word in re.findall(r"\w+", entry.question.lower()) if word not in ("are", "is", "do")]
        main = words[: words.index("if")]
        missing = [word for word in asked if word not in [*main, "can", "does", "there", "you"]]
        assert not missing, (entry.id, missing)
        if entry.group != BOOLEAN:
            number = int(entry.new_answer)
            assert entry.new_answer not in words
            assert not (number < len(COUNT_WORDS) and COUNT_WORDS[number] in words), entry.id


def test_seeds_vary() -> None:
    assert len({entry.new_question for entry in OURS}) == len({entry.id for entry in OURS}) == len(OURS)
    for group in GROUPS:
        clauses = [entry.new_question.split(" if ")[1] for entry in OURS if entry.group == group]
        assert len(set(clauses)) == len(clauses)
        assert max(Counter(clause.split()[-1] for clause in clauses).values()) <= 5
    new = Counter(entry.new_answer for entry in OURS if entry.group == BOOLEAN)
    assert min(new.values()) >= 12
    ways = Counter(next(iter(change)) for entry in OURS if entry.group == DIRECT for change in steps_of(entry))
    assert {"add", "remove", "multiply"} <= set(ways)
    assert sum(entry.answer == entry.new_answer for entry in OURS if entry.group == INDIRECT) == 2


def test_ours_are_read_in_order() -> None:
    seeds = read_seeds(None)
    assert [seed.seed_id for seed in seeds] == [entry.id for entry in OURS]
    first = seeds[0]
    assert (first.seed_id, first.group, first.answer, first.new_answer) == ("direct-01", DIRECT, "6", "4")
    assert {seed.answer for seed in seeds if seed.group == BOOLEAN} == {"yes", "no"}


def test_a_file_of_the_user_needs_no_scene(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(ENTRY + ENTRY.replace("one", "two", 1).replace("id: one", "id: two"), encoding="utf-8")
    seeds = read_seeds(str(file))
    assert [(seed.seed_id, seed.answer, seed.new_answer) for seed in seeds] == [("one", "2", "3"), ("two", "2", "3")]
    assert seeds[0].step2 == "The answer would be 2+1=3"


def test_yes_and_no_need_no_quotation_marks(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    words = ENTRY.replace("direct", "boolean").replace(" 2\n", " no\n").replace("new_answer: 3", "new_answer: yes")
    file.write_text(words, encoding="utf-8")
    assert [(seed.answer, seed.new_answer) for seed in read_seeds(str(file))] == [("no", "yes")]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "group: direct",
            "group: numerical",
            r"entry 1 \(one\): group: Input should be 'direct', 'indirect' or 'boolean'",
        ),
        ("  answer: 2\n", "", r"entry 1 \(one\): answer: Field required"),
        ("  step1: Another dog comes\n", "", r"entry 1 \(one\): step1: Field required"),
        ("Another dog comes", "' '", r"entry 1 \(one\): step1: String should match pattern"),
        ("  answer: 2\n", "  answer: many\n", r"entry 1 \(one\): answer: 'many' must be a whole number, such as 3"),
        ("  answer: 2\n", "  answer: -2\n", r"entry 1 \(one\): answer: '-2' must be a whole number"),
        ("  answer: 2\n", "  answer: 2.5\n", r"entry 1 \(one\): answer: Input should be a valid string"),
        ("group: direct", "group: boolean", r"entry 1 \(one\): answer: '2' must be yes or no in the group boolean"),
        ("new_answer: 3", "new_answer: 4", r"entry 1 \(one\): step2: ends with 3, but new_answer is 4"),
        (" if another dog came", "", r"entry 1 \(one\): new_question: has no presupposition; write a clause with `if`"),
        ("  step2", "  colour: red\n  step2", r"entry 1 \(one\): colour: Extra inputs are not permitted"),
        ("- id: one", "- id: 1", r"entry 1: id: Input should be a valid string"),
        ("- id: one", "- text\n- id: one", r"entry 1: Input should be a valid dictionary"),
        (ENTRY, ENTRY + ENTRY, "entry 2: one is also the id of entry 1; rename one"),
        (ENTRY, "", "must be a list of seeds"),
        (ENTRY, "id: one", "must be a list of seeds"),
        (ENTRY, "[", "not valid YAML"),
    ],
)
def test_bad_entries_are_named(before: str, after: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    assert before in ENTRY
    file.write_text(ENTRY.replace(before, after), encoding="utf-8")
    with pytest.raises(WhatifError, match=rf"^{re.escape(str(file))}:.*{message}"):
        read_seeds(str(file))


def test_a_missing_file_and_another_encoding_are_named(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match=r"none\.yaml: No such file or directory; .*\.examples\.file must be a YAML"):
        read_seeds(str(tmp_path / "none.yaml"))
    (tmp_path / "latin.yaml").write_bytes(ENTRY.encode() + "# \xe9".encode("latin-1"))
    with pytest.raises(WhatifError, match=r"latin\.yaml: is not UTF-8 at byte \d+; save it as UTF-8"):
        read_seeds(str(tmp_path / "latin.yaml"))
