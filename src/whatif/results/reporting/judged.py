"""What a judge changes: accuracy with it, what it was asked and found, and its agreement with people.

A judge reads responses in which the rules of extraction find no answer, or several. Its numbers stand beside those of
the rules, in rows and views of their own, and never replace them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.pair_measures import Part, accuracy, drop, each_variant
from whatif.results.reporting.precision import as_measured, in_percent
from whatif.results.reporting.question_pairs import VARIANTS
from whatif.results.reporting.table import Column, View
from whatif.scoring.extraction.answer import normalise
from whatif.scoring.judging import FINDS_NONE, NOT_IN_RESPONSE, OUTSIDE, Response, response_of, with_judge
from whatif.scoring.statistics import clustered_share
from whatif.scoring.statistics.agreement import cohen_kappa

Row = Mapping[str, Any]

JUDGE = "judge"  # the identifying column of a frame with these rows
ACCURACY, COMPARED_DROP = "compared accuracy", "compared drop"  # in rows without and with the judge
READINGS = ("without", "with")  # values of the column `judge`
AGREEMENT, KAPPA = "agreement with people", "kappa with people"
_COUNTS = (
    "judged",
    "decided",
    "decided right",
    "no answer found",
    "not in the response",
    "outside its format",
    "judge errors",
)
JUDGE_MEASURES = frozenset({ACCURACY, COMPARED_DROP, AGREEMENT, KAPPA, *_COUNTS})  # of rows that there are for a judge


@dataclass(frozen=True)
class Judged:
    """A judge and what it found.

    name: its display name. prompt: the name of its prompt. rows: of the table `judged`. labels: what people read in
    responses: the answer, normalised, or `none`; None if there are no labels.
    """

    name: str
    prompt: str
    rows: Sequence[Row]
    labels: Mapping[Response, str] | None = None

    def of(self, models: Collection[str], strategy: str) -> Judged:
        """The same judge with the responses of some models to one strategy."""
        rows = [row for row in self.rows if row["model"] in models and row["strategy"] == strategy]
        labels = None
        if self.labels is not None:
            labels = {key: label for key, label in self.labels.items() if key[1] in models and key[2] == strategy}
        return replace(self, rows=rows, labels=labels)

    def applied_to(self, predictions: Iterable[Row]) -> list[Row]:
        """The predictions, with the judge's answer where it found one."""
        return list(with_judge(predictions, self.rows))

    def counts(self, model: str, question_ids: Collection[str]) -> Iterator[dict[str, Any]]:
        """Rows with what the judge was asked and found for one model, among the `n` given questions."""
        rows = [row for row in self.rows if row["model"] == model and row["question_id"] in question_ids]
        statuses, reasons = Counter(row["status"] for row in rows), Counter(row["reason"] for row in rows)
        right = sum(row["correct"] for row in rows)
        found = (statuses["ok"], right, reasons[FINDS_NONE], statuses[NOT_IN_RESPONSE], reasons[OUTSIDE])
        numbers = (len(rows), *found, statuses["error"])
        for measure, number in zip(_COUNTS, numbers, strict=True):
            yield {"measure": measure, "value": number, "n": len(question_ids)}

    def agreements(
        self,
        names: Mapping[str, str],
        together: str,
        questions: Mapping[str, Row],
        confidence: float,
        clusters: Mapping[str, str],
    ) -> Iterator[dict[str, Any]]:
        """Rows with the judge's agreement with people on the labelled responses of each model (key -> display name).

        Several models also have rows of all their responses, under the name `together`. `n` is the number of responses
        that were judged and labelled. The share in percent on which both read the same answer, or both none, has its
        interval by cluster (question_id -> image). A reply outside the format is `none`. A model without such responses
        has no rows. Kappa is missing where all readings are the same.
        """
        for key, name in names.items():
            for row in self._agreement({key}, questions, confidence, clusters):
                yield {"model": key, "name": name, **row}
        if len(names) > 1:
            for row in self._agreement(names, questions, confidence, clusters):
                yield {"model": "", "name": together, **row}

    def _agreement(
        self, models: Collection[str], questions: Mapping[str, Row], confidence: float, clusters: Mapping[str, str]
    ) -> Iterator[dict[str, Any]]:
        both = [
            (row["question_id"], self._reading(row, questions), self.labels[response_of(row)])
            for row in self.rows
            if row["model"] in models and row["status"] != "error" and self.labels and response_of(row) in self.labels
        ]
        if not both:
            return
        ids, judge, people = zip(*both, strict=True)
        same = [one == other for one, other in zip(judge, people, strict=True)]
        share = clustered_share(same, [clusters[question_id] for question_id in ids], confidence=confidence)
        yield {"measure": AGREEMENT, **in_percent("value", share), "n": len(both)}
        kappa = cohen_kappa(judge, people, confidence=confidence)
        yield {"measure": KAPPA, **as_measured(kappa), "n": len(both)}

    def _reading(self, row: Row, questions: Mapping[str, Row]) -> str:
        if row["answer"] is None:
            return "none"
        return normalise(row["answer"], questions[row["question_id"]]["answer_kind"])

    @property
    def not_judged(self) -> int:
        """The number of labels for responses that the judge was not asked about, or could not answer."""
        judged = {response_of(row) for row in self.rows if row["status"] != "error"}
        return len(set(self.labels or ()) - judged)


