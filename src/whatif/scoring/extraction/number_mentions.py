"""Finds the numbers in a clause of a response, what each counts, and its relation to the question."""

from __future__ import annotations

import re
from dataclasses import dataclass

from whatif.language.number_words import FIGURE, NUMBER, canonical, in_digits
from whatif.scoring.extraction.number_asked import Asked, has_other_colour
from whatif.scoring.extraction.number_evidence import is_exact, segment_of, weight_of

_UNIT = (
    "(?:year|month|week|day|hour|minute|second|meter|metre|mile|pound|(?:kilo)?gram|degree|dollar|euro|pixel)s?|"
    "feet|foot|inch(?:es)?|[ckm]m|kg|mph"
)
_COUNTS_NOTHING = re.compile(
    r"\bscore\b\D{0,20}\d+ ?- ?\d+|"
    r"\b\d{1,2}:\d\d\b|\b\d{1,2} ?(?:o'clock|[ap]\.?m\b\.?)|\b\d{1,4}[-/]\d{1,2}[-/]\d{1,4}\b"  # times, dates, years
    r"|\b(?:in|since|until|during|from|year|circa|this) (?:the year )?(?P<year>(?:1[89]|20)\d\d)"
    r"(?:\b(?! [a-z]+s\b)|s\b)"
    rf"|(?P<share>{FIGURE} ?(?:%|per ?cent\b))|(?P<money>[$€£] ?{FIGURE})"
    rf"|\b(?:confidence|probability|certainty|score)\b\D{{0,20}}{FIGURE}"
    r"|\b(?:step|figure|fig\.?|question|example|section|case|version|page|phase|part|number|no\.|option) ?#?\d+\b|#\d+"
    r"|(?<!the )(?<!this )\b(?P<numbered>room|bus|flight|route|highway|gate|platform|apartment|floor|channel) \d+"
    r"(?! [a-z])"
    r"|\b(?:image|picture|photo|person|player) \d+ ?:|\bthe other \d+(?! [a-z]+s?\W*$)|\boff by \d+"
    rf"|{FIGURE} (?:thirds?|quarters?|halves|fifths?|tenths?)\b"
    rf"|{FIGURE} (?P<unit>{_UNIT}) (?:tall|long|wide|high|deep|away|apart|old|from)\b"
)
# What a question says that asks for such a number after all; a `numbered` thing is asked for by its name.
_ASKS_FOR = {
    "year": re.compile(r"\byear\b|\bwhen\b"),
    "share": re.compile(r"\bper ?cent(?:age)?\b|%"),
    "money": re.compile(r"\bhow much\b|\b(?:costs?|prices?|fare|pay|paid|dollars?|euros?|pounds?)\b|[$€£]"),
}
_MEASURE = re.compile(rf"{FIGURE} ?(?P<unit>{_UNIT})\b")
_FORMER = "(?:(?:the|all|original|initial|existing|current|previous|remaining|other|about) ){0,2}"
_DENIED = r"(?:\bnot|n't)(?: (?:be|see|have|count|exactly|just|only|really|equal(?: to)?|a total of)){0,2}"
# Numbers that a count is compared with: `4 of the 11`, `5 instead of 3`, `not 4`, `from 3 to 5`.
_COMPARED = re.compile(
    r"\bcompared (?:with|to) [^.;!?\n]*|\b(?:instead of|rather than|out of|of (?:the|these|those|its|their|all)|"
    r"including|besides|"
    r"than (?=the |these |those )|"
    r"down from|up from) "
    rf"{_FORMER}{FIGURE}(?!\w)|{_DENIED} {FIGURE}(?!\w)|"
    rf"\bfrom {_FORMER}{FIGURE}(?: [a-z]+){{0,2}} (?:down |up )?to (?={FIGURE})"
)
_UP_TO = re.compile(r"\b(go(?:es)?|rises?|increases?|climbs?|adds?|comes?|gets?) up to\b")  # no bound
_ADDS = re.compile(rf"\badd(?:ing|ed|s)? ({FIGURE})(?: [a-z]+)? to (?:the |these |those )?({FIGURE})")
_SUBTRACTS = re.compile(rf"\bsubtract(?:ing|ed|s)? ({FIGURE})(?: [a-z]+)? from (?:the |these |those )?({FIGURE})")
_BOUND = "at least|at most|more than|less than|fewer than|no more than|up to|over|under"
_MENTION = re.compile(
    rf"\b(?P<bound>{_BOUND}) (?:only |about )?(?P<bounded>{NUMBER})"
    rf"|\bbetween {NUMBER} and {NUMBER}|{NUMBER} ?(?:[-~/+*×]|x |to\b|or\b) ?{FIGURE}(?!\w)"
    rf"|[<>]=? ?{NUMBER}|{NUMBER}(?:\+(?! ?\d)| or (?:more|fewer|less)\b)|(?P<number>{NUMBER})"
)
_DIFFERENCE = re.compile(
    r"# (?:more|fewer|less|extra|additional|others?|new)\b|"
    r"\bby #|(?<!\d)(?<!\d )\+#"
    r"|(?<!\d )\b(?:plus|minus|times) #|[a-z] [+*×] ?#"
)
_GROUPED = "row|stack|group|pile|line|column|bunch(?:e)?|cluster|bundle|box(?:e)?|bag|basket|herd|flock|tray|pack"
_ROWS = re.compile(rf"\b(?:{_GROUPED})s (?:of|with) $")
_GROUP = re.compile(rf" (?P<group>{_GROUPED})s? of\b")
_EACH = re.compile(r"(?: [a-z]+){0,3} (?:each|per|apiece|every)\b")
_SUPPOSES = re.compile(r"\b(?:would|will)\b|'d\b|'ll\b")
_OF_NOW = re.compile(r"\b(?:now|currently|at (?:the moment|present)|presently|already)\b")
_SHARED = re.compile(r"\b(?:each|every|per|apiece|equally)\b")
_REST = re.compile(r" (?:more|further|additional) (?:[a-z]+ ){1,2}(?:left|remaining|to [a-z]+)\b")
_KIND = 2  # words that a word for the kind of things counts
_NEAR = 120  # characters before a number
_LONG = 5_000  # characters of a clause whose parts are not weighed
_CHANGES = re.compile(r"\b(?:would|will) (?:add|remove|lose|gain|contribute) $")
_ALGEBRA = re.compile(r"(?<![\w'])[b-z] ?[-+*×] ?$")
_PLACE = re.compile(
    r" (?:is |are )?(?:on|in|at|to|behind|near|next|under|beside|above|below|from)\b"
    r"(?! (?:the|this) (?:image|picture|photo|scene)\b)"
)
_GROUPS = re.compile(r" (?:pairs?|couples|sets)\b")


