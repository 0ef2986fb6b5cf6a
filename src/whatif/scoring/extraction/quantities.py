"""Options that are times, durations, lengths, weights or fractions, compared by what they amount to.

`1.5 hours` is `1 hour 30 minutes`, `half past nine` is `9:30`, `120 cm` is `1.2 m`, and `0.5` is `1/2`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from whatif.language.number_words import in_digits

_UNITS = {
    unit: (dimension, Fraction(factor))
    for dimension, units in {
        "time": {
            "1/60": "second seconds sec secs s",
            "1": "minute minutes min mins",
            "60": "hour hours hr hrs h",
            "1440": "day days",
            "10080": "week weeks",
        },
        "length": {
            "1": "mm millimeter millimeters millimetre millimetres",
            "10": "cm centimeter centimeters centimetre centimetres",
            "1000": "m meter meters metre metres",
            "1000000": "km kilometer kilometers kilometre kilometres",
        },
        "weight": {
            "1": "g gram grams",
            "1000": "kg kilo kilos kilogram kilograms",
            "1000000": "t ton tons tonne tonnes",
        },
        "volume": {"1": "ml milliliter milliliters", "10": "cl", "1000": "l liter liters litre litres"},
    }.items()
    for factor, names in units.items()
    for unit in names.split()
}
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_NUMBER = r"\d+(?: \d+/\d+|\.\d+|/\d+)?"
_ONE = rf"(?P<number>{_NUMBER}) ?-?(?P<unit>{_UNIT})\b"
_AMOUNT = re.compile(rf"(?<![\w.]){_ONE}(?:,? (?:and )?(?P<more>\d+) ?-?(?P<smaller>{_UNIT})\b)?")
_CLOCK = re.compile(r"(?<![\d:])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?![\d:])(?: ?(?P<half>[ap])\.?m\b\.?)?")
_BARE = re.compile(r"(?<![\w./:])(?P<number>\d+/\d+|0?\.\d+|\d+(?:\.\d+)?) ?(?P<percent>%)?(?![\w/])")
_SPOKEN = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\bhalf past (\d{1,2})\b", r"\1:30"),
        (r"\b(?:a )?quarter past (\d{1,2})\b", r"\1:15"),
        (r"\b(\d{1,2}) (?:minutes? )?past (\d{1,2})\b", lambda said: f"{said[2]}:{int(said[1]):02}"),
        (r"\b(?:a )?quarter to (\d{1,2})\b", lambda said: f"{(int(said[1]) - 2) % 12 + 1}:45"),
        (
            r"\b([1-5]?\d) (?:minutes )?to (\d{1,2})\b",
            lambda said: f"{(int(said[2]) - 2) % 12 + 1}:{60 - int(said[1]):02}",
        ),
        (r"\b(\d{1,2}) o'clock\b", r"\1:00"),
        (r"\b(\d{1,2}) ?([ap])\.?m\b\.?", r"\1:00 \2m"),
        (r"\b(?:3|three) quarters of an? |\b3 quarters?(?= of\b)", "3/4 "),
        (r"\ba quarter of an? ", "1/4 "),
        (r"\b(\d+) and a half\b", r"\1.5"),
        (r"\b(\d+) (hours?|minutes?|met(?:er|re)s?|days?) and a half\b", r"\1.5 \2"),
        (r"\b(?:an?|1) ((?:hour|meter|metre|day|minute)) and a half\b", r"1.5 \1s"),
        (r"\bhalf an? ", "0.5 "),
        (r"\ban? (?=(?:hour|minute|meter|metre|day|week|kilo\w*|liter|litre)\b)", "1 "),
    )
)


def amounts_of(choices: Sequence[str]) -> tuple[str, list[Fraction]] | None:
    """The dimension of options that are all amounts of it, and their amounts; None if they are not, or equal ones."""
    found = [_amounts(choice) for choice in choices]
    whole = [one[0] for one in found if len(one) == 1]
    if len(whole) < len(choices) or any(_rest(choice) for choice in choices):
        return None
    if len({dimension for dimension, _ in whole}) > 1 or len({amount for _, amount in whole}) < len(whole):
        return None
    return whole[0][0], [amount for _, amount in whole]


def amount_in(text: str, choices: Sequence[str], question: str) -> set[int]:
    """The places of options that the last sentence with an amount states; after `=` or `so`, the last one."""
    known = amounts_of(choices)
    if known is None:
        return set()
    dimension, options = known
    asked = {amount for _, amount in _amounts(question)}
    sentences = re.split(r"(?<=[.!?;])\s+|\n+", text)
    for sentence in reversed(sentences):
        said = [amount for one, amount in _amounts(sentence.rpartition("=")[2]) if one == dimension]
        new = [amount for amount in said if amount not in asked] or said
        if new:
            return {options.index(amount) if amount in options else -1 for amount in new}
    return set()


def _plain(text: str) -> str:
    text = in_digits(text.lower())
    for pattern, replacement in _SPOKEN:
        text = pattern.sub(replacement, text)
    return text


def _amounts(text: str) -> list[tuple[str, Fraction]]:
    text = _plain(text)
    found: list[tuple[int, str, Fraction]] = []
    for one in _CLOCK.finditer(text):
        hour = int(one["hour"]) % 12 + 12 if one["half"] == "p" else int(one["hour"])
        found.append((one.start(), "clock", Fraction(60 * hour + int(one["minute"]))))
    for one in _AMOUNT.finditer(text):
        dimension, factor = _UNITS[one["unit"]]
        amount = _fraction(one["number"]) * factor
        if one["smaller"] and _UNITS[one["smaller"]][0] == dimension:
            amount += Fraction(one["more"]) * _UNITS[one["smaller"]][1]
        found.append((one.start(), dimension, amount))
    for pattern in (_CLOCK, _AMOUNT):
        text = pattern.sub(lambda said: "·" * len(said[0]), text)
    for one in _BARE.finditer(text):
        amount = _fraction(one["number"]) / (100 if one["percent"] else 1)
        found.append((one.start(), "fraction", amount))
    return [(dimension, amount) for _, dimension, amount in sorted(found)]


def _rest(choice: str) -> str:
    """What an option has beside its amount."""
    text = _plain(choice)
    for pattern in (_CLOCK, _AMOUNT, _BARE):
        text = pattern.sub("", text)
    return "".join(re.findall(r"\w", text))


def _fraction(number: str) -> Fraction:
    whole, _, part = number.rpartition(" ")
    top, _, bottom = part.partition("/")
    if bottom and int(bottom) == 0:
        return Fraction(-1)
    return Fraction(whole or 0) + (Fraction(int(top), int(bottom)) if bottom else Fraction(part))
