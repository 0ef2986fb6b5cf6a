"""The shortcut audit as a table: the questions of one or more sets that can be answered without the image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from whatif.results.reporting.precision import percent
from whatif.results.reporting.table import Column, Table, View, tidy
from whatif.scoring.shortcuts.audit import RULES, Shortcut
from whatif.scoring.shortcuts.open_answers import OPEN_RULES

_RULES = {
    "letter": "always the letter {choice}",
    "rank": "always option {choice} from below",
    "forest": "random forest",
    "words": "linear model of the words",
    "length": "always the {choice} option",
    "other-options": "{choice}",
    "other-answer": "{choice}",
    "overlap": "the option with the {choice} with the captions",
    "options": "linear model of the options alone",
    "most-frequent": "always {choice}",
    "question": "linear model of the question",
    "presupposition": "linear model of the presupposition",
    "keyword": "one word of the presupposition, mostly “{choice}”",
    "number": "the {choice} number in the presupposition",
    "same-answer": "the answer to the other question",
    "opposite-answer": "the opposite of the answer to the other question",
    "arithmetic": "arithmetic with the answer to the other question",
}
# Rules that take the answer to the other question of a pair as known, so nobody can apply them.
ANSWER_KNOWN = frozenset({"other-answer", "same-answer", "opposite-answer", "arithmetic"})
ORDER = tuple(_RULES)  # of the rules in the table
_OF_CAPTIONS = {"overlap", "options"}
_OPEN = frozenset(OPEN_RULES)
_NOTE = (
    "Letter and rank are the best in hindsight. The random forest sees only words and options, and is "
    "cross-validated on the set itself."
)
_FURTHER = (
    " The linear model sees the words of question and options, and is cross-validated, too. The other rules are the "
    "best in hindsight, and count only questions to which they apply. Comparisons with the answer to another question "
    "take this answer as known: they show what ignoring a presupposition, or inverting it, gives."
)
_WITH_CAPTIONS = (
    "Letter, length and words in common are the best in hindsight, and count only questions to which they apply. The "
    "linear model sees neither question nor captions, and is cross-validated on the set itself. Intervals take "
    "questions as independent."
)
_OF_OPEN_ANSWERS = (
    "The most frequent answer, and the first or last number, are the best in hindsight. The linear models and the word "
    "are found on some images and tested on the others. The last three rules take the answer to the other question of "
    "the pair as known: they show how little is left to see in the image. Arithmetic adds or takes away a number that "
    "the presupposition names, or 1, doubles or halves, leaves none, or changes nothing, as a linear model of the "
    "presupposition suggests. A rule counts only questions to which it applies. Intervals take questions as "
    "independent."
)


def shortcuts(audits: Mapping[str, Sequence[Shortcut]], confidence: float = 0.95, chance: float | None = 25.0) -> Table:
    """The table `shortcuts`: the accuracy in percent of each shortcut; `audits` gives the findings by set.

    `chance` is the accuracy of guessing in percent; None for open questions.
    """
    rows: list[dict[str, Any]] = []
    for name, found in audits.items():
        for shortcut in found:
            accuracy = shortcut.accuracy(confidence)
            rows.append(
                {
                    "set": name,
                    "variant": shortcut.variant,
                    "rule": shortcut.rule,
                    "choice": shortcut.choice,
                    "shortcut": _RULES[shortcut.rule].format(choice=shortcut.choice),
                    "measure": "accuracy",
                    "value": percent(accuracy.estimate),
                    "low": percent(accuracy.low),
                    "high": percent(accuracy.high),
                    "n": shortcut.n,
                }
            )
    of_chance = "" if chance is None else f"; chance is {round(chance, 1):g}%"
    view = View(
        f"Questions answered correctly without the image, in percent, with {100 * confidence:g}% intervals{of_chance}.",
        {"set": "Set", "variant": "Variant", "shortcut": "Shortcut"},
        (Column("Questions", "accuracy", number="n"), Column("Correct", "accuracy", interval=True)),
        _note({row["rule"] for row in rows}),
    )
    identity = ("set", "variant", "rule", "choice", "shortcut", "measure")
    return Table("shortcuts", "Shortcut audit", tidy(rows, identity, ("value", "low", "high", "n")), (view,))


def _note(rules: Set[str]) -> str:
    """What readers have to know about these rules."""
    if rules & _OPEN:
        return _OF_OPEN_ANSWERS
    if rules & _OF_CAPTIONS:
        return _WITH_CAPTIONS
    return _NOTE + (_FURTHER if rules - set(RULES) else "")
