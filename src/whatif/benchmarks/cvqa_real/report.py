"""The results of C-VQA-Real, from which its tables and figures are made, and their publication."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from whatif.benchmarks.cvqa_real.funnel_stages import stages_of
from whatif.benchmarks.cvqa_real.gender_annotations import genders_of, perceived_genders
from whatif.benchmarks.cvqa_real.gender_gaps import gender_gaps, gender_parts
from whatif.benchmarks.cvqa_real.released_set import released_set
from whatif.benchmarks.cvqa_real.sampled_questions import questions_for
from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.benchmarks.cvqa_real.settings import NAME, STEP_BY_STEP, AggregateCvqaReal, ReportSettings, main_strategy
from whatif.benchmarks.cvqa_real.shortcut_audit import OURS as OUR_SET
from whatif.benchmarks.cvqa_real.shortcut_audit import RELEASED
from whatif.benchmarks.cvqa_real.site_items import real_items
from whatif.benchmarks.cvqa_real.written_by import WrittenBy, written_by
from whatif.benchmarks.shared.dimensions import ANSWERER
from whatif.benchmarks.shared.pilots import marked, pilots_of
from whatif.benchmarks.shared.reports import judged_of, publish
from whatif.benchmarks.shared.results import Results
from whatif.benchmarks.shared.tasks import limits_of, names_of, with_predictions
from whatif.engine.files.inputs import user_path
from whatif.engine.graph.task import Task
from whatif.engine.language.strategies import DIRECT
from whatif.formats.c_vqa import picture_name
from whatif.people.question_checks import ANSWER, QUESTION
from whatif.results.reporting.declared import report_of
from whatif.results.reporting.judged import JUDGE
from whatif.results.reporting.pair_measures import Part
from whatif.results.reporting.plots import accuracy_points, accuracy_scatter, points_csv
from whatif.results.reporting.question_pairs import QuestionPairAnswers
from whatif.results.reporting.table import DROP, OURS, Table
from whatif.results.reporting.table_modules import TableModules
from whatif.scoring.statistics import GroupGap

TITLE = "C-VQA-Real"
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class RealResults(Results):
    """The questions of C-VQA-Real and all answers to them.

    work: what the writers made. perceived: the gender of people by COCO image id, None without annotations.
    """

    task: Task[ReportSettings]
    settings: AggregateCvqaReal
    predictions: Sequence[Row]
    work: Sequence[WrittenBy]
    perceived: Mapping[int, str] | None

    @classmethod
    def of(cls, task: Task[ReportSettings]) -> Self:
        """The results of the step that makes the tables."""
        asking, seed = task.settings, task.seed
        names = names_of(task, ANSWERER)
        questions = task.read("questions").to_pylist()
        each = {key: questions_for(key, questions, asking, seed) for key in names}
        pilots = pilots_of(limits_of(task, ANSWERER, names), each, seed, NAME)
        names, work, annotations = marked(names, pilots), written_by(task), asking.gender_annotations
        return cls(
            task=task,
            title=TITLE,
            settings=asking.aggregate,
            dimension=ANSWERER,
            names=names,
            questions=questions,
            groups=GROUPS,
            judged=judged_of(task, asking.judge, questions, names),
            stages=stages_of(task, work, each, pilots),
            human_attempts=list(task.rows("attempts")),
            predictions=list(task.rows("predictions")),
            work=work,
            perceived=None if annotations is None else perceived_genders(user_path(annotations)),
        )

    @property
    def main(self) -> str:
        """The strategy of Tables 3, 5 and 6, as in the paper: `direct`, or else the first not step by step."""
        return main_strategy(self.task.settings.strategies)

    @property
    def sampled(self) -> Collection[str]:
        """The models that are asked only a part of each group."""
        return self.task.settings.sampled_models

    def asked(self, strategy: str) -> dict[str, str]:
        """The models with answers to a strategy; a file may have only responses to another strategy, or none here."""
        answered = with_predictions(self.task, ANSWERER, strategy=strategy)
        return {key: name for key, name in self.names.items() if key in answered}

    def predictions_of(self, strategy: str, models: Collection[str]) -> list[Row]:
        """The answers of some models to a strategy."""
        return [row for row in self.predictions if row["strategy"] == strategy and row["model"] in models]

    @cached_property
    def compared(self) -> QuestionPairAnswers:
        """The answers of all models to the main strategy."""
        names = self.asked(self.main)
        return QuestionPairAnswers(self.predictions_of(self.main, names), self.questions, names)

    @cached_property
    def pictures(self) -> dict[str, str]:
        """The image of each pair by its id: by name, where it is not available."""
        return {row["pair_id"]: (row["image_ids"] or [picture_name(row)])[0] for row in self.questions}

    @property
    def clusters(self) -> dict[str, str]:
        """The image of each question by its id."""
        return {row["question_id"]: self.pictures[row["pair_id"]] for row in self.questions}

    @cached_property
    def sets(self) -> dict[str, Sequence[Row]]:
        """The sets that tables show, by name: our verified questions, the released ones, or both; the main one first.

        A released set is whole, whether its images are available or not.
        """
        if self.task.settings.source is not None:
            return {RELEASED: self.task.read("generated").to_pylist()}
        released = self.settings.released_questions
        return {OUR_SET: self.questions} | ({} if released is None else {RELEASED: released_set(released)})

    @property
    def main_set(self) -> Sequence[Row]:
        """The questions of the main set."""
        return next(iter(self.sets.values()))

    @cached_property
    def genders(self) -> dict[str, str]:
        """image_id -> `male` or `female`, for the images with people of one gender."""
        return genders_of(self.questions, self.perceived or {})

    @cached_property
    def by_gender(self) -> dict[str, Part]:
        """Model -> its answers about these images, of the models in Table 3."""
        models = [model for model in self.names if model not in self.sampled]
        return gender_parts(self.compared, self.pictures, self.genders, self.settings, models)

    @cached_property
    def gaps(self) -> dict[str, GroupGap]:
        """Model -> its gap between images of men and of women."""
        return gender_gaps(self.by_gender, self.genders, self.settings, self.task.seed)

    def note(self, strategy: str) -> str:
        """Explains why rows may be missing, have fewer questions, or were asked in another way than reported."""
        asking = self.task.settings
        if strategy not in asking.strategies:
            others = ", ".join(asking.strategies)
            return f"It shows answers to the strategy {strategy} alone; asked was only {others}."
        if strategy not in (DIRECT, STEP_BY_STEP):
            return f"Our rows are answers to the strategy {strategy}; the strategy {DIRECT} was not asked."
        if strategy == STEP_BY_STEP and asking.sampled_models:
            share = f"{100 * asking.sample_share:g}%"
            return f"Of systems marked (a part), {share} of each group were asked."
        return ""

    def beside_reported(self, strategy: str) -> str:
        """What readers have to know about our rows beside the reported ones."""
        asking = self.task.settings
        sets = "Our rows are about our own questions, the reported ones about the released set."
        is_own = asking.source is None and strategy in asking.strategies
        return " ".join(filter(None, [sets if is_own else "", self.note(strategy)]))


def images_of(questions: Iterable[Row]) -> dict[str, str]:
    """The image of each pair by its id; the id itself, where no image is available."""
    return {row["pair_id"]: (row["image_ids"] or [row["pair_id"]])[0] for row in questions}


def publish_report(task: Task[ReportSettings], modules: TableModules) -> None:
    """Publishes every text file of this benchmark's aggregation."""
    found = RealResults.of(task)
    report = report_of(modules, TITLE, found, {})
    files = dict(report.files)
    (table3,) = (table.frame for table in report.tables if table.name == "table3")
    for group in GROUPS:
        points = accuracy_points(table3[table3["group"] == group])
        files[f"accuracy-{group}.csv"] = points_csv(points)
        files[f"accuracy-{group}.svg"] = accuracy_scatter(points, None, f"{TITLE}, {group}")
    report = replace(report, headline=headline_of(report.tables), files=files, closing=_closing(task))
    items, views = real_items(task, found.questions, found.names, found.genders, found.judged)
    publish(task, report, items, views)


