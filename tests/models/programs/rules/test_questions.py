"""Questions become programs that find, count, compare and compute what the words say."""

from __future__ import annotations

import ast

import pytest

from whatif.models import Question
from whatif.models.programs.writers.rules import RulesWriter, program_of
from whatif.models.programs.writers.rules_changes import NotUnderstoodError
from whatif.models.programs.writers.rules_questions import parts_of, read_question

# The last lines of the programs, without the line that defines the function and the one that makes its first patch.
PROGRAMS = {
    "How many blue boxes are there?": ["blue_boxes = image_patch.find('blue box')", "return len(blue_boxes)"],
    "How many trees would there be if two more trees appeared?": [
        "trees = image_patch.find('tree')",
        "# If two more trees appeared:",
        "return len(trees) + 2",
    ],
    "How many hearts would there be if one of the hearts was removed and two other hearts were added?": [
        "hearts = image_patch.find('heart')",
        "# If one of the hearts was removed and two other hearts were added:",
        "return len(hearts) - 1 + 2",
    ],
    "How many trees would there be if all pink things disappeared?": [
        "trees = image_patch.find('tree')",
        "pink_trees = image_patch.find('pink tree')",
        "# If all pink things disappeared:",
        "return len(trees) - len(pink_trees)",
    ],
    "How many boxes would there be if there were two boxes in place of each blue thing?": [
        "boxes = image_patch.find('box')",
        "blue_boxes = image_patch.find('blue box')",
        "blue_things = image_patch.find('blue thing')",
        "# If there were two boxes in place of each blue thing:",
        "return len(boxes) - len(blue_boxes) + 2 * len(blue_things)",
    ],
    "How many things would be visible if the bottom left quarter of the image were covered?": [
        "things = image_patch.find('thing')",
        "bottom_left_quarter = image_patch.crop(0, 0, image_patch.width / 2, image_patch.height / 2)",
        "things_in_the_bottom_left_quarter = bottom_left_quarter.find('thing')",
        "# If the bottom left quarter of the image were covered:",
        "return len(things) - len(things_in_the_bottom_left_quarter)",
    ],
    "Is there a red ball?": ["return image_patch.exists('red ball')"],
    "Would there be more boats than moons if all moons were taken away and a boat was added?": [
        "boats = image_patch.find('boat')",
        "moons = image_patch.find('moon')",
        "# If all moons were taken away and a boat was added:",
        "return len(boats) + 1 > len(moons) - len(moons)",
    ],
    "Would the background be grey if it turned blue?": [
        "# If it turned blue:",
        "background = 'blue'",
        "return background == 'grey'",
    ],
    "Would the box be blue if it was painted red?": [
        "boxes = image_patch.find('box')",
        "# If it was painted red:",
        "new_colour = 'red'",
        "return len(boxes) > 0 and new_colour == 'blue'",
    ],
    "How many people would be in the picture if 2 people left?": [
        "people = image_patch.find('person')",
        "# If 2 people left:",
        "return len(people) - 2",
    ],
    "Is the dog asleep?": ["return image_patch.simple_query('Is the dog asleep?') == \"yes\""],
    "How many dots are there in the top three circles together?": [
        "circles = image_patch.find('circle')",
        "top_circles = sorted(circles, key=lambda patch: patch.vertical_center, reverse=True)[:3]",
        "count = sum(len(patch.find('dot')) for patch in top_circles)",
        "return count",
    ],
    "How many dots would a circle contain at most if one of the circles with most dots were removed?": [
        "counts = sorted(len(patch.find('dot')) for patch in image_patch.find('circle'))",
        "# If one of the circles with most dots were removed:",
        "counts = counts[:-1]",
        "return counts[-1]",
    ],
}
STEPS = {
    "How many trees would there be if all pink things disappeared?": [
        "BOX0=LOC(image=IMAGE,object='tree')",
        "ANSWER0=COUNT(box=BOX0)",
        "BOX1=LOC(image=IMAGE,object='pink tree')",
        "ANSWER1=COUNT(box=BOX1)",
        'ANSWER2=EVAL(expr="{ANSWER0} - {ANSWER1}")',
        "FINAL_RESULT=RESULT(var=ANSWER2)",
    ],
    "Would there be any pink rings if pink rings were added?": [
        "BOX0=LOC(image=IMAGE,object='pink ring')",
        "ANSWER0=COUNT(box=BOX0)",
        "ANSWER1=EVAL(expr=\"'yes' if {ANSWER0} + 1 > 0 else 'no'\")",
        "FINAL_RESULT=RESULT(var=ANSWER1)",
    ],
    "Is the background grey?": [
        "ANSWER0=VQA(image=IMAGE,question='Is the background grey?')",
        "FINAL_RESULT=RESULT(var=ANSWER0)",
    ],
}
NOT_UNDERSTOOD = {
    "How many computers would there be if two laptops were removed?": "a laptop counts as a computer",
    "Would the dog be asleep if it was tired?": "what its presupposition changes",
    "How many red balls would there be if 2 things were removed?": "how many of the things are red balls",
    "How many dogs would there be if the weather were better?": "presupposition is not understood",
    "": "empty",
}
WITHOUT_STEPS = (
    "How many blue balls would there be if the two rightmost things were removed?",
    "How many things would be visible if the top third of the image were covered?",
    "How many dots do a circle contain at most?",
)


