"""People beside models in a table of accuracies: a row of their own, and the ceiling that they set for each accuracy.

Measures of one part of the questions, such as those of one variant, as far as people answered them:

    accuracy where people answered
                    share of right answers in percent; of people, over all their answers
    ceiling         share of the questions for which the majority of people gives the right answer, in percent. A tie
                    for the most frequent answer is no majority. Of a model: over those that it was asked, too
    attempts per question
                    answers of people
    people          how many people answered
    agreement of people
                    Krippendorff's alpha of their answers (`krippendorff_alpha`), over questions with several

Intervals of shares are by cluster, as those of models; that of alpha is a bootstrap over questions. None of them
generalises to other people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.precision import as_measured, in_percent
from whatif.results.reporting.table import Column, View
from whatif.scoring.statistics import clustered_share
from whatif.scoring.statistics.pair_agreement import krippendorff_alpha

PEOPLE = "Humans"  # the name of their row
SHARED, CEILING, ATTEMPTS = "accuracy where people answered", "ceiling", "attempts per question"
NUMBER, AGREEMENT = "people", "agreement of people"
PEOPLE_MEASURES = frozenset({SHARED, CEILING, ATTEMPTS, NUMBER, AGREEMENT})
Row = Mapping[str, Any]


@dataclass(frozen=True)
class PeoplesAnswers:
    """Rows of `human-attempts` by question; `clusters` names the cluster of each question, such as its image."""

    attempts: Mapping[str, Sequence[Row]]
    clusters: Mapping[str, str]
    confidence: float
    seed: int

    def of_people(self, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
        """The measures of people on some of the questions that they answered. `n` is the number of questions."""
        rows = [row for one in ids for row in self.attempts[one]]
        share = self._share((row["question_id"], row["correct"]) for row in rows)
        yield {"measure": SHARED, **share, "n": len(ids)}
        yield self._ceiling(ids)
        yield {"measure": ATTEMPTS, "value": round(len(rows) / len(ids), 4), "n": len(ids)}
        yield {"measure": NUMBER, "value": len({row["attempt"] for row in rows})}
        several = [[row["answer"] for row in self.attempts[one]] for one in ids if len(self.attempts[one]) > 1]
        alpha = krippendorff_alpha(several, confidence=self.confidence, seed=self.seed)
        if alpha is not None:
            yield {"measure": AGREEMENT, **as_measured(alpha), "n": len(several)}

    def of_model(self, right: Mapping[str, bool], ids: Iterable[str]) -> Iterator[dict[str, Any]]:
        """The accuracy of a model on those questions that it was asked, with the ceiling; none without any.

        right: whether its answer to a question is right.
        """
        if both := [one for one in ids if one in right]:
            yield {"measure": SHARED, **self._share((one, right[one]) for one in both), "n": len(both)}
            yield self._ceiling(both)

    def _ceiling(self, ids: Sequence[str]) -> dict[str, Any]:
        reached = self._share((one, majority_is_right(self.attempts[one])) for one in ids)
        return {"measure": CEILING, **reached, "n": len(ids)}

    def _share(self, outcomes: Iterable[tuple[str, bool]]) -> dict[str, float]:
        names, right = zip(*outcomes, strict=True)
        clusters = [self.clusters[name] for name in names]
        return in_percent("value", clustered_share(right, clusters, confidence=self.confidence))


def majority_is_right(attempts: Sequence[Row]) -> bool:
    """Whether the most frequent answer to a question is right; not if several answers are equally frequent."""
    counts = Counter(row["answer"] for row in attempts)
    (answer, most), *others = counts.most_common(2)
    return all(number < most for _, number in others) and any(
        row["correct"] for row in attempts if row["answer"] == answer
    )


def people_view(title: str, rows: Mapping[str, str], level: str, unit: str, note: str = "") -> View:
    """The printed table of these measures; `rows` are the identifying columns with their headings.

    `level` and `unit` describe the intervals: `95%`, `image`.
    """
    return View(
        f"{title}: accuracy on the questions that people answered, in percent with {level} intervals by {unit}, beside "
        "the ceiling: the share for which the majority of people gives the right answer.",
        rows,
        (
            Column("Accuracy", SHARED, interval=True),
            Column("Ceiling", CEILING, interval=True),
            Column("Questions", SHARED, number="n"),
            Column("Attempts", ATTEMPTS),
            Column("People", NUMBER, write=count),
            Column("Alpha", AGREEMENT, write=decimal(2)),
        ),
        f"The accuracy of {PEOPLE} is that of a single attempt. A tie is no majority. Attempts: answers per question. "
        f"Alpha: Krippendorff's, of people's answers to the same question. {note}".strip(),
    )
