"""Strategies in several steps: a scene graph, a rationale, visual cues, and several turns (MuCR 5.3)."""

from __future__ import annotations

import pytest

from whatif.language.messages import ImagePart, Messages
from whatif.language.strategies import conversation, read

STEPS = {"ccot": 2, "mmcot": 2, "vccot": 3, "multi-turn": 3}
QUESTION = "Which image shows the effect of {the cause}? Select the correct answer:A:Image A  B:Image B"
IMAGES = (ImagePart("cause"), ImagePart("effects"))
SAID = ('{"panels": [{"objects": ["a {cup}"]}]}', "Character: the {answer_1} is the same.")


def steps(strategy: str, *, ranked: bool = False) -> list[Messages]:
    """The conversation of each step, given what the model said in those before."""
    return [
        conversation(strategy, QUESTION, "choice", IMAGES, SAID[:number], ranked=ranked)
        for number in range(STEPS[strategy])
    ]


@pytest.mark.parametrize("strategy", STEPS)
def test_each_has_its_number_of_steps_and_no_wording_of_a_benchmark(strategy: str) -> None:
    described = read(strategy)
    assert len(described.turns) == STEPS[strategy]
    words = " ".join(text for turn in described.turns for text in turn.texts).lower()
    assert "mucr" not in words and "effect" not in words and "siamese" not in words


@pytest.mark.parametrize("strategy", STEPS)
def test_the_model_is_asked_for_the_answer_in_the_last_step_alone(strategy: str) -> None:
    *earlier, last = [one[-1].text for one in steps(strategy)]
    assert last.endswith("one letter.")
    assert not any("one letter" in text for text in earlier)
    assert all("Do not answer" in text or "Do not choose" in text for text in earlier)


@pytest.mark.parametrize("strategy", STEPS)
def test_where_options_are_ranked_nothing_is_said_about_letters(strategy: str) -> None:
    assert "one letter" not in steps(strategy, ranked=True)[-1][-1].text


@pytest.mark.parametrize("strategy", ["ccot", "mmcot", "vccot"])
def test_each_step_is_a_new_conversation_with_the_images_and_what_was_said_before(strategy: str) -> None:
    for number, messages in enumerate(steps(strategy)):
        (message,) = messages
        assert message.images == IMAGES
        assert message.text.count(QUESTION) == 1
        said = SAID[number - 1] if number else ""
        assert said in message.text, "the notes stand as they are, with their braces"


def test_visual_cues_go_from_captions_to_character_and_background_to_reasons() -> None:
    captions, details, reasons = (one[-1].text for one in steps("vccot"))
    assert "dense caption of every image" in captions
    assert "Character:" in details and "Background:" in details and SAID[0] in details
    assert SAID[0] in reasons and SAID[1] in reasons and "Reason step by step" in reasons


def test_in_several_turns_the_images_are_shown_once_and_the_options_follow_the_start() -> None:
    last = steps("multi-turn")[-1]
    assert [message.role for message in last] == ["user", "assistant"] * 2 + ["user"]
    assert [message.images for message in last if message.role == "user"] == [IMAGES, (), ()]
    assert [message.text for message in last if message.role == "assistant"] == list(SAID)
    assert QUESTION in last[0].text and "only what the question starts from" in last[0].text
    assert "every other image, panel and option" in last[2].text


@pytest.mark.parametrize("strategy", ["ccot", "vccot", "multi-turn"])
def test_without_images_the_wording_names_what_to_describe_instead(strategy: str) -> None:
    assert "if there is no image" in conversation(strategy, QUESTION, "choice")[0].text.lower()


@pytest.mark.parametrize("strategy", STEPS)
def test_notes_have_room_and_a_short_answer_has_what_the_model_has(strategy: str) -> None:
    *earlier, last = read(strategy).turns
    assert all(turn.max_new_tokens is not None and turn.max_new_tokens >= 256 for turn in earlier)
    assert (last.max_new_tokens is None) == (strategy != "vccot"), "only there the last response has reasons"