def lines(code: str) -> list[str]:
    return [line.removeprefix("    ") for line in code.splitlines()]


@pytest.mark.parametrize("question", PROGRAMS)
def test_a_program_in_python(question: str) -> None:
    code = program_of(question, "python")
    assert lines(code)[2:] == PROGRAMS[question]
    (function,) = ast.parse(code).body
    assert isinstance(function, ast.FunctionDef) and function.name == "execute_command"


@pytest.mark.parametrize("question", STEPS)
def test_a_program_in_steps(question: str) -> None:
    assert program_of(question, "steps").splitlines() == STEPS[question]


@pytest.mark.parametrize("question", NOT_UNDERSTOOD)
def test_what_is_not_understood_has_no_program_but_a_reason(question: str) -> None:
    with pytest.raises(NotUnderstoodError, match=NOT_UNDERSTOOD[question]):
        program_of(question, "python")


@pytest.mark.parametrize("question", WITHOUT_STEPS)
def test_what_must_be_compared_one_by_one_has_no_steps(question: str) -> None:
    assert program_of(question, "python")
    with pytest.raises(NotUnderstoodError, match="steps"):
        program_of(question, "steps")


@pytest.mark.parametrize("language", ["python", "steps"])
def test_the_literal_writer_ignores_every_presupposition(language: str) -> None:
    for supposed, plain in (
        ("How many trees would there be if all trees were removed?", "How many trees are there?"),
        ("How many trees would there be if the moon were cheese?", "How many trees are there?"),
        ("If it rained, how many dogs would there be?", "How many dogs are there?"),
        ("Would there be a red box if every red box left?", "Is there a red box?"),
        ("Would the box be red if it was painted blue?", "Is the box red?"),
        ("Would the cup be left of the tree if the two swapped places?", "Is the cup left of the tree?"),
        ("Would the background be grey if it turned blue?", "Is the background grey?"),
        (
            "How many flowers would be inside red polygons if all flowers in blue polygons were removed?",
            "How many flowers are inside the red polygons?",
        ),
    ):
        literal = program_of(supposed, language, literal=True)  # type: ignore[arg-type]
        assert literal == program_of(plain, language)  # type: ignore[arg-type]


def test_the_writer_reads_only_the_text_of_the_question() -> None:
    asked = [Question("a", "direct", "original", (), text=text) for text in ("How many cats are there?", "")]
    first, second = RulesWriter("python", literal=False).write(asked)
    assert first.code == program_of("How many cats are there?", "python") and first.reason is None
    assert second.code is None and second.reason == "the question is empty" and not second.transient


def test_the_identity_tells_writers_apart() -> None:
    identities = [
        RulesWriter(language, literal).identity  # type: ignore[arg-type]
        for language in ("python", "steps")
        for literal in (False, True)
    ]
    assert len({str(identity) for identity in identities}) == 4


def test_a_presupposition_before_the_question() -> None:
    assert parts_of("If 2 dogs left, how many dogs would there be?") == ("how many dogs would there be", "2 dogs left")
    assert read_question("If 2 dogs left, how many dogs would there be?", literal=False).changes


def test_two_things_of_one_name_have_different_variables() -> None:
    code = program_of(
        "How many fish would there be if everything lower in the image than the fish were removed?", "python"
    )
    assert "fish = image_patch.find('fish')\n" in code and "fish_ = image_patch.find('fish')[0]\n" in code
