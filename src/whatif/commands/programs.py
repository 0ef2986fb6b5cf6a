"""`whatif programs FILE`: judges programs for the released puzzles, without their images (C-VQA 4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from whatif.engine.files.atomic import write_whole
from whatif.engine.files.csv_writing import csv_for_people
from whatif.models.programs.interfaces import ToolError

if TYPE_CHECKING:
    from PIL.Image import Image

    from whatif.benchmarks.cvqa_synthetic_released.program_worlds import JudgedProgram, RunIn
    from whatif.models.programs.interfaces import Language, ProgramWriter

_VARIANTS = ("original", "counterfactual")


@click.command()
@click.argument("questions", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--writer", type=click.Choice(["rules", "literal"]), default="rules", show_default=True)
@click.option("--programs", "file", type=click.Path(path_type=Path, dir_okay=False), help="Programs written elsewhere.")
@click.option("--language", type=click.Choice(["python", "steps"]), default="python", show_default=True)
@click.option("--worlds", type=click.IntRange(1, 4), default=3, show_default=True, help="Drawn puzzles per question.")
@click.option("--seed", type=click.IntRange(0), default=2024, show_default=True, help="Of the drawn puzzles.")
@click.option("--sandbox", type=click.Choice(["bubblewrap", "none"]), default="bubblewrap", show_default=True)
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="A CSV with a row for each question.")
def programs(
    questions: Path,
    *,
    writer: Literal["rules", "literal"],
    file: Path | None,
    language: Language,
    worlds: int,
    seed: int,
    sandbox: Literal["bubblewrap", "none"],
    output: Path | None,
) -> None:
    """Judge programs for the released questions in QUESTIONS, C-VQA-Synthetic_questions.csv, without their images.

    A program is right if it gives the right number in each of several drawn puzzles with the words of its question, and
    tools that know what is drawn.
    """
    from whatif.benchmarks.cvqa_synthetic_released.program_worlds import judge_programs
    from whatif.benchmarks.shared.tasks import pairs_of
    from whatif.formats.c_vqa import SYNTHETIC_GROUPS, read_good_rows

    rows = read_good_rows(questions, SYNTHETIC_GROUPS).questions
    written = _written(_writer(writer, file, language), rows)
    with _running(language, sandbox) as run:
        judged = list(judge_programs(pairs_of(rows), written, run, worlds=worlds, seed=seed))
    if output is not None:
        _save(judged, written, output)
    for line in _shares(judged):
        click.echo(line)


def _writer(writer: Literal["rules", "literal"], file: Path | None, language: Language) -> ProgramWriter:
    from whatif.engine.params.programs import FileWriter, RuleWriter
    from whatif.models.programs.writers.loading import load_writer

    settings = RuleWriter(adapter=writer) if file is None else FileWriter(adapter="file", programs=str(file))
    return load_writer(settings, language, None, 0)


def _written(writer: ProgramWriter, rows: Sequence[Mapping[str, Any]]) -> dict[str, str | None]:
    """The program of each question by its id."""
    from whatif.models import Question

    asked = [Question(row["question_id"], row["group"], row["variant"], (), text=row["question"]) for row in rows]
    return {question.question_id: one.code for question, one in zip(asked, writer.write(asked), strict=True)}


@contextmanager
def _running(language: Language, sandbox: Literal["bubblewrap", "none"]) -> Iterator[RunIn]:
    """Runs programs in drawn puzzles, with tools that know them."""
    from whatif.benchmarks.cvqa_synthetic.depicted_puzzles import depicted_puzzle
    from whatif.engine.params.programs import Limits, OracleTools
    from whatif.models.programs.interfaces import Finished
    from whatif.models.programs.sandbox.pool import Sandbox
    from whatif.models.programs.steps import run_steps
    from whatif.models.programs.tool_calls import ToolCalls
    from whatif.models.programs.tools.loading import load_tools
    from whatif.models.programs.viper_source import interface_source

    limits = Limits()
    with Sandbox(sandbox, limits, interface_source()) as box:

        def run(code: str, puzzle: Mapping[str, Any]) -> Finished:
            depicted = depicted_puzzle(puzzle)
            calls = ToolCalls(load_tools(OracleTools(kind="oracle"), lambda image_id: depicted), _Drawn(puzzle))
            return box.run(code, calls) if language == "python" else run_steps(code, calls, limits)

        yield run


class _Drawn:
    """A drawn puzzle as the picture of a question; tools that know it need no pixels."""

    def __init__(self, puzzle: Mapping[str, Any]) -> None:
        self.image_id = str(puzzle["pair_id"])

    @property
    def pixels(self) -> Image:
        """Raises ToolError: nothing is drawn but the positions."""
        raise ToolError("the puzzle has no pixels")


def _save(judged: Sequence[JudgedProgram], written: Mapping[str, str | None], output: Path) -> None:
    names = ("question_id", "group", "variant", "judged", "detail", "program")
    rows = [
        (one.question_id, one.group, one.variant, one.judged, one.detail, written[one.question_id]) for one in judged
    ]
    write_whole(output, csv_for_people([names, *rows]).encode())


def _shares(judged: Sequence[JudgedProgram]) -> Iterator[str]:
    """A line for each template and variant, and one for each variant: how many programs are right."""
    counts = Counter((group, one.variant, one.judged) for one in judged for group in (one.group, "all"))
    groups = list(dict.fromkeys(one.group for one in judged))
    for group in [*groups, "all"]:
        for variant in _VARIANTS:
            found = {kind: number for (of, asked, kind), number in counts.items() if (of, asked) == (group, variant)}
            total = sum(found.values())
            if total:
                others = ", ".join(f"{kind} {number}" for kind, number in sorted(found.items()) if kind != "right")
                right = found.get("right", 0)
                yield f"{group:22}{variant:16}right {right} of {total} ({right / total:.1%}) {others}".rstrip()
