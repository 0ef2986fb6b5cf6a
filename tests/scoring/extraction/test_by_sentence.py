"""The reader that goes by sentences: own sentences for each kind of answer, and bad input."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from whatif.scoring.extraction.by_sentence import read
from whatif.scoring.extraction.extracted import Kind

HOW_MANY = "How many boats would be in the harbour if 2 boats left?"
HOW_MANY_TRUE = (
    ("7", "7"),
    ("1,234.50", "1234.5"),
    ("The answer is 5.", "5"),
    ("There are 9 boats. If 2 boats left, 7 boats would be in the harbour.", "7"),
    ("9 - 2 = 7", "7"),
    ("So the number of boats is $\\boxed{7}$.", "7"),
    ("<answer>7</answer>", "7"),
    ("Seven boats would be in the harbour.", "7"),
    ("No boats would be in the harbour.", "0"),
    ("Two boats would be in the harbour.", "2"),
    ("The level would be -4.", "-4"),
    ("It is not 12 but 7.", "7"),
    ("I see 7 boats: 3 on the left and 4 on the right.", "7"),
    ("The image does not show 3 boats.", "none"),
    ("There would be between 5 and 8 boats.", "none"),
    ("٧", "7"),
    ("I count 8. Wait, one is a buoy. So there would be 7 boats.", "7"),
    ("The answer is $\\frac{7}{2}$.", "none"),
    ("$\\boxed{2 + \\sqrt{3}}$", "none"),
    ("\\boxed{B}", "none"),
    ("The answer is 7 or 8.", "none"),
    ("There is no solution.", "none"),
    ("The question is incomplete: 2 values are missing.", "none"),
    ("I'm sorry, but I cannot see the 3 images.", "none"),
    ("The harbour has 9 boats. After that the number of boats is", "none"),
    ("Answer: 7\n\nQuestion: How many birds?\nAnswer: 3", "7"),
    ("If 2 boats left, the number would fall from 9 to 7.", "7"),
    ("If 2 boats left there would be 7", "7"),
    ("There are 9 boats; taking 2 away leaves 7.", "7"),
    ("In 1998 there were some boats; now there would be 7.", "7"),
    ("2 boats left.", "none"),
    ("Two more.", "ambiguous"),
    ("Over 7 boats.", "ambiguous"),
    ("7 (or 8)", "ambiguous"),
    ("3 or perhaps 4", "ambiguous"),
    ("Nobody can tell.", "none"),
)
LONGER = "Is the upper rope longer than the lower rope?"
LONGER_TRUE = (
    ("Yes.", "yes"),
    ("B) No, it is shorter.", "no"),
    ("**Answer**\n\nTrue", "yes"),
    ("Incorrect.", "no"),
    ("Both ropes are of the same length.", "no"),
    ("The upper rope is longer than the lower rope.", "yes"),
    ("The upper rope is not longer than the lower rope.", "no"),
    ("The upper rope is shorter than the lower rope.", "no"),
    ("The left end is frayed, so the answer is no.", "no"),
    ('The statement "the upper rope is longer" is True.', "yes"),
    ("Therefore, the statement is not correct.", "no"),
    ("False. On second thought, the upper rope is longer than the lower rope.", "yes"),
    ("False at first sight. Final answer: True", "yes"),
    ("It is unclear whether the upper rope is longer than the lower rope.", "none"),
    ("Maybe the upper rope is longer than the lower rope.", "none"),
    ("Yes and no.", "ambiguous"),
    ("If it is stretched, the answer is yes; if not, it is no.", "ambiguous"),
    ("(C) Yes\n(D) No", "ambiguous"),
    ("Is the upper rope longer than the lower rope?", "none"),
    ("The answer is: Cannot be determined.", "none"),
    ("I would say no.", "no"),
    ("[Reply] No, the upper rope isn't longer than the lower rope.", "no"),
    ("Answer: Yes, it is.\nAnswer: No, it is not.", "ambiguous"),
    ("Not yes but no.", "no"),
    ("Between no and yes, it is yes.", "yes"),
    ("No solution.", "none"),
    ("No doubt, the upper rope is longer than the lower rope.", "yes"),
    ("The upper rope might be longer than the lower rope.", "none"),
    ("Yes, if it is stretched.", "ambiguous"),
    ("Yes, the upper rope is not longer than the lower rope.", "ambiguous"),
)
IMAGES = ("Image A", "Image B", "Image C", "Image D")
EFFECT = "Which image shows the effect of the cause in the first image?"
EFFECT_TRUE = (
    ("Image C", "C"),
    ("The image that shows the effect is Image C.", "C"),
    ("Image C shows the effect. Image B shows something else.", "C"),
    ("Based on the cause shown in the first image, the corresponding effect is Image C.", "C"),
    ("Between Image B and Image C, it is Image C.", "C"),
    ("Image A is wrong. The answer is Image C, not Image B.", "C"),
    ("I would choose Image C, unlike Image B.", "C"),
    ("Image C is the correct answer.", "C"),
    ("Image A or Image C.", "ambiguous"),
    ("To answer this, I compare Image A with Image C.", "ambiguous"),
    ("It is impossible to tell which one it is.", "none"),
    ("Panel C.", "C"),
    ("Image C shows the effect, because nothing has changed in Image B.", "C"),
    ("Image A, Image B and Image D show other events, so the effect is Image C.", "C"),
    ("Image A, Image B and Image D can be excluded. That leaves Image C.", "C"),
    ("If the cause were a fan, the effect would be Image D. As it is, the effect is Image C.", "C"),
)
# Question, options, response, expected; the letters were shown.
CHOICES = (
    ("What fits?", ("a cup", "a plate", "a bowl"), "C", "C"),
    ("What fits?", ("a cup", "a plate", "a bowl"), "The answer is (b), a plate.", "B"),
    ("What fits?", ("a cup", "a plate", "a bowl"), "A bowl fits.", "C"),
    ("What fits?", ("a cup", "a plate", "a bowl"), "It is not a cup. It is a plate.", "B"),
    ("What fits?", ("a cup", "a plate", "a bowl"), "The answer is B: a bowl.", "none"),
    ("What fits?", ("a cup", "a plate", "a bowl"), "The answer is A and B.", "none"),
    ("What fits?", ("a cup", "a plate", "a bowl"), "(E) a spoon", "none"),
    ("What fits?", ("a cup", "a cup", "a bowl"), "A cup fits.", "none"),
    ("Which area?", ("$\\frac{1}{2}$", "$\\frac{1}{3}$"), "The area is $\\boxed{\\frac13}$.", "B"),
    ("Which area?", ("$\\frac{1}{2}$", "$\\frac{1}{3}$"), "The area is $\\boxed{\\frac{1}{2+x}}$.", "none"),
    ("Which area?", ("x^{2}", "x^{3}"), "The volume is $x^{3}$.", "B"),
    ("When?", ("11.50 A.M.", "11.55 A.M.", "12.50 P.M."), "The bus leaves at 11.50 A.M. on Mondays.", "A"),
    ("How wide?", ("45 degrees", "90 degrees", "60 degrees"), "c) 60 degrees", "C"),
    ("How wide?", ("45 degrees", "90 degrees", "60 degrees"), "The angle is about 90°.", "B"),
    ("How wide?", ("45 degrees", "90 degrees", "60 degrees"), "Therefore, the angle is 75 degrees.", "none"),
    ("How long?", ("5 cm", "10 cm"), "After 5 hours it would be 10 cm long.", "B"),
    ("Which is heavier?", ("the first", "can't tell"), "(B) can't tell", "B"),
    ("Which is heavier?", ("the box", "It cannot be determined"), "It cannot be determined.", "B"),
    ("Which is alike?", ("the second image", "the third image"), "Like the first image, the third one is blue.", "B"),
    ("Which is nearer?", ("A is nearer", "B is nearer"), "Point B is nearer than point A.", "B"),
    ("Is the lamp on?", ("Yes", "No"), "The lamp is not on.", "B"),
    ("Which is so?", ("Yes", "No"), "No.", "B"),
)

COLOURS = ("red", "blue", "green", "grey")
COMPARED = (
    ("A is wrong. D is right.", "D"),
    ("D is right. A is wrong.", "D"),
    ("Not A but D.", "D"),
    ("Between A and D, it is D.", "D"),
    ("It is none of A, B and C, which leaves D.", "D"),
    ("A is wrong. B is wrong. C is wrong. So D is correct.", "D"),
    ("In the first image there is little to see, so D.", "D"),
    ("I come to the conclusion that D is correct.", "D"),
    ("The answer is D, not A.", "D"),
    ("Answer: A, D", "none"),
    ("<answer>A</answer>\n<answer>D</answer>", "ambiguous"),
    ("The answer is D. No, A.", "ambiguous"),
    ("It is red, so the answer is D.", "ambiguous"),
)


def found(response: str, kind: Kind, question: str, choices: Sequence[str] | None = None) -> str:
    extracted = read(response, kind, question, choices)
    assert (extracted.status == "ok") == (extracted.answer is not None)
    return extracted.answer or extracted.status


@pytest.mark.parametrize(("response", "expected"), HOW_MANY_TRUE)
def test_numbers(response: str, expected: str) -> None:
    assert found(response, "number", HOW_MANY) == expected


@pytest.mark.parametrize(("response", "expected"), LONGER_TRUE)
def test_yes_and_no(response: str, expected: str) -> None:
    assert found(response, "boolean", LONGER) == expected


def test_a_limit_that_is_exactly_reached_is_not_less() -> None:
    response = "The weight is not less than 5 kg; it is exactly 5 kg."
    assert found(response, "boolean", "Is the weight less than 5 kg?") == "no"


def test_an_if_clause_of_the_question_need_not_be_repeated() -> None:
    assert (
        found("The kite would not fly if there were no wind.", "boolean", "Would the kite fly if there were no wind?")
        == "no"
    )
    assert found("The girl appears to be older than the boy.", "boolean", "Is the boy older than the girl?") == "no"
    assert found("The cat would be wet.", "boolean", "Would the cat be wet if it rained in the garden?") == "yes"
    assert found("The cat would not be wet.", "boolean", "If it rained, would the cat be wet?") == "no"


def test_a_repeated_statement_is_no_answer() -> None:
    question = "The lamp is on the table. True or False?"
    assert found(question, "boolean", question) == "none"
    assert found(f"{question} False.", "boolean", question) == "no"
    assert found("The lamp is on the table.", "boolean", question) == "yes"


@pytest.mark.parametrize("kind", ["choice", "option text"])
@pytest.mark.parametrize(("response", "expected"), EFFECT_TRUE)
def test_options_that_are_images(response: str, expected: str, kind: Kind) -> None:
    assert found(response, kind, EFFECT, IMAGES) == expected


@pytest.mark.parametrize(("response", "expected"), COMPARED)
def test_letters_that_are_compared(response: str, expected: str) -> None:
    assert found(response, "choice", "Which colour is it?", COLOURS) == expected


@pytest.mark.parametrize("kind", ["choice", "option text"])
def test_an_option_of_several_sentences_is_one(kind: Kind) -> None:
    choices = ("A cloud is over it. It gets wet.", "A fan is over it. It falls down.")
    assert found("The answer is: A fan is over it. It falls down.", kind, "What happens?", choices) == "B"


@pytest.mark.parametrize(("question", "choices", "response", "expected"), CHOICES)
def test_options(question: str, choices: Sequence[str], response: str, expected: str) -> None:
    assert found(response, "choice", question, choices) == expected


def test_a_letter_means_nothing_where_none_was_shown() -> None:
    assert found("B", "option text", "What fits?", ("a cup", "a plate")) == "none"
    assert found("a plate", "option text", "What fits?", ("a cup", "a plate")) == "B"


def test_open_text() -> None:
    assert found("A  Red bus.", "text", "What?") == "a red bus"
    assert found("I see a long street with a red bus that stops.", "text", "What?") == "none"


BAD = (
    *("(", "{", '"', "\0", "\ud800", "\\boxed{", "\\frac{", "1,", "the answer is ", "A ", "if a, ", "⟦", "- "),
    "<answer>",
)


@pytest.mark.parametrize("piece", [*BAD, " ", "\n", "Yes, ", "point A ", "5 cm ", 'statement "'], ids=repr)
def test_bad_input_has_a_status_within_a_second(piece: str) -> None:
    response = piece * 1_000_000
    for kind, choices in (
        ("number", None),
        ("boolean", None),
        ("text", None),
        ("choice", IMAGES),
        ("choice", ("5 cm", "")),
    ):
        began = time.process_time()
        assert read(response, kind, "Which is longer than 3?", choices).status in {"ok", "none", "ambiguous"}
        assert time.process_time() - began < 1


def test_odd_options() -> None:
    for choices in ((), ("",), ("", "", ""), ("(", "((", "\ud800"), ("a" * 100_000, "aa", "a")):
        for kind in ("choice", "option text"):
            assert read("The answer is (", kind, "", choices).status in {"ok", "none", "ambiguous"}
