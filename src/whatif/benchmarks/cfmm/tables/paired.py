"""The standard measures of pairs: a basic question with each of its counterfactual questions is a pair.

A basic question counts once for each of its counterfactual questions. Reported rows are the accuracies of Table 2 and
the drop that follows from them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from whatif.benchmarks.cfmm.item_answers import Asked, ItemAnswers
from whatif.benchmarks.cfmm.measures import ACCURACIES, TOTAL
from whatif.benchmarks.cfmm.report import Cfmm
from whatif.benchmarks.cfmm.reported import reported
from whatif.results.reporting.answer_codes import NO_ANSWER
from whatif.results.reporting.declared import Made
from whatif.results.reporting.paired import (
    COUNTERFACTUAL,
    ORIGINAL,
    PAIR_ACCURACY,
    PairedSystem,
    PairedText,
    paired,
)
from whatif.results.reporting.paired_answers import (
    PairAnswers,
    Pairs,
    by_group,
    chance_of_ignoring,
    chosen_codes,
    guessed,
)
from whatif.results.reporting.table import DROP, Table

_MEASURES = dict(zip((*ACCURACIES, DROP), (ORIGINAL, COUNTERFACTUAL, PAIR_ACCURACY, DROP), strict=True))


def _table(found: Cfmm) -> Table:
    pairs = pairs_of(found.asked)
    systems = (
        PairedSystem(model, found.names[model], dict(by_group(pairs, given)), strategy)
        for (model, strategy), given in zip(found.answers.systems, answers_of(found.answers), strict=True)
    )
    printed = []
    for row in reported():
        if row["category"] != TOTAL and row["measure"] in _MEASURES:
            same = {name: row[name] for name in ("name", "source", "strategy", "value")}
            printed.append({**same, "group": row["category"], "measure": _MEASURES[row["measure"]]})
    about = (
        "A pair is a basic question with one of its counterfactual questions, so accuracy on originals weighs an item "
        f"by their number, and acc_b in other tables does not. A question has two options, so there is one wrong "
        f"answer: ignored says how often it is the basic one. {found.ranked_by}"
    ).strip()
    text = PairedText(found.title, found.level, "image", "Category", strategies=True, about=about)
    return paired(systems, found.settings.confidence, text, printed)


def pairs_of(questions: Asked) -> Pairs:
    """Each counterfactual question with the basic question of its item, in the order of the questions; by image."""
    counterfactuals = np.flatnonzero(~questions.is_basic)
    right = chosen_codes(questions.option_codes, questions.correct)
    correct = np.stack([right[questions.basic[counterfactuals]], right[counterfactuals]], axis=1)
    chance = chance_of_ignoring(questions.option_codes[counterfactuals], correct[:, 0], correct[:, 1])
    category, image = questions.category[counterfactuals], questions.image[counterfactuals]
    options = questions.option_codes[np.stack([questions.basic[counterfactuals], counterfactuals], axis=1)]
    return Pairs(questions.categories, category, correct, chance, image, guessed(options))


def answers_of(answers: ItemAnswers) -> Iterator[PairAnswers]:
    """The answers of each system to `pairs_of`, in the order of the systems."""
    questions = answers.questions
    counterfactuals = np.flatnonzero(~questions.is_basic)
    both = np.stack([questions.basic[counterfactuals], counterfactuals], axis=1)
    for place in range(len(answers.systems)):
        letter = np.where(answers.answered[place], answers.letter[place], NO_ANSWER)
        given = chosen_codes(questions.option_codes, letter)
        yield PairAnswers(answers.asked[place][both].all(axis=1), answers.right[place][both], given[both])


TABLE = Made(50, _table)
