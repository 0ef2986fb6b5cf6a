"""Statistics of the released C-VQA-Real: its questions, answers and words (C-VQA 3.4, Figure 3, supplement E)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from whatif.benchmarks.cvqa_real.tables import GROUPS
from whatif.language.tagging import tagger
from whatif.reporting.numerals import count, decimal
from whatif.reporting.table import Column, Table, View, tidy
from whatif.reporting.twin_answers import VARIANTS
from whatif.reporting.twins import ALL

_MOST_FREQUENT = 10  # number of words of a class that are shown
Row = Mapping[str, Any]


def questions_table(released: Sequence[Row]) -> Table:
    """Numbers of C-VQA 3.4: questions, words split on white space, and the share of the answer "no" in percent."""
    from whatif.statistics.question_sets import summary

    cells = summary(released)
    rows: list[Row] = []
    for group in (ALL, *GROUPS):
        for variant in VARIANTS:
            if cell := cells.get(group, {}).get(variant):
                number = cell["number"]
                values = {"questions": number, "mean words": cell["mean_words"]}
                if group == "boolean":
                    values["answer no"] = 100 * cell["answers"].get("no", 0) / number
                rows += [
                    {"group": group, "variant": variant, "measure": name, "value": value, "n": number}
                    for name, value in values.items()
                ]
    view = View(
        "The released set, whether its photographs are available or not (C-VQA 3.4).",
        {"group": "Group", "variant": "Variant"},
        (
            Column("Questions", "questions", write=count),
            Column("Mean words", "mean words", write=decimal(3)),
            Column("No (%)", "answer no", write=decimal(2)),
        ),
    )
    frame = tidy(rows, ("group", "variant", "measure"), ("value", "n"))
    return Table("question-set", "The questions", frame, (view,))


def answer_counts(released: Sequence[Row]) -> dict[str, dict[str, Counter[int]]]:
    """Numerical group -> variant -> answer -> number of questions."""
    counts: dict[str, dict[str, Counter[int]]] = {
        group: {variant: Counter() for variant in VARIANTS} for group in ("direct", "indirect")
    }
    for row in released:
        if row["group"] in counts:
            counts[row["group"]][row["variant"]][int(row["answer"])] += 1
    return counts


def answers_table(counts: Mapping[str, Mapping[str, Counter[int]]]) -> Table:
    """The distribution of answers in the numerical groups (C-VQA Figure 3), original and counterfactual."""
    rows = [
        {
            "group": group,
            "answer": answer,
            "variant": variant,
            "measure": "share",
            "value": 100 * of_variant[answer] / of_variant.total(),
            "n": of_variant.total(),
        }
        for group, variants in counts.items()
        for answer in sorted(set().union(*variants.values()))
        for variant, of_variant in variants.items()
        if of_variant
    ]
    view = View(
        "Answers of the numerical groups, in percent of their questions (C-VQA Figure 3).",
        {"group": "Group", "answer": "Answer"},
        tuple(Column(v.capitalize(), "share", {"variant": v}, write=decimal(2)) for v in VARIANTS),
    )
    frame = tidy(rows, ("group", "answer", "variant", "measure"), ("value", "n"))
    return Table("answers", "Answers", frame, (view,))


def words_table(released: Sequence[Row]) -> Table:
    """Type-token ratios and the most frequent nouns and verbs (C-VQA supplement E)."""
    from whatif.benchmarks.cvqa_real.words import word_classes

    tag = tagger("pattern")  # the same tagger on every machine, regardless of the installed packages
    rows: list[Row] = []
    for variant in VARIANTS:
        texts = [str(row["question"]) for row in released if row["variant"] == variant]
        for name, found in word_classes(texts, tag).items():
            of_class = {"variant": variant, "class": name}
            values = {"words": found.tokens, "different": found.types, "type-token ratio": found.type_token_ratio}
            rows += [{**of_class, "measure": measure, "value": value} for measure, value in values.items()]
            rows += [
                {**of_class, "measure": "frequency", "word": word, "value": number}
                for word, number in found.top[:_MOST_FREQUENT]
            ]
    shown = {"variant": "Variant", "class": "Class"}
    views = (
        View(
            "Nouns and verbs as TextBlob's pattern tagger finds them (C-VQA supplement E, which names no tagger).",
            shown,
            (
                Column("Words", "words", write=count),
                Column("Different", "different", write=count),
                Column("Type-token ratio", "type-token ratio", write=decimal(4)),
            ),
        ),
        View(
            "The most frequent nouns and verbs.",
            {**shown, "word": "Word"},
            (Column("Number", "frequency", write=count),),
        ),
    )
    frame = tidy(rows, ("variant", "class", "measure", "word"), ("value",))
    return Table("words", "Words", frame, views)
