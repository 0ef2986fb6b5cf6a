"""The steps of every benchmark that a YAML file declares over released files: extract, ask, and make tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from whatif.benchmarks.from_yaml.released.settings import ExtractReleased, ReleasedSettings, ReportSettings
from whatif.benchmarks.shared.dimensions import (
    ANSWERED,
    ANSWERER,
    OPEN_PROBE,
    SHOWN_ANSWERERS,
    SHOWN_JUDGE,
    strategy,
)
from whatif.benchmarks.shared.evaluation import write_predictions
from whatif.benchmarks.shared.human_attempts import people_step
from whatif.benchmarks.shared.judging import judge_step
from whatif.benchmarks.shared.pilots import pilot_of
from whatif.benchmarks.shared.probing import probe_step
from whatif.benchmarks.shared.tables import shared_tables, without_empty_tables
from whatif.engine.artifacts.images import SortedImages
from whatif.engine.artifacts.schemas import IMAGES, PREDICTIONS, QUESTIONS, REJECTIONS
from whatif.engine.artifacts.site_schemas import SITE_OUTPUTS
from whatif.engine.errors import WhatifError
from whatif.engine.graph.dimensions import part_dimension
from whatif.engine.graph.steps import Step, StepsOf
from whatif.engine.graph.task import Task
from whatif.results.reporting.table_modules import TableModules

TABLES = TableModules(
    "whatif.benchmarks.from_yaml.released",
    *shared_tables("repeats", "prompt_sensitivity", "probes", "reading", "costs", "funnel"),
)
TITLE, DOWNLOAD = "title", "download"  # texts that steps declare
_step = StepsOf(ReleasedSettings)
PART = part_dimension(lambda params, benchmark: params.section(benchmark, ReleasedSettings).evaluate.shards)
STRATEGY = strategy(lambda params, benchmark: [params.section(benchmark, ReleasedSettings).evaluate.strategy])


@_step(
    "extract",
    reads=lambda s: s.extract,
    seed=True,
    outputs={"images": IMAGES, "questions": QUESTIONS, "rejections": REJECTIONS},
)
def extract(task: Task[ExtractReleased]) -> None:
    """Reads the questions of the released files; one that cannot be scored, or lacks its picture, is rejected."""
    from whatif.benchmarks.from_yaml.released.questions import read_questions

    settings = task.settings
    for key, needed in (("files", True), ("joined", settings.key is not None)):
        if needed and not getattr(settings, key):
            how = f"; to download them: {task.declared[DOWNLOAD]}" if task.declared[DOWNLOAD] else ""
            raise WhatifError(
                f"extract.{task.benchmark}.{key}: names no file; give the released files in params.yaml{how}"
            )
    rejected: list[dict[str, Any]] = []
    with SortedImages(task.outputs.writer("images")) as images:
        questions = read_questions(settings, task.seed, images.add, rejected.append)
    task.outputs.write("questions", questions)
    task.outputs.write("rejections", rejected)
    first = f"the first: {rejected[0]['detail']}" if rejected else ""
    task.check_losses("questions", len(questions), rejected, remedy=first)


@_step(
    "evaluate",
    seed=True,
    divided_by=(ANSWERER, STRATEGY, PART),
    inputs={"questions": extract["questions"], "images": extract["images"]},
    outputs={"predictions": PREDICTIONS},
)
def evaluate(task: Task[None]) -> None:
    """Asks one model the questions of one part's sets, in words, with the prompts of a strategy."""
    from whatif.scoring.open_answers import open_predictions

    model = task.wildcards["model"]
    questions = task.read("questions").to_pylist()
    pilot = pilot_of(task.model.limit, questions, task.seed, task.benchmark)
    sets = sorted(pilot.pairs if pilot else {row["pair_id"] for row in questions})
    here = task.part_of(len(sets))
    write_predictions(
        task,
        lambda loaded, images: open_predictions(
            questions,
            images,
            model,
            loaded,
            strategy=task.wildcards["strategy"],
            pairs=set(sets[here.start : here.stop]),
            prompt_form=task.model.prompt_form,
            samples=task.model.samples,
        ),
        questions=questions,
    )


judge = judge_step(ANSWERED, STRATEGY, PART, questions=extract["questions"], predictions=evaluate["predictions"])
probes = probe_step(evaluate, OPEN_PROBE)
people = people_step(extract["questions"])


@_step(
    "aggregate",
    reads=lambda s: ReportSettings(s.aggregate.confidence, s.evaluate.judge),
    seed=True,
    shown=(SHOWN_ANSWERERS, SHOWN_JUDGE),
    inputs={
        "images": extract["images"],
        "questions": extract["questions"],
        "unread": extract["rejections"],
        "predictions": evaluate["predictions"],
        "judged": judge["judged"],
        "probed": probes["probed"],
        "attempts": people["attempts"],
        "uncounted": people["uncounted"],
    },
    outputs=SITE_OUTPUTS,
    code=TABLES.code,
    publishes=("report.md", *TABLES.files),
    leaves_out=without_empty_tables(ANSWERER, OPEN_PROBE),
)
def aggregate(task: Task[ReportSettings]) -> None:
    """Makes the tables of accuracy and of units that are all right, the funnel, and the items of the site."""
    from whatif.benchmarks.from_yaml.released.report import publish_report

    publish_report(task, task.declared[TITLE], TABLES)


def steps(title: str, download: str) -> tuple[Step, ...]:
    """All steps; `title` is the heading of the report, `download` how one gets the released files."""
    titled = replace(aggregate, declared={TITLE: title})
    return (replace(extract, declared={DOWNLOAD: download}), evaluate, judge, probes, people, titled)
