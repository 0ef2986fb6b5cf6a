"""Texts of the drawn world of causes and effects: captions, descriptions with context, explanations (MuCR 3.1)."""

from __future__ import annotations

from whatif.world.causal_events import Event
from whatif.world.causal_scenes import CausalScene
from whatif.world.scene_words import COUNT_WORDS, with_article

CAUSE_WORDINGS = 4


def cause_caption(scene: CausalScene, shown: tuple[str, str], wording: int) -> str:
    """The short caption of a scene before the event; `shown` are the phrases of its two agents.

    `wording` selects one of `CAUSE_WORDINGS` sentences; half of them name the bystander before the thing. Raises
    ValueError if it is out of range.
    """
    if not 0 <= wording < CAUSE_WORDINGS:
        raise ValueError(f"wording {wording}: there are {CAUSE_WORDINGS}, counted from 0")
    agents, thing, bystander = " and ".join(shown), with_article(str(scene.thing)), with_article(str(scene.bystander))
    return sentence(
        (
            f"{agents} are over {thing}, and {bystander} stands beside it",
            f"beside {bystander}, {thing} stands under {agents}",
            f"{thing} stands under {agents}, and {bystander} stands beside it",
            f"{bystander} stands beside {thing} that is under {agents}",
        )[wording]
    )


def effect_caption(scene: CausalScene, event: Event) -> str:
    """The short caption of a scene after the event."""
    return sentence(event.effect.format(thing=scene.thing))


def cause_description(scene: CausalScene, shown: tuple[str, str]) -> str:
    """What the image before the event shows: thing, agents, table, wall, bystander, light and time."""
    agents = f"with {shown[0]} above it on the left and {shown[1]} above it on the right"
    thing = with_article(f"{scene.size} {scene.thing}")
    return f"{sentence(f'{thing} stands on a table, {agents}')} {_context(scene)}"


def effect_description(scene: CausalScene, event: Event) -> str:
    """What the image after the event shows: what happened, and the context in the same words, but an hour later."""
    happened = event.effect.format(thing=f"{scene.size} {scene.thing}")
    return f"{sentence(happened)} {_context(scene)}"


def explanation_parts(scene: CausalScene, event: Event) -> tuple[str, str, str]:
    """Cause, effect and causal link as clauses. Of the agents, only the one that acted is named."""
    cause = f"{event.shown} is over {with_article(str(scene.thing))}"
    return cause, event.effect.format(thing=scene.thing), event.link


def sentence(clause: str) -> str:
    """The clause with a capital letter and a full stop."""
    return f"{clause[0].upper()}{clause[1:]}."


def _context(scene: CausalScene) -> str:
    bystander = with_article(str(scene.bystander))
    return (
        f"{sentence(f'{bystander} is on the floor on the {scene.side}')} The table is wooden, and the wall is "
        f"{scene.background}. The light is {scene.light}, and the clock shows {COUNT_WORDS[scene.hour]}."
    )
