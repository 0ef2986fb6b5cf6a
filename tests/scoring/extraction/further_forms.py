"""Forms of answers that no question of a benchmark has at present, but that models give."""

from __future__ import annotations

from typing import TypeAlias

from whatif.scoring.extraction.extracted import Kind

Case: TypeAlias = tuple[Kind, str, tuple[str, ...], str, str | None]  # kind, question, options, response, its answer
_SIZES = ("the bridge", "the tower", "can't tell")
_ANGLES = ("30 degrees", "45 degrees", "60 degrees", "75 degrees", "90 degrees")
_TIMES = ("10.30 A.M.", "11.50 A.M.", "12.10 P.M.")
_LENGTHS = ("$\\frac{1}{2}$", "$2^{3}$", "$10^{3}$", "1,250")
_LONGER = "Is the left rope longer than the right one?"
_MANY = "How many grains would there be if the sack were full?"
CASES: tuple[Case, ...] = (
    ("choice", "Which is higher?", _SIZES, "(C) can't tell", "C"),
    ("choice", "Which is higher?", _SIZES, "The answer is can't tell.", "C"),
    ("choice", "Which is higher?", _SIZES, "The picture shows the tower from below. (C) can't tell", "C"),
    ("choice", "How wide is the angle?", _ANGLES, "It's C.", "C"),
    ("choice", "How wide is the angle?", _ANGLES, "I think it's C.", "C"),
    ("choice", "How wide is the angle?", _ANGLES, "The answer is A, I think.", "A"),
    ("choice", "How wide is the angle?", _ANGLES, "It's a wide one.", None),
    ("choice", "Would it fall?", ("Yes", "No", "Yes, but slowly"), "Option B is correct.", "B"),
    ("choice", "Would it fall?", ("Yes", "No", "Yes, but slowly"), "Yes, but only slowly.", None),
    ("choice", "How wide is the angle?", _ANGLES, "e) 90 degrees", "E"),
    ("choice", "How wide is the angle?", _ANGLES, "The angle is 45 degrees.", "B"),
    ("choice", "How wide is the angle?", _ANGLES, "$45^\\circ$", "B"),
    ("choice", "How wide is the angle?", _ANGLES, "It is not less than 60 degrees; it is exactly 75 degrees.", "D"),
    ("choice", "When does the train leave?", _TIMES, "11.50 A.M.", "B"),
    ("choice", "When does the train leave?", _TIMES, "The train leaves at 11.50 A.M.", "B"),
    ("choice", "How long is it?", _LENGTHS, "\\boxed{\\frac{1}{2}}", "A"),
    ("choice", "How long is it?", _LENGTHS, "$2^3$", "B"),
    ("choice", "How long is it?", _LENGTHS, "The length is $10^3$.", "C"),
    ("choice", "How long is it?", _LENGTHS, "1250", "D"),
    ("boolean", _LONGER, (), "Both ropes are of the same length.", "no"),
    ("boolean", _LONGER, (), "The left rope is of the same length as the right one.", "no"),
    ("boolean", _LONGER, (), 'The statement "the left rope is longer than the right one" is True.', "yes"),
    ("boolean", _LONGER, (), 'The statement "The left rope is longer than the right one." is False.', "no"),
    ("boolean", _LONGER, (), "Whether the left rope is longer cannot be determined from the picture.", None),
    ("boolean", "Is the box less than 5 cm high?", (), "It is not less than 5 cm; it is exactly 5 cm.", "no"),
    ("number", _MANY, (), "There would be 1,250 grains.", "1250"),
    ("number", _MANY, (), "$1{,}250$", "1250"),
    ("number", _MANY, (), "\\boxed{12{,}000}", "12000"),
    ("number", _MANY, (), "$10^{3}$", "1000"),
    ("number", _MANY, (), "The answer is $2^{3} = 8$.", "8"),
    ("number", _MANY, (), "\\boxed{\\frac{12}{4}}", "3"),
    ("number", "How large is the room?", (), "The room has 25 m^2.", "25"),
    ("number", "How large is the room?", (), "The area is $25\\,\\text{m}^2$.", "25"),
    ("number", "How old was the tree in 1998?", (), "In 1998, the tree was 40 years old.", "40"),
    ("number", "How old was the tree in 1998?", (), "The age of the tree in 1998 cannot be determined.", None),
    ("number", "How many of the 12 boats would sail?", (), "Of the 12 boats, 7 would sail.", "7"),
    (
        "number",
        "How many of the 12 boats would sail?",
        (),
        "The question is incomplete: it says 12 boats, but no wind.",
        None,
    ),
    ("number", "How long is the rope?", (), "The rope is not less than 3 m or more than 5 m; it is exactly 4 m.", "4"),
)
