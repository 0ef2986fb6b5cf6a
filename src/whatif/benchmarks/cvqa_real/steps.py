"""C-VQA-Real: open questions about images, each with a counterfactual (C-VQA 3, 4.1).

The steps extract the released pairs, or questions of VQAv2 or about drawn scenes; let people, chat models and rules
write counterfactuals; filter them; remove and correct them as people say, and polish them; ask models with each
prompting strategy, and a judge about responses without a clear answer; and make the tables and figures of the paper.
The steps up to the questions are in `construction`.
"""

from __future__ import annotations

from whatif.benchmarks.cvqa_real import construction as made
from whatif.benchmarks.cvqa_real.annotation_tasks import peoples_work
from whatif.benchmarks.cvqa_real.dimensions import PART, SHOWN, STRATEGY
from whatif.benchmarks.cvqa_real.sampled_questions import questions_for
from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.benchmarks.cvqa_real.settings import (
    NAME,
    AuditSettings,
    CvqaRealSettings,
    ReportSettings,
    SampleSettings,
)
from whatif.benchmarks.shared.dimensions import (
    ANSWERED,
    ANSWERER,
    OPEN_PROBE,
    PROGRAMMER,
    SHOWN_JUDGE,
    SHOWN_PROGRAMMER,
)
from whatif.benchmarks.shared.evaluation import write_predictions
from whatif.benchmarks.shared.human_attempts import people_step
from whatif.benchmarks.shared.judging import judge_step
from whatif.benchmarks.shared.people import answered_questions
from whatif.benchmarks.shared.pilots import pilot_of
from whatif.benchmarks.shared.probing import probe_step
from whatif.benchmarks.shared.program_findings import PROGRAM_FINDINGS, write_program_findings
from whatif.benchmarks.shared.tables import shared_tables, without_empty_tables
from whatif.benchmarks.shared.tasks import OF_ACCURACIES, scatter_plot
from whatif.engine.artifacts.schemas import PREDICTIONS, SHORTCUTS
from whatif.engine.artifacts.site_schemas import SITE_OUTPUTS
from whatif.engine.graph.steps import Benchmark, StepsOf
from whatif.engine.graph.task import Task
from whatif.results.reporting.table_modules import TableModules

_step = StepsOf(CvqaRealSettings)
TABLES = TableModules(
    "whatif.benchmarks.cvqa_real",
    *shared_tables(
        "annotator_agreement",
        "annotators",
        "repeats",
        "prompt_sensitivity",
        "probes",
        "reading",
        "costs",
        "programs",
        "funnel",
    ),
)


@_step(
    "evaluate",
    reads=lambda s: SampleSettings(s.evaluate.sample_share, s.evaluate.sampled_models),
    seed=True,
    divided_by=(ANSWERER, STRATEGY, PART),
    inputs={"questions": made.verify["questions"], "images": made.extract["images"]},
    outputs={"predictions": PREDICTIONS},
)
def evaluate(task: Task[SampleSettings]) -> None:
    """Asks one model the questions of one part with the prompts of one strategy."""
    from whatif.benchmarks.cvqa_real.drawn_images import depicted_images
    from whatif.benchmarks.cvqa_real.sources import FOLDERS
    from whatif.scoring.open_answers import open_predictions

    model, strategy = task.wildcards["model"], task.wildcards["strategy"]
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
        depicted=depicted_images(everything, lambda: task.rows("images", ["image_id", "width"])),
        image_remedy=FOLDERS,
    )


judge = judge_step(ANSWERED, STRATEGY, PART, questions=made.verify["questions"], predictions=evaluate["predictions"])
probes = probe_step(evaluate, OPEN_PROBE)
people = people_step(made.verify["questions"])


@_step(
    "evaluate",
    name="programs",
    reads=lambda s: s.evaluate.program_labels,
    seed=True,
    divided_by=(PROGRAMMER, STRATEGY, PART),
    shown=(SHOWN_PROGRAMMER,),
    inputs={
        "questions": made.verify["questions"],
        "images": made.extract["images"],
        "predictions": evaluate["predictions"],
    },
    outputs={"program-findings": PROGRAM_FINDINGS},
)
def find_causes(task: Task[str | None]) -> None:
    """Finds out why the answers of one model's programs are wrong, with tools that know what a drawn image shows."""
    from whatif.benchmarks.cvqa_real.drawn_images import depicted_images
    from whatif.scoring.open_answers import open_predictions

    model, strategy = task.wildcards["model"], task.wildcards["strategy"]
    questions = task.read("questions").to_pylist()
    write_program_findings(
        task,
        lambda wrong, loaded: open_predictions(wrong, task.images(), model, loaded, strategy=strategy),
        depicted=depicted_images(questions, lambda: task.rows("images", ["image_id", "width"])),
        labels=task.settings,
    )


