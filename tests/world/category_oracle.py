"""Answers CFMM questions about scenes from their words alone; shares no code with the generator."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from whatif.world.scenes import NOUNS, Scene

State = list[dict[str, Any]]
NUMBERS = {"one": 1, "two": 2, "three": 3}
SINGULAR = {f"{noun}s": noun for noun in NOUNS} | {"boxes": "box", "fish": "fish"} | {noun: noun for noun in NOUNS}
KNOWN = {
    "alive": {"tree", "fish", "mushroom"},
    "grow in a forest": {"tree", "mushroom"},
    "move through water": {"fish", "boat"},
    "be seen in the sky": {"star", "moon", "kite"},
    "drink from": {"cup"},
    "eat": {"fish", "mushroom"},
    "live in": {"house"},
    "against the rain": {"umbrella"},
    "on a finger": {"ring"},
}
PAINTS = {"blue red": "purple", "red yellow": "orange", "blue yellow": "green"}


def oracle(question: str, scene: Scene) -> str:
    """The answer to a basic or counterfactual question."""
    core, clause = parts(question)
    things: State = [
        {"noun": t.noun, "colour": t.colour, "size": t.size, "x": t.x, "y": t.y, "was": number}
        for number, t in enumerate(scene.things)
    ]
    state: dict[str, Any] = {"things": things, "background": scene.background}
    if clause:
        suppose(clause, state)
    return answer(core, state)


def parts(question: str) -> tuple[str, str]:
    """The core question in lower case, and the clause after `if` or an empty text."""
    text = question.rstrip("?")
    if text.startswith("If "):
        clause, core = text[3:].split(", ", 1)
        return core.lower(), clause
    core, _, clause = text.partition(" if ")
    return core.lower(), clause


def answer(core: str, state: dict[str, Any]) -> str:
    for pattern, asked in CORES.items():
        if found := re.fullmatch(pattern, core):
            return str(asked(state["things"], *found.groups()))
    raise AssertionError(f"not understood: {core}")


def compare(things: State, first: str, second: str, field: str, words: tuple[str, str]) -> str:
    """The first word if the first thing's value is less, by a clear margin."""
    less, more = ({"small": 0.24, "large": 0.42}.get(v, v) for v in (one(n, things)[field] for n in (first, second)))
    assert abs(less - more) > 0.15
    return words[less > more]


def knows(things: State, core: str, words: str) -> str:
    (has,) = (nouns for known, nouns in KNOWN.items() if known in core)
    return "yes" if so(words, things)["noun"] in has else "no"


def suppose(clause: str, state: dict[str, Any]) -> None:
    for pattern, act in CLAUSES.items():
        if found := re.fullmatch(pattern, clause):
            act(state, *found.groups())
            return
    raise AssertionError(f"not understood: {clause}")


def one(noun: str, things: State) -> dict[str, Any]:
    (found,) = (thing for thing in things if thing["noun"] == noun)
    return found


def so(words: str, things: State) -> dict[str, Any]:
    """The thing that is red, or on the left."""
    sides: dict[str, Callable[[Any], float]] = {
        "on the left": lambda thing: thing["x"],
        "on the right": lambda thing: -thing["x"],
        "at the top": lambda thing: thing["y"],
        "at the bottom": lambda thing: -thing["y"],
    }
    if words in sides:
        return min(things, key=sides[words])
    (found,) = (thing for thing in things if thing["colour"] == words)
    return found


def described(words: str, things: State) -> State:
    """`cups`, `red cups`, `red things`."""
    *colour, noun = words.split()
    return [
        thing
        for thing in things
        if (noun in ("thing", "things") or thing["noun"] == SINGULAR[noun]) and colour in ([], [thing["colour"]])
    ]


def named(words: str, things: State) -> dict[str, Any]:
    """`the cup`, `the red thing`, `the thing on the left`."""
    words = words.removeprefix("the ")
    if words in NOUNS:
        return one(words, things)
    return so(words.removeprefix("thing ").removesuffix(" thing"), things)


def swap(state: dict[str, Any], *fields: str) -> None:
    first, second = state["things"]
    for field in fields:
        first[field], second[field] = second[field], first[field]


