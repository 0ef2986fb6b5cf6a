"""The reader by candidates, on sentences that were written for these tests."""

from __future__ import annotations

import time

import pytest

from whatif.scoring.extraction.by_candidate import read

IMAGES = ["Image A", "Image B", "Image C", "Image D"]
ORDINALS = ["the first image", "the second image", "the third image"]
SHAPES = ["a square", "a circle", "a triangle"]
CLOSER = ["A is closer", "B is closer"]
ANGLES = ["45°", "60°", "90°", "120°"]
TELL = ["red", "can't tell", "blue"]
SURFACE = "Which image shows the effect?"
HOW_MANY = "How many boats are in the harbour?"
SUPPOSED = "How many boats would be in the harbour if 4 boats left?"
SPILL = "Would the milk spill if the girl pulled the cloth?"
LONGER = "Is the upper line longer than the lower line?"
STATEMENT = "The point K lies on the circle. True or False?"

CHOICES = [
    # Image A to Image D (MuCR)
    (SURFACE, IMAGES, "Image C shows the effect. Image B shows something else.", "C"),
    (SURFACE, IMAGES, "The image that shows the effect is Image C.", "C"),
    (SURFACE, IMAGES, "Based on the cause shown in the first image, the corresponding effect is Image C.", "C"),
    (SURFACE, IMAGES, "Between Image A and Image D, it is Image D.", "D"),
    (SURFACE, IMAGES, "Image B is right. Image D is wrong.", "B"),
    # letters
    ("What is drawn?", SHAPES, "B", "B"),
    ("What is drawn?", SHAPES, "(b)", "B"),
    ("What is drawn?", SHAPES, "b) a circle", "B"),
    ("What is drawn?", SHAPES, "The answer is (C) because it has three corners.", "C"),
    ("What is drawn?", SHAPES, "A. a square has four corners\nB. a circle has none\n\nAnswer: B", "B"),
    ("What is drawn?", SHAPES, "It has no corners.\n\n**Final answer: B**", "B"),
    ("What is drawn?", SHAPES, "Therefore $\\boxed{\\text{(C)}}$.", "C"),
    ("What is drawn?", SHAPES, "Option A has four corners, which does not fit. I choose option C.", "C"),
    ("What is drawn?", SHAPES, "A or B", None),
    ("What is drawn?", SHAPES, "The answer is A. Sorry, I misread the figure. The answer is C.", "C"),
    ("What is drawn?", SHAPES, '{"answer": "C"}', "C"),
    ("What is drawn?", SHAPES, "- a square ✘\n- a circle ✔\n- a triangle ✘", "B"),
    ("What is drawn?", SHAPES, "A is wrong. C is right.", "C"),
    ("What is drawn?", SHAPES, "B is right. A is wrong.", "B"),
    ("What is drawn?", SHAPES, "Not A but C.", "C"),
    ("What is drawn?", SHAPES, "Between C and A, it is A.", "A"),
    ("What is drawn?", SHAPES, "It is none of A and C, which leaves B.", "B"),
    ("What is drawn?", SHAPES, "The first sketch is blurred, so C.", "C"),
    ("What is drawn?", SHAPES, "### Answer\nC", "C"),
    ("What is drawn?", SHAPES, "The answer is B. Wait, C.", "C"),
    ("What is drawn?", SHAPES, "B. Correction: A.", "A"),
    ("What is drawn?", SHAPES, "A:a square  B:a circle  C:a triangle", None),
    (SURFACE, IMAGES, "Image D shows something else. Image C shows the effect.", "C"),
    (SURFACE, IMAGES, "Image A, Image B and Image D can be excluded. That leaves Image C.", "C"),
    (SURFACE, IMAGES, "Image A and Image C could both be the effect.", None),
    # texts
    ("What is drawn?", SHAPES, 'The option "a circle" fits. The option "a square" does not.', "B"),
    ("What is drawn?", SHAPES, 'It is either "a circle" or "a square".', None),
    ("What is drawn?", SHAPES, "The drawing shows a circle.", "B"),
    ("What is drawn?", SHAPES, "It is not a square but a circle.", "B"),
    ("What is drawn?", SHAPES, "It is hard to see, and it cannot be determined.", None),
    ("Which image is similar?", ORDINALS, "The third image is similar, unlike the second image.", "C"),
    ("Which image is similar?", ORDINALS, "The second picture is the most similar.", "B"),
    ("Which point is closer?", CLOSER, "Point B is closer to the camera than point A.", "B"),
    ("How large is the angle?", ANGLES, "So the angle is 90 degrees.", "C"),
    ("How large is the angle?", ANGLES, "The sum is 180°, so the angle is 180° - 60° = 120°.\n\ne) 120°", "D"),
    ("How large is the angle?", ANGLES, "d) 120 degrees", "D"),
    ("When does it leave?", ["11.05 A.M.", "11.50 A.M.", "12.05 P.M."], "It leaves at 11.50 A.M.", "B"),
    ("How much?", ["$\\frac{1}{4}$", "$\\frac{3}{4}$", "$2^{3}$"], "This gives $\\boxed{\\frac34}$.", "B"),
    ("How much?", ["$\\frac{1}{4}$", "$\\frac{3}{4}$", "$2^{3}$"], "$$2^3$$", "C"),
    ("How much?", ["4", "6"], "This gives \\boxed{17}.", None),
    ("What colour is it?", TELL, "(B) can't tell", "B"),
    ("Is it red?", ["yes", "no"], "No, it is blue.", "B"),
    ("What is drawn?", ["same", "same", ""], "same", None),
]
NUMBERS = [
    (HOW_MANY, "3", "3"),
    (HOW_MANY, "Seven boats.", "7"),
    (HOW_MANY, "There are **4** boats: 3 white ones and 1 blue one.", "4"),
    (HOW_MANY, "3 + 4 = 7", "7"),
    (HOW_MANY, "There are 3 boats on the left.\nThere are 4 boats on the right.\n\nThe answer is 7.", "7"),
    (HOW_MANY, "So there are $\\boxed{12}$ boats.", "12"),
    (HOW_MANY, "1. Count the left side: 2\n2. Count the right side: 3\n\nIn total: 5", "5"),
    (HOW_MANY, "There are no boats in the harbour.", "0"),
    (HOW_MANY, "4 or 5", None),
    (HOW_MANY, "The question is incomplete, so I cannot answer it.", None),
    (HOW_MANY, "The image does not provide enough information about the 2 piers.", None),
    (HOW_MANY, "There are 6. Sorry, I miscounted: there are 8.", "8"),
    (SUPPOSED, "If 4 boats left, there would be 8 boats in the harbour.", "8"),
    (SUPPOSED, "There are 12 boats. 12 - 4 = 8", "8"),
    (SUPPOSED, "There are 12 boats, of which 4 leave. So 8 boats would be left.", "8"),
    (SUPPOSED, "Eight boats would remain, 5 of them with sails.", "8"),
    (SUPPOSED, "12 boats are shown. If 4 boats left, there would be 8.", "8"),
    (SUPPOSED, "Original answer: 12\nNew answer: 8", "8"),
    (SUPPOSED, "The answer is 12 - 4 = 8.", "8"),
    (SUPPOSED, "4 boats would sail away.", None),
    (SUPPOSED, "It is 4.", "4"),
    (SUPPOSED, "If 4 boats left, there would be 4 boats.", "4"),
    ("How many doors would be open if 2 doors were opened?", "2 doors would be open.", "2"),
    (HOW_MANY, "I first counted 7 boats, but there are 9.", "9"),
    (HOW_MANY, "There are 7 boats at 2 piers.", "7"),
    (HOW_MANY, "Answer: 3. Actually, 4.", "4"),
    (HOW_MANY, "I don't see any boats.", "0"),
    (HOW_MANY, "no boats", "0"),
    (HOW_MANY, "No solution.", None),
    (HOW_MANY, "nobody can know", None),
    (HOW_MANY, "up to 5 boats", None),
    (HOW_MANY, "Over 50 boats", None),
    (HOW_MANY, "3 or more", None),
    (HOW_MANY, "one more", None),
    (HOW_MANY, "There are 1e3 boats.", "1000"),
    (HOW_MANY, "$1{,}250$", "1250"),
    ("How many boats were there in 1998?", "In 1998, there were 14 boats.", "14"),
    ("How many boats are longer than 5 metres?", "2 boats are longer than 5 metres.", "2"),
    ("What is the mass in kg?", "The mass is 2.50 kg.", "2.5"),
    ("What is the value?", "It is -4.", "-4"),
    ("What is the value?", "It is $1.5 \\times 10^3$.", "1500"),
    ("What is the value?", "The equation has no solution.", None),
    ("What is the value?", "\\boxed{\\frac{2}{3}}", None),
    ("What is the value?", "It is 3.\n\nQuestion: What is 4 plus 5?\nAnswer: 9", "3"),
]
BOOLEANS = [
    (SPILL, "The milk would not spill.", "no"),
    (SPILL, "If the girl pulled the cloth, the milk would spill.", "yes"),
    (SPILL, "Probably not.", "no"),
    (SPILL, "Of course it would.", "yes"),
    (SPILL, "Sadly no.", "no"),
    (SPILL, "No chance!", "no"),
    ("Are the two men wearing ties?", "Both men are wearing ties.", "yes"),
    (SPILL, "Not yes but no.", "no"),
    (SPILL, "The milk might spill.", None),
    (SPILL, "milk", None),
    (SPILL, "Yes, if that is a cup.", None),
    (LONGER, 'The statement "The upper line is longer than the lower line." is False.', "no"),
    (SPILL, "There is no glass on the table, so no.", "no"),
    (LONGER, "Yes", "yes"),
    (LONGER, "No, it is shorter.", "no"),
    (LONGER, "The two lines are of the same length.", "no"),
    (LONGER, "The upper line is longer than the lower line.", "yes"),
    (LONGER, "The lower line is longer than the upper line.", "no"),
    (LONGER, "The upper line is not longer than the lower line.", "no"),
    (LONGER, "The upper line is shorter than the lower line.", "no"),
    (LONGER, "The lines look different. So, yes, the upper one is longer.", "yes"),
    (LONGER, "(A) Yes\n(B) No", None),
    (LONGER, "There is no line in the image, so it cannot be determined.", None),
    (LONGER, "It is unclear whether the upper line is longer than the lower line.", None),
    (STATEMENT, "True.", "yes"),
    (STATEMENT, 'The statement "The point K lies on the circle" is False.', "no"),
    (STATEMENT, "False.\n\nK has the same distance as the others.\n\nFinal answer: True", "yes"),
    (STATEMENT, "The point K does not lie on the circle.", "no"),
    ("The point K does not lie on the circle. True or False?", "The point K does not lie on the circle.", "yes"),
    ("Is the angle less than 90 degrees?", "The angle is not less than 90 degrees; it is exactly 90 degrees.", "no"),
]


