"""`whatif program-trace`: runs the program of one answer again, and writes a page that shows how it ran."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.project_folder import display_path, typed_path

if TYPE_CHECKING:
    from whatif.engine.graph.jobs import Job
    from whatif.models import Answer, Model, Question


@click.command()
@click.argument("benchmark")
@click.argument("model")
@click.argument("question_id")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Default: QUESTION_ID.html.")
def program_trace(benchmark: str, model: str, question_id: str, output: Path | None) -> None:
    """Show how the program for a question ran: each step or call of a tool, with its part of the image.

    MODEL is a key of params.yaml that answers by programs, and QUESTION_ID a question of BENCHMARK that it answered.
    The program runs again with the tools of the model; nothing that is stored changes.
    """
    from whatif.engine.files.atomic import write_whole

    job, code = _answered(benchmark, model, question_id)
    page = _page(job, question_id, code)
    path = output or typed_path(f"{question_id}.html")
    write_whole(path, page.encode())
    click.echo(f"written: {display_path(path)}")


def _answered(benchmark: str, model: str, question_id: str) -> tuple[Job, str]:
    """The job that asked the question, and the program of its answer."""
    from whatif import benchmarks
    from whatif.engine import artifacts
    from whatif.engine.artifacts.schemas import PREDICTIONS

    graph = benchmarks.graph(benchmarks.load_params())
    chosen = {"model": model}
    jobs = [job for step in graph.steps_of("evaluate", benchmark, chosen) for job in graph.jobs_of(step, chosen)]
    asking = [job for job in jobs if "predictions" in job.outputs and job.outputs["predictions"].is_file()]
    if not asking:
        raise WhatifError(f"{benchmark} {model}: has no predictions; run `whatif evaluate {benchmark} --model {model}`")
    for job in asking:
        for row in artifacts.rows_of([job.outputs["predictions"]], PREDICTIONS):
            if row["question_id"] == question_id:
                if row["program"] is None:
                    raise WhatifError(f"{benchmark} {model}: the answer to {question_id} has no program")
                return job, row["program"]["code"]
    raise WhatifError(f"{benchmark} {model}: has no answer to {question_id}; see its predictions for the ids")


class _Tracer:
    """Stands in for the model of a job: runs the program of one of the questions, and answers none."""

    identity: Mapping[str, Any] | None = None

    def __init__(self, question_id: str, code: str) -> None:
        self._question_id, self._code = question_id, code
        self.page: str | None = None
        self._model: Any = None

    def stand_in(self, model: Model) -> Model:
        """Takes the place of a model."""
        from whatif.models.programs.program_model import ProgramModel

        if not isinstance(model, ProgramModel):
            raise WhatifError("the model does not answer by programs")
        self._model = model
        return self

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """An error for each question, since nothing is answered here."""
        from whatif.models import Answer, closing

        with closing(self._model):
            for question in questions:
                if question.question_id == self._question_id and self.page is None:
                    self.page = self._model.trace(question, self._code)
                yield Answer(status="error", reason="only its program is shown")


def _page(job: Job, question_id: str, code: str) -> str:
    from whatif.benchmarks.shared.dry_run import ask_instead

    tracer = _Tracer(question_id, code)
    ask_instead(job, tracer.stand_in)
    assert tracer.page is not None, "the question has an answer, so it is asked"
    return tracer.page
