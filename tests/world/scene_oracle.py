"""Answers counterfactual questions about scenes again, from their words alone and the things: a second implementation.

It shares no code with `scene_changes` and `scene_counterfactuals`, and asserts the margins of places.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from whatif.world.scene_words import plural
from whatif.world.scenes import COLOURS, NOUNS

DIAMETERS = {"small": 0.24, "large": 0.42}
SINGULAR = {plural(noun): noun for noun in NOUNS} | {noun: noun for noun in NOUNS}
NUMBERS = {"": 1, "two": 2, "three": 3}
SIDES = {"left": (1, 0), "right": (-1, 0), "top": (0, 1), "bottom": (0, -1)}  # how far in from this side


@dataclass(frozen=True)
class Seen:
    """A thing as the oracle sees it; `number` tells equal things apart."""

    noun: str
    colour: str
    size: str
    x: float
    y: float
    number: int


Things = list[Seen]


def fits(thing: Seen, words: str) -> bool:
    """Whether a thing is one of `large red balls`, `things`, `red` or `a ball`."""
    for word in words.split():
        if word in ("thing", "things", "a", "an", "the"):
            continue
        if word in COLOURS:
            same = thing.colour == word
        elif word in DIAMETERS:
            same = thing.size == word
        else:
            same = thing.noun == SINGULAR[word]
        if not same:
            return False
    return True


def answer_again(question: str, things: Things) -> int:
    """The answer to a counterfactual question. AssertionError if it is not understood or a place is ambiguous."""
    asked = re.fullmatch(r"How many ([a-z ]+?) (?:would|could) [a-z ]+? if ([a-z ]+)\?", question)
    assert asked, question
    counted, clause = asked.groups()
    for pattern, supposed in CLAUSES.items():
        words = re.fullmatch(pattern, clause)
        if words:
            return sum(fits(thing, counted) for thing in supposed(things, counted, *words.groups(default="")))
    raise AssertionError(f"not understood: {clause}")


def only(things: Things, words: str) -> Seen:
    (one,) = (thing for thing in things if fits(thing, words))
    return one


def without(things: Things, counted: str, words: str) -> Things:
    return [thing for thing in things if not fits(thing, words)]


def without_others(things: Things, counted: str, words: str) -> Things:
    return [thing for thing in things if fits(thing, words)]


def uncovered(things: Things, counted: str, region: str) -> Things:
    """Each counted thing lies wholly inside or wholly outside, at least 0.019 from the edge."""
    *sides, part = region.split()
    share = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 2}[part]
    assert len(sides) == (2 if part == "quarter" else 1)
    left = []
    for thing in things:
        depths = []
        for side in sides:
            across, down = SIDES[side]
            place = across * thing.x + down * thing.y + (1 if across + down < 0 else 0)
            depths.append(share - place)
        if fits(thing, counted):
            least = DIAMETERS[thing.size] / 2 + 0.019
            assert min(depths) > least or min(depths) < -least, (region, thing)
        if min(depths) < 0:
            left.append(thing)
    return left


def cropped(things: Things, counted: str, side: str) -> Things:
    other = {"left": "right", "right": "left", "top": "bottom", "bottom": "top"}[side]
    return uncovered(things, counted, f"{other} half")


def like_the_background(things: Things, counted: str, words: str) -> Things:
    (colour,) = {thing.colour for thing in things if fits(thing, words)}
    return without(things, counted, colour)


def without_beyond(things: Things, counted: str, direction: str, words: str) -> Things:
    anchor = only(things, words)
    across, down = {
        "further left": (-1, 0),
        "further right": (1, 0),
        "higher in the image": (0, -1),
        "lower in the image": (0, 1),
    }[direction]
    left = []
    for thing in things:
        beyond = across * (thing.x - anchor.x) + down * (thing.y - anchor.y)
        assert thing == anchor or not fits(thing, counted) or abs(beyond) > 0.14, (direction, thing)
        if beyond <= 0:
            left.append(thing)
    return left


def without_nearest(things: Things, counted: str, words: str) -> Things:
    anchor = only(things, words)
    ranked = sorted((math.dist((one.x, one.y), (anchor.x, anchor.y)), one) for one in things if one != anchor)
    assert ranked[1][0] - ranked[0][0] > 0.09
    return [thing for thing in things if thing != ranked[0][1]]


RANKED: dict[str, Callable[[Seen], float]] = {
    "leftmost": lambda thing: thing.x,
    "rightmost": lambda thing: -thing.x,
    "topmost": lambda thing: thing.y,
    "bottommost": lambda thing: -thing.y,
}


def without_outermost(things: Things, counted: str, number: str, end: str, words: str) -> Things:
    ranked = sorted((thing for thing in things if fits(thing, words)), key=RANKED[end])
    gone = ranked[: NUMBERS[number.strip()]]
    assert RANKED[end](ranked[len(gone)]) - RANKED[end](gone[-1]) > 0.09
    return [thing for thing in things if thing not in gone]


def turned(things: Things, counted: str, words: str, into: str) -> Things:
    change = {"colour": into} if into in COLOURS else {"noun": SINGULAR[into]}
    return [replace(thing, **change) if fits(thing, words) else thing for thing in things]


def replaced(things: Things, counted: str, words: str, number: str, by: str) -> Things:
    *adjectives, noun = by.split()
    change = {"noun": SINGULAR[noun]} | {("colour" if word in COLOURS else "size"): word for word in adjectives}
    gone = [thing for thing in things if fits(thing, words)]
    added = [replace(thing, **change) for thing in gone for _ in range(NUMBERS[number])]
    return [thing for thing in things if thing not in gone] + added


def replaced_there(things: Things, counted: str, number: str, by: str, words: str) -> Things:
    return replaced(things, counted, words, number, by)


def swapped_colours(things: Things, counted: str, first: str, second: str) -> Things:
    (of_first,) = {thing.colour for thing in things if fits(thing, first)}
    (of_second,) = {thing.colour for thing in things if fits(thing, second)}
    assert of_first != of_second
    swap = {of_first: of_second, of_second: of_first}
    return [
        replace(thing, colour=swap[thing.colour]) if fits(thing, first) or fits(thing, second) else thing
        for thing in things
    ]


def swapped_nouns(things: Things, counted: str, first: str, second: str, *back: str) -> Things:
    assert back == (second, first)
    swap = {first: second, second: first}
    return [replace(thing, noun=swap.get(thing.noun, thing.noun)) for thing in things]


COLOUR, NOUN = "|".join(COLOURS), "|".join(NOUNS)
PART = r"((?:top|bottom|left|right)(?: left| right)? (?:half|third|quarter))"
GONE = "(?:were removed|were taken away|were erased|were hidden|disappeared)"
CLAUSES: dict[str, Callable[..., Things]] = {
    rf"every ({NOUN}) were an? ({NOUN}) and every ({NOUN}) were an? ({NOUN})": swapped_nouns,
    r"(.+) and (.+) (?:exchanged|swapped) colours": swapped_colours,
    rf"every (.+) (?:were|turned into)(?: an?)? ({COLOUR}|{NOUN})": turned,
    rf"all (.+) were painted ({COLOUR})": turned,
    r"each (.+) were replaced by (two|three) (.+)": replaced,
    r"there were (two|three) (.+) in place of each (.+)": replaced_there,
    rf"all things that are not (.+) {GONE}": without_others,
    rf"everything that is not (.+) {GONE}": without_others,
    rf"everything ({COLOUR}) {GONE}": without,
    rf"(?:all|every) (.+) (?:{GONE}|were invisible|were as transparent as glass)": without,
    rf"the {PART} of the image were (?:covered|painted over)": uncovered,
    rf"a sheet of paper covered the {PART} of the image": uncovered,
    r"the image were cropped to its (\w+) half": cropped,
    r"the background had exactly the colour of the (.+)": like_the_background,
    rf"everything (further left|further right|(?:higher|lower) in the image) than the (.+) {GONE}": without_beyond,
    rf"the thing nearest to the (.+) {GONE}": without_nearest,
    rf"the (two )?({'|'.join(RANKED)}) (.+) {GONE}": without_outermost,
}
