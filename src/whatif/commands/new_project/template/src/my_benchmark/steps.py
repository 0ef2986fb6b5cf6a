"""The steps of the benchmark, one or more for each stage.

A step declares what it reads and what it makes. whatif derives the files, the Snakemake rules, the options of the
command line, and what is out of date. Nothing else may influence the outputs of a step.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from whatif.benchmark import (
    CHOOSER,
    DIRECT,
    IMAGES,
    JUDGEMENTS,
    PREDICTIONS,
    QUESTIONS,
    REJECTIONS,
    SHORTCUTS,
    SHOWN_CHOOSERS,
    SITE_OUTPUTS,
    Benchmark,
    SortedImages,
    StepsOf,
    TableModules,
    Task,
    judgement,
    pairs_of,
    pilot_of,
    shared_tables,
    without_empty_tables,
    write_predictions,
)

from my_benchmark.pictures import SHELVES
from my_benchmark.settings import (
    AggregateSettings,
    ExtractSettings,
    FilterSettings,
    GenerateSettings,
    OwnSettings,
)

NAME = "my-benchmark"
# A module in tables/ for each table of its own.
TABLES = TableModules(
    "my_benchmark",
    *shared_tables("repeats", "prompt_sensitivity", "costs", "funnel"),
)
step = StepsOf(OwnSettings)


@step("extract", reads=lambda s: s.extract, seed=True, outputs={"images": IMAGES, "shelves": SHELVES})
def extract(task: Task[ExtractSettings]) -> None:
    """Draws the pictures. For pictures of your own, read them here, with what is known about them."""
    from my_benchmark.pictures import shelf

    with SortedImages(task.outputs.writer("images")) as images:
        for number in range(task.settings.pictures):
            image, known = shelf(number, task.seed)
            images.add(image)
            task.outputs.writer("shelves").write([known])


@step(
    "generate",
    reads=lambda s: s.generate,
    seed=True,
    inputs={"shelves": extract["shelves"]},
    outputs={"questions": QUESTIONS},
)
def generate(task: Task[GenerateSettings]) -> None:
    """Writes an original and a counterfactual question for each picture and change."""
    from my_benchmark.questions import pair

    for shelf in task.rows("shelves"):
        for change in sorted(task.settings.changes):
            task.outputs.writer("questions").write(pair(shelf, change, task.seed))


@step(
    "filter",
    reads=lambda s: s.filter,
    inputs={"shelves": extract["shelves"], "questions": generate["questions"]},
    outputs={"questions": QUESTIONS, "rejections": REJECTIONS},
)
def filter_(task: Task[FilterSettings]) -> None:
    """Rejects pairs about crowded shelves, and pairs whose presupposition does not hold."""
    shelves = {row["image_id"]: row["balls"] for row in task.rows("shelves")}
    rejected: dict[str, tuple[str, str]] = {}
    for pair_id, questions in pairs_of(task.rows("questions")):
        balls, other = shelves[questions[0]["image_ids"][0]], json.loads(questions[0]["provenance"])["other"]
        if len(balls) > task.settings.most_balls:
            rejected[pair_id] = ("too crowded", f"{len(balls)} balls")
        elif other not in balls:
            rejected[pair_id] = ("presupposition does not hold", f"there is no {other} ball")
    _keep(task, rejected)


@step(
    "verify",
    inputs={"images": extract["images"], "questions": filter_["questions"]},
    outputs={"questions": QUESTIONS, "judgements": JUDGEMENTS, "rejections": REJECTIONS},
)
def verify(task: Task[None]) -> None:
    """Counts the balls again in the pixels, and rejects every pair whose answers differ from that."""
    from my_benchmark.pictures import count_in
    from my_benchmark.questions import defects

    images = task.images()
    judgements, rejected = [], {}
    for pair_id, questions in pairs_of(task.rows("questions")):
        found = defects(questions, count_in(images.get(questions[0]["image_ids"][0])))
        judgements.append(judgement(pair_id, "recount", found))
        if found:
            rejected[pair_id] = ("wrong answer", "; ".join(found))
    task.outputs.write("judgements", judgements)
    _keep(task, rejected)


@step(
    "evaluate",
    seed=True,
    divided_by=(CHOOSER,),
    package_files=(f"whatif.engine.language:strategies/{DIRECT}.yaml",),
    inputs={"questions": verify["questions"], "images": extract["images"]},
    outputs={"predictions": PREDICTIONS},
)
def evaluate(task: Task[None]) -> None:
    """Asks one model of `params.yaml` every question; a model with a `limit` is asked a sample of the pairs."""
    from whatif.benchmark import majority_answers, predictions

    model, key = task.model, task.wildcards["model"]
    questions = task.read("questions").to_pylist()
    pilot = pilot_of(model.limit, questions, task.seed, NAME)
    asked = pilot.rows(questions) if pilot else questions
    how = {
        "form": model.multiple_choice,
        "majority": majority_answers(questions),
        "prompt_form": model.prompt_form,
        "samples": model.samples,
    }
    write_predictions(task, lambda loaded, images: predictions(asked, images, key, loaded, **how), questions=questions)


@step(
    "aggregate",
    name="shortcuts",
    reads=lambda s: s.aggregate.audit_folds,
    seed=True,
    inputs={"questions": verify["questions"]},
    outputs={"shortcuts": SHORTCUTS},
)
def audit_shortcuts(task: Task[int]) -> None:
    """Measures how many questions can be answered without the picture."""
    from whatif.benchmark import audit

    found = audit(task.rows("questions"), folds=task.settings, seed=task.seed)
    task.outputs.write("shortcuts", [{"set": "ours", **asdict(shortcut)} for shortcut in found])


@step(
    "aggregate",
    reads=lambda s: s.aggregate,
    seed=True,
    shown=(SHOWN_CHOOSERS,),
    inputs={
        "images": extract["images"],
        "generated": generate["questions"],
        "filtered": filter_["rejections"],
        "refused": verify["rejections"],
        "questions": verify["questions"],
        "shortcuts": audit_shortcuts["shortcuts"],
        "predictions": evaluate["predictions"],
    },
    outputs=SITE_OUTPUTS,
    code=TABLES.code,
    publishes=("report.md", *TABLES.files),
    leaves_out=without_empty_tables(CHOOSER),
)
def aggregate(task: Task[AggregateSettings]) -> None:
    """Makes the tables, the report, and the items of the site."""
    from my_benchmark.report import publish_report

    publish_report(task, TABLES)


def _keep(task: Task[Any], rejected: dict[str, tuple[str, str]]) -> None:
    """Writes the questions of all pairs that were not rejected, and the rejections with their reasons."""
    kept = set()
    for pair_id, questions in pairs_of(task.rows("questions")):
        if pair_id not in rejected:
            kept.add(pair_id)
            task.outputs.writer("questions").write(questions)
    rows = [{"item_id": pair_id, "reason": why, "detail": detail} for pair_id, (why, detail) in rejected.items()]
    task.outputs.write("rejections", rows)
    task.check_losses("pairs", len(kept), rows)


BENCHMARK = Benchmark(
    name=NAME,
    settings=OwnSettings,
    steps=(extract, generate, filter_, verify, evaluate, audit_shortcuts, aggregate),
    headline=("original", "counterfactual"),
    about=(
        "Multiple-choice questions about coloured balls on a shelf. The counterfactual question supposes that a ball is"
        " painted, which changes the answer, or that another one is taken away, which does not."
    ),
)