def paired_judge_rows(without: Part, with_: Part) -> Iterator[dict[str, Any]]:
    """The accuracies of one group and the drop, without and with the judge's answers."""
    for judge, part in zip(READINGS, (without, with_), strict=True):
        yield from ({"judge": judge, **row, "measure": ACCURACY} for row in each_variant(accuracy)(part))
        yield from ({"judge": judge, **row, "measure": COMPARED_DROP} for row in drop(part))


PAIR_COLUMNS = (
    *(Column(variant.capitalize(), ACCURACY, {"variant": variant}, interval=True) for variant in VARIANTS),
    Column("Drop", COMPARED_DROP, interval=True),
)


def judge_views(
    judged: Judged, columns: Sequence[Column], system: Mapping[str, str], group: Mapping[str, str], level: str
) -> tuple[View, ...]:
    """The printed tables of a judge: accuracy without and with it, what it found, and its agreement with people.

    `columns` are those of the accuracies; `system` and `group` are the identifying columns with their headings.
    """
    who = f"{judged.name} (prompt: {judged.prompt})"
    views = [
        View(
            f"Accuracy (%) by the rules alone, and with the judge {who}, which read the responses in which the rules "
            f"found no answer, or several, and sentences given as open text; with {level} intervals.",
            {**system, **group, JUDGE: "Judge"},
            tuple(columns),
            "All numbers in other tables are by the rules alone.",
        ),
        View(
            f"What the judge {who} was asked and found, in responses.",
            {**system, **group},
            (
                Column("Judged", "judged", write=count),
                Column("Decided", "decided", write=count),
                Column("Right", "decided right", write=count),
                Column("No answer", "no answer found", write=count),
                Column("Not there", "not in the response", write=count),
                Column("Bad format", "outside its format", write=count),
                Column("Errors", "judge errors", write=count),
            ),
            "Right: of the decided. Not there: answers of the judge that are not in the response. Bad format: replies "
            "outside the judge's format. Neither counts as an answer. "
            "Responses that were cut off and questions with several samples are not judged.",
        ),
    ]
    if judged.labels is not None:
        views.append(
            View(
                f"Agreement of the judge {who} with people on the answer in a response, or that there is none: the "
                f"share (%) of the same readings with its {level} interval by image, and Cohen's kappa.",
                system,
                (
                    Column("Agreement", AGREEMENT, interval=True),
                    Column("Kappa", KAPPA, write=decimal(2), interval=True),
                    Column("Responses", AGREEMENT, number="n"),
                ),
                f"Labels of responses that were not judged: {judged.not_judged}.",
            )
        )
    return tuple(views)