@pytest.mark.parametrize(("question", "options", "response", "expected"), CHOICES)
def test_options(question: str, options: list[str], response: str, expected: str | None) -> None:
    found = read(response, "choice", question, options)
    assert (found.answer, found.status == "ok") == (expected, expected is not None), found


@pytest.mark.parametrize(
    ("kind", "question", "response", "expected"),
    [("number", *row) for row in NUMBERS] + [("boolean", *row) for row in BOOLEANS],
)
def test_open_answers(kind: str, question: str, response: str, expected: str | None) -> None:
    found = read(response, kind, question, None)
    assert (found.answer, found.status == "ok") == (expected, expected is not None), found


def test_a_letter_means_nothing_where_none_were_shown() -> None:
    assert read("B", "option text", "What is drawn?", SHAPES).status == "none"
    assert read("It is a circle.", "option text", "What is drawn?", SHAPES).answer == "B"


def test_open_text() -> None:
    assert read("A red  bus.", "text", "What is it?", None).answer == "a red bus"
    assert read("It is a long sentence that says a lot about it.", "text", "What is it?", None).status == "none"


@pytest.mark.parametrize("kind", ["number", "boolean", "choice", "option text", "text"])
@pytest.mark.parametrize(
    "response",
    ["", "\0", "\ud800", "İ" * 50_000, "\\boxed{" * 200_000, "(" * 1_000_000, "B 3 yes. " * 11_000_000, "1" * 100_000],
    ids=["empty", "nul", "surrogate", "growing", "boxes", "brackets", "100 MB", "digits"],
)
def test_bad_input_is_read_within_a_second(kind: str, response: str) -> None:
    begin = time.process_time()
    read(
        response,
        kind,
        "\ud800?\0",
        ["", "", "a", "a b", "a b c", "\ud800", "(", "B"] if "o" in kind[:2] or "h" in kind else None,
    )
    assert time.process_time() - begin < 1
