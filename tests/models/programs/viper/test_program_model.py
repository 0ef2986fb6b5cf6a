"""Models that answer by programs, with the real sandbox, real stores and tools that read the pixels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy
import pytest
from PIL import Image

from whatif.engine.files.image_decoding import UnreadableImageError
from whatif.engine.language.messages import one_turn
from whatif.engine.params.programs import Limits
from whatif.models import Answer, HasParts, KnowsDrawnImages, Model, Question, closing
from whatif.models.depicted import Depicted
from whatif.models.programs.fallbacks import python_fallback
from whatif.models.programs.interfaces import Box, Picture, ToolError, Written
from whatif.models.programs.program_model import ProgramModel, Way
from whatif.models.programs.sandbox.pool import Sandbox
from whatif.models.programs.tool_calls import MOST_RECORDED
from whatif.models.programs.viper_source import interface_source
from whatif.models.responses.answer_json import as_json, from_json
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import stored

pytestmark = pytest.mark.process

COLOURS = {"red": (255, 0, 0), "blue": (0, 0, 255)}


class ReadsPixels:
    """Tools for images of columns of colours: each column of a colour is a thing of that name."""

    identity: Mapping[str, Any] = {"kind": "columns"}

    def size(self, picture: Picture) -> tuple[int, int]:
        return picture.pixels.size

    def find(self, picture: Picture, box: Box, name: str) -> list[Box]:
        pixels = numpy.asarray(picture.pixels)
        left, right = int(box[0]), int(box[2])
        same = [place for place in range(left, right) if tuple(pixels[0, place]) == COLOURS.get(name)]
        return [(place, box[1], place + 1, box[3]) for place in same]

    def exists(self, picture: Picture, box: Box, name: str) -> bool:
        return bool(self.find(picture, box, name))

    def verify_property(self, picture: Picture, box: Box, name: str, attribute: str) -> bool:
        return self.exists(picture, box, attribute)

    def best_text_match(self, picture: Picture, box: Box, options: Sequence[str]) -> str:
        return next((option for option in options if self.exists(picture, box, option)), options[0])

    def simple_query(self, picture: Picture, box: Box, question: str) -> str:
        return f"asked: {question}"

    def compute_depth(self, picture: Picture, box: Box) -> float:
        raise ToolError("no depth here")


class Programs:
    """A writer that has the program, or what else was written, for each question by its text."""

    def __init__(self, programs: Mapping[str, Written]) -> None:
        self.programs = programs
        self.asked: list[str] = []

    @property
    def identity(self) -> Mapping[str, Any]:
        return {"writer": "test", "programs": sorted((text, one.code) for text, one in self.programs.items())}

    def write(self, questions: Sequence[Question]) -> Iterator[Written]:
        for question in questions:
            self.asked.append(question.text)
            yield self.programs[question.text]

    def store_parts(self, keep: Callable[[Model], Model]) -> None:
        pass


@dataclass
class Runs:
    """A way in Python that counts the programs that run."""

    sandbox: Sandbox
    codes: list[str]

    def way(self, **identity: Any) -> Way:
        def run(code: str, calls: Any) -> Any:
            self.codes.append(code)
            return self.sandbox.run(code, calls)

        return Way(run, python_fallback, "bubblewrap", {"adapter": "vipergpt", **identity}, lambda: None)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox("bubblewrap", Limits(seconds=5, cpu_seconds=1), interface_source()) as one:
        yield one


@pytest.fixture
def runs(sandbox: Sandbox) -> Runs:
    return Runs(sandbox, [])


def image_of(*colours: str) -> Image.Image:
    image = Image.new("RGB", (len(colours), 4))
    for place, colour in enumerate(colours):
        image.paste(COLOURS[colour], (place, 0, place + 1, 4))
    return image


def question(
    text: str, *, images: Sequence[str] = ("i",), fetch: Callable[[], list[Image.Image]] | None = None
) -> Question:
    shown = fetch or (lambda: [image_of("red", "blue", "red")])
    return Question("q", "g", "original", one_turn(text, images), text=text, images=shown)


def program(*lines: str) -> Written:
    body = "".join(f"    {line}\n" for line in ("patch = ImagePatch(image)", *lines))
    return Written(f"def execute_command(image):\n{body}", prompt_tokens=7, response_tokens=5)


def model_of(programs: Mapping[str, Written], runs: Runs, **more: Any) -> ProgramModel:
    return ProgramModel(Programs(programs), lambda depicted: ReadsPixels(), runs.way(), **more)


def answer_of(written: Written, runs: Runs, text: str = "How many?") -> Answer:
    (answer,) = model_of({text: written}, runs).answer([question(text)])
    return answer


@pytest.mark.parametrize(
    ("expression", "response"),
    [
        ("len(patch.find('red'))", "2"),
        ("patch.exists('blue')", "yes"),
        ("len(patch.find('red')) / 2", "1"),
        ("['red', patch.find('red')[1].left]", "red, 2"),
        ("patch.simple_query('What?')", "asked: What?"),
    ],
)
def test_the_value_of_the_program_is_the_response(runs: Runs, expression: str, response: str) -> None:
    answer = answer_of(program(f"return {expression}"), runs)
    assert (answer.status, answer.response, answer.reason) == ("ok", response, None)
    assert (answer.prompt_tokens, answer.response_tokens) == (7, 5)
    run = answer.program
    assert run is not None
    assert (run.outcome, run.sandbox, run.fallback, run.reason) == ("ok", "bubblewrap", False, None)
    assert run.code == runs.codes[0]
    assert run.calls[0].tool == "image"
    assert from_json(as_json(answer)) == answer, "it can be stored"


@pytest.mark.parametrize(
    ("lines", "outcome"),
    [
        (["return None"], "wrong type"),
        (["return patch.compute_depth()"], "error"),
        (["import os", "return os.getcwd()"], "forbidden"),
    ],
)
def test_any_other_end_is_no_answer_and_has_its_reason(runs: Runs, lines: list[str], outcome: str) -> None:
    answer = answer_of(program(*lines), runs)
    assert (answer.status, answer.response, answer.transient) == ("none", None, False)
    assert (answer.reason or "").startswith(f"{outcome}: ")
    assert answer.program is not None
    assert answer.program.outcome == outcome
    assert answer.program.reason
    assert answer_of(program("return 1"), runs).response == "1", "the next program runs"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (Written(None, "the reply has no function"), "the reply has no function"),
        (Written(None), "no program"),
        (
            Written("def execute_command(image):\n    return (\n", "the reply was cut off"),
            "syntax: .*; the reply was cut off",
        ),
        (Written("(" * 30_000), "syntax: "),
        (Written("\x00"), "syntax: "),
    ],
)
def test_without_a_readable_program_the_question_itself_is_asked(runs: Runs, written: Written, words: str) -> None:
    answer = answer_of(written, runs, 'How many "big" dogs\' bowls?')
    assert answer.response == 'asked: How many "big" dogs\' bowls?'
    assert answer.program is not None
    assert answer.program.fallback
    assert answer.program.outcome == "ok"
    assert re.search(words, answer.program.reason or "")


@pytest.mark.parametrize("transient", [True, False])
def test_a_writer_that_failed_is_an_error(runs: Runs, transient: bool) -> None:
    answer = answer_of(Written(None, "HTTP 503", failed=True, transient=transient), runs)
    assert (answer.status, answer.transient, answer.program) == ("error", transient, None)
    assert "HTTP 503" in (answer.reason or "")
    assert not runs.codes


def test_equal_programs_run_once_for_an_image_and_images_are_decoded_once_and_only_when_needed(runs: Runs) -> None:
    decoded: list[str] = []

    def fetch(name: str) -> Callable[[], list[Image.Image]]:
        return lambda: decoded.append(name) or [image_of("red")]  # type: ignore[func-returns-value]

    twice = program("patch.find('red')", "return len(patch.find('red'))")
    model = model_of({"a": twice, "b": twice}, runs)
    asked = [(text, image) for image in ("i", "j") for text in ("a", "b")]
    answers = list(model.answer([question(text, images=[image], fetch=fetch(image)) for text, image in asked]))
    assert [answer.response for answer in answers] == ["1"] * 4
    assert len(runs.codes) == 2
    assert decoded == ["i", "j"]
    assert answer_of(replace(twice, code="def execute_command(image):\n    return 3\n"), runs).response == "3"


def test_a_damaged_image_is_an_error_even_where_the_program_goes_on(runs: Runs) -> None:
    def damaged() -> list[Image.Image]:
        raise UnreadableImageError("i: it is cut off")

    caught = program("try:", "    return len(patch.find('red'))", "except RuntimeError:", "    return 0")
    (answer,) = model_of({"a": caught}, runs).answer([question("a", fetch=damaged)])
    assert (answer.status, answer.transient) == ("error", False)
    assert "cut off" in (answer.reason or "")


@pytest.mark.parametrize(("images", "words"), [([], "no image"), (["a", "b"], "2 images")])
def test_questions_without_one_image_are_errors_that_cost_nothing(runs: Runs, images: list[str], words: str) -> None:
    model = model_of({"a": program("return 1"), "b": program("return 2")}, runs)
    first, second = model.answer([question("a", images=images), question("b")])
    assert first.status == "error"
    assert words in (first.reason or "")
    assert second.response == "2"
    assert model._writer.asked == ["b"]  # type: ignore[attr-defined]


def test_oracle_tools_are_not_asked_about_images_that_were_not_drawn(runs: Runs) -> None:
    model = model_of({"a": program("return 1")}, runs, drawn_only=True)
    assert isinstance(model, KnowsDrawnImages)
    assert isinstance(model, HasParts)
    (answer,) = model.answer([question("a")])
    assert (answer.status, answer.reason) == (
        "error",
        "i is not a drawn image: oracle tools know only what drawn images show",
    )
    model.depicted = lambda image_id: Depicted(3, 4, (), lambda text: None) if image_id == "i" else None
    (answer,) = model.answer([question("a")])
    assert answer.response == "1"


def test_the_calls_that_are_kept_are_few_and_short(runs: Runs) -> None:
    answer = answer_of(program("for number in range(200):", "    patch.simple_query('x' * 1000)", "return 1"), runs)
    assert answer.program is not None
    assert len(answer.program.calls) == MOST_RECORDED
    assert max(len(call.arguments) + len(call.value) for call in answer.program.calls) <= 600


def test_stored_answers_run_nothing_and_every_part_is_in_their_key(runs: Runs, tmp_path: Path) -> None:
    def model(code: str = "return 1", **identity: Any) -> ProgramModel:
        tools = ReadsPixels()
        tools.identity = {"kind": "columns", **identity.pop("tools", {})}
        return ProgramModel(Programs({"a": program(code)}), lambda depicted: tools, runs.way(**identity))

    with ResponseStore(tmp_path / "store.sqlite") as store:
        for _ in range(2):
            (answer,) = stored(model(), store).answer([question("a")])
            assert answer.response == "1"
            assert answer.program is not None
        assert len(runs.codes) == 1
        keys = {answer.request_key}
        for other in (
            model("return 2"),
            model(limits={"calls": 1}),
            model(sandbox="none"),
            model(tools={"version": 2}),
        ):
            (answer,) = stored(other, store).answer([question("a")])
            keys.add(answer.request_key)
        assert len(keys) == 5
        assert len(runs.codes) == 5
        (failed,) = stored(model("return None"), store).answer([question("a")])
        assert from_json(as_json(failed)).program == failed.program, "a program without a result is stored too"


def test_closing_ends_every_part() -> None:
    closed: list[str] = []
    writer, tools = Programs({}), ReadsPixels()
    writer.close = lambda: closed.append("writer")  # type: ignore[attr-defined]
    tools.close = lambda: closed.append("tools")  # type: ignore[attr-defined]
    way = Way(lambda code, calls: pytest.fail(code), python_fallback, "none", {}, lambda: closed.append("way"))
    with closing(ProgramModel(writer, lambda depicted: tools, way)):
        pass
    assert sorted(closed) == ["tools", "way", "writer"]


def test_a_file_without_a_program_for_any_question_says_so_before_they_are_asked(runs: Runs) -> None:
    model = model_of({"a": program("return 1")}, runs)
    assert model.look_up([question("a")]) is None, "other writers have no file"
    model._writer.look_up = lambda questions: "f.csv: none of its rows"  # type: ignore[attr-defined]
    assert model.look_up([question("a")]) == "f.csv: none of its rows"
