"""Replies with descriptions: read as JSON, and checked for length, shared things, and effects that are given away."""

from __future__ import annotations

import json

import pytest

from whatif.benchmarks.mucr.description_replies import (
    Captions,
    given_away,
    read_descriptions,
    read_prompt,
    stems_of,
    things_of,
)
from whatif.benchmarks.mucr.settings import Descriptions

CAPTIONS = Captions("1", "animal", "A dog shakes beside a sofa.", "The sofa is covered with spots.")
SETTINGS = Descriptions(shortest=8, longest=30)
GOOD = {
    "shared": "a gray dog with a red collar, a white sofa, a tall window",
    "cause": "A gray dog with a red collar shakes beside a white sofa. A tall window is open.",
    "effect": "A white sofa is covered with brown spots. A gray dog with a red collar lies under a tall window.",
}


def faults(**changes: str) -> str:
    return "; ".join(read_descriptions(json.dumps(GOOD | changes), CAPTIONS, SETTINGS).faults)


def test_a_good_reply() -> None:
    assert read_descriptions(f"```json\n{json.dumps(GOOD)}\n```", CAPTIONS, SETTINGS).texts == GOOD
    assert faults() == ""


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"cause": "A dog, a sofa, collar, window."}, '"cause" has 6 words; write at least 8'),
        ({"effect": GOOD["effect"] + " There it lies." * 5}, '"effect" has 35 words; write at most 30'),
        (
            {"effect": GOOD["effect"].replace("red collar", "smile")},
            '"effect" does not name collar; use the nouns of "shared" in it',
        ),
        ({"cause": GOOD["cause"].replace("sofa", "couch")}, '"cause" does not name sofa; use the nouns of the caption'),
        ({"cause": GOOD["cause"] + " Spots!"}, '"cause" gives the effect away: leave spots out of it'),
        (
            {name: f"{GOOD[name]} Spots!" for name in ("shared", "cause")},
            'leave spots out of it, also of "shared"',  # otherwise `shared` asks for what must not be there
        ),
        ({"cause": GOOD["cause"] + " It covers the sofa."}, '"cause" gives the effect away: leave covers out of it'),
        ({"shared": ""}, '"shared" is empty'),
    ],
)
def test_what_is_wrong_with_a_reply(changes: dict[str, str], told: str) -> None:
    assert told in faults(**changes)


def test_the_same_text_twice() -> None:
    both = "A dog with a collar shakes beside a white sofa, a window, covered with spots."
    assert '"effect" is the same as "cause"' in faults(cause=both, effect=both)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("", "the reply is empty"),
        ("No.", "has no JSON object"),
        ('{"shared": "a", "cause": "b"}', "'effect' is a required property"),
        (json.dumps(GOOD | {"style": "oil"}), "Additional properties are not allowed"),
        (json.dumps(GOOD) * 2, "several JSON objects"),
        (json.dumps(GOOD | {"cause": ["a"]}), "is not of type 'string'"),
    ],
)
def test_replies_of_another_form(reply: str, told: str) -> None:
    assert told in read_descriptions(reply, CAPTIONS, SETTINGS).faults[0]


def test_words_are_compared_by_their_stems() -> None:
    assert given_away(
        "The vase's pieces are falling.", "A cat pushes a vase.", "The vase fell and broke to pieces"
    ) == ["pieces"]
    assert given_away("A cat pushes the vase.", "A cat pushes a vase.", "A vase is broken.") == []
    assert set(stems_of("Two well-known bakers' hats are on it")) == {"two", "known", "baker", "hat"}
    assert things_of("a gray dog and the open windows") == {"dog": "dog", "window": "windows"}


def test_the_examples_of_the_prompt_pass_the_checks() -> None:
    settings = Descriptions(shortest=8, longest=120)
    examples = read_prompt(None).system.split("Example\n")[1:]
    assert len(examples) == 2
    for example in examples:
        given, reply = example.split("Output:")
        captions = json.loads(given[given.index("{") : given.rindex("}") + 1])
        of_example = Captions("1", "human", captions["cause"], captions["effect"])
        assert read_descriptions(reply, of_example, settings).faults == ()


def test_lengths_in_the_wrong_order() -> None:
    with pytest.raises(ValueError, match="shortest is 9, more than longest, 8"):
        Descriptions(shortest=9, longest=8)
