"""The standard measures of paired benchmarks, from answers whose numbers can be counted by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.frames import check, ends, row, value
from tests.results.reporting.test_pair_measures import prediction, question
from whatif.results.reporting.answer_codes import NO_ANSWER, option_codes
from whatif.results.reporting.paired import (
    BY_CHANCE,
    CONSISTENCY,
    COUNTERFACTUAL,
    EXTRACTION_RATE,
    IGNORED,
    ORIGINAL,
    PAIR_ACCURACY,
    PairedSystem,
    PairedText,
    measures,
    paired,
    paired_systems,
    reported_rows,
)
from whatif.results.reporting.paired_answers import (
    ALL,
    PairAnswers,
    PairOutcomes,
    Pairs,
    answers_to_pairs,
    asked_pairs,
    by_group,
    chance_of_ignoring,
    outcomes_of,
)
from whatif.results.reporting.question_pairs import QuestionPairAnswers
from whatif.results.reporting.rendering import to_markdown
from whatif.results.reporting.table import DROP
from whatif.scoring.statistics import clustered_share, holm, paired_difference, wilson

# Codes of answers: right to the original and to the counterfactual question, and what was given to each.
SAME, OTHER = (1, 1), (1, 2)
CASES = [
    # right answers, given answers, consistent, wrong (counts for ignored), ignored
    (OTHER, (1, 2), True, False, False),  # both right
    (OTHER, (1, 1), False, True, True),  # the presupposition is ignored
    (OTHER, (3, 4), True, True, False),  # both wrong, but it changes
    (OTHER, (3, 3), False, True, False),
    (OTHER, (2, 1), True, True, True),  # both wrong, each right for the other
    (OTHER, (NO_ANSWER, 2), False, False, False),
    (OTHER, (1, NO_ANSWER), False, False, False),  # no answer is not a wrong answer
    (OTHER, (NO_ANSWER, NO_ANSWER), False, False, False),
    (SAME, (1, 1), True, False, False),
    (SAME, (3, 3), True, False, False),  # both wrong, and the same
    (SAME, (1, 3), False, False, False),  # nothing can be ignored
    (SAME, (NO_ANSWER, NO_ANSWER), False, False, False),
]


def pairs(correct: list[tuple[int, int]], groups: list[int] | None = None, **more: Any) -> Pairs:
    number = len(correct)
    return Pairs(
        ["g", "h"],
        np.array(groups or [0] * number),
        np.array(correct, dtype=np.int32).reshape(-1, 2),
        np.full(number, 0.5),
        **more,
    )


def answers(
    correct: list[tuple[int, int]], given: list[tuple[int, int]], asked: list[bool] | None = None
) -> PairAnswers:
    codes = np.array(given, dtype=np.int32).reshape(-1, 2)
    right = codes == np.array(correct).reshape(-1, 2)
    return PairAnswers(np.array(asked or [True] * len(given), dtype=np.bool_), right, codes)


def outcomes(correct: list[tuple[int, int]], given: list[tuple[int, int]], **more: Any) -> PairOutcomes:
    return outcomes_of(pairs(correct, **more), answers(correct, given))


def low_and_high(row: dict[str, Any]) -> tuple[float, float]:
    return row["low"], row["high"]


def numbers(found: PairOutcomes) -> dict[str, dict[str, Any]]:
    return {one["measure"]: one for one in measures(found, 0.95)}


@pytest.mark.parametrize(("correct", "given", "consistent", "wrong", "ignored"), CASES)
def test_each_kind_of_pair(
    correct: tuple[int, int], given: tuple[int, int], consistent: bool, wrong: bool, ignored: bool
) -> None:
    found = outcomes([correct], [given])
    assert (found.consistent[0], found.wrong[0], found.ignored[0]) == (consistent, wrong, ignored)
    assert found.extracted[0].tolist() == [code != NO_ANSWER for code in given]
    assert (found.original[0], found.counterfactual[0]) == (given[0] == correct[0], given[1] == correct[1])


def test_the_measures_of_all_cases_together() -> None:
    found = numbers(outcomes([case[0] for case in CASES], [case[1] for case in CASES]))
    shares = {ORIGINAL: 5, COUNTERFACTUAL: 3, PAIR_ACCURACY: 2, CONSISTENCY: 5}
    for measure, count in shares.items():
        assert found[measure]["value"] == pytest.approx(100 * count / 12, abs=1e-4)
        assert (*low_and_high(found[measure]), found[measure]["n"]) == (*ends(wilson(count, 12)), 12)
    assert (found[IGNORED]["value"], *low_and_high(found[IGNORED])) == (50.0, *ends(wilson(2, 4)))
    assert found[IGNORED]["n"] == 4
    assert (found[BY_CHANCE]["value"], found[BY_CHANCE]["n"]) == (50.0, 4)
    assert (found[EXTRACTION_RATE]["value"], found[EXTRACTION_RATE]["n"]) == (75.0, 24)


def test_the_drop_is_the_paired_difference_with_the_other_sign() -> None:
    given = [(1, 2)] * 6 + [(1, 1)] * 5 + [(3, 2)]
    found = numbers(outcomes([OTHER] * 12, given))[DROP]
    before, after = [True] * 11 + [False], [True] * 6 + [False] * 5 + [True]
    change = paired_difference(before, after)
    assert found["value"] == pytest.approx(100 * 4 / 12, abs=1e-4)
    assert low_and_high(found) == ends(change.interval, scale=-100)[::-1]
    assert found["p"] == change.p
    assert found["low"] < found["value"] < found["high"]


def test_everything_is_by_image_where_pairs_share_one() -> None:
    correct = [OTHER] * 8
    given = [(1, 2)] * 3 + [(1, 1)] * 2 + [(1, 3)] * 2 + [(3, NO_ANSWER)]
    images = ["a", "a", "a", "b", "b", "c", "c", "d"]
    found = numbers(outcomes(correct, given, clusters=images))
    assert low_and_high(found[PAIR_ACCURACY]) == ends(clustered_share([True] * 3 + [False] * 5, images))
    # Four wrong answers about two images are worth two: 2 of 4 is 1 of 2 images.
    ignored = clustered_share([True, True, False, False], ["b", "b", "c", "c"])
    assert (*low_and_high(found[IGNORED]), found[IGNORED]["n"]) == (*ends(ignored), 4)
    assert low_and_high(found[EXTRACTION_RATE]) == ends(clustered_share([True] * 15 + [False], np.repeat(images, 2)))
    change = paired_difference([True] * 7 + [False], [True] * 3 + [False] * 5, images)
    assert found[DROP]["p"] == change.p


def test_both_answers_of_a_pair_are_one_cluster_of_extracted() -> None:
    found = numbers(outcomes([OTHER] * 4, [(1, 2)] * 2 + [(NO_ANSWER, NO_ANSWER)] * 2))[EXTRACTION_RATE]
    expected = clustered_share([True] * 4 + [False] * 4, [0, 0, 1, 1, 2, 2, 3, 3])
    assert (found["value"], *low_and_high(found)) == (50.0, *ends(expected))
    assert found["low"] < 100 * wilson(4, 8).low


def test_without_a_wrong_answer_there_is_no_share_of_ignored_ones() -> None:
    found = numbers(outcomes([OTHER] * 3, [(1, 2)] * 3))
    assert found[IGNORED] == {"measure": IGNORED, "n": 0}
    assert BY_CHANCE not in found
    only_same = numbers(outcomes([SAME] * 3, [(1, 3)] * 3))
    assert only_same[IGNORED]["n"] == 0


def test_chance_is_not_known_where_one_question_is_open() -> None:
    some = outcomes([OTHER] * 2, [(1, 1)] * 2)
    some.chance[1] = np.nan  # type: ignore[index]
    assert BY_CHANCE not in numbers(some)


@pytest.mark.parametrize(
    ("choices", "chance"),
    [((["1", "2"], ["1", "2"]), 50.0), ((["1", "2"], list("1234")), 37.5), ((["1", "2"], []), None)],
)
def test_chance_is_that_of_an_option_at_random_and_open_questions_have_none(
    choices: tuple[list[str], list[str]], chance: float | None
) -> None:
    both = [
        {**question(0, variant), "choices": given}
        for variant, given in zip((ORIGINAL, COUNTERFACTUAL), choices, strict=True)
    ]
    answered = QuestionPairAnswers([prediction(one, "A") for one in both], both, ["m"])
    [system] = paired_systems(answered, {"m": "Model"})
    assert {row["measure"]: row.get("value") for row in measures(system.groups[ALL], 0.95)}.get("chance") == chance


def test_chance_is_over_the_wrong_options() -> None:
    options = np.array([[1, 2, 3, 4], [2, 3, 4, 5], [1, 2, NO_ANSWER, NO_ANSWER], [2, 2, 2, 2]], dtype=np.int32)
    found = chance_of_ignoring(options, np.array([1] * 4, dtype=np.int32), np.array([2] * 4, dtype=np.int32))
    assert found[:3].tolist() == [pytest.approx(1 / 3), 0.0, 1.0]
    assert np.isnan(found[3])


def test_groups_and_pairs_that_were_not_asked() -> None:
    correct = [OTHER] * 4
    given = [(1, 2), (1, 1), (1, 1), (3, 3)]
    of_pairs = pairs(correct, [0, 0, 1, 1])
    whole = dict(by_group(of_pairs, answers(correct, given)))
    assert list(whole) == [ALL, "g", "h"]
    assert [len(one.original) for one in whole.values()] == [4, 2, 2]
    pilot = dict(by_group(of_pairs, answers(correct, given, [True, False, False, False])))
    assert {group: one.original.tolist() for group, one in pilot.items()} == {ALL: [True], "g": [True]}
    assert dict(by_group(of_pairs, answers(correct, given, [False] * 4))) == {}


def test_a_right_answer_in_other_words_is_the_right_one() -> None:
    """What the rules of scoring call right counts as right, so both right is always consistent."""
    given = PairAnswers(np.array([True]), np.array([[True, True]]), np.array([[7, 7]], dtype=np.int32))
    assert outcomes_of(pairs([OTHER]), given).consistent.tolist() == [True]
    assert outcomes_of(pairs([SAME]), given).consistent.tolist() == [True]


def test_options_that_say_the_same_have_the_same_code() -> None:
    codes = option_codes(pa.chunked_array([[["Three", "two "], ["3", "the two", "4"]], [None, []]]))
    assert codes.shape == (4, 3)
    assert codes[0, 0] == codes[1, 0] and codes[0, 1] == codes[1, 1]
    assert len({codes[0, 0], codes[0, 1], codes[1, 2]}) == 3
    assert codes[0, 2] == NO_ANSWER and (codes[2:] == NO_ANSWER).all()


def shuffled() -> QuestionPairAnswers:
    """Letters are shuffled: the right answers are 3 and 1, under other letters in each question."""
    first = {**question(0, "original"), "choices": ["1", "3", "5", "7"], "answer": "B", "question": "?"}
    second = {**question(0, "counterfactual"), "choices": ["3", "4", "1", "9"], "answer": "C", "question": "?"}
    made = []
    for model, letters in {"right": "BC", "ignores": "BA", "changes": "AB", "none": "B"}.items():
        for place, asked in enumerate((first, second)):
            letter = letters[place] if place < len(letters) else None
            made.append(prediction(asked, letter, "none" if letter is None else "ok", model))
    return QuestionPairAnswers(made, [first, second], ["right", "ignores", "changes", "none"])


def test_letters_stand_for_the_texts_of_their_options() -> None:
    answered = shuffled()
    of_pairs = asked_pairs(answered)
    assert of_pairs.chance.tolist() == [pytest.approx(1 / 3)]
    found = {model: outcomes_of(of_pairs, one) for (model, _), one in answers_to_pairs(answered)}
    assert {model: (one.consistent[0], one.wrong[0], one.ignored[0]) for model, one in found.items()} == {
        "right": (True, False, False),
        "ignores": (False, True, True),
        "changes": (True, True, False),
        "none": (False, False, False),
    }
    assert asked_pairs(answered, {"p000": "photo"}).clusters == ["photo"]


def open_questions() -> list[dict[str, Any]]:
    """A pair of numbers and one of yes or no, about one image; then a number of a pair without an image."""
    told = [("n", "number", "2", "3"), ("b", "boolean", "yes", "no")]
    found = [
        {
            "question_id": f"{name}-{variant}",
            "pair_id": name,
            "group": kind,
            "variant": variant,
            "answer": answer,
            "answer_kind": kind,
            "choices": None,
            "image_ids": ["photo"],
        }
        for name, kind, *both in told
        for variant, answer in zip((ORIGINAL, COUNTERFACTUAL), both, strict=True)
    ]
    return [*found, {**found[0], "question_id": "x-original", "pair_id": "x", "image_ids": []}]


def test_open_answers_are_compared_in_normal_form() -> None:
    said = {"n-original": "2.0", "n-counterfactual": "two", "b-original": "Yes", "b-counterfactual": "yes"}
    right = {"n-original", "b-original"}
    given = {"model": "m", "strategy": "direct", "status": "ok"}
    rows = [
        {"question_id": name, **given, "answer": text, "response": text, "correct": name in right}
        for name, text in said.items()
    ]
    answered = QuestionPairAnswers(rows, open_questions(), [("m", "direct")])
    assert answered.asked.all(axis=2).tolist() == [[True, True, False]]
    images = {"n": "photo", "b": "photo", "x": "x"}
    [system] = paired_systems(answered, {"m": "Model"}, images, ["number", "boolean"])
    groups = system.groups
    assert (system.model, system.strategy, list(groups)) == ("m", "direct", [ALL, "number", "boolean"])
    assert groups[ALL].ignored.tolist() == [True, True]
    assert groups[ALL].clusters is not None and len(set(groups[ALL].clusters.tolist())) == 1
    chance = groups["boolean"].chance
    assert chance is not None and chance.tolist() == [1.0]
    assert BY_CHANCE not in numbers(groups[ALL])


def test_the_table_has_every_system_beside_the_reported_ones() -> None:
    weak, strong = [(1, 1)] * 8 + [(1, 2)] * 2, [(1, 2)] * 9 + [(1, 1)]
    systems = [
        PairedSystem(key, name, {ALL: outcomes([OTHER] * 10, given), "g": outcomes([OTHER] * 10, given)})
        for key, name, given in (("a", "Model A", weak), ("b", "Model B", strong))
    ]
    reported = reported_rows("Model B", {ORIGINAL: 90.0, COUNTERFACTUAL: 60.5})
    made = paired(systems, 0.95, PairedText("A set", "95%"), reported)
    assert made.name == "paired"
    assert list(dict.fromkeys(zip(made.frame["name"], made.frame["source"], strict=True))) == [
        ("Model B", "reported"),
        ("Model B", "ours"),
        ("Model A", "ours"),
    ]
    assert value(made, source="reported", measure=DROP) == 29.5
    drops = made.frame[(made.frame["measure"] == DROP) & (made.frame["source"] == "ours")]
    assert drops["p_holm"].tolist() == [
        pytest.approx(p, rel=1e-3) for p in holm(drops["p"].tolist()).p_values if p is not None
    ]
    assert row(made, model="a", group="", measure=CONSISTENCY)["value"] == 20.0
    check(made)
    assert "Model A" in to_markdown(made) and "A set" in to_markdown(made)


def test_a_table_without_systems_says_so_by_being_empty() -> None:
    made = paired([], 0.95, PairedText("A set", "95%"))
    assert not len(made.frame)
    assert "A set" in to_markdown(made)


def test_a_hundred_thousand_pairs_are_quick_to_count() -> None:
    """Nothing is done pair by pair: as many Python calls for a hundred pairs as for a hundred thousand."""
    import cProfile
    import pstats

    def calls(number: int) -> int:
        generator = np.random.default_rng(1)
        correct = generator.integers(0, 4, (number, 2), dtype=np.int32)
        given = generator.integers(-1, 4, (number, 2), dtype=np.int32)
        some = Pairs(["g"], np.zeros(number, dtype=np.int64), correct, np.full(number, 0.5))
        said = PairAnswers(np.ones(number, dtype=np.bool_), given == correct, given)
        profile = cProfile.Profile()
        profile.enable()
        list(measures(dict(by_group(some, said))[ALL], 0.95))
        profile.disable()
        return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]

    calls(50)
    assert calls(100_000) < 3 * calls(100)
