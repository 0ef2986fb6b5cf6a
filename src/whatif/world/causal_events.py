"""What can happen to a thing in the drawn world: events, each with the agent that causes it, and its words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """An event. `agent` is the cue, one or two words; `shown` names the agent in a sentence.

    `effect` is a clause about `{thing}`, what is seen afterwards; it does not name the agent. `link` is a clause that
    follows it: how the agent caused it.
    """

    name: str
    agent: str
    shown: str
    effect: str
    link: str


_EVENTS = (
    Event(
        "break",
        "hammer",
        "a hammer",
        "the {thing} is in pieces",
        "the hammer hits it so hard that it breaks",
    ),
    Event(
        "melt",
        "torch",
        "a torch",
        "the lower half of the {thing} has melted",
        "the torch heats it until it turns liquid",
    ),
    Event(
        "paint",
        "paint",
        "a can of paint",
        "thick black drops run down the {thing}",
        "the paint pours over it from above",
    ),
    Event(
        "squash",
        "weight",
        "a weight",
        "the {thing} is flat",
        "the weight drops on it and presses it down",
    ),
    Event(
        "cut",
        "saw",
        "a saw",
        "the {thing} is in two halves",
        "the saw cuts it through the middle",
    ),
    Event(
        "fall",
        "fan",
        "a fan",
        "the {thing} lies on the floor",
        "the fan blows it off the table",
    ),
    Event(
        "lift",
        "balloon",
        "a balloon",
        "the {thing} hangs in the air on a string",
        "the balloon rises and pulls it up",
    ),
    Event(
        "cover",
        "cloud",
        "a snow cloud",
        "the {thing} is covered with cold flakes",
        "the cloud drops its snow on it",
    ),
    Event(
        "wet",
        "bucket",
        "a bucket of water",
        "the {thing} is dripping wet",
        "the bucket tips over and water pours on it",
    ),
    Event(
        "fatten",
        "bowl",
        "a bowl of food",
        "the {thing} has become fat",
        "it eats everything that is in the bowl",
    ),
    Event(
        "grow",
        "watering can",
        "a watering can",
        "the {thing} has become tall",
        "the watering can gives it water, so that it grows",
    ),
    Event(
        "wilt",
        "sun",
        "a sun",
        "the {thing} is bent and limp",
        "the sun dries it out, so that it wilts",
    ),
)
EVENTS: dict[str, Event] = {event.name: event for event in _EVENTS}

KINDS: dict[str, tuple[str, ...]] = {
    "object": ("ball", "box", "star", "heart", "cup", "house", "boat", "moon"),
    "plant": ("tree", "flower", "cactus"),
    "animal": ("fish", "cat", "bird"),
}
# The events of a category, as a circle: two agents that stand opposite each other are never in one scene, because an
# effect could be due to either (a hammer and a weight, water and a sun on a plant). In `mixture`, the thing and the
# bystander are of different kinds.
EVENTS_OF: dict[str, tuple[str, ...]] = {
    "object": ("break", "melt", "paint", "fall", "squash", "cut", "lift", "cover"),
    "plant": ("grow", "cut", "wilt", "cover"),
    "animal": ("fatten", "wet", "lift", "cover"),
    "mixture": ("paint", "wet", "fall", "cover"),
}
CATEGORIES: tuple[str, ...] = tuple(EVENTS_OF)
