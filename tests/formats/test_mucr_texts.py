"""Cue phrases, explanations and histories of MuCR: their forms, and what is wrong with bad ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from whatif.formats.mucr_texts import cue_fault, explanation_of, history_of, one_text, several_texts

WHOLE = "Cause: a cat climbs. Effect: the vase lies on the floor. The causal link between them is that it was pushed."


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("  two\n words ", "two words"),
        (7.0, "7"),
        (float("nan"), None),
        ("NaN", None),
        ("<NA>", None),
        ("", None),
        (None, None),
    ],
)
def test_a_cell_is_a_text_or_empty(given: Any, read: str | None) -> None:
    assert one_text(given) == read


@pytest.mark.parametrize("given", [True, {"a": 1}, ["a"], "x" * 2_001])
def test_a_cell_that_is_no_text(given: Any) -> None:
    with pytest.raises(ValueError, match=r"is no text|maximum is 2,000"):
        one_text(given)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ([1, 2.0, "3"], ["1", "2", "3"]),
        ("[1, 2, 3]", ["1", "2", "3"]),
        ("[a,b, c]", ["a", "b", "c"]),
        ("1;2;3", ["1", "2", "3"]),
        ("['wet fur' 'sofa']", ["wet fur", "sofa"]),
        ("""['the dog\\'s fur', "sofa"]""", ["the dog's fur", "sofa"]),
        (
            str(["Cause: it falls.\n", "the dog's\xa0fur", "Stra\u00dfe"]),
            ["Cause: it falls.", "the dog's fur", "Stra\u00dfe"],
        ),
        (str(["a", 2, None, "NaN"]), ["a", "2"]),
        (str(np.array([2, 13, 4])), ["2", "13", "4"]),
        (str(np.array([2.0, 13.0])), ["2", "13"]),
        ("[dog's fur, sofa]", ["dog's fur", "sofa"]),
        ("[2, 3, nan]", ["2", "3"]),
        (np.array(["a", "b"]), ["a", "b"]),
        (["a", float("nan"), ""], ["a"]),
        ("nan", []),
        ("[]", []),
        ("one phrase", ["one phrase"]),
    ],
)
def test_a_cell_with_a_list(given: Any, read: list[str]) -> None:
    assert several_texts(given) == read


@pytest.mark.parametrize(
    ("given", "told"),
    [("['the dog's fur', 'sofa', 'lamp']", "quotes are not in pairs"), (r"['\x4', 'a']", "faulty escape")],
)
def test_a_cell_with_a_faulty_list(given: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        several_texts(given)


@pytest.mark.parametrize(
    ("cues", "others", "reason"),
    [
        (["sun"], ["hat", "dog", "bench"], None),
        (["sun", "Sun."], ["hat", "dog", "bench"], None),
        (["sun", "heat"], ["hat", "dog", "bench"], "two right cues"),
        (["sun"], ["hat", "the-sun", "SUN"], "two right cues"),
        ([], ["hat", "dog", "bench"], "cue missing"),
        (["sun"], ["hat", "dog"], "false cue missing"),
        (["sun"], ["hat", "Hat", "bench"], "false cue twice"),
        (["sun"], ["hat", "dog", "bench", "boy"], "too many false cues"),
        (["sun"], ["hat", "dog", "?!"], "no cue phrase"),
        (["because the sun shone so hot on all of us"], ["hat", "dog", "bench"], "no cue phrase"),
    ],
)
def test_one_cue_is_right_and_three_others_are_not(cues: list[str], others: list[str], reason: str | None) -> None:
    fault = cue_fault(cues, others)
    assert (fault and fault[0]) == reason


def test_an_explanation_has_one_form() -> None:
    parts = ["a cat climbs", "the vase lies on the floor.", "it was pushed"]
    markers = ("Cause:", "Effect:", "The causal link between them is that")
    marked = [f"{marker} {part}" for marker, part in zip(markers, parts, strict=True)]
    assert explanation_of(parts) == explanation_of(marked) == explanation_of([WHOLE]) == WHOLE
    assert explanation_of([part.replace(":", " :") for part in marked]) == WHOLE
    assert explanation_of([f" \u201c{WHOLE.replace('Effect', 'effect')}\u201d\n"]) == WHOLE


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "is empty"),
        (["a cat pushes a vase"], "has not the three parts"),
        (["Cause: a cat. The causal link between them is that it falls."], "has not the three parts"),
        (["Cause: . Effect: it falls. The causal link between them is that it was pushed."], "nothing after `Cause:`"),
        (["a", "b"], "has 2 parts, not 3"),
        (["a", " . ", "c"], "nothing after `Effect:`"),
        (["a Effect: b", "b", "c"], "two parts in the place of one, after `Cause:`"),
        ([f"{WHOLE} Effect: again."], "two parts in the place of one"),
    ],
)
def test_an_explanation_without_its_three_parts(given: list[str], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        explanation_of(given)


def test_a_history_keeps_its_order() -> None:
    steps = ["A man drives fast.", {"kind": "comment", "text": "Speed cannot be seen.", "by": "team 2"}]
    steps.append({"kind": "captions", "cause": "A man overtakes.", "effect": "A police officer writes a ticket."})
    read = [
        {"kind": "idea", "text": "A man drives fast."},
        {"kind": "comment", "text": "Speed cannot be seen.", "by": "team 2"},
        {"kind": "captions", "cause": "A man overtakes.", "effect": "A police officer writes a ticket."},
    ]
    assert history_of(steps) == read
    assert history_of('["A man drives fast."]') == read[:1]
    assert history_of(None) == history_of("NaN") == history_of(float("nan")) == []


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("first, second", "is no JSON list"),
        ({"kind": "idea"}, "is no list"),
        ([1], "step 1: is neither"),
        (["a", {"kind": "remark", "text": "b"}], "step 2: kind 'remark' is none of"),
        ([{"kind": "captions", "by": "me"}], "step 1: has no text"),
    ],
)
def test_a_history_that_cannot_be_read(given: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        history_of(given)
