"""The rules of C-VQA, VLMEvalKit and lmms-eval, including their errors."""

from __future__ import annotations

from typing import Any

import pytest

import whatif
from whatif.scoring.extraction.answer import Extracted, Kind
from whatif.scoring.published_extraction.c_vqa import c_vqa_answer
from whatif.scoring.published_extraction.lmms_eval import lmms_eval_answer
from whatif.scoring.published_extraction.rules import PUBLISHED_RULES, published_answer, published_correct, supports
from whatif.scoring.published_extraction.vlmevalkit import vlmevalkit_answer

THINGS = ["a phone", "a dog leash", "a dog", "nothing"]


@pytest.mark.parametrize(
    ("response", "vlmevalkit", "lmms_eval"),
    [
        ("B", "B", "B"),
        ("(B)", "B", "B"),
        ("B.", "B", "B"),
        ("b", None, None),  # letters are capital
        ("The answer is B.", "B", "B"),
        ("A", "A", "A"),
        ("Answer: A", "A", "A"),
        ("The answer is A.", None, "A"),  # for VLMEvalKit, `A` in a long response may be the article
        ("A dog would hold it", "C", "A"),  # lmms-eval takes the article for a letter
        ("It is B. Option C is wrong.", None, "C"),  # lmms-eval: `C ` stands before a space, `B.` does not
        ("Both (A) and (C) are right, the last one more.", None, "C"),
        ("First B. Then C. Done", None, "B"),  # lmms-eval: none has spaces on both sides, so the first letter
        ("**B**", "B", None),  # lmms-eval wants a parenthesis, a space or a full stop beside the letter
        ("There is a phone on the table, I think.", "A", "A"),
        ("a phone", "A", None),  # too short for the texts of options
        ("I see a dog leash on the table there.", None, "B"),  # also contains `a dog`, which begins at the same place
        ("Cannot determine the answer, but A", None, "A"),
        ("Z", None, None),
        ("", None, None),
    ],
)
def test_choices(response: str, vlmevalkit: str | None, lmms_eval: str | None) -> None:
    assert vlmevalkit_answer(response, "choice", THINGS).answer == vlmevalkit
    assert lmms_eval_answer(response, "choice", THINGS).answer == lmms_eval


def test_without_letters_only_the_text_of_an_option_counts() -> None:
    for rules in ("vlmevalkit", "lmms-eval"):
        said = "B seems to be a phone on the table"
        assert published_answer(said, "option text", THINGS, rules=rules).answer == "A"
        assert published_answer("B", "option text", THINGS, rules=rules).status == "none"


@pytest.mark.parametrize(
    ("response", "vlmevalkit", "lmms_eval"),
    [
        ("Yes.", "yes", "yes"),
        ("no", "no", "no"),
        ("Yes, it is not there, no.", None, "yes"),
        ("The answer is yes", "yes", None),  # lmms-eval looks at the beginning only
        ("Nobody is there.", None, "no"),
        ("**No**", None, "no"),  # VLMEvalKit keeps asterisks
        ("It is.", None, None),
    ],
)
def test_booleans(response: str, vlmevalkit: str | None, lmms_eval: str | None) -> None:
    assert vlmevalkit_answer(response, "boolean").answer == vlmevalkit
    assert lmms_eval_answer(response, "boolean").answer == lmms_eval


@pytest.mark.parametrize(
    ("response", "vlmevalkit", "lmms_eval"),
    [
        ("3", "3", "3"),
        ("three.", "3", None),  # lmms-eval reads no words
        ("the 3", "3", "3"),
        ("none", "0", None),
        ("There are 5 cats.", None, "5"),
        ("2 + 3 = 5.", None, "5"),
        ("Of 11, 4 remain on 2 tables", None, "2"),  # the last number, whatever it counts
        ("1,200", "1200", "1200"),
        ("$3.50", None, "3.5"),
        ("3.0", "3", "3"),
        ("...", None, None),
        ("", None, None),
    ],
)
def test_numbers(response: str, vlmevalkit: str | None, lmms_eval: str | None) -> None:
    found = vlmevalkit_answer(response, "number")
    assert (found.answer, found.status) == (vlmevalkit, "none" if vlmevalkit is None else "ok")
    found = lmms_eval_answer(response, "number")
    assert (found.answer, found.status) == (lmms_eval, "none" if lmms_eval is None else "ok")


