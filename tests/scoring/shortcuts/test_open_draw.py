"""Of several ways to write a question, the one is chosen whose words tell little about the answer."""

from __future__ import annotations

from collections import Counter

from whatif.engine.random_streams import stream
from whatif.scoring.shortcuts.open_draw import least_told

CONDITIONS = {"yes": "if one was added?", "no": "if one was removed?"}


def written(number: int) -> list[tuple[str, str]]:
    """The first way gives its answer away; other ways have the same words with the other answer."""
    told = "yes" if stream(0, "told", number).random() < 0.5 else "no"
    other = "no" if told == "yes" else "yes"
    text = "Would there be a ball"
    return [(f"{text} {CONDITIONS[told]}", told), (f"{text} {CONDITIONS[told]}", other)]


def test_words_that_would_give_answers_away_go_with_both_answers() -> None:
    options = {f"item-{number}": written(number) for number in range(80)}
    chosen = [options[name][place] for name, place in least_told(options).items()]
    answers = Counter((text.split(" if ")[1], answer) for text, answer in chosen)
    for condition in {condition for condition, _ in answers}:
        assert 0.3 < answers[condition, "yes"] / (answers[condition, "yes"] + answers[condition, "no"]) < 0.7


def test_the_first_is_chosen_where_no_words_tell_anything() -> None:
    options = {
        f"item-{number}": [("Is it", answer), ("Is it", answer)] for number, answer in enumerate(["yes", "no"] * 9)
    }
    assert set(least_told(options).values()) == {0}
    assert least_told({"only": [("Is it?", "yes")]}) == {"only": 0} and least_told({}) == {}


def test_the_order_of_the_ids_changes_nothing() -> None:
    options = {f"item-{number}": written(number) for number in range(20)}
    assert least_told(dict(reversed(options.items()))) == least_told(options)
