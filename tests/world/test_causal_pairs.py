"""Groups of causes and effects: one event, four things that share words, and nothing that gives the answer away."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

import pytest

from whatif.engine.errors import WhatifError
from whatif.world.causal_events import CATEGORIES, EVENTS, EVENTS_OF, KINDS
from whatif.world.causal_pairs import GROUPS_PER_ROUND, CausalPair, draw_group, split_of_looks
from whatif.world.causal_scenes import DARK_COLOURS, CausalScene, Figure, varied_scene
from whatif.world.scenes import SPLITS

ROUNDS = 10
GROUPS = [draw_group("train", number, 0) for number in range(ROUNDS * GROUPS_PER_ROUND)]
PAIRS = [pair for group in GROUPS for pair in group]


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


def look(figure: Figure) -> tuple[str, str, str]:
    return figure.noun, figure.colour, figure.pattern


def looks(scene: CausalScene) -> tuple[tuple[str, ...], ...]:
    """Nouns, colours and patterns that an image shows, each sorted."""
    return tuple(tuple(sorted(both)) for both in zip(look(scene.thing), look(scene.bystander), strict=True))


def test_four_pairs_share_the_event_and_any_two_things_share_one_word() -> None:
    for number, group in enumerate(GROUPS):
        assert [pair.pair_id for pair in group] == [f"causal-train-0-{number:06d}-{place}" for place in range(4)]
        assert {pair.group_id for pair in group} == {f"causal-train-0-{number:06d}"}
        assert len({(pair.event, pair.category) for pair in group}) == 1
        for first, second in combinations(group, 2):
            one, other = look(first.cause_scene.thing), look(second.cause_scene.thing)
            assert sum(mine == theirs for mine, theirs in zip(one, other, strict=True)) == 1


def test_the_bystander_has_the_other_noun_colour_and_pattern() -> None:
    for group in GROUPS:
        assert len({looks(scene) for pair in group for scene in (pair.cause_scene, pair.effect_scene)}) == 1
        for pair in group:
            assert not set(look(pair.cause_scene.thing)) & set(look(pair.cause_scene.bystander))


def test_no_effect_shares_more_words_with_the_cause_than_another() -> None:
    for group in GROUPS:
        for pair in group:
            for text in ("effect_caption", "explanation"):
                shared = {len(words(pair.cause_caption) & words(getattr(other, text))) for other in group}
                assert len(shared) == 1, (text, pair.cause_caption, shared)
        assert len({pair.effect_caption for pair in group}) == len({pair.explanation for pair in group}) == 4


def test_the_thing_is_named_before_the_bystander_as_often_as_after_it() -> None:
    first = [
        pair.cause_caption.lower().index(str(pair.cause_scene.thing))
        < pair.cause_caption.lower().index(str(pair.cause_scene.bystander))
        for pair in PAIRS
    ]
    assert 0.45 < sum(first) / len(first) < 0.55


def test_the_place_in_a_group_tells_neither_look_nor_agents() -> None:
    for place in range(4):
        pairs = [group[place] for group in GROUPS]
        dark = sum(pair.cause_scene.thing.colour in DARK_COLOURS for pair in pairs)
        assert 0.4 < dark / len(pairs) < 0.6
        assert len({(pair.cue, pair.false_cues[0]) for pair in pairs}) > 30


@pytest.mark.parametrize("category", CATEGORIES)
def test_each_agent_is_right_as_often_as_it_is_a_false_cue(category: str) -> None:
    for start in range(0, len(GROUPS), GROUPS_PER_ROUND):
        pairs = [pair for group in GROUPS[start : start + GROUPS_PER_ROUND] for pair in group]
        mine = [pair for pair in pairs if pair.category == category]
        right = Counter(pair.cue for pair in mine)
        assert right == Counter(pair.false_cues[0] for pair in mine)
        assert right == dict.fromkeys((EVENTS[name].agent for name in EVENTS_OF[category]), 4)


def test_both_agents_are_shown_and_only_the_effect_tells_which_acted() -> None:
    left = 0
    for pair in PAIRS:
        assert set(pair.cause_scene.agents) == {pair.cue, pair.false_cues[0]}
        assert EVENTS[pair.event].agent == pair.cue
        assert pair.effect_scene.agents == () and pair.effect_scene.change == pair.event
        assert pair.cause_scene.change is None
        for agent in pair.cause_scene.agents:
            assert words(agent) <= words(pair.cause_caption) & words(pair.cause_description)
            assert not words(agent) & (words(pair.effect_caption) | words(pair.effect_description))
        left += pair.cause_scene.agents[0] == pair.cue
    assert 0.45 < left / len(PAIRS) < 0.55


def test_agents_whose_effects_could_be_confused_are_never_together() -> None:
    together = {frozenset(pair.cause_scene.agents) for pair in PAIRS}
    assert {"hammer", "saw"} in together
    assert not together & {frozenset(pair) for pair in (("hammer", "weight"), ("watering can", "sun"))}
    assert not together & {frozenset(("bucket", "cloud"))}


def test_cues_are_four_different_phrases_of_at_most_two_words() -> None:
    for pair in PAIRS:
        cues = [pair.cue, *pair.false_cues]
        assert len(set(cues)) == 4 and all(1 <= len(cue.split()) <= 2 for cue in cues)
        scene, agents = pair.cause_scene, {event.agent for event in EVENTS.values()}
        visible = {scene.bystander.noun, scene.thing.colour, scene.thing.pattern, f"{scene.background} wall"}
        assert set(pair.false_cues[1:]) <= (visible | {"table", "clock"}) - agents
        assert "plain" not in cues


def test_the_explanation_has_its_three_parts_and_names_only_the_agent_that_acted() -> None:
    pattern = re.compile(r"Cause: [A-Z][^.]+\. Effect: [A-Z][^.]+\. The causal link between them is that [a-z][^.]+\.")
    for pair in PAIRS:
        assert pattern.fullmatch(pair.explanation)
        assert words(pair.cue) <= words(pair.cause) & (words(pair.link) | words(pair.cause))
        assert not words(pair.false_cues[0]) & words(pair.explanation) - {"can"}


def test_descriptions_repeat_the_context_and_move_the_clock_by_an_hour() -> None:
    for pair in PAIRS:
        scene = pair.cause_scene
        cause, effect = pair.cause_description, pair.effect_description
        context = (
            f" {scene.bystander} is on the floor on the {scene.side}. The table is wooden, and the wall is "
            f"{scene.background}. The light is {scene.light}, and the clock shows "
        )
        for text in (cause, effect):
            assert context in text and f"{scene.size} {scene.thing}" in text.partition(".")[0]
            assert 30 < len(text.split()) < 60
        hours = [re.search(r"shows (\w+)\.", text) for text in (cause, effect)]
        assert all(hours) and len({hour.group(1) for hour in hours if hour}) == 2
        assert pair.effect_scene.hour == scene.hour + 1 and 1 <= scene.hour <= 8


def test_a_cause_does_not_tell_the_effect() -> None:
    told = {word for event in EVENTS.values() for word in words(event.effect.replace("{thing}", ""))}
    told -= {"the", "is", "in", "on", "a", "with", "of", "and", "has"}
    for pair in PAIRS:
        assert not told & words(pair.cause_caption)
        # The bystander is on the floor, and the clock may show two.
        assert not (told - {"floor", "two"}) & words(pair.cause_description)


def test_context_is_that_of_the_group_and_kinds_are_those_of_the_category() -> None:
    kind_of = {noun: kind for kind, nouns in KINDS.items() for noun in nouns}
    for group in GROUPS:
        assert len({(p.cause_scene.background, p.cause_scene.light, p.cause_scene.hour) for p in group}) == 1
        for pair in group:
            before, after = pair.cause_scene, pair.effect_scene
            for name in ("background", "light", "thing", "size", "bystander", "side"):
                assert getattr(before, name) == getattr(after, name)
            kinds = {kind_of[before.thing.noun], kind_of[before.bystander.noun]}
            assert len(kinds) == 2 if pair.category == "mixture" else kinds == {pair.category}


def test_no_image_is_in_two_splits_whatever_the_seeds() -> None:
    seen: dict[str, set[tuple[tuple[str, ...], ...]]] = {split: set() for split in SPLITS}
    for split, seed in ((split, seed) for split in SPLITS for seed in (0, 1, 2)):
        for number in range(2 * GROUPS_PER_ROUND):
            for pair in draw_group(split, number, seed):
                assert split_of_looks(*looks(pair.cause_scene)) == split
                for scene in (pair.cause_scene, pair.effect_scene):
                    seen[split] |= {looks(varied_scene(scene, variation)) for variation in range(3)}
    assert all(seen.values())
    for some, other in combinations(SPLITS, 2):
        assert not seen[some] & seen[other]


def test_a_group_depends_on_its_arguments_alone() -> None:
    assert draw_group("test", 7, 3) == draw_group("test", 7, 3)

    def content(pairs: tuple[CausalPair, ...]) -> list[str]:
        return [pair.cause_description for pair in pairs]

    others = [("test", 8, 3), ("test", 7, 4), ("train", 7, 3)]
    assert all(content(draw_group(*arguments)) != content(draw_group("test", 7, 3)) for arguments in others)
    assert len({pair.cause_description for pair in PAIRS}) > 0.97 * len(PAIRS)


def test_wrong_arguments_are_errors_that_say_what_is_right() -> None:
    with pytest.raises(WhatifError, match=r"unknown split 'dev'; choose one of train, validation, test"):
        draw_group("dev", 0, 0)
    with pytest.raises(WhatifError, match=r"group -1; groups are counted from 0"):
        draw_group("train", -1, 0)