@dataclass(frozen=True)
class Mention:
    """A number in a text. `value` is None for a range or a bound."""

    value: str | None
    start: int
    weight: int  # words that its part of the clause shares with the restriction of the question
    is_exact: bool  # `2 have landed`, if the question asks how many have
    is_difference: bool  # `2 more`, `by 2`
    is_aside: bool  # a difference, or `in 2 rows`
    is_of_things: bool
    is_placed: bool  # `on the left`
    is_other_kind: bool  # `3 blue cars`, if the question asks for red cars
    is_of_now: bool  # `5 are there now`
    is_rival: bool  # `or perhaps 3`, or a number of the supposition: `7 cows would disappear`
    restates: bool
    names_others: bool  # `4 approaches`, if the question asks for lights
    lacks_predicate: bool  # `5 people`, if the question asks how many people are wearing glasses
    has_predicate: bool  # `3 are open`, if the question asks how many are open

    @property
    def is_count(self) -> bool:
        """Whether it counts all the things that the question asks for: `4 people`."""
        return self.is_of_things and not (self.is_difference or self.is_placed or self.restates)


def counts_only(piece: str, asked: Asked) -> str:
    """A piece in digits, without numbers that do not count anything."""
    if "pair" in asked.text:
        piece = re.sub(r"\ba pair\b|^\W*pair\b", "1 pair", piece)
    text = _COUNTS_NOTHING.sub(
        lambda found: _unless_asked(found, asked), _COMPARED.sub("·", _in_signs(in_digits(piece)))
    )
    text = _MEASURE.sub(lambda measure: measure[0] if measure["unit"] in asked.text else "·", text)
    unbracketed = re.sub(r"\([^()]{0,200}\)", " ", text)
    return unbracketed if _MENTION.search(unbracketed) else text


def _in_signs(text: str) -> str:
    text = _UP_TO.sub(r"\1 to", text)
    return _SUBTRACTS.sub(r"\2 - \1", _ADDS.sub(r"\1 + \2", text))


