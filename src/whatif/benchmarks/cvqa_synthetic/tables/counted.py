"""The probe of C-VQA 4.2: does a model merely count everything? Answers equal to the number of all flowers or dots.

Rows without a model count questions: `listed` are those where the number is an option, `right option` and `wrong
option` those of them where it is the right answer and where it is not. Rows of models are in percent: `chosen` of the
`listed`, `chosen where wrong` and `accuracy where wrong` of the `wrong option`, with Wilson intervals. A question
without an answer counts as wrong, and as another answer. Questions that a model was not asked do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whatif.benchmarks.cvqa_synthetic.report import Puzzles
from whatif.results.reporting.answers import Codes, Flags
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import count
from whatif.results.reporting.pair_measures import ALL
from whatif.results.reporting.precision import in_percent
from whatif.results.reporting.question_pairs import VARIANTS
from whatif.results.reporting.table import OURS, Column, View
from whatif.scoring.statistics import wilson

_LISTED, _RIGHT, _WRONG = "listed", "right option", "wrong option"
_CHOSEN, _ACCURACY, _ALL_CHOSEN = "chosen where wrong", "accuracy where wrong", "chosen"
_BY_MODEL = {"model": "", "name": "Model", "template": "Template"}
_NOTE = (
    "A model that ignores what a question asks for may count all flowers or dots of the image. If that number is an "
    "option, the model can give it as its answer. Where it is the right answer, giving it proves nothing. So the "
    "shares are of the questions where it is a wrong option. A model that guesses chooses it as often as any other "
    "option, in 25%. A model that counts everything chooses it more often, and is right less often. In dot-removal, "
    "the number of all is the original answer, so a model that ignores the presupposition gives it as well."
)


def _rows(found: Puzzles) -> Iterator[dict[str, Any]]:
    answers, asked = found.answers, found.answers.questions
    letters, known = _letters_of_all(found)
    groups = {name: (asked.group == place) & known for place, name in enumerate(asked.groups)}
    templates = {name: inside for name, inside in groups.items() if inside.any()}
    templates |= {ALL: known} if len(templates) > 1 else {}
    places = [(name, inside, side) for name, inside in templates.items() for side in range(len(VARIANTS))]
    for template, inside, side in places:
        letter, right = letters[:, side], asked.correct[:, side]
        listed = inside & (letter >= 0)
        flags = {"questions": inside, _LISTED: listed, _RIGHT: listed & (letter == right)}
        for measure, of in {**flags, _WRONG: listed & (letter != right)}.items():
            yield {"template": template, "variant": VARIANTS[side], "measure": measure, "value": int(of.sum())}
    for place, model in enumerate(answers.models):
        for template, inside, side in places:
            letter = letters[:, side]
            listed = inside & (letter >= 0) & answers.asked[place, :, side]
            wrong = listed & (letter != asked.correct[:, side])
            gives_all, is_right = answers.letter[place, :, side] == letter, answers.right[place, :, side]
            of_part = {"source": OURS, "template": template, "variant": VARIANTS[side]}
            for measure, given, among in (
                (_ALL_CHOSEN, gives_all, listed),
                (_CHOSEN, gives_all, wrong),
                (_ACCURACY, is_right, wrong),
            ):
                if n := int(among.sum()):
                    share = in_percent("value", wilson(int((given & among).sum()), n, found.settings.confidence))
                    yield {"model": model, "name": found.names[model], **of_part, "measure": measure, **share, "n": n}


def _letters_of_all(found: Puzzles) -> tuple[Codes, Flags]:
    """The option that is the number of all, -1 if none is (pairs x variants); whether the number is known (pairs)."""
    asked = found.answers.questions
    place = pc.index_in(asked.pair_id, found.everything["pair_id"].combine_chunks())
    number = pc.fill_null(found.everything["number"].take(place), -1).to_numpy()
    # Questions with the same options and the same number of all are decided together.
    of_question = asked.alike + len(asked.asked) * (number[asked.slots // len(VARIANTS)] + 1)
    distinct, which = np.unique(of_question, return_inverse=True)
    choices = asked.asked["choices"].take(pa.array(distinct % len(asked.asked))).to_pylist()
    texts = [str(one - 1) for one in (distinct // len(asked.asked)).tolist()]
    decided = [listed.index(text) if text in listed else -1 for listed, text in zip(choices, texts, strict=True)]
    letters: Codes = np.full(asked.correct.shape, -1, np.int8)
    letters.reshape(-1)[asked.slots] = np.array(decided, np.int8)[which]
    return letters, np.asarray(place.is_valid())


def _by_variant(measure: str) -> tuple[Column, ...]:
    return tuple(Column(name.capitalize(), measure, {"variant": name}, interval=True) for name in VARIANTS)


TABLE: Declared[Puzzles] = Declared(
    position=60,
    title="Does a model merely count everything?",
    identity=("model", "name", "source", "template", "variant", "measure"),
    numbers=("value", "low", "high", "n"),
    rows=_rows,
    views=lambda found: (
        View(
            f"{found.title}: questions in which the number of all flowers or dots is an option, and whether it is "
            "right.",
            {"template": "Template", "variant": "Variant"},
            (
                Column("Questions", "questions", write=count),
                Column("An option", _LISTED, write=count),
                Column("Right", _RIGHT, write=count),
                Column("Wrong", _WRONG, write=count),
            ),
            found.known,
        ),
        View(
            f"{found.title}: answers that are the number of all flowers or dots, in percent of the questions where "
            f"that number is a wrong option, with {found.level} intervals (C-VQA 4.2).",
            _BY_MODEL,
            _by_variant(_CHOSEN),
            _NOTE,
        ),
        View(f"{found.title}: right answers to the same questions, in percent.", _BY_MODEL, _by_variant(_ACCURACY)),
    ),
)
