"""Where a text mentions an option: by its letter, its words, its number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property, lru_cache

from whatif.engine.language.number_words import FIGURE, canonical, in_digits
from whatif.engine.language.options import LETTERS
from whatif.scoring.extraction.by_sentence.acts import stems
from whatif.scoring.extraction.by_sentence.sentences import plain

_TOKEN = re.compile(r"\w+|[^\w\s*()×·,;\"'.]|\.(?=\d)|(?<=\d)\.")
_GAP = r"[\s*()×·,;\"'.]{0,3}"
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(
    rf"(?<![\w.,/^√])-?{FIGURE}(?:(?![\w/^√]|\.\d|\s?[×*·/+√π]|\s?-\s?\d)|(?=°|%|cm\b|m\b))",
)
_WITH_UNIT = re.compile(rf"[^\w.√-]?\s?(-?{FIGURE})\s?(?:°|%|[a-zμ]+(?:[\^/]?[\w²³]+)?|square \w+)?\.?")
_LABELLED = re.compile(r"(?:(?:the )?([a-z]+) )?\(?([a-z])\)?( is [a-z ]+)?")
_THING = r"(?:image|picture|photo(?:graph)?|painting|figure|panel|one|video|frame)"
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
_ORDINAL = re.compile(rf"(?:the )?({'|'.join(_PLACES)}) {_THING}")
_YES, _NO = frozenset(("yes", "true", "correct")), frozenset(("no", "false", "incorrect"))
_LETTER = re.compile(
    r"(?<!\w)\(([A-Za-z])\)|\b(?:[Oo]ption|[Cc]hoice|[Aa]nswer|[Ll]etter)s? \"?'?\(?([A-Z])\b(?!')|"
    r"^\s*([A-Z])(?:[.:)]|\s?-)\s|(?<=\bis )([A-Z])(?=\W*$)|"
    # A letter between words that compare, deny or choose; not the article.
    r"(?:(?<=\bnot )|(?<=\bbut )|(?<=\bso )|(?<=\bof )|(?<=\band )|(?<=\bor )|(?<=\bleaves )|(?<=\bbetween )|"
    r"(?<=\b[A-Z], ))\(?([A-Z])\b(?=\W*$|[,.;)]| (?:and|or|but|is) )|"
    r"(?<![\w'-])([A-Z])(?=,? (?:is|are|can be|must be) (?:\w+ )?"
    r"(?:right|wrong|correct|incorrect|true|false|the (?:right|correct|best|answer)|ruled out|excluded|eliminated)\b)"
)
# `A` before a word in lower case is the article, unless the word goes on after an answer.
_FIRST_LETTER = re.compile(
    r"[\s\"'(\[:*]{0,5}(?:(?i:option|choice|letter|answer) [\s\"'(\[]{0,5})?(?:([A-Z])(?=[\s.,:;)\]\"'/]|$)"
    r"(?!\s[a-z]+(?<! is)(?<! because)(?<! since)(?<! as)(?<! with)(?<! for)(?<! or)(?<! and)\b)|"
    r"(?<=\()([a-z])\)|([a-z])(?:\)|[.\s\"')]*$))"
)


class Options:
    """The options of a question, with what mentions them."""

    def __init__(self, choices: tuple[str, ...]) -> None:
        self.letters = LETTERS[: len(choices)]
        self.texts = [" ".join(plain(choice[:400]).split()).rstrip(".").lower() for choice in choices]
        self.by_text = dict(zip(self.texts, self.letters, strict=False))
        found = {"yes" if text in _YES else "no": letter for text, letter in self.by_text.items() if text in _YES | _NO}
        self.polar = found if len(found) == 2 else {}  # the letters of yes and no, where the options are those
        self.figures = bool(self.texts) and all(map(_DIGIT.search, self.texts))

    @cached_property
    def by_words(self) -> dict[str, str]:
        """The letter of an option's tokens, however they are spaced or put into brackets; none for equal options."""
        keys = [_bare(re.sub(r"^(?:the|an?) (?=\w)", "", text)) for text in self.texts]
        count = Counter(keys)
        return {key: letter if count[key] == 1 else "" for key, letter in zip(keys, self.letters, strict=False) if key}

    @cached_property
    def words(self) -> re.Pattern[str]:
        """Matches the words of an option in lower-case text, the longest first."""
        keys = [_GAP.join(map(re.escape, key.split(" "))) for key in sorted(self.by_words, key=len, reverse=True)]
        return re.compile(rf"(?<![\w√/^])(?:{'|'.join(keys) or '(?!)'})(?![\w√/^(])")

    @cached_property
    def labels(self) -> tuple[re.Pattern[str], dict[str, str]]:
        """Matches `point C` and `third image`, if the options are labelled so; and the letters by label."""
        marked = [match for text in self.texts if (match := _LABELLED.fullmatch(text))]
        if len(marked) == len(self.texts) and any(match[1] or match[3] for match in marked):
            by_label = {match[2].upper(): letter for letter, match in zip(self.letters, marked, strict=False)}
            nouns = {match[1] for match in marked if match[1]} | {
                "point",
                "image",
                "panel",
                "picture",
                "box",
                "option",
                "label+ed",
            }
            return re.compile(
                rf"\b(?i:{'|'.join(sorted(nouns))})s? [\"'(]?([{''.join(by_label)}])\b|"
                rf"(?<![\w'\"-])([{''.join(by_label)}])(?= (?:is|are|has|more|appears|seems|shows)\b)"
            ), by_label
        places = [match[1] for text in self.texts if (match := _ORDINAL.fullmatch(text))]
        if len(places) == len(self.texts) == len(set(places)):
            by_label = dict(zip(places, self.letters, strict=False))
            by_label |= {str(_PLACES.index(place) + 1): letter for place, letter in by_label.items()}
            named = "|".join(places) or "(?!)"
            return re.compile(
                rf"(?i)\b({named}) (?:\w+ )?{_THING}\b|\b(?:image|picture|figure) ([1-6])\b(?!\.\d)"
            ), by_label
        return re.compile(r"(?!)"), {}

    @cached_property
    def numbers(self) -> dict[str, str]:
        """The letters by canonical number, where all options are different numbers."""
        found = [match for text in self.texts if "π" not in text and (match := _WITH_UNIT.fullmatch(text))]
        by_number = {canonical(match[1]): letter for match, letter in zip(found, self.letters, strict=False)}
        return by_number if len(by_number) == len(self.texts) else {}

    @cached_property
    def unit(self) -> str:
        """The first letters of the unit that all options have: `cm`, `deg`."""
        units = {text.lstrip("-0123456789., ")[:3] for text in self.texts}
        return units.pop() if len(units) == 1 else ""

    @cached_property
    def own_stems(self) -> list[frozenset[str]]:
        """For each option, the stems that no other option has."""
        found = [stems(text) for text in self.texts]
        count = Counter(stem for option in found for stem in option)
        return [frozenset(stem for stem in option if count[stem] == 1) for option in found]