def _unless_asked(found: re.Match[str], asked: Asked) -> str:
    if re.search(r"\b(?:what|which)(?: [a-z]+){0,2} number\b", asked.text):
        return found[0]
    asked_for = found["unit"] and found["unit"] in asked.text and found[0].split()[-1] in asked.text
    is_name = found["numbered"] and re.search(rf"\b(?:what|which) {found['numbered']}\b", asked.text)
    is_sort = any(found[sort] and words.search(asked.text) for sort, words in _ASKS_FOR.items())
    return found[0] if asked_for or is_name or is_sort else "·"


def _weight(segment: str, asked: Asked) -> int:
    names_kind = asked.kind and re.search(rf"\d.*\b{asked.kind}\b", segment)  # counts most: `2 of them contain milk`
    return weight_of(segment, asked.restriction) + (_KIND if names_kind else 0)


def _is_other_kind(after: str, asked: Asked) -> bool:
    """Whether a thing is of another kind than asked for: `1 bottle of juice`, if asked for bottles of milk."""
    found = re.match(r" of ([a-z]+)", after)
    return (
        found is not None and bool(asked.kind) and found[1] != asked.kind and found[1] not in ("the", "them", "these")
    )


def mentions_in(text: str, asked: Asked) -> list[Mention]:
    each = re.search(r"\b(?:each|per|apiece)\b", text) if not _SHARED.search(asked.text) else None
    mentions: list[Mention] = []
    for found in _MENTION.finditer(text):
        start, end = found.span()
        before, after = text[max(0, start - 20) : start], text[end : end + 80]
        figure = found["number"] or (found["bounded"] if found["bound"] and found["bound"] in asked.text else None)
        things = asked.things.match(after)
        is_other_kind = things is not None and _is_other_kind(after[things.end() :], asked)
        things = None if is_other_kind else things
        if each and (things is None or each.start() < start or _EACH.match(after)):
            if _EACH.match(after) and any(mention.is_of_things for mention in mentions):
                continue  # `6 windows, 3 on each floor`
            figure = None
        group = _GROUP.match(after)
        if _ROWS.search(before) or (_GROUPS.match(after) and not _GROUPS.search(asked.text)):
            figure = None
        if group and group["group"] not in asked.text:
            figure = None
        noun = re.match(r" [a-z]{2,}", after)
        if things is None and figure and noun and figure + noun[0] in asked.echoes:
            continue
        if things is None and has_other_colour(after, asked.colour):
            is_other_kind = True
        value = figure and canonical(figure)
        segment = segment_of(text, start, end) if len(text) < _LONG else ""
        is_rest = _REST.match(after) is not None and asked.things.search(after) is not None
        difference = things is None and not is_rest and _DIFFERENCE.search(before + "#" + after) is not None
        difference |= _ALGEBRA.search(before) is not None or _CHANGES.search(before) is not None
        is_other = things is not None and value in asked.of_others  # `2 dogs would run`, if 2 cats did
        restates = value in asked.supposed and not is_other and asked.restates(after)
        mentions.append(
            Mention(
                value=value,
                start=start,
                weight=-1 if is_other_kind else _weight(segment, asked),
                is_exact=is_exact(segment, asked.things.pattern, asked.kind, asked.restriction),
                is_difference=difference,
                is_aside=difference or re.search(r"\b(?:in|on|at|(?<!left )with) $", before) is not None,
                is_of_things=things is not None
                or asked.number_of.search(text[max(0, start - _NEAR) : start]) is not None
                or (not asked.counterfactual and asked.label.fullmatch(text[:start]) is not None),
                is_other_kind=is_other_kind,
                is_of_now=_OF_NOW.search(segment) is not None and _SUPPOSES.search(segment) is None,
                is_placed=_PLACE.match(after, things.end() if things else 0) is not None,
                is_rival=restates or re.search(r"\bor (?:perhaps |maybe |possibly )?$", before) is not None,
                restates=restates,
                names_others=things is None and re.match(r" [a-z]{3,}s\b", after) is not None,
                has_predicate=not restates and asked.predicate.match(after) is not None,
                lacks_predicate=asked.has_predicate and asked.predicate.match(after) is None,
            )
        )
    of_kind = [mention for mention in mentions if not mention.is_other_kind]
    return of_kind if any(mention.is_of_things for mention in of_kind) else mentions