@pytest.mark.parametrize("rules", PUBLISHED_RULES)
def test_a_kind_is_supported_or_refused(rules: Any) -> None:
    kinds: tuple[Kind, ...] = ("number", "boolean", "choice", "option text", "text")
    for kind in kinds:
        if supports(rules, kind):
            assert published_answer("?", kind, THINGS, rules=rules).status == "none"
        else:
            with pytest.raises(ValueError, match="only"):
                published_answer("?", kind, THINGS, rules=rules)
    if rules != "c-vqa":
        with pytest.raises(ValueError, match="without its options"):
            published_answer("A", "choice", None, rules=rules)


def test_a_prediction_by_published_rules() -> None:
    question = {"answer_kind": "choice", "answer": "B", "choices": THINGS}
    said = {"status": "ok", "response": "B, not A", "choice_scores": None, "correct": True}
    assert published_correct(said, question, "c-vqa") is None
    assert published_correct(said, question, "vlmevalkit") is False
    assert published_correct(said | {"response": "(B), not A"}, question, "lmms-eval") is True
    assert published_correct(said | {"choice_scores": [], "correct": True}, question, "vlmevalkit") is True
    assert published_correct(said | {"status": "error", "response": None}, question, "lmms-eval") is False


def test_the_public_function_takes_the_rules_by_name() -> None:
    said = "There are 5 cats on 2 chairs."
    assert whatif.extract_answer(said, "number", "How many cats are there?").answer == "5"
    assert whatif.extract_answer(said, "number", "How many cats are there?", rules="lmms-eval").answer == "2"
    assert whatif.extract_answer("B", "choice", "?", THINGS, "vlmevalkit") == Extracted("B", "ok", None)
    unknown: Any = "mine"
    with pytest.raises(ValueError, match="known are c-vqa, vlmevalkit, lmms-eval"):
        whatif.extract_answer("B", "choice", "?", THINGS, unknown)


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("3", "3"),
        ("There are three dogs.", "3"),
        ("If 2 cats were added, there would be 5 cats.", "5"),
        ("There would be 5 cats if 2 cats were added.", "5"),
        ("2 + 3 = 5", "2"),  # the first number, not the result
        ("eleven", None),  # words up to ten
        ("none", "0"),
        ("There would be no cats.", "0"),
        ("1,200", "1"),  # a word ends at every sign
        ("3.5", "3"),
        ("If 2 cats were added there would be 5 cats", None),  # the whole text is the clause: there is no comma
        ("If 2 cats were added, there would be 5 cats, not 3.", "5"),
        ("Of the cats, if 2 left, 3 would stay.", None),  # only the part before an inner `if`
        ("cats3", None),
        ("٣", "3"),
        ("9" * 5000, "9" * 5000),  # more digits than Python makes a whole number of
        ("007", "7"),
        ("", None),
    ],
)
def test_numbers_of_c_vqa(response: str, answer: str | None) -> None:
    found = c_vqa_answer(response, "number")
    assert (found.answer, found.status) == (answer, "none" if answer is None else "ok")


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("No.", "no"),
        ("Yes, it is not raining.", "no"),  # `not` counts before `yes`
        ("It would be asleep.", "yes"),
        ("The cat is there", "yes"),
        ("Nothing", None),
        ("maybe", None),
    ],
)
def test_booleans_of_c_vqa(response: str, answer: str | None) -> None:
    found = c_vqa_answer(response, "boolean")
    assert (found.answer, found.status) == (answer, "none" if answer is None else "ok")


def test_choices_are_not_known() -> None:
    with pytest.raises(ValueError, match="numbers and booleans only"):
        c_vqa_answer("A", "choice")