@_step(
    "aggregate",
    name="shortcuts",
    reads=lambda s: AuditSettings(s.aggregate.audit_folds, s.extract.questions, s.aggregate.released_questions),
    seed=True,
    inputs={"questions": made.verify["questions"]},
    outputs={"shortcuts": SHORTCUTS},
)
def audit_shortcuts(task: Task[AuditSettings]) -> None:
    """Measures how many questions can be answered from their text alone, in our set and in the released one."""
    from whatif.benchmarks.cvqa_real.shortcut_audit import write_shortcuts

    write_shortcuts(task)


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
        s.extract.questions,
        s.generate.writers,
    ),
    seed=True,
    shown=(SHOWN, SHOWN_JUDGE),
    package_files=tuple(
        f"{__package__}:published/{name}.csv" for name in ("table3", "table4", "table5", "table6", "text")
    ),
    inputs={
        "images": made.extract["images"],
        "missing": made.extract["missing"],
        "source": made.extract["questions"],
        "unusable": made.extract["rejections"],
        "annotated": made.annotate["annotated"],
        "annotations": made.annotate["annotations"],
        "unannotated": made.annotate["unannotated"],
        "unchanged": made.rules["unchanged"],
        "by-rules": made.rules["by-rules"],
        "by-model": made.write["by-model"],
        "replies": made.write["replies"],
        "unwritten": made.write["unwritten"],
        "generated": made.generate["questions"],
        "written": made.generate["written"],
        "filtered": made.filter_["rejections"],
        "filtered questions": made.filter_["questions"],
        "checked": made.check["checked"],
        "unchecked": made.check["unchecked"],
        "judgements": made.check["judgements"],
        "gold": made.check["gold"],
        "corrections": made.check["corrections"],
        "polished": made.polish["polished"],
        "unpolished": made.polish["unpolished"],
        "answer-checks": made.verify["answer-checks"],
        "refused": made.verify["rejections"],
        "questions": made.verify["questions"],
        "predictions": evaluate["predictions"],
        "judged": judge["judged"],
        "probed": probes["probed"],
        "attempts": people["attempts"],
        "uncounted": people["uncounted"],
        "program-findings": find_causes["program-findings"],
        "shortcuts": audit_shortcuts["shortcuts"],
    },
    outputs=SITE_OUTPUTS,
    code=TABLES.code,
    publishes=(
        "report.md",
        *(f"accuracy-{group}.{suffix}" for group in GROUPS for suffix in ("csv", "svg")),
        *TABLES.files,
    ),
    leaves_out=without_empty_tables(ANSWERER, OPEN_PROBE),
)
def aggregate(task: Task[ReportSettings]) -> None:
    """Makes Tables 3 to 6 beside the reported numbers, and every other table and figure that is declared."""
    from whatif.benchmarks.cvqa_real.report import publish_report

    publish_report(task, TABLES)


BENCHMARK = Benchmark(
    name=NAME,
    settings=CvqaRealSettings,
    steps=(
        made.extract,
        made.annotate,
        made.rules,
        made.write,
        made.generate,
        made.filter_,
        made.check,
        made.polish,
        made.verify,
        evaluate,
        judge,
        probes,
        people,
        find_causes,
        audit_shortcuts,
        aggregate,
    ),
    outside=lambda params: (
        "photographs"
        if (own := params.section(NAME, CvqaRealSettings).extract).questions is not None or own.vqa is not None
        else ""
    ),
    people={
        **peoples_work(made.extract["questions"], made.filter_["questions"], made.extract["images"]),
        "answer": answered_questions(made.verify["questions"], made.extract["images"]),
    },
    citation=(
        'Zhang et al., "What If the TV Was Off? Examining Counterfactual Reasoning Abilities of Multi-modal Language '
        'Models", CVPR 2024.'
    ),
    plots=tuple(scatter_plot(f"C-VQA-Real, {group}", *OF_ACCURACIES, file=f"accuracy-{group}.csv") for group in GROUPS),
    about=(
        "Open questions about images. The counterfactual question adds a presupposition with “if” to the original "
        "one, which can change the answer; the image stays the same (C-VQA, Zhang et al. 2024)."
    ),
)