def swap_named(state: dict[str, Any], first: str, second: str, what: str) -> None:
    assert {named(words, state["things"])["was"] for words in (first, second)} == {0, 1}
    swap(state, *{"colours": ["colour"], "places": ["x", "y"], "sizes": ["size"], "shapes": ["noun"]}[what])


def swap_two(state: dict[str, Any], *whats: str) -> None:
    for what in whats:
        swap(state, *{"colours": ["colour"], "places": ["x", "y"], "sizes": ["size"], "shapes": ["noun"]}[what])


def mirror(state: dict[str, Any], *axes: str) -> None:
    for thing in state["things"]:
        for axis in axes:
            thing[axis] = 1 - thing[axis]


def give(state: dict[str, Any], who: str, whose: str, field: str) -> None:
    things = state["things"]
    named(who, things)[field] = state["background"] if whose == "the background" else named(whose, things)[field]


def swap_background(state: dict[str, Any], who: str) -> None:
    thing = named(who, state["things"])
    thing["colour"], state["background"] = state["background"], thing["colour"]


def mix(state: dict[str, Any], who: str, other: str) -> None:
    thing = named(who, state["things"])
    thing["colour"] = PAINTS[" ".join(sorted((thing["colour"], named(other, state["things"])["colour"])))]


def remove(state: dict[str, Any], words: str, number: str | None = None) -> None:
    gone = described(words, state["things"])
    if number:
        assert len(gone) > NUMBERS[number]
        gone = gone[: NUMBERS[number]]
    assert number is None or gone
    state["things"] = [thing for thing in state["things"] if all(thing is not other for other in gone)]


def add(state: dict[str, Any], number: str, words: str) -> None:
    state["things"] += [dict(described(words, state["things"])[0]) for _ in range(NUMBERS[number])]


def keep(state: dict[str, Any], words: str) -> None:
    state["things"] = described(words, state["things"])


def double(state: dict[str, Any], words: str) -> None:
    state["things"] += [dict(thing) for thing in described(words, state["things"])]


def become(state: dict[str, Any], words: str, what: str) -> None:
    for thing in described(words, state["things"]):
        thing["noun" if what in SINGULAR else "colour"] = SINGULAR.get(what, what)


def exchange_nouns(state: dict[str, Any], one_noun: str, other: str, same_other: str, same_one: str) -> None:
    assert (one_noun, other) == (same_one, same_other)
    for thing in state["things"]:
        thing["noun"] = {one_noun: other, other: one_noun}.get(thing["noun"], thing["noun"])


def cross_paint(state: dict[str, Any], first: str, to_first: str, second: str, to_second: str) -> None:
    one_thing, other = (named(words, state["things"]) for words in (first, second))
    one_thing["colour"], other["colour"] = to_first, to_second


def nothing(state: dict[str, Any], *_: str) -> None:
    """The question is not about what changes."""