def headline_of(tables: Iterable[Table]) -> dict[str, Any]:
    """The headline numbers: table -> model -> group -> numbers; tables without a model are left out."""
    found: dict[str, Any] = {}
    for table in tables:
        if table.name not in ("table3", "table4", "table5", "table6"):
            continue
        for row in table.frame.to_dict("records"):
            is_ours = row["source"] == OURS and row["group"] in GROUPS and not row.get(JUDGE)
            if is_ours and row["measure"] in ("accuracy", DROP):
                models = found.setdefault(table.name, {})
                numbers = models.setdefault(row["model"] or row["name"], {}).setdefault(row["group"], {})
                numbers |= {row["variant"] or DROP: row["value"], "pairs": row["n"]}
    return found


def _closing(task: Task[ReportSettings]) -> str:
    """What people corrected and a model polished, if they did."""
    parts = []
    if fields := Counter(row["field"] for row in task.rows("corrections")):
        parts.append(
            f"People corrected the answers of {fields[ANSWER]:,} questions and the wording of {fields[QUESTION]:,}."
        )
    polished, refused = list(task.rows("polished", ["question_id", "before", "after"])), task.count("unpolished")
    if polished or refused:
        changed = sum(row["before"] != row["after"] for row in polished)
        parts.append(
            f"A model polished {changed:,} of {len(polished) + refused:,} questions; {refused:,} edits were refused."
        )
    return "\n\n".join(parts)
