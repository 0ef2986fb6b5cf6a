"""The table `probes`: the accuracy of each model on its questions as they are asked, and changed in one way.

    as_asked: accuracy on the ordinary questions to which the probe applies
    probed: accuracy on the same questions, changed (`whatif.scoring.probes`)
    change: probed minus as asked, in points, with the paired test; a loss is negative
    same_answer: share of the same answer among the questions that were answered both times; of options, the same text
    skipped: the number of questions that were asked, but to which the probe does not apply

The column `variant` is empty in rows over all questions, which alone are tested.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.engine.artifacts.variants import variant_order
from whatif.engine.language.options import LETTERS
from whatif.engine.params.probes import NONE_OF_THESE, OTHER_IMAGE, PARAPHRASED, SHUFFLED, WITHOUT_IMAGE
from whatif.results.reporting.precision import corrected, in_percent
from whatif.results.reporting.table import Column, Table, View, tidy
from whatif.scoring.extraction.answer import normalise
from whatif.scoring.statistics import clustered_share, paired_difference

NAME = "probes"
IDENTITY = ("model", "name", "source", "strategy", "probe", "variant", "measure")
AS_ASKED, PROBED, CHANGE, SAME, SKIPPED = "as_asked", "probed", "change", "same_answer", "skipped"
Row = Mapping[str, Any]
_MOST_VARIANTS = 2  # that are printed
_ABOUT = {
    SHUFFLED: "shuffled-options: the same options under other letters. An answer that follows the content stays the "
    "same, and so does accuracy; that of a model that ranks texts without letters always does.",
    WITHOUT_IMAGE: "without-image: the text alone. A model that keeps its accuracy does not need the image.",
    OTHER_IMAGE: "other-image: the image of another item, while the right answer stays. A model that keeps its "
    "accuracy or its answers does not look at the image.",
    NONE_OF_THESE: 'none-of-these: "None of these" stands in place of the right option, and is right. A model that '
    "loses its accuracy chose what seemed most likely among the options.",
    PARAPHRASED: 'paraphrased: "Suppose that X. Would ...?" in place of "Would ... if X?". A model that loses accuracy '
    "depends on the wording.",
}
_HOLM = "The p-values of the changes are corrected over the table."
_SAME = (
    "The share is of the questions that were answered both times; of options, the same text counts, under whatever "
    "letter. Skipped: questions that were asked, but to which the probe does not apply."
)


@dataclass(frozen=True)
class Given:
    """An answer to a question; `content` is what it says, the text of an option where letters were given."""

    content: str | None
    right: bool


def given(question: Row, answer: str | None, *, right: bool) -> Given:
    """An answer as it is stored, a letter where the question has options; None if none was found."""
    if answer is None:
        return Given(None, right)
    choices = question["choices"]
    if choices and answer in LETTERS[: len(choices)]:
        return Given(str(choices[LETTERS.index(answer)]), right)
    return Given(normalise(answer, question["answer_kind"]), right)


def measures(
    probe: str,
    before: Mapping[str, Given],
    after: Mapping[str, Given],
    *,
    questions: Mapping[str, Row],
    clusters: Mapping[str, str],
    confidence: float,
) -> Iterator[dict[str, Any]]:
    """The rows of one system and probe, without the identity of the system.

    before, after: its answers to the ordinary and to the changed questions, by id. questions, clusters: by id as well.
    """
    ids = sorted(before.keys() & after.keys())
    yield {"probe": probe, "variant": "", "measure": SKIPPED, "n": len(before) - len(ids)}
    variants = sorted({str(questions[one]["variant"]) for one in ids}, key=variant_order)
    for variant in ("", *(variants if len(variants) > 1 else ())) if ids else ():
        chosen = [one for one in ids if variant in ("", questions[one]["variant"])]
        labels = [clusters[one] for one in chosen]
        as_asked, changed = ([answers[one].right for one in chosen] for answers in (before, after))
        place = {"probe": probe, "variant": variant}
        for measure, right in ((AS_ASKED, as_asked), (PROBED, changed)):
            share = clustered_share(right, labels, confidence=confidence)
            yield {**place, "measure": measure, **in_percent("value", share), "n": len(chosen)}
        found = paired_difference(as_asked, changed, labels, confidence=confidence)
        tested = {} if variant else {"p": found.p}
        yield {**place, "measure": CHANGE, **in_percent("value", found.interval), "n": len(chosen), **tested}
        both = [one for one in chosen if before[one].content is not None and after[one].content is not None]
        if both and probe != NONE_OF_THESE:
            same = [before[one].content == after[one].content for one in both]
            share = clustered_share(same, [clusters[one] for one in both], confidence=confidence)
            yield {**place, "measure": SAME, **in_percent("value", share), "n": len(both)}


def probes(rows: Iterable[Row], title: str, intervals: str, note: str = "") -> Table:
    """The table of the rows of all systems (`measures`, with their identity), with Holm's correction.

    `intervals` describes the intervals: `95% intervals by image`; `note` is for readers of this table.
    """
    found = corrected(rows)
    return Table(NAME, "Probes", tidy(found, IDENTITY), tuple(_views(found, title, intervals, note)))


def _views(rows: Sequence[Row], title: str, intervals: str, note: str) -> Iterator[View]:
    strategy = {"strategy": "Prompt"} if any(row["strategy"] for row in rows) else {}
    system = {"model": "", "name": "Model", **strategy, "probe": "Probe"}
    asked = {row["probe"] for row in rows}
    every = {"variant": ""}
    yield View(
        f"{title}: accuracy on the questions as asked and on the same questions changed by a probe, in percent, and "
        f"the change in points, with {intervals}.",
        system,
        (
            Column("As asked", AS_ASKED, every),
            Column("Probed", PROBED, every),
            Column("Change", CHANGE, every, interval=True),
            Column("Holm p", CHANGE, every, number="p_holm"),
        ),
        " ".join(filter(None, (*(text for probe, text in _ABOUT.items() if probe in asked), _HOLM, note))),
    )
    yield View(
        f"{title}: the share of the questions whose answer stays the same under a probe, in percent, with {intervals}.",
        system,
        (
            Column("Same answer", SAME, every, interval=True),
            Column("Answered twice", SAME, every, number="n"),
            Column("Questions", CHANGE, every, number="n"),
            Column("Skipped", SKIPPED, every, number="n"),
        ),
        _SAME,
    )
    variants = sorted({row["variant"] for row in rows if row["variant"]}, key=variant_order)
    if variants and len(variants) <= _MOST_VARIANTS:
        yield View(
            f"{title}: the change by variant of the question in points, with {intervals}.",
            system,
            tuple(Column(one.capitalize(), CHANGE, {"variant": one}, interval=True) for one in variants),
            "The CSV file has the accuracies.",
        )
