"""The tables of the scenes: accuracy by type of question, and matching of captions and images."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import pandas as pd

from whatif.benchmarks.shared.pair_choices import CHOICES, found
from whatif.engine.errors import WhatifError
from whatif.results.reporting.judged import ACCURACY, JUDGE, READINGS, Judged, judge_views
from whatif.results.reporting.numerals import count
from whatif.results.reporting.precision import in_percent
from whatif.results.reporting.report import Headline
from whatif.results.reporting.table import OURS, Column, Table, View, tidy
from whatif.scoring.statistics import Interval, clustered_share, wilson

Row: TypeAlias = Mapping[str, Any]

ALL = "all"
_NUMBERS = ("value", "low", "high", "n")
_SYSTEM = {"model": "", "name": "Model"}
# The chosen item of the two in a pair and the variant that it belongs to, by the names of CHOICES.
_CHOICES = dict(
    zip(
        CHOICES,
        [
            ("image", "original"),
            ("image", "counterfactual"),
            ("caption", "original"),
            ("caption", "counterfactual"),
            ("all four", ""),
        ],
        strict=True,
    )
)


def accuracy(
    predictions: Iterable[Row],
    questions: Sequence[Row],
    *,
    names: Mapping[str, str],
    confidence: float,
    sampled: Mapping[str, Collection[str]] = MappingProxyType({}),
    judged: Judged | None = None,
) -> Table:
    """The table `accuracy`: each model by group of questions and over all, with intervals by image.

    `names` maps each model's key to its display name, in the order of the rows. `sampled` gives the question ids
    for a model that was asked only some of them. Measures: `accuracy` in percent of the `n` questions that were asked;
    `unanswered`: the number of these without an answer, which count as wrong; `asked`: questions asked, of `n`. With a
    judge (`judged`), further rows and views show the accuracy with it, what it found, and its agreement with people.

    Raises WhatifError when a model lacks a prediction.
    """
    by_id = {row["question_id"]: row for row in questions}
    given = _by_model(predictions, names)
    for key, answers in given.items():
        asked = set(sampled.get(key, by_id))
        if set(answers) != asked:
            raise WhatifError(
                f"model {key}: has {len(answers):,} predictions for {len(asked):,} questions; ask it again"
            )
    every = [row for answers in given.values() for row in answers.values()]
    with_judge = _by_model(judged.applied_to(every), names) if judged else {}
    clusters = {name: "+".join(row["image_ids"]) for name, row in by_id.items()}
    rows: list[dict[str, Any]] = []
    for group in (*sorted({row["group"] for row in questions}), ALL):
        of_group = [name for name, row in by_id.items() if group in (row["group"], ALL)]
        for key, answers in given.items():
            ids = [name for name in of_group if name in answers]
            if not ids:
                continue  # none of these questions is in the sample
            interval = _share_right(answers, ids, clusters, confidence)
            unanswered = sum(answers[name]["status"] != "ok" for name in ids)
            of_model = {"model": key, "name": names[key], "source": OURS, "group": group}
            rows += [
                {**of_model, "measure": "accuracy", **in_percent("value", interval), "n": len(ids)},
                {**of_model, "measure": "unanswered", "value": unanswered, "n": len(ids)},
                {**of_model, "measure": "asked", "value": len(ids), "n": len(of_group)},
            ]
            if judged is not None:
                both = (interval, _share_right(with_judge[key], ids, clusters, confidence))
                rows += [{**of_model, **row} for row in _judge_rows(judged, key, ids, both)]
    level = f"{100 * confidence:g}%"
    further: tuple[View, ...] = ()
    if judged is not None:
        of_each = {"source": OURS, "group": ALL}
        agreed = judged.agreements(names, "All models", by_id, confidence, clusters)
        rows += [{**of_each, **row} for row in agreed]
        columns = (Column("Accuracy", ACCURACY, interval=True), Column("Questions", ACCURACY, number="n"))
        further = judge_views(judged, columns, _SYSTEM, {"group": "Type of answer"}, level)
    view = View(
        f"Accuracy (%) on open questions about scenes, by VQAv2's type of answer, with {level} intervals by image.",
        {"group": "Type of answer", **_SYSTEM},
        (
            Column("Accuracy", "accuracy", interval=True),
            Column("Questions", "accuracy", number="n"),
            Column("Not answered", "unanswered", write=count),
        ),
        "A question without an answer counts as wrong.",
    )
    identity = ("model", "name", "source", "group", *([] if judged is None else [JUDGE]), "measure")
    return Table("accuracy", "Questions", tidy(rows, identity, _NUMBERS), (view, *further))


def _by_model(predictions: Iterable[Row], names: Iterable[str]) -> dict[str, dict[str, Row]]:
    """Model -> question -> its prediction; models in the order of `names`."""
    given: dict[str, dict[str, Row]] = {key: {} for key in names}
    for row in predictions:
        given[row["model"]][row["question_id"]] = row
    return given


def _judge_rows(judged: Judged, model: str, ids: Sequence[str], both: tuple[Interval, Interval]) -> Iterator[Row]:
    """The accuracy of a model without and with the judge (`both`), and what the judge found."""
    for reading, share in zip(READINGS, both, strict=True):
        yield {JUDGE: reading, "measure": ACCURACY, **in_percent("value", share), "n": len(ids)}
    yield from judged.counts(model, set(ids))


def _share_right(
    answers: Mapping[str, Row], ids: Sequence[str], clusters: Mapping[str, str], confidence: float
) -> Interval:
    right = [answers[name]["correct"] for name in ids]
    return clustered_share(right, [clusters[name] for name in ids], confidence=confidence)


def matching(matches: Iterable[Row], *, names: Mapping[str, str], confidence: float) -> Table:
    """The table `matching`: how often each matcher finds the right one of two (COCO-Counterfactuals 4.2.2).

    Measures: `found` in percent of `n` pairs with Wilson intervals, by chosen item (`image`, `caption` or `all four`)
    and the variant that it belongs to; `errors`: pairs that could not be scored, which count as wrong. A tie is wrong.
    """
    right: dict[str, list[dict[str, bool]]] = {key: [] for key in names}
    errors = dict.fromkeys(names, 0)
    for row in matches:
        right[row["model"]].append(found(row))
        errors[row["model"]] += row["status"] != "ok"
    rows: list[dict[str, Any]] = []
    for key, of_pairs in right.items():
        of_model = {"model": key, "name": names[key], "source": OURS}
        number = len(of_pairs)
        for name, (chosen, variant) in _CHOICES.items():
            if of_pairs:
                interval = wilson(sum(one[name] for one in of_pairs), number, confidence)
                place = {**of_model, "chosen": chosen, "variant": variant}
                rows.append({**place, "measure": "found", **in_percent("value", interval), "n": number})
        rows.append({**of_model, "measure": "errors", "value": errors[key], "n": number})
    views = (
        View(
            f"How often (%) the right one of two is scored higher, with {100 * confidence:g}% Wilson intervals.",
            {**_SYSTEM, "chosen": "Chosen", "variant": "Variant"},
            (Column("Found", "found", interval=True), Column("Pairs", "found", number="n")),
            "By chance 50, and less for all four together. A tie is wrong.",
        ),
        View(
            "Pairs that could not be scored, which count as wrong.",
            _SYSTEM,
            (Column("Errors", "errors", write=count), Column("Pairs", "errors", number="n")),
        ),
    )
    identity = ("model", "name", "source", "chosen", "variant", "measure")
    return Table("matching", "Matching", tidy(rows, identity, _NUMBERS), views)


def headline(answered: pd.DataFrame, matched: pd.DataFrame) -> Headline:
    """The numbers for `dvc metrics diff`, by model, from the frames of `accuracy` and `matching`; shares in percent."""
    found: dict[str, dict[str, float | int]] = {}
    for row in answered[answered["measure"] == "accuracy"].to_dict("records"):
        of_model = found.setdefault(row["model"], {})
        of_model["accuracy" if row["group"] == ALL else row["group"]] = row["value"]
        if row["group"] == ALL:
            of_model["questions"] = row["n"]
    names = {place: name for name, place in _CHOICES.items()}
    for row in matched[matched["measure"] == "found"].to_dict("records"):
        of_model = found.setdefault(row["model"], {})
        of_model |= {names[row["chosen"], row["variant"]]: row["value"], "pairs": row["n"]}
    return found
