"""Programs in steps: what the language accepts, and what they give with oracle tools on drawn scenes."""

from __future__ import annotations

import random

import pytest

from whatif.engine.params.programs import Limits
from whatif.models.depicted import Depicted
from whatif.models.programs.interfaces import Finished
from whatif.models.programs.steps import StepError, parse_steps, run_steps
from whatif.models.programs.tool_calls import ToolCalls
from whatif.models.programs.tools.oracle import OracleTools
from whatif.world.depicted_scenes import depicted
from whatif.world.scenes import Scene, Thing

SCENE = Scene(
    "scene",
    "white",
    (
        Thing("ball", "red", "small", 0.2, 0.2),
        Thing("ball", "blue", "small", 0.8, 0.2),
        Thing("box", "red", "small", 0.5, 0.7),
    ),
)


class Drawn:
    """The picture of the scene, of which tools know the id."""

    image_id = "drawn"

    @property
    def pixels(self) -> object:
        raise AssertionError("oracle tools need no pixels")


def shown(image_id: str) -> Depicted | None:
    return depicted(SCENE, 100) if image_id == "drawn" else None


def run(code: str, limits: Limits | None = None) -> Finished:
    calls = ToolCalls(OracleTools(shown), Drawn())  # type: ignore[arg-type]
    return run_steps(code, calls, limits or Limits())


def program(*lines: str) -> str:
    return "\n".join(lines) + "\n"


COUNT = program("BOX0=LOC(image=IMAGE,object='ball')", "ANSWER0=COUNT(box=BOX0)", "FINAL_RESULT=RESULT(var=ANSWER0)")


def counted(phrase: str, image: str, *box: str) -> tuple[str, ...]:
    """A program that counts what a phrase finds in a part of the image."""
    cut = tuple(f"B{number}={one}" for number, one in enumerate(box))
    return (*cut, f"I={image}", f"C=LOC(image=I,object='{phrase}')", "A=COUNT(box=C)", "R=RESULT(var=A)")


BOX = "LOC(image=IMAGE,object='box')"


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        ((COUNT,), 2),
        (counted("ball", "CROP(image=IMAGE,box=B0)", "LOC(image=IMAGE,object='LEFT')"), 1),
        (counted("balls", "CROP_ABOVE(image=IMAGE,box=B0)", BOX), 2),
        (counted("thing", "CROP_ABOVE(image=IMAGE,box=B0)", BOX), 3),  # the cut is through the middle of the box
        (counted("blue ball", "CROP_RIGHT(image=IMAGE,box=B0)", BOX), 1),
        (counted("blue ball", "CROP_LEFTOF(image=IMAGE,box=B0)", BOX), 0),
        (counted("thing", "CROP_BELOW(image=IMAGE,box=B0)", "LOC(image=IMAGE,object='ship')"), 3),
        (counted("thing", "CROP_BEHIND(image=IMAGE,box=B0)", BOX), 1),
        (("A=VQA(image=IMAGE,question='Is there a red box?')", "R=RESULT(var=A)"), "yes"),
        (("A=VQA(image=IMAGE,question='What is the dog's name?')", "R=RESULT(var=A)"), "unknown"),
        (("A=EVAL(expr=\"'yes' if 2 > 1 else 'no'\")", "R=RESULT(var=A)"), "yes"),
    ],
)
def test_results(lines: tuple[str, ...], value: object) -> None:
    finished = run(program(*lines))
    assert (finished.outcome, finished.value) == ("ok", value), finished


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("", "no step RESULT"),
        ("BOX0=LOC(image=IMAGE,object='ball')", "no step RESULT"),
        ("import os", "line 1: `import os` is no step"),
        ("A=SHELL(command='ls')\nR=RESULT(var=A)", "there is no step SHELL"),
        ("A=COUNT(box=B)\nR=RESULT(var=A)", "line 1: no earlier step defines B"),
        ("A=LOC(image=IMAGE)\nR=RESULT(var=A)", "LOC lacks object"),
        ("A=LOC(image=IMAGE,object=IMAGE)\nR=RESULT(var=A)", "object of LOC must be a text in quotes"),
        ("A=LOC(image='x',object='y')\nR=RESULT(var=A)", "image of LOC must be the name"),
        ("A=LOC(image=IMAGE,object='y',more='z')\nR=RESULT(var=A)", "it was given more"),
        ("IMAGE=LOC(image=IMAGE,object='y')\nR=RESULT(var=IMAGE)", "IMAGE is the name of the whole image"),
        (COUNT + "A=COUNT(box=BOX0)", "follows RESULT"),
        ("\n".join(["A=EVAL(expr='1')"] * 101), "it may have 100"),
        ("A=EVAL(expr='" + "1" * 3000 + "')\nR=RESULT(var=A)", "it may have 2,000"),
    ],
)
def test_what_is_not_written_in_steps(code: str, words: str) -> None:
    with pytest.raises(StepError, match=r"^(line|the program)") as raised:
        parse_steps(code)
    assert words in str(raised.value)
    finished = run(code)
    assert finished.outcome == "syntax" and words in str(finished.reason)


@pytest.mark.parametrize(
    ("lines", "outcome", "words"),
    [
        (("A=COUNT(box=IMAGE)", "R=RESULT(var=A)"), "error", "IMAGE has no boxes"),
        ((f"B={BOX}", "A=VQA(image=B,question='Why?')", "R=RESULT(var=A)"), "error", "B is no image"),
        (("B=LOC(image=IMAGE,object='ball')", "R=RESULT(var=B)"), "wrong type", "part of the image"),
        (("R=RESULT(var=IMAGE)",), "wrong type", "part of the image"),
        (("A=EVAL(expr='1 / 0')", "R=RESULT(var=A)"), "error", "division by zero"),
        (("A=EVAL(expr='{IMAGE}')", "R=RESULT(var=A)"), "syntax", "no value of an earlier step"),
        (("A=EVAL(expr='" + "+".join(["1"] * 499) + "')", "R=RESULT(var=A)"), "syntax", "it may have 200"),
        (("A=EVAL(expr='" + "9" * 400 + "')", "R=RESULT(var=A)"), "error", "too large"),
        (("B=LOC(image=IMAGE,object=' ')", "R=RESULT(var=B)"), "error", "from 1 to 1,000 characters"),
    ],
)  # fmt: skip
def test_how_a_program_fails(lines: tuple[str, ...], outcome: str, words: str) -> None:
    finished = run(program(*lines))
    assert finished.outcome == outcome and words in str(finished.reason), finished
    assert str(finished.reason).startswith("line ") or outcome == "wrong type"


def test_the_number_of_calls_is_limited() -> None:
    finished = run(COUNT, Limits(calls=1))
    assert (finished.outcome, finished.value) == ("time", None)


def test_hostile_texts_end_with_a_reason() -> None:
    generator = random.Random(11)
    characters = COUNT + "'\"\\{}()[],=\n\x00\ud800é٣ __class__ EVAL(expr= ANSWER0"
    for _ in range(4000):
        code = list(COUNT)
        for _ in range(generator.randrange(1, 6)):
            code[generator.randrange(len(code))] = generator.choice(characters)
        finished = run("".join(code))
        assert finished.outcome == "ok" or finished.reason
        str(finished.value).encode()
