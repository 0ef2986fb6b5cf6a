"""Programs run in the sandbox, with tools that know what is drawn, and give the right answers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.models.programs.rules.drawn_tools import DrawnTools, depicted_puzzle, depicted_scene
from whatif.benchmarks.cvqa_real.rules.rules_writer import BOOLEAN, DIRECT, rewrite
from whatif.benchmarks.cvqa_synthetic_released.program_worlds import judge_programs
from whatif.engine.params.programs import Limits
from whatif.engine.random_streams import stream
from whatif.formats.c_vqa import SYNTHETIC_GROUPS, read_good_rows
from whatif.models.depicted import Depicted
from whatif.models.programs.interfaces import Finished
from whatif.models.programs.responses import response_of
from whatif.models.programs.sandbox.pool import Sandbox
from whatif.models.programs.viper_source import interface_source
from whatif.models.programs.writers.rules import program_of
from whatif.world.scene_counterfactuals import scene_counterfactual
from whatif.world.scene_questions import OTHER, scene_questions
from whatif.world.scenes import draw_scene

pytestmark = pytest.mark.process
RELEASED = Path(os.environ.get("WHATIF_DATA", "")) / "c-vqa" / "C-VQA-Synthetic_questions.csv"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox("bubblewrap", Limits(), interface_source()) as one:
        yield one


def answer_of(sandbox: Sandbox, question: str, depicted: Depicted, *, literal: bool = False) -> str:
    finished = sandbox.run(program_of(question, "python", literal=literal), DrawnTools(depicted))
    assert finished.outcome == "ok", (question, finished)
    return response_of(finished.value)


def pairs_of_scene(number: int) -> Iterator[tuple[str, str, str, str]]:
    """Original questions and their answers, each with a counterfactual one and its answer."""
    scene, generator = draw_scene("test", number, 31), stream(31, "twins", number)
    for asked in scene_questions(scene, generator):
        if asked.answer_type == OTHER:
            continue
        groups = [BOOLEAN] if asked.answer in ("yes", "no") else [DIRECT]
        for made in [rewrite(group, asked.question, asked.answer, generator) for group in groups]:
            if not isinstance(made, str):
                yield asked.question, asked.answer, made.question, made.answer
        indirect = scene_counterfactual(scene, asked.question, generator)
        if not isinstance(indirect, str):
            yield asked.question, asked.answer, indirect.question, indirect.answer


def test_questions_about_scenes(sandbox: Sandbox) -> None:
    asked = 0
    for number in range(16):
        depicted = depicted_scene(draw_scene("test", number, 31))
        for original, first, counterfactual, second in pairs_of_scene(number):
            assert answer_of(sandbox, original, depicted) == first, original
            assert answer_of(sandbox, counterfactual, depicted) == second, counterfactual
            assert answer_of(sandbox, counterfactual, depicted, literal=True) == first, counterfactual
            asked += 1
    assert asked > 80


@pytest.mark.skipif(not RELEASED.is_file(), reason="WHATIF_DATA does not name a folder with the released questions")
@pytest.mark.parametrize("literal", [False, True])
def test_released_puzzles(sandbox: Sandbox, literal: bool) -> None:
    rows = read_good_rows(RELEASED, SYNTHETIC_GROUPS).questions
    pairs = [(rows[place]["pair_id"], rows[place : place + 2]) for place in range(0, len(rows), 300)]
    programs = {
        row["question_id"]: program_of(row["question"], "python", literal=literal) for _, pair in pairs for row in pair
    }

    def run(code: str, puzzle: Mapping[str, Any]) -> Finished:
        return sandbox.run(code, DrawnTools(depicted_puzzle(puzzle)))

    found = Counter((one.variant, one.judged) for one in judge_programs(pairs, programs, run, worlds=2, seed=2024))
    assert found == {("original", "right"): 20, ("counterfactual", "wrong" if literal else "right"): 20}
