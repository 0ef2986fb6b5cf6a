"""Groups of four causes and effects in the drawn world: the same event, different things (MuCR 3.1, A.3).

The four things of a group have two nouns, two colours and two patterns, so that two things that share one of these
words differ in the other two: no word of a cause names its effect alone, nor does the colour. The bystander has the
other noun, colour and pattern. So a caption of a cause has the words of all four effects, and shares equally many
words with each: who is under the agents decides.

Two agents hang over the thing. Only the effect shows which of them acted. In every `GROUPS_PER_ROUND` groups that
begin at a multiple of it, each agent of a category is the cue as often as it is the idle agent among the false cues.
A rule that knows the agents' words, but has not seen the effect, is right half of the time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream
from whatif.world.causal_events import CATEGORIES, EVENTS, EVENTS_OF, KINDS, Event
from whatif.world.causal_scenes import (
    DARK_COLOURS,
    FIGURE_SIZES,
    LIGHT_COLOURS,
    LIGHTS,
    PATTERNS,
    SIDES,
    WALLS,
    CausalScene,
    Figure,
)
from whatif.world.causal_texts import (
    CAUSE_WORDINGS,
    cause_caption,
    cause_description,
    effect_caption,
    effect_description,
    explanation_parts,
    sentence,
)
from whatif.world.scenes import SPLITS, one_of

PAIRS_PER_GROUP = 4
_EVENTS_IN_TURN = tuple((category, place) for category in CATEGORIES for place in range(len(EVENTS_OF[category])))
GROUPS_PER_ROUND = len(_EVENTS_IN_TURN)
_HOURS = 8  # clocks show one to eight o'clock before the event


@dataclass(frozen=True)
class CausalPair:
    """A cause and its effect. `cue` is the word of the agent that acted; the first false cue is the other agent.

    `cause`, `effect` and `link` are the clauses of the explanation. `event` is the name of what happened.
    """

    pair_id: str
    group_id: str
    category: str
    event: str
    cause_caption: str
    effect_caption: str
    cause_description: str
    effect_description: str
    cue: str
    false_cues: tuple[str, str, str]
    cause: str
    effect: str
    link: str
    cause_scene: CausalScene
    effect_scene: CausalScene

    @property
    def explanation(self) -> str:
        """The three parts as the paper's annotation has them (MuCR 3.1)."""
        return (
            f"Cause: {sentence(self.cause)} Effect: {sentence(self.effect)} "
            f"The causal link between them is that {self.link}."
        )


def draw_group(split: str, number: int, seed: int) -> tuple[CausalPair, ...]:
    """Group `number` of a split: four pairs with the same event; depends only on the arguments.

    Nouns, colours and patterns are divided among the splits by `split_of_looks`: for any seeds, no image is in two
    splits. Raises WhatifError for an unknown split or a negative number.
    """
    if split not in SPLITS:
        raise WhatifError(f"causal pairs: unknown split {split!r}; choose one of {', '.join(SPLITS)}")
    if number < 0:
        raise WhatifError(f"causal pairs: group {number}; groups are counted from 0")
    category, event, idle = _events(split, number, seed)
    generator = stream(seed, "causal group", split, number)
    while True:
        looks = _draw_looks(category, generator)
        if split_of_looks(*looks) == split:
            break
    figures = _figures(looks, generator)
    scene = CausalScene(
        scene_id=f"causal-{split}-{seed}-{number:06d}",
        background=one_of(WALLS, generator),
        light=one_of(tuple(LIGHTS), generator),
        hour=1 + int(generator.integers(_HOURS)),
        thing=figures[0],
        size="large",
        bystander=figures[0],
        side="left",
    )
    return tuple(
        _pair(
            replace(scene, thing=figure, bystander=_opposite(figure, looks)),
            f"{scene.scene_id}-{place}",
            category,
            (event, other),
            generator,
        )
        for place, (figure, other) in enumerate(zip(figures, idle, strict=True))
    )


def split_of_looks(nouns: Sequence[str], colours: Sequence[str], patterns: Sequence[str]) -> str:
    """The split of the groups with these nouns, colours and patterns, in any order.

    Every image of a group shows all six, on its thing and its bystander, so an image is in one split.
    """
    digest = hashlib.sha256(json.dumps([sorted(nouns), sorted(colours), sorted(patterns)]).encode()).digest()
    tenth = int.from_bytes(digest[:8], "big") % sum(SPLITS.values())
    for split, share in SPLITS.items():
        if tenth < share:
            return split
        tenth -= share
    raise AssertionError("the splits' shares add up to more than the number of places")


