"""The probe of C-VQA 4.2: does a model merely count everything? Answers equal to the number of all flowers or dots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from whatif.results.reporting.numerals import count
from whatif.results.reporting.precision import Precision, in_percent
from whatif.results.reporting.table import OURS, Column, Table, View, tidy
from whatif.results.reporting.twin_answers import VARIANTS, Codes, Flags, TwinAnswers
from whatif.results.reporting.twins import ALL
from whatif.scoring.statistics import wilson

Row = dict[str, Any]

_LISTED, _RIGHT, _WRONG = "listed", "right option", "wrong option"
_CHOSEN, _ACCURACY, _ALL_CHOSEN = "chosen where wrong", "accuracy where wrong", "chosen"
_NUMBERS = ("value", "low", "high", "n")
_NOTE = (
    "A model that ignores what a question asks for may count all flowers or dots of the image. If that number is an "
    "option, the model can give it as its answer. Where it is the right answer, giving it proves nothing. So the "
    "shares are of the questions where it is a wrong option. A model that guesses chooses it as often as any other "
    "option, in 25%. A model that counts everything chooses it more often, and is right less often. In dot-removal, "
    "the number of all is the original answer, so a model that ignores the presupposition gives it as well."
)


def number_of_all(puzzle: Mapping[str, Any]) -> int:
    """The number of all flowers or dots in a row of the table `puzzles`."""
    return len(puzzle["flowers"]) or sum(len(circle["dots"]) for circle in puzzle["circles"])


def counted(
    answers: TwinAnswers,
    questions: Iterable[Mapping[str, Any]],
    everything: Mapping[str, int],
    *,
    settings: Precision,
    names: Mapping[str, str],
    title: str,
    known: str,
) -> Table:
    """The table `counted`: how often a model's answer is the number of all flowers or dots, by template and variant.

    `everything` has that number for each pair for which it is known, and `known` says in words for which it is. Rows
    without a model count questions: `listed` are those where the number is an option, `right option` and `wrong option`
    those of them where it is the right answer and where it is not. Rows of models are in percent: `chosen` of the
    `listed`, `chosen where wrong` and `accuracy where wrong` of the `wrong option`, the last two with Wilson
    intervals. A question without an answer counts as wrong, and as another answer. Questions that a model was not asked
    do not count.
    """
    pair_ids = answers.pair_ids(np.arange(len(answers.group)))
    is_known = np.array([pair_id in everything for pair_id in pair_ids], np.bool_)
    places = _places_of_all(pair_ids, questions, everything)
    templates = _templates(answers, is_known)
    rows = list(_counts(answers, places, templates))
    for place, model in enumerate(answers.models):
        of_model = {"model": model, "name": names[model], "source": OURS}
        rows += [{**of_model, **row} for row in _shares(answers, places, place, templates, settings)]
    level = f"{100 * settings.confidence:g}%"
    by_model = {"model": "", "name": "Model", "template": "Template"}
    views = (
        View(
            f"{title}: questions in which the number of all flowers or dots is an option, and whether it is right.",
            {"template": "Template", "variant": "Variant"},
            (
                Column("Questions", "questions", write=count),
                Column("An option", _LISTED, write=count),
                Column("Right", _RIGHT, write=count),
                Column("Wrong", _WRONG, write=count),
            ),
            known,
        ),
        View(
            f"{title}: answers that are the number of all flowers or dots, in percent of the questions where that "
            f"number is a wrong option, with {level} intervals (C-VQA 4.2).",
            by_model,
            _by_variant(_CHOSEN),
            _NOTE,
        ),
        View(f"{title}: right answers to the same questions, in percent.", by_model, _by_variant(_ACCURACY)),
    )
    identity = ("model", "name", "source", "template", "variant", "measure")
    return Table("counted", "Does a model merely count everything?", tidy(rows, identity, _NUMBERS), views)


def _by_variant(measure: str) -> tuple[Column, ...]:
    return tuple(Column(name.capitalize(), measure, {"variant": name}, interval=True) for name in VARIANTS)


def _places_of_all(
    pair_ids: Sequence[str], questions: Iterable[Mapping[str, Any]], everything: Mapping[str, int]
) -> Codes:
    """The place of the number of all among the options of each question, -1 if it is none of them: pairs x variants."""
    pairs = {pair_id: place for place, pair_id in enumerate(pair_ids)}
    found: Codes = np.full((len(pairs), len(VARIANTS)), -1, np.int8)
    for question in questions:
        number = everything.get(question["pair_id"])
        if number is not None and str(number) in question["choices"]:
            place = pairs[question["pair_id"]], VARIANTS.index(question["variant"])
            found[place] = question["choices"].index(str(number))
    return found


def _counts(answers: TwinAnswers, places: Codes, templates: Mapping[str, Flags]) -> Iterator[Row]:
    """How many questions of each template and variant have the number of all among their options."""
    for template, inside in templates.items():
        for variant, name in enumerate(VARIANTS):
            listed = inside & (places[:, variant] >= 0)
            is_right = places[:, variant] == answers.correct[:, variant]
            kept = {"questions": inside, _LISTED: listed, _RIGHT: listed & is_right, _WRONG: listed & ~is_right}
            for measure, flags in kept.items():
                yield {"template": template, "variant": name, "measure": measure, "value": int(flags.sum())}


def _shares(
    answers: TwinAnswers, places: Codes, model: int, templates: Mapping[str, Flags], settings: Precision
) -> Iterator[Row]:
    """The shares of one model, where it was asked at least one question whose options include the number."""
    for template, inside in templates.items():
        for variant, name in enumerate(VARIANTS):
            place, right = places[:, variant], answers.correct[:, variant]
            listed = inside & (place >= 0) & answers.answered[model, :, variant]
            wrong = listed & (place != right)
            gives_all = answers.letter[model, :, variant] == place
            is_right = answers.right[model, :, variant]
            for measure, given, among in (
                (_ALL_CHOSEN, gives_all, listed),
                (_CHOSEN, gives_all, wrong),
                (_ACCURACY, is_right, wrong),
            ):
                if n := int(among.sum()):
                    share = wilson(int((given & among).sum()), n, settings.confidence)
                    numbers = in_percent("value", share)
                    yield {"template": template, "variant": name, "measure": measure, **numbers, "n": n}


def _templates(answers: TwinAnswers, is_known: Flags) -> dict[str, Flags]:
    """The pairs of each template for which the number is known, and those of all if there are several templates."""
    found = {group: (answers.group == place) & is_known for place, group in enumerate(answers.groups)}
    templates = {group: inside for group, inside in found.items() if inside.any()}
    return {**templates, ALL: is_known} if len(templates) > 1 else templates
