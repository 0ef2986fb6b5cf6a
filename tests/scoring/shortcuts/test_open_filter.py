"""What the text gives away is left out: a planted shortcut goes, open questions stay."""

from __future__ import annotations

from whatif.engine.random_streams import stream
from whatif.scoring.shortcuts.open_answers import MODELS, OpenQuestion, open_shortcuts
from whatif.scoring.shortcuts.open_filter import given_away

COLOURS = ("red", "blue", "green", "pink", "black", "white")


def question(number: int, condition: str, answer: str) -> OpenQuestion:
    colour = COLOURS[int(stream(0, "colour", number).integers(len(COLOURS)))]
    words = f"Would there be a {colour} ball if {condition}?"
    return OpenQuestion(words, f"if {condition}", answer, f"image-{number // 3}")


def drawn(number: int, name: str) -> bool:
    return bool(stream(0, name, number).random() < 0.5)


def planted(number: int) -> OpenQuestion:
    yes = drawn(number, "planted")
    return question(number, "one was added" if yes else "all were removed", "yes" if yes else "no")


def open_one(number: int) -> OpenQuestion:
    side = "left" if drawn(number, "side") else "right"
    return question(number, f"the {side} half was covered", "yes" if drawn(number, "open") else "no")


def test_a_planted_shortcut_goes_and_open_questions_stay() -> None:
    questions = [planted(number) if number % 2 else open_one(number) for number in range(150)]
    found = open_shortcuts(questions, variant="boolean counterfactual", folds=5, seed=7)
    usual = max(shortcut.accuracy(0.95).estimate for shortcut in found if shortcut.rule == "most-frequent")
    assert any(shortcut.accuracy(0.95).low > usual for shortcut in found if shortcut.rule in MODELS)

    gone = given_away(questions, variant="boolean counterfactual", folds=5, seed=7)
    of_planted = sum(place % 2 for place in gone)
    assert of_planted > 2 * (len(gone) - of_planted) and of_planted > 40
    left = [one for place, one in enumerate(questions) if place not in gone]
    after = {one.rule: one for one in open_shortcuts(left, variant="boolean counterfactual", folds=5, seed=7)}
    usual = after["most-frequent"].accuracy(0.95).estimate
    assert all(after[rule].accuracy(0.95).low <= usual for rule in MODELS)
    assert list(gone) == sorted(gone) and set(gone.values()) == set(range(1, max(gone.values()) + 1))


def test_of_open_questions_none_goes() -> None:
    assert given_away([open_one(number) for number in range(120)], variant="boolean", folds=5, seed=7) == {}


def test_images_for_all_folds_are_left_and_too_few_questions_stay_as_they_are() -> None:
    gone = given_away([planted(number) for number in range(90)], variant="boolean", folds=5, seed=7)
    assert len({number // 3 for number in range(90) if number not in gone}) >= 10
    assert gone
    assert given_away([], variant="boolean", folds=5, seed=7) == {}
    assert given_away([planted(0), planted(1)], variant="boolean", folds=5, seed=7) == {}