_Looks = tuple[tuple[str, str], tuple[str, str], tuple[str, str]]  # nouns, colours, patterns


def _events(split: str, number: int, seed: int) -> tuple[str, Event, list[Event]]:
    """The group's category, its event, and for each pair the event of the idle agent.

    In a round, each event of each category occurs once. The idle agents are a fixed number of places after it in
    the category's circle of events, so every agent is idle as often as it acts. Events opposite each other in the
    circle are never together.
    """
    round_, place = divmod(number, GROUPS_PER_ROUND)
    turn = int(stream(seed, "causal round", split, round_).permutation(GROUPS_PER_ROUND)[place])
    category, first = _EVENTS_IN_TURN[turn]
    circle = [EVENTS[name] for name in EVENTS_OF[category]]
    apart = [step for step in range(1, len(circle)) if 2 * step != len(circle)]
    steps = [apart[int(one)] for one in stream(seed, "causal idle", split, round_, category).permutation(len(apart))]
    idle = [circle[(first + steps[pair % len(steps)]) % len(circle)] for pair in range(PAIRS_PER_GROUP)]
    return category, circle[first], idle


def _draw_looks(category: str, generator: np.random.Generator) -> _Looks:
    if category == "mixture":
        one, other = one_of(tuple(combinations(KINDS, 2)), generator)
        nouns = (one_of(KINDS[one], generator), one_of(KINDS[other], generator))
    else:
        nouns = one_of(tuple(combinations(KINDS[category], 2)), generator)
    colours = (one_of(DARK_COLOURS, generator), one_of(LIGHT_COLOURS, generator))
    return nouns, colours, one_of(tuple(combinations(PATTERNS, 2)), generator)


def _figures(looks: _Looks, generator: np.random.Generator) -> list[Figure]:
    """Half of the eight combinations, in random order: two of them differ in exactly two of three words."""
    odd = int(generator.integers(2))
    nouns, colours, patterns = looks
    figures = [
        Figure(nouns[noun], colours[colour], patterns[noun ^ colour ^ odd]) for noun in (0, 1) for colour in (0, 1)
    ]
    return [figures[int(place)] for place in generator.permutation(PAIRS_PER_GROUP)]


def _opposite(figure: Figure, looks: _Looks) -> Figure:
    """The figure with the other noun, colour and pattern of the group."""
    mine = (figure.noun, figure.colour, figure.pattern)
    return Figure(*(second if first == own else first for own, (first, second) in zip(mine, looks, strict=True)))


def _pair(
    scene: CausalScene, pair_id: str, category: str, events: tuple[Event, Event], generator: np.random.Generator
) -> CausalPair:
    """The pair of a scene whose id is the group's; `events` are what happened and what the idle agent might do."""
    event, idle = events
    left, right = (event, idle) if generator.random() < 0.5 else (idle, event)
    shown = (left.shown, right.shown)
    before = replace(
        scene,
        scene_id=f"{pair_id}-cause",
        size=one_of(tuple(FIGURE_SIZES), generator),
        side=one_of(tuple(SIDES), generator),
        agents=(left.agent, right.agent),
    )
    after = replace(before, scene_id=f"{pair_id}-effect", agents=(), change=event.name, hour=before.hour + 1)
    cause, effect, link = explanation_parts(before, event)
    return CausalPair(
        pair_id=pair_id,
        group_id=scene.scene_id,
        category=category,
        event=event.name,
        cause_caption=cause_caption(before, shown, int(generator.integers(CAUSE_WORDINGS))),
        effect_caption=effect_caption(after, event),
        cause_description=cause_description(before, shown),
        effect_description=effect_description(after, event),
        cue=event.agent,
        false_cues=(idle.agent, *_striking(before, generator)),
        cause=cause,
        effect=effect,
        link=link,
        cause_scene=before,
        effect_scene=after,
    )


def _striking(scene: CausalScene, generator: np.random.Generator) -> tuple[str, str]:
    """Two elements of both images that cause nothing: the bystander, looks of the thing, the wall, table and clock."""
    elements = [
        scene.bystander.noun,
        scene.thing.colour,
        f"{scene.background} wall",
        *("table", "clock"),
        *([scene.thing.pattern] if scene.thing.pattern != "plain" else []),
    ]
    first, second = generator.permutation(len(elements))[:2].tolist()
    return elements[first], elements[second]
