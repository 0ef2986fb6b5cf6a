"""The results: headline numbers, tables, the report, and the items of the site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from whatif.benchmark import (
    ALL,
    CHOOSER,
    COUNTERFACTUAL,
    DROP,
    ORIGINAL,
    About,
    Column,
    FunnelStage,
    ItemView,
    PairedSystem,
    PairedText,
    Pilot,
    Report,
    Table,
    Task,
    View,
    answers_of_rows,
    audits_of,
    by_group,
    clustered_share,
    costs_of,
    evaluation_stage,
    funnel,
    in_percent,
    limits_of,
    marked,
    names_of,
    paired,
    pilots_of,
    publish,
    question_items,
    reasons,
    shortcuts,
    shown_systems,
    tidy,
    title_of,
    with_predictions,
)

from my_benchmark.settings import AggregateSettings

TITLE = "My benchmark"
CHANCE = 25.0  # accuracy of guessing, in percent: a question has four options
_VIEW = ItemView("examples", "Examples", "Each picture with its original and its counterfactual question.")
_SHOWN = 6  # items in that view
Row = Mapping[str, Any]


def publish_report(task: Task[AggregateSettings]) -> None:
    """Publishes every table, the report and the items of this benchmark."""
    settings, questions = task.settings, task.read("questions").to_pylist()
    keys = with_predictions(task, CHOOSER)
    pilots = pilots_of(limits_of(task, CHOOSER, keys), dict.fromkeys(keys, questions), task.seed, task.benchmark)
    all_names = names_of(task, CHOOSER)
    names = marked({key: all_names[key] for key in keys}, pilots)
    predictions = list(task.rows("predictions"))
    both = paired_questions(predictions, questions, names, settings)
    tables = (
        accuracy(predictions, questions, names, settings),
        both,
        shortcuts(audits_of(task), settings.confidence, CHANCE),
        costs_of(task, CHOOSER, names),
        funnel(list(_funnel(task, pilots))),
    )
    examples = set(dict.fromkeys(row["pair_id"] for row in questions[: 2 * _SHOWN]))

    def about(item_id: str, rows: Sequence[Row]) -> About:
        return About(title_of(rows), views=(_VIEW.name,) if item_id in examples else ())

    systems = shown_systems(task, CHOOSER, {(key, ""): name for key, name in names.items()})
    items = question_items(task, questions, systems, about, variants={"original": "", "counterfactual": ""})
    publish(task, Report(TITLE, tables, headline(both)), items, (_VIEW,))


def accuracy(
    predictions: Iterable[Row], questions: Sequence[Row], names: Mapping[str, str], settings: AggregateSettings
) -> Table:
    """A table of your own: the accuracy of each model by change and variant, with intervals by picture.

    A table has one number in each row, with the columns that identify it. Views say how it is printed.
    """
    by_id = {row["question_id"]: row for row in questions}
    found: dict[tuple[str, str, str], list[tuple[bool, str]]] = {}
    for row in predictions:
        about = by_id[row["question_id"]]
        place = (row["model"], about["group"], about["variant"])
        found.setdefault(place, []).append((row["correct"], about["image_ids"][0]))
    rows = []
    for (model, change, variant), answers in sorted(found.items(), key=lambda one: one[0]):
        right, pictures = zip(*answers, strict=True)
        share = clustered_share(right, pictures, confidence=settings.confidence)
        about = {"model": model, "name": names[model], "group": change, "variant": variant, "measure": "accuracy"}
        rows.append({**about, **in_percent("value", share), "n": len(answers)})
    view = View(
        f"Accuracy in percent, with {100 * settings.confidence:g}% intervals by picture; chance is {CHANCE:g}%.",
        {"model": "", "name": "Model", "group": "Change"},
        (
            Column("Original", "accuracy", {"variant": "original"}, interval=True),
            Column("Counterfactual", "accuracy", {"variant": "counterfactual"}, interval=True),
            Column("Pairs", "accuracy", {"variant": "original"}, number="n"),
        ),
        "A question without an answer counts as wrong.",
    )
    identity = ("model", "name", "group", "variant", "measure")
    return Table("accuracy", "Accuracy by change", tidy(rows, identity, ("value", "low", "high", "n")), (view,))


def paired_questions(
    predictions: Iterable[Row], questions: Sequence[Row], names: Mapping[str, str], settings: AggregateSettings
) -> Table:
    """The standard table of paired questions: both accuracies, the drop with its test, consistency."""
    groups = sorted({row["group"] for row in questions})
    pairs, answers = answers_of_rows(predictions, questions, groups)
    given = {model: found for (model, _), found in answers.items()}
    systems = (PairedSystem(key, name, dict(by_group(pairs, given[key]))) for key, name in names.items())
    text = PairedText(TITLE, f"{100 * settings.confidence:g}%", unit="picture", group="Change")
    return paired(systems, settings.confidence, text)


def headline(both: Table) -> dict[str, dict[str, float]]:
    """The numbers for `dvc metrics diff` and `whatif summary`, by model: accuracies in percent, the drop in points."""
    frame = both.frame[both.frame["group"] == ALL]
    found: dict[str, dict[str, float]] = {}
    for row in frame[frame["measure"].isin([ORIGINAL, COUNTERFACTUAL, DROP])].to_dict("records"):
        found.setdefault(row["model"], {})[row["measure"]] = row["value"]
    return found


def _funnel(task: Task[AggregateSettings], pilots: Mapping[str, Pilot]) -> Iterator[FunnelStage]:
    """The counts of every stage, each from its own artifacts. whatif refuses counts that do not add up."""
    generated, verified = task.count("generated") // 2, task.count("questions") // 2
    filtered, refused = (reasons(task.rows(role)) for role in ("filtered", "refused"))
    kept = generated - sum(filtered.values())
    yield FunnelStage("generate", "pairs", generated, generated)
    yield FunnelStage("filter", "pairs", generated, kept, filtered)
    yield FunnelStage("verify", "pairs", kept, verified, refused)
    for model, paths in task.paths_by(CHOOSER, "predictions").items():
        left_out = 2 * (pilots[model].total - len(pilots[model].pairs)) if model in pilots else 0
        yield evaluation_stage(paths, model, task.count("questions"), not_in_sample=left_out)
