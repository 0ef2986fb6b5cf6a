"""Letters and texts of options in a response, as candidates for the option that was chosen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from whatif.engine.language.options import LETTERS
from whatif.scoring.extraction.by_candidate.booleans import weigh
from whatif.scoring.extraction.by_candidate.context import Context
from whatif.scoring.extraction.by_candidate.plain_text import without_latex
from whatif.scoring.extraction.by_candidate.weights import Evidence, add, decided
from whatif.scoring.extraction.extracted import Extracted, none

_LETTER = re.compile(r"(?<![\w'/^\\-])[A-Za-z](?![\w'^/=]|-\w)")
_NOUNS = "point|box|image|picture|figure|panel|line|object|region|circle|photo|graph|shape|path|labeled|labelled|marked"
_NAMED_LETTER = re.compile(rf"(?:(?:{_NOUNS}) )?([a-z])(?: is [a-z ]+)?")
_NOUN_BEFORE = re.compile(rf"(?:\b(?P<named>{_NOUNS})|\b(?P<option>option|choice|answer|letter))[\s*\"(\[]*$")
_IS = re.compile(r"[^\w ]|$| (?:is|appears|has|seems|and|or)\b")
_UNLIKE = re.compile(r"\b(?:unlike|than|with|to) (?:the |option )?$")
_INLINE = re.compile(r"\b[A-H]:(?=\S)")
_BETWEEN = re.compile(r"[)\]*\"]*(?:, |,? ?(?:and|or|&|/) ?)(?:possibly |perhaps |the |an? )*[(*\[\"]*")
_LED_TO = re.compile(
    r"(?:\b(?:so|that|but|leaves|actually,|wait,(?: no:?)?|correction:)|\b(?:it is|it's|it was))[\s(*\"]*$"
)
_NOT = re.compile(r"\b(?:not|between|none of)\s+$")
_RIGHT_OR_WRONG = re.compile(r"[)*\"]* (?:is|must be) (?:\w+ )?(?:right|wrong|correct|incorrect|false|true)\b")
_JOINED = re.compile(r"[)\]*]*,? ?(?:and|or|&|,|/) ?[(*\[]*[A-J]\b(?!')")
_JOINED_BEFORE = re.compile(r"\b[A-J][)\]*]*,? ?(?:and|or|&|,|/) ?[(*\[]*$")
_FIGURE = re.compile(r"[$€£]?\s?(-?[\d,]*\.?\d+)\s?(°|%|[a-z].{0,20})?")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_ORDINAL = re.compile(rf"(?:the )?({'|'.join(_ORDINALS)}) (?:image|picture|photo|figure|one)")
_ORDINAL_NOUNS = ("image", "picture", "photo", "figure", "one", "painting", "photograph", "option")
_MARKED_LINE = re.compile(r"(?:^|\n)[ \t*#-]*(?:option )?\(?([A-Z])[).:](?=[\s*])", re.I)
_YES_NO = {"yes": "yes", "true": "yes", "no": "no", "false": "no"}
_NO_ANSWER = re.compile(r"determine|tell|none of|enough|know")
_GOES_ON = re.compile(r"[/(√^]|[.,]\d")
_LOOSE = re.compile(r"[\s{}()]|\.$")
_MOST_OF_KEY = 20

Mention = tuple[int, int, str, list[str]]  # start, end, letter, features
Key = tuple[str, str, bool]  # a text that stands for an option, its letter, whether it is a figure only


@dataclass(frozen=True)
class Options:
    """What stands for the options: keys, texts without spaces, letters that are named in texts, yes and no."""

    keys: tuple[Key, ...]
    squeezed: dict[str, str]
    named: dict[str, str]
    yes_no: dict[str, str]


@lru_cache(maxsize=4096)
def _options(choices: tuple[str, ...]) -> Options:
    texts = {letter: _normal(choice) for letter, choice in zip(LETTERS, choices, strict=False)}
    squeezed = list(map(_squeezed, texts.values()))
    named = {text: one[1].upper() for text in texts.values() if (one := _NAMED_LETTER.fullmatch(text))}
    named = named if len(named) > 1 else {}
    same: dict[str, list[Key]] = {}
    for letter, text in texts.items():
        for key, weak in _keys_of(text).items() if text not in named else ():
            same.setdefault(key, []).append((key, letter, weak))
    return Options(
        keys=tuple(keys[0] for keys in same.values() if len({letter for _, letter, _ in keys}) == 1),
        squeezed={text: letter for text, letter in zip(squeezed, texts, strict=True) if squeezed.count(text) == 1},
        named={named[text]: letter for letter, text in texts.items() if text in named},
        yes_no={
            _YES_NO[text]: letter
            for letter, text in texts.items()
            if text in _YES_NO and sum(one.startswith(text) for one in texts.values()) == 1
        },
    )


def _keys_of(text: str) -> dict[str, bool]:
    """The texts that stand for an option, and whether they are weak: itself, its figure, its ordinal."""
    if not text or text in _YES_NO or (len(text) == 1 and text.isalpha()):
        return {}
    keys = {text: text.replace(".", "").isdigit()}
    if figure := _FIGURE.fullmatch(text):
        keys |= {f"{figure[1]} degrees": False, f"{figure[1]} °": False} if figure[2] == "°" else {}
        keys.setdefault(figure[1], True)
    if ordinal := _ORDINAL.fullmatch(text):
        keys |= {f"{ordinal[1]} {noun}": False for noun in _ORDINAL_NOUNS}
        keys |= {f"{noun} {_ORDINALS.index(ordinal[1]) + 1}": False for noun in ("image", "picture", "figure")}
    if text.startswith(("the ", "a ", "an ")) and len(text) > 8:
        keys[text.partition(" ")[2]] = False
    return keys


def read_choice(context: Context, question: str, choices: Sequence[str], *, letters: bool) -> Extracted:
    """The letter of the option that a response chooses; `letters` says whether the options were shown with letters."""
    if not context.cues and _INLINE.match(context.text) and len(set(_INLINE.findall(context.text[:4000]))) > 1:
        return none("a list of the options")
    options, in_question = _options(tuple(choices)), _in_question(question, tuple(choices))
    mentions = _text_mentions(context.lower, options)
    mentions += _letter_mentions(context, options, len(choices) if letters else 0)
    mentions.sort(key=lambda one: one[:3])
    _relate(mentions, context.lower)
    lines = _marked_lines(context.text)
    seen = [(letter, start, own + context.features(start, end)) for start, end, letter, own in mentions]
    rivals: dict[int, set[str]] = {}  # by sentence: the options that it does not compare with or deny
    for letter, start, features in seen:
        if "compared with" not in features and "joined" not in features and "negated" not in features:
            rivals.setdefault(context.plain.sentence(start), set()).add(letter)
    evidence: Evidence = {}
    for letter, start, features in seen:
        cued, line = "answer cue" in features, context.text.rfind("\n", 0, start) + 1
        if not cued and len(rivals.get(context.plain.sentence(start), ())) > 1:
            features.append("other candidates")
        if not cued and "text" in features and letter in in_question:
            features.append("in question")
        if line in lines and not (cued and any(map(str.isalnum, context.text[line:start]))):
            features.append("listed")
        add(evidence, letter, features)
    if "⟦" in context.text and not any("boxed" in features for *_, features in seen):
        add(evidence, "", ["boxed"])  # something else than an option
    if options.yes_no:
        said: Evidence = {}
        weigh(context, question, said)
        for word in said.keys() & options.yes_no.keys():
            evidence.setdefault(options.yes_no[word], []).extend(said[word])
    if not any(_NO_ANSWER.search(key) for key, _, _ in options.keys):
        context.add_refusal(evidence)
    return decided(evidence, "option")


def _relate(mentions: list[Mention], lower: str) -> None:
    """Adds what neighbours say about each other: a letter has its own text, or stands in a list with other options."""
    for one, other in pairwise(mentions):
        if one[2] == other[2] and "parenthesised" in one[3] and other[0] - one[1] < 4:
            one[3].append("text")
        if one[2] == other[2] or not _BETWEEN.fullmatch(lower, one[1], other[0]):
            continue
        if not _UNLIKE.search(lower, max(0, one[0] - 20), one[0]):
            one[3].append("joined")
            other[3].append("joined")


@lru_cache(maxsize=4096)
def _in_question(question: str, choices: tuple[str, ...]) -> frozenset[str]:
    """The options that occur in the question, unless it names them all."""
    found = {letter for _, _, letter, _ in _text_mentions(question.lower(), _options(choices))}
    return frozenset(found) if len(found) < len(choices) else frozenset()


def _marked_lines(text: str) -> frozenset[int]:
    """The beginnings of the lines that list options or discuss them one by one: two different letters or more."""
    found = list(_MARKED_LINE.finditer(text))
    if len({line[1].upper() for line in found}) < 2:
        return frozenset()
    return frozenset(line.start() + (text[line.start()] == "\n") for line in found)


def _letter_mentions(context: Context, options: Options, count: int) -> list[Mention]:
    """The letters of the first `count` options, and letters that are named in the texts of options."""
    text, lower = context.text, context.lower
    found: list[Mention] = []
    for mention in _LETTER.finditer(text) if count or options.named else ():
        start, end = mention.span()
        letter, capital, following = mention[0].upper(), mention[0].isupper(), text[end : end + 1]
        article = letter in "AI" and not _IS.match(lower, end)
        enclosed = start > 0 and text[start - 1] + following in ("()", "[]", "⟦⟧", "**", "(.", "(:")
        cued = start in context.cues
        noun = _NOUN_BEFORE.search(lower, max(0, start - 20), start)
        if letter in options.named and not (noun and noun["option"]) and (noun or not count or not (enclosed or cued)):
            if capital and (noun or not article):
                start = noun.start() if noun else start
                found.append((start, end, options.named[letter], ["text"]))
            continue
        line = text.rfind("\n", 0, start) + 1
        opens = not any(map(str.isalnum, text[max(line, start - 20) : start]))
        marked = following in (")", ".", ":", ",", "\n", "")
        own = ["parenthesised"] if enclosed else []
        bare = capital and not article
        led = _LED_TO.search(lower, max(0, start - 20), start) if capital else None
        judged = bare and (_RIGHT_OR_WRONG.match(lower, end) or _NOT.search(lower, max(0, start - 12), start))
        opens = opens or (bare and bool(led or judged))
        own += ["led to"] if led else []
        if ord(letter) - ord("A") >= count or not (enclosed or cued or opens or noun):
            continue
        if not enclosed and not (capital and not article) and not (marked and (cued or opens)):
            continue
        if _JOINED.match(text, end) or _JOINED_BEFORE.search(text, max(0, start - 9), start):
            own.append("joined")
        found.append((start, end, letter, own))
    return found[:20] + found[20:][-40:]  # the first and the last ones, so that the time is bounded


def _text_mentions(lower: str, options: Options) -> list[Mention]:
    """The texts of options, of texts in each other only the longest."""
    lower = lower.replace("\n", " ")
    spans: list[tuple[int, int, Key]] = []
    for key in options.keys:
        place, count = lower.find(key[0]), 0
        while place >= 0 and count < _MOST_OF_KEY:
            end = place + len(key[0])
            if _bounded(lower, place, end):
                spans.append((place, end, key))
                count += 1
            place = lower.find(key[0], end)
    spans.sort(key=lambda one: (one[0], -one[1]))
    found: list[Mention] = []
    for start, end, (_, letter, weak) in spans:
        if not found or start >= found[-1][1]:
            found.append((start, end, letter, ["text", "figure only"] if weak else ["text"]))
    if len(lower) < 100 and not found and (whole := options.squeezed.get(_squeezed(lower))):
        found.append((0, len(lower), whole, ["text"]))
    box, end = lower.rfind("⟦"), lower.rfind("⟧")
    if 0 <= box < end and (boxed := options.squeezed.get(_squeezed(lower[box + 1 : end]))) and end - box > 2:
        found.append((box + 1, end, boxed, ["text"]))
    return found


def _bounded(text: str, start: int, end: int) -> bool:
    """Whether a text is no part of a longer word or number."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if (before.isalnum() and text[start].isalnum()) or (after.isalnum() and text[end - 1].isalnum()):
        return False
    if text[end - 1].isdigit() and _GOES_ON.match(text, end):
        return False
    if after == "/" and text[end + 1 : end + 2].isalpha():  # `12 m/s`
        return False
    return not (text[start].isdigit() and before in (".", ",", "-", "/"))


def _normal(choice: str) -> str:
    text = without_latex(choice) if "\\" in choice or "$" in choice else choice
    return " ".join(text.lower().split()).rstrip(".")


def _squeezed(text: str) -> str:
    return _LOOSE.sub("", text).replace(";", ",")