THING = r"(the (?:thing (?:on the left|on the right|at the top|at the bottom)|\w+ thing|\w+))"
WHAT = "(colours|places|sizes|shapes)"
N = "(one|two|three)"
IS = r"(?:is|would) the (\w+) (?:be )?"
CORES: dict[str, Callable[..., Any]] = {
    r"how many (.+?) (?:are there|would there be)": lambda things, words: len(described(words, things)),
    r"what colour (?:is|would) the (\w+)(?: be)?": lambda things, noun: one(noun, things)["colour"],
    rf"{IS}(?:small|large) or (?:small|large)": lambda things, noun: one(noun, things)["size"],
    rf"{IS}(?:smaller|larger) or (?:smaller|larger) than the (\w+)": (
        lambda things, first, second: compare(things, first, second, "size", ("smaller", "larger"))
    ),
    rf"{IS}(?:left|right) or (?:left|right) of the (\w+)": (
        lambda things, first, second: compare(things, first, second, "x", ("left", "right"))
    ),
    rf"{IS}(?:above|below) or (?:above|below) the (\w+)": (
        lambda things, first, second: compare(things, first, second, "y", ("above", "below"))
    ),
    r"which shape (?:is|would be) (.+)": lambda things, words: so(words, things)["noun"],
    r"(.+ anything (on the left|on the right|at the top|at the bottom|\w+)\b.*)": knows,
}
CLAUSES: dict[str, Callable[..., None]] = {
    rf"{THING} and the background swapped colours": swap_background,
    rf"{THING} and {THING} (?:swapped|traded) {WHAT}": swap_named,
    rf"the two things swapped {WHAT}": swap_two,
    rf"the two things swapped {WHAT} and then swapped {WHAT}": swap_two,
    rf"the two things swapped {WHAT} and then swapped them back": nothing,
    rf"{THING} and {THING} swapped both their (\w+) and their (\w+)": lambda s, _, __, a, b: swap_two(s, a, b),
    r"each of the two things took the size of the other|each thing grew or shrank to the width of the other": (
        lambda s: swap(s, "size")
    ),
    rf"{THING} (?:were painted the colour of|had the colour of) {THING}": lambda s, a, b: give(s, a, b, "colour"),
    rf"{THING} had the colour that {THING} has": lambda s, a, b: give(s, a, b, "colour"),
    rf"{THING} were painted with a mixture of its own colour and that of {THING}": mix,
    rf"paint of the colour of {THING} were mixed into the paint of {THING}": lambda s, other, who: mix(s, who, other),
    rf"{THING} (?:were as wide as|took the size of) {THING}": lambda s, a, b: give(s, a, b, "size"),
    rf"{THING} (?:were cut to the outline of|took the shape of) {THING}": lambda s, a, b: give(s, a, b, "noun"),
    rf"{THING} moved past {THING} to its other side": lambda s, _, __: swap(s, "x", "y"),
    rf"{THING} were painted (\w+) and {THING} were painted (\w+)": cross_paint,
    rf"{THING} turned (\w+) and {THING} turned (\w+)": cross_paint,
    rf"{THING} turned into what {THING} is and {THING} into what {THING} is": lambda s, *_: swap(s, "noun"),
    "each of the two things turned into what the other is": lambda s: swap(s, "noun"),
    r"every (\w+) became an? (\w+) and every (\w+) an? (\w+)": exchange_nouns,
    "the image were mirrored sideways|the image were seen in a mirror on a wall": lambda s: mirror(s, "x"),
    "the image were flipped vertically|the image were seen as a reflection in a lake": lambda s: mirror(s, "y"),
    "the image were rotated by half a turn|the image were turned by 180 degrees|the image were turned upside down": (
        lambda s: mirror(s, "x", "y")
    ),
    "the background had another colour|the background were repainted": nothing,
    "today were .*|the price of bread doubled|everybody spoke .*|the image hung .*|a museum bought the image": nothing,
    rf"{N} of the (\w+(?: things)?) were removed": lambda s, n, words: remove(s, words, n),
    rf"someone took away {N} of the (\w+(?: things)?)": lambda s, n, words: remove(s, words, n),
    r"all (\w+(?: \w+)?) were removed|someone took away all (\w+(?: \w+)?)": lambda s, a, b: remove(s, a or b),
    r"the (\w+) were removed|someone took away the (\w+)": lambda s, a, b: remove(s, a or b),
    rf"{N} more (\w+(?: \w+)?) were added": add,
    rf"someone brought {N} more (\w+(?: \w+)?)": add,
    r"only the (\w+ \w+) were left|everything but the (\w+ \w+) were removed": lambda s, a, b: keep(s, a or b),
    r"the number of (\w+(?: \w+)?) doubled|there were twice as many (\w+(?: \w+)?)": lambda s, a, b: double(s, a or b),
    r"every (\w+) turned into an? (\w+)|every (\w+ thing) were painted (\w+)": (
        lambda s, a, b, c, d: become(s, a or c, b or d)
    ),
    r"the (\w+(?: things)?) (?:were painted|turned into|turned) (\w+)": become,
    r"all (\w+(?: things)?) (?:turned|became) (\w+)|every (\w+ thing) became an? (\w+)": (
        lambda s, a, b, c, d: become(s, a or c, b or d)
    ),
}
