"""The table `prompt-sensitivity`: how far the numbers of a model move with the wording of its prompt.

With each prompt, in the column `prompt`:

    accuracy: of one variant of the questions, in the column `variant`
    drop: over pairs

Over all prompts of a model, with an empty column `prompt`:

    range: the largest accuracy minus the smallest; its `p` is that of Cochran's Q test, by image
    sd_prompts: the standard deviation of the accuracies over prompts
    se_items: the standard error of one accuracy over items, by image
    changed: share of the questions that are answered right with some prompts and wrong with others
    drop_range, drop_sd_prompts, drop_se_items: the same of the drop
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whatif.results.reporting.answers import Flags
from whatif.results.reporting.forest_plot import AXIS, Effect, forest_plot
from whatif.results.reporting.numerals import decimal
from whatif.results.reporting.precision import in_percent, p_number, percent
from whatif.results.reporting.repeats import AskedQuestions
from whatif.results.reporting.table import DROP, MEASURE, Column, Table, View, tidy
from whatif.scoring.statistics import clustered_share, paired_drop
from whatif.scoring.statistics.matched_samples import MatchedMeans, matched_means

IDENTITY = ("model", "name", "source", "strategy", "prompt", "variant", "measure")
Row = Mapping[str, Any]

_ABOUT = (
    "Range: the largest accuracy minus the smallest. SE over items: of one accuracy, with other questions. Changed: "
    "right with some prompts and wrong with others."
)

_ACCURACY = "accuracy (%)"
_ALIKE = (
    "The same questions are answered right with {}. A form words only questions that are answered in words, with a "
    "strategy such as direct."
)


@dataclass(frozen=True, eq=False)
class PromptedAnswers:
    """A model that was asked the same questions with several prompts.

    place: its identifying columns. prompts: their names. asked: whether it was asked each of the questions. right:
    whether its answer is right (prompts x questions).
    """

    place: Row
    prompts: Sequence[str]
    asked: Flags
    right: Flags


def prompt_sensitivity(
    models: Sequence[PromptedAnswers],
    asked: AskedQuestions,
    confidence: float,
    title: str,
    *,
    unit: str = "image",
    note: str = "",
) -> Table:
    """The table, of models in their order; `note` explains the prompts.

    Shares are in percent; drops, ranges, deviations and errors in points. `n` is the number of questions, or of pairs.
    `unit` is what the captions call the images of `asked`.
    """
    rows = [{**one.place, **row} for one in models for row in _of_model(one, asked, confidence)]
    frame = tidy(rows, IDENTITY, ("value", "low", "high", "n", "p"))
    alike = [f"{' and '.join(prompts)} ({', '.join(_heading(one.place))})" for one in models for prompts in _alike(one)]
    notes = [note, _ALIKE.format("; ".join(alike)) if alike else ""]
    by = f"{100 * confidence:g}% intervals and Cochran's Q test by {unit}"
    return Table(
        "prompt-sensitivity", "Several prompts", frame, tuple(_views(rows, title, by, " ".join(notes).strip()))
    )


def sensitivity_figure(frame: Any, title: str) -> bytes:
    """The forest plot of the drop with each prompt in a frame of this table; a section for each model.

    Without pairs it shows accuracies, in a section for each model and variant.
    """
    has_pairs = bool((frame[MEASURE] == DROP).any())
    shown = frame[frame[MEASURE] == (DROP if has_pairs else "accuracy")].to_dict("records")
    effects = [Effect(row["prompt"], row["value"], row["low"], row["high"], ", ".join(_heading(row))) for row in shown]
    return forest_plot(
        effects, f"{title}: {'drops' if has_pairs else 'accuracy'} by prompt", AXIS if has_pairs else _ACCURACY
    )


def _alike(one: PromptedAnswers) -> list[list[str]]:
    """The prompts with which the same questions are answered right, where there are several."""
    found: dict[bytes, list[str]] = {}
    for prompt, right in zip(one.prompts, one.right, strict=True):
        found.setdefault(right[one.asked].tobytes(), []).append(prompt)
    return [prompts for prompts in found.values() if len(prompts) > 1]


def _heading(row: Row) -> list[str]:
    return [str(row[name]) for name in ("name", "strategy", "variant") if row.get(name)]


def _of_model(one: PromptedAnswers, asked: AskedQuestions, confidence: float) -> Iterator[Row]:
    for index, variant in enumerate(asked.variants):
        chosen = np.flatnonzero(one.asked & (asked.variant == index))
        if not chosen.size:
            continue
        right, images = one.right[:, chosen], asked.image[chosen]
        of = {"variant": variant, "n": len(chosen)}
        for prompt, values in zip(one.prompts, right, strict=True):
            share = clustered_share(values, images, confidence=confidence)
            yield {**of, "prompt": prompt, "measure": "accuracy", **in_percent("value", share)}
        yield from ({**of, **row} for row in _over_prompts(matched_means(right.astype(np.int64), images)))
        changed = np.asarray(right.any(axis=0) & ~right.all(axis=0), dtype=np.bool_)
        changes = clustered_share(changed, images, confidence=confidence)
        yield {**of, "measure": "changed", **in_percent("value", changes)}
    whole = one.asked[asked.original] & one.asked[asked.counterfactual]
    original, counterfactual = asked.original[whole], asked.counterfactual[whole]
    if not original.size:
        return
    images = asked.image[original]
    before, after = one.right[:, original], one.right[:, counterfactual]
    for prompt, first, second in zip(one.prompts, before, after, strict=True):
        drop = paired_drop(first, second, images, confidence=confidence).interval
        yield {"prompt": prompt, "measure": DROP, **in_percent("value", drop), "n": len(original)}
    found = matched_means(before.astype(np.int64) - after, images)
    yield from ({"n": len(original), **row} for row in _over_prompts(found, f"{DROP}_"))


def _over_prompts(found: MatchedMeans, prefix: str = "") -> Iterator[Row]:
    yield {"measure": f"{prefix}range", "value": percent(found.range), "p": p_number(found.p)}
    yield {"measure": f"{prefix}sd_prompts", "value": percent(found.deviation)}
    if not math.isnan(found.error):
        yield {"measure": f"{prefix}se_items", "value": percent(found.error)}


def _views(rows: Iterable[Row], title: str, by: str, note: str) -> Iterator[View]:
    shown = list(rows)
    strategy = {"strategy": "Strategy"} if any(row["strategy"] for row in shown) else {}
    system = {"model": "", "name": "Model", **strategy}
    variants = dict.fromkeys(row["variant"] for row in shown if row.get("variant"))
    has_pairs = any(row["measure"] == DROP for row in shown)
    accuracies = [Column(name.capitalize(), "accuracy", {"variant": name}, interval=True) for name in variants]
    drop = [Column("Drop", DROP, interval=True)] if has_pairs else []
    yield View(
        f"{title}: accuracy in percent{' and drop in points' if has_pairs else ''} with each prompt.",
        {**system, "prompt": "Prompt"},
        (*accuracies, *drop),
        note,
    )
    changed = (Column("Changed (%)", "changed", interval=True), Column("Questions", "changed", number="n"))
    yield View(
        f"{title}: how far accuracy moves with the prompt, in points, with {by}.",
        {**system, "variant": "Variant"},
        (*_spread(), *changed),
        _ABOUT,
    )
    if has_pairs:
        yield View(
            f"{title}: how far the drop moves with the prompt, in points.",
            system,
            (*_spread(f"{DROP}_"), Column("Pairs", f"{DROP}_range", number="n")),
        )


def _spread(prefix: str = "") -> tuple[Column, ...]:
    return (
        Column("Range", f"{prefix}range"),
        Column("SD over prompts", f"{prefix}sd_prompts", write=decimal(2)),
        Column("SE over items", f"{prefix}se_items", write=decimal(2)),
        Column("p", f"{prefix}range", number="p"),
    )