@lru_cache(maxsize=4096)
def options_of(choices: tuple[str, ...]) -> Options:
    """The options, kept for the next response to the question."""
    return Options(choices)


def first_letter(text: str) -> str | None:
    """The letter with which a text begins, if it stands for an option and is not the article or the pronoun."""
    found = _FIRST_LETTER.match(text)
    return found[found.lastindex or 1].upper() if found else None


def mentions(text: str, options: Options, *, letters: bool) -> list[tuple[int, int, str]]:
    """Start, end and letter of each mention of an option, in their order; `letters` says whether they were shown."""
    return sorted(mention for mention in _found(text, options, letters=letters) if mention[2])


def gives_value(text: str, options: Options) -> bool:
    """Whether all options have figures, and the text has some, too."""
    return options.figures and _DIGIT.search(text) is not None


def _found(text: str, options: Options, *, letters: bool) -> Iterator[tuple[int, int, str]]:
    lower = text.lower()
    for match in _LETTER.finditer(text) if letters else ():
        letter = match[match.lastindex or 1].upper()
        yield match.start(), match.end(), letter if letter in options.letters else ""
    pattern, by_label = options.labels
    for match in pattern.finditer(text):
        label = match[match.lastindex or 1]
        yield match.start(), match.end(), by_label.get(label) or by_label.get(label.lower(), "")
    if options.numbers:
        lower = lower if _DIGIT.search(lower) else in_digits(text)
        found = list(_NUMBER.finditer(lower))
        with_unit = [match for match in found if lower[match.end() :][:4].strip().startswith(options.unit)]
        for match in with_unit or found:
            yield match.start(), match.end(), options.numbers.get(canonical(match[0]), "")
    elif not options.polar:
        for match in options.words.finditer(lower):
            yield match.start(), match.end(), options.by_words.get(_bare(match[0]), "")


def _bare(text: str) -> str:
    return " ".join(_TOKEN.findall(text))
