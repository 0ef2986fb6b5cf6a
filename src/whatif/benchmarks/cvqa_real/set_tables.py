"""Statistics of sets of questions: their numbers, answers and words (C-VQA 3.4, Figure 3, supplement E).

Each table shows one or two sets side by side: `ours` (the verified questions) and `released` (the released file,
whether its images are available or not). A set is given as rows of the table `questions`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from whatif.benchmarks.cvqa_real.schemas import BOOLEAN, COUNTERFACTUAL, DIRECT, GROUPS, INDIRECT, ORIGINAL, VARIANTS
from whatif.benchmarks.cvqa_real.tables import REPORTED_GROUPS
from whatif.engine.language.tagging import tagger
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import PUBLISHED, REPORTED, Column, Table, View, tidy
from whatif.results.reporting.twin_measures import ALL

_MOST_FREQUENT = 10  # number of words of a class that are shown
_REPORTED_MEASURES = {"questions": "questions", "mean_question_length": "mean words", "share_no": "answer no"}
Row = Mapping[str, Any]
Sets = Mapping[str, Sequence[Row]]  # name -> rows of `questions`
Counts = Mapping[str, Mapping[str, Counter[int]]]  # numerical group -> variant -> answer -> number of questions


def questions_table(sets: Sets) -> Table:
    """Numbers of C-VQA 3.4 beside those that the paper reports, and how many answers the presuppositions change.

    Words are split on white space. The answer "no" is in percent of the questions of a variant.
    """
    rows = [
        {"set": name, **row} for name, questions in sets.items() for row in (*_numbers(questions), *_changes(questions))
    ]
    shown = {"set": "Set", "group": "Group"}
    views = (
        View(
            "The sets of questions (C-VQA 3.4). A released set is whole, whether its images are available or not.",
            {**shown, "variant": "Variant"},
            (
                Column("Questions", "questions", write=count),
                Column("Mean words", "mean words", write=decimal(2)),
                Column("No (%)", "answer no", write=decimal(2)),
            ),
            "The reported mean of 13.15 words is 13.157 in the released file.",
        ),
        View(
            "Pairs whose answer the presupposition changes. In the group boolean, a changed answer is flipped.",
            shown,
            (
                Column("Pairs", "changed", number="n"),
                Column("Unchanged", "unchanged", write=count),
                Column("Changed (%)", "changed", write=decimal(1)),
            ),
        ),
    )
    frame = tidy([*rows, *_reported()], ("set", "group", "variant", "measure", PUBLISHED), ("value", "n"))
    return Table("question-set", "The questions", frame, views)


def answer_counts(questions: Sequence[Row]) -> dict[str, dict[str, Counter[int]]]:
    """Numerical group -> variant -> answer -> number of questions."""
    counts: dict[str, dict[str, Counter[int]]] = {
        group: {variant: Counter() for variant in VARIANTS} for group in (DIRECT, INDIRECT)
    }
    for row in questions:
        if row["group"] in counts and row["answer"].isdecimal():
            counts[row["group"]][row["variant"]][int(row["answer"])] += 1
    return counts


def answers_table(counts: Mapping[str, Counts]) -> Table:
    """The distribution of answers in the numerical groups of each set (C-VQA Figure 3), original and counterfactual."""
    rows = [
        {
            "set": name,
            "group": group,
            "answer": answer,
            "variant": variant,
            "measure": "share",
            "value": 100 * of_variant[answer] / of_variant.total(),
            "n": of_variant.total(),
        }
        for name, of_set in counts.items()
        for group, variants in of_set.items()
        for answer in sorted(set().union(*variants.values()))
        for variant, of_variant in variants.items()
        if of_variant
    ]
    view = View(
        "Answers of the numerical groups, in percent of their questions (C-VQA Figure 3).",
        {"set": "Set", "group": "Group", "answer": "Answer"},
        tuple(Column(v.capitalize(), "share", {"variant": v}, write=decimal(2)) for v in VARIANTS),
    )
    frame = tidy(rows, ("set", "group", "answer", "variant", "measure"), ("value", "n"))
    return Table("answers", "Answers", frame, (view,))


def words_table(sets: Sets) -> Table:
    """Type-token ratios and the most frequent nouns and verbs of each set (C-VQA supplement E)."""
    rows = [{"set": name, **row} for name, questions in sets.items() for row in _words(questions)]
    shown = {"set": "Set", "variant": "Variant", "class": "Class"}
    views = (
        View(
            "Nouns and verbs as TextBlob's pattern tagger finds them (C-VQA supplement E, which names no tagger).",
            shown,
            (
                Column("Words", "words", write=count),
                Column("Different", "different", write=count),
                Column("Type-token ratio", "type-token ratio", write=decimal(4)),
            ),
            "The ratio falls with the number of words, so only sets of similar size can be compared.",
        ),
        View(
            "The most frequent nouns and verbs.",
            {**shown, "word": "Word"},
            (Column("Number", "frequency", write=count),),
        ),
    )
    frame = tidy(rows, ("set", "variant", "class", "measure", "word"), ("value",))
    return Table("words", "Words", frame, views)


def _numbers(questions: Sequence[Row]) -> Iterator[Row]:
    from whatif.scoring.statistics.question_sets import summary

    cells = summary(questions)
    for group in (ALL, *GROUPS):
        for variant in VARIANTS:
            if cell := cells.get(group, {}).get(variant):
                number = cell["number"]
                values = {"questions": number, "mean words": cell["mean_words"]}
                if group == BOOLEAN:
                    values["answer no"] = 100 * cell["answers"].get("no", 0) / number
                for name, value in values.items():
                    yield {"group": group, "variant": variant, "measure": name, "value": value, "n": number}


def _changes(questions: Sequence[Row]) -> Iterator[Row]:
    """For each group, the number of pairs whose answers are the same, and the share of the others in percent."""
    originals = {row["pair_id"]: row["answer"] for row in questions if row["variant"] == ORIGINAL}
    twins = [row for row in questions if row["variant"] == COUNTERFACTUAL and row["pair_id"] in originals]
    for group in (ALL, *GROUPS):
        of_group = [row for row in twins if group in (row["group"], ALL)]
        if of_group:
            total, same = len(of_group), sum(row["answer"] == originals[row["pair_id"]] for row in of_group)
            place = {"group": group, "variant": COUNTERFACTUAL, "n": total}
            yield {**place, "measure": "unchanged", "value": same}
            yield {**place, "measure": "changed", "value": 100 * (total - same) / total}


def _reported() -> list[Row]:
    """What C-VQA 3.4 reports about its set, in the order of the groups and variants."""
    groups = {ALL: ALL, **REPORTED_GROUPS}
    found = [
        {
            "set": REPORTED,
            "group": groups[row["group"]],
            "variant": row["variant"],
            "measure": _REPORTED_MEASURES[row["metric"]],
            "value": float(row["value"]),
            PUBLISHED: row["value"],
        }
        for row in published(__package__, "text")
        if row["subset"] == "C-VQA-Real" and row["location"] == "sec3.4"
        if row["group"] in groups and row["metric"] in _REPORTED_MEASURES
    ]
    order = (ALL, *GROUPS)
    return sorted(found, key=lambda row: (order.index(row["group"]), VARIANTS.index(row["variant"])))


def _words(questions: Sequence[Row]) -> Iterator[Row]:
    from whatif.benchmarks.cvqa_real.words import word_classes

    tag = tagger("pattern")  # the same tagger on every machine, regardless of the installed packages
    for variant in VARIANTS:
        texts = [str(row["question"]) for row in questions if row["variant"] == variant]
        for name, found in word_classes(texts, tag).items():
            of_class = {"variant": variant, "class": name}
            values = {"words": found.tokens, "different": found.types, "type-token ratio": found.type_token_ratio}
            yield from ({**of_class, "measure": measure, "value": value} for measure, value in values.items())
            for word, number in found.top[:_MOST_FREQUENT]:
                yield {**of_class, "measure": "frequency", "word": word, "value": number}
