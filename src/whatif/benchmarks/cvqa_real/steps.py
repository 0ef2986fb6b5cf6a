"""C-VQA-Real as released: open questions about photographs, each with a counterfactual twin (C-VQA 3.1, 4.1).

The steps extract the released questions and their photographs; join them; leave out pairs whose photograph is missing;
remove and correct questions as people say, and check that every answer can be scored; ask models with each prompting
strategy, and a judge about responses without a clear answer; and make Tables 3, 4 and 5.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from whatif.artifacts.schemas import CORRECTIONS, IMAGES, JUDGEMENTS, PREDICTIONS, QUESTIONS, REJECTIONS
from whatif.benchmarks.cvqa_real.sampled_questions import questions_for
from whatif.benchmarks.cvqa_real.settings import CvqaRealSettings, ReportSettings, SampleSettings, SourceSettings
from whatif.benchmarks.shared.annotator_tables import ANNOTATOR_TABLES
from whatif.benchmarks.shared.dimensions import (
    ANSWERED,
    ANSWERER,
    SHOWN_ANSWERERS,
    judge_dimensions,
    shown_judge,
    strategy,
)
from whatif.benchmarks.shared.evaluation import write_predictions
from whatif.benchmarks.shared.judging import OUTPUTS, write_judged
from whatif.benchmarks.shared.people import judged_questions
from whatif.benchmarks.shared.pilots import pilot_of
from whatif.benchmarks.shared.question_labels import VerifyQuestions
from whatif.benchmarks.shared.tasks import judgement, pairs_of, table_files
from whatif.errors import WhatifError
from whatif.files.inputs import user_path
from whatif.graph.dimensions import Shown, part_dimension
from whatif.graph.steps import Benchmark, StepsOf
from whatif.graph.task import Task

NAME = "cvqa-real"
VARIANTS = ("original", "counterfactual")
_FOLDERS = f"name the folders of COCO's photographs as extract.{NAME}.image_folders in params.yaml"


# Predictions made elsewhere also state the strategy that was used.
SHOWN = Shown(ANSWERER, (*SHOWN_ANSWERERS.fields, "strategy"))
_step = StepsOf(CvqaRealSettings)
STRATEGY = strategy(lambda params, benchmark: params.section(benchmark, CvqaRealSettings).evaluate.strategies)
PART = part_dimension(lambda params, benchmark: params.section(benchmark, CvqaRealSettings).evaluate.shards)
JUDGE, PROMPT = judge_dimensions(lambda params, benchmark: params.section(benchmark, CvqaRealSettings).evaluate.judge)
_GROUPS = ("direct", "indirect", "boolean")
_TABLES = (
    *("table3", "table4", "table5", "drops", "gender", "question-set", "answers", "words"),
    *(*ANNOTATOR_TABLES, "costs", "funnel"),
)


@_step(
    "extract",
    reads=lambda s: SourceSettings(s.extract.questions, s.extract.image_folders),
    outputs={"questions": QUESTIONS, "images": IMAGES, "missing": REJECTIONS},
)
def extract(task: Task[SourceSettings]) -> None:
    """Extracts the released questions, and the photographs of the questions where the folders contain them."""
    from whatif.formats.c_vqa import read_released
    from whatif.formats.coco_photographs import find_photographs

    settings = task.settings
    if settings.questions is None:
        raise WhatifError(f"extract.{NAME}.questions: is null; give the path of C-VQA-Real_questions.csv")
    questions = read_released(user_path(settings.questions))
    if any(question["choices"] for question in questions):
        raise WhatifError(f"{settings.questions}: holds multiple-choice questions; C-VQA-Real has open ones")
    names = {_picture(question) for question in questions}
    photographs = find_photographs(names, [user_path(folder) for folder in settings.image_folders])
    task.outputs.write("images", list({row["image_id"]: row for row in photographs.found.values()}.values()))
    missing = [
        {"item_id": name, "reason": reason, "detail": detail} for name, (reason, detail) in photographs.missing.items()
    ]
    task.outputs.write("missing", missing)
    task.check_losses("photographs", len(photographs.found), missing, remedy=_FOLDERS)
    image_ids = {name: [row["image_id"]] for name, row in photographs.found.items()}
    task.outputs.write("questions", [{**q, "image_ids": image_ids.get(_picture(q), [])} for q in questions])


@_step("generate", inputs={"questions": extract["questions"]}, outputs={"questions": QUESTIONS})
def generate(task: Task[None]) -> None:
    """Joins the pairs as they were released: both twins of every pair, in order of their ids."""
    for pair_id, rows in pairs_of(task.rows("questions")):
        if sorted(row["variant"] for row in rows) != sorted(VARIANTS):
            raise WhatifError(f"pair {pair_id}: has no twin; read the released file again")
        task.outputs.writer("questions").write(rows)


@_step(
    "filter", inputs={"questions": generate["questions"]}, outputs={"questions": QUESTIONS, "rejections": REJECTIONS}
)
def filter_(task: Task[None]) -> None:
    """Leaves out pairs whose photograph is missing: they stay in the set, but models are not asked about them."""
    kept, rejected = 0, []
    for pair_id, rows in pairs_of(task.rows("questions")):
        if rows[0]["image_ids"]:
            kept += 1
            task.outputs.writer("questions").write(rows)
        else:
            detail = f"{_picture(rows[0])} is in none of the folders, or cannot be decoded"
            rejected.append({"item_id": pair_id, "reason": "no picture", "detail": detail})
    task.outputs.write("rejections", rejected)
    task.check_losses("pairs", kept, rejected, remedy=_FOLDERS)


@_step(
    "verify",
    reads=lambda s: s.verify,
    seed=True,
    inputs={"questions": filter_["questions"]},
    outputs={
        "questions": QUESTIONS,
        "judgements": JUDGEMENTS,
        "gold": JUDGEMENTS,
        "corrections": CORRECTIONS,
        "rejections": REJECTIONS,
    },
)
def verify(task: Task[VerifyQuestions]) -> None:
    """Removes and corrects questions as people say, and checks that each answer can be scored (C-VQA 3.2).

    An answer can be scored if the answer extracted from its own text is the same answer.
    """
    from whatif.benchmarks.shared.imported_labels import report_labels
    from whatif.benchmarks.shared.question_labels import check_pairs

    checked = check_pairs(list(task.rows("questions")), task.settings, seed=task.seed, check=_cannot_be_scored)
    if task.settings.labels is not None:
        report_labels(task, checked.judgements, checked.refused_labels, task.settings.resolution)
    judgements = list(checked.judgements)
    kept, rejected = 0, list(checked.rejections)
    for pair_id, rows in pairs_of(checked.questions):
        odd = [f"{row['variant']}: {fault}" for row in rows if (fault := _cannot_be_scored(row))]
        judgements.append(judgement(pair_id, "answer", odd))
        if odd:
            rejected.append({"item_id": pair_id, "reason": "cannot be scored", "detail": "; ".join(odd)})
        else:
            kept += 1
            task.outputs.writer("questions").write(rows)
    task.outputs.write("judgements", judgements)
    task.outputs.write("gold", checked.gold)
    task.outputs.write("corrections", checked.corrections)
    task.outputs.write("rejections", [*rejected, *checked.refused_labels])
    task.check_losses("pairs", kept, rejected)


@_step(
    "evaluate",
    reads=lambda s: SampleSettings(s.evaluate.sample_share, s.evaluate.sampled_models),
    seed=True,
    divided_by=(ANSWERER, STRATEGY, PART),
    inputs={"questions": verify["questions"], "images": extract["images"]},
    outputs={"predictions": PREDICTIONS},
)
def evaluate(task: Task[SampleSettings]) -> None:
    """Asks one model the questions of one part with the prompts of one strategy."""
    from whatif.scoring.open_answers import open_predictions

    model, strategy = task.wildcards["model"], task.wildcards["strategy"]
    # Predictions made elsewhere used one strategy; there are none for the other strategies.
    if getattr(task.model, "strategy", strategy) != strategy:
        task.outputs.write("predictions", [])
        return
    everything = task.read("questions").to_pylist()
    questions = questions_for(model, everything, task.settings, task.seed)
    pilot = pilot_of(task.model.limit, questions, task.seed, NAME)
    pairs = sorted(pilot.pairs if pilot else {question["pair_id"] for question in questions})
    places = task.part_of(len(pairs))
    here = set(pairs[places.start : places.stop])
    write_predictions(
        task,
        lambda loaded, images: open_predictions(
            questions,
            images,
            model,
            loaded,
            strategy=strategy,
            pairs=here,
            prompt_form=task.model.prompt_form,
            samples=task.model.samples,
        ),
        questions=everything,
    )


@_step(
    "evaluate",
    name="judge",
    seed=True,
    divided_by=(ANSWERED, JUDGE, PROMPT, STRATEGY, PART),
    inputs={"questions": verify["questions"], "predictions": evaluate["predictions"]},
    outputs=OUTPUTS,
)
def judge(task: Task[None]) -> None:
    """Asks the judge about the responses of one part in which the rules find no answer, or several."""
    write_judged(task)


@_step(
    "aggregate",
    reads=lambda s: ReportSettings(
        s.aggregate,
        s.evaluate.strategies,
        s.evaluate.sample_share,
        s.evaluate.sampled_models,
        s.extract.gender_annotations,
        s.evaluate.judge,
        s.verify.resolution,
    ),
    seed=True,
    shown=(SHOWN, shown_judge(JUDGE)),
    package_files=tuple(f"{__package__}:published/table{number}.csv" for number in (3, 4, 5)),
    inputs={
        "images": extract["images"],
        "missing": extract["missing"],
        "released": generate["questions"],
        "filtered": filter_["rejections"],
        "filtered questions": filter_["questions"],
        "refused": verify["rejections"],
        "judgements": verify["judgements"],
        "gold": verify["gold"],
        "corrections": verify["corrections"],
        "questions": verify["questions"],
        "predictions": evaluate["predictions"],
        "judged": judge["judged"],
    },
    publishes=(
        "report.md",
        *(f"accuracy-{group}.{suffix}" for group in _GROUPS for suffix in ("csv", "svg")),
        "figure3.svg",
        "figure5.svg",
        *table_files(_TABLES),
    ),
)
def aggregate(task: Task[ReportSettings]) -> None:
    """Makes Tables 3, 4 and 5 beside the reported numbers, the answers of Figure 3, words, and the funnel."""
    from whatif.benchmarks.cvqa_real.report import publish_report

    publish_report(task)


def _cannot_be_scored(question: Mapping[str, Any]) -> str | None:
    """What is wrong with an answer that is not extracted from its own text; None if it is extracted."""
    from whatif.scoring.extraction.answer import extract as extract_answer
    from whatif.scoring.extraction.answer import is_correct
    from whatif.verification.response_labels import FORMS

    answer, kind = question["answer"], question["answer_kind"]
    if is_correct(extract_answer(answer, kind, question["question"]), answer, kind):
        return None
    return f"the answer {answer!r} cannot be scored; it must be {FORMS[kind]}"


def _picture(question: Mapping[str, Any]) -> str:
    return str(json.loads(question["provenance"])["img_path"])


BENCHMARK = Benchmark(
    name=NAME,
    settings=CvqaRealSettings,
    steps=(extract, generate, filter_, verify, evaluate, judge, aggregate),
    outside=lambda params: "photographs",
    people={"verify": judged_questions(filter_["questions"], extract["images"])},
    citation=(
        'Zhang et al., "What If the TV Was Off? Examining Counterfactual Reasoning Abilities of Multi-modal Language '
        'Models", CVPR 2024.'
    ),
    plots=tuple(
        {
            "file": f"accuracy-{group}.csv",
            "template": "models",  # .dvc/plots/models.json: a scatter plot with a label for each point
            "x": "original",
            "y": "counterfactual",
            "x_label": "Accuracy on original questions (%)",
            "y_label": "Accuracy on counterfactual questions (%)",
            "title": f"C-VQA-Real, {group}",
        }
        for group in _GROUPS
    ),
)
