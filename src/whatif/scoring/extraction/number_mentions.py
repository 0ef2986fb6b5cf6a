"""Finds the numbers in a clause of a response, what each counts, and its relation to the question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from whatif.language.number_words import FIGURE, NUMBER, canonical, in_digits
from whatif.scoring.extraction.number_evidence import Restriction, is_exact, restriction_of, segment_of, weight_of
from whatif.scoring.extraction.statement_words import COLOURS, base_form

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
_GONE = (
    r" (?:[a-z]+ ){0,3}(?:would|will) (?:be )?(?:gone|leave|disappear|missing|removed|fly|go|vanish|depart|drop|fall)\b"
)
_GROUPED = "row|stack|group|pile|line|column|bunch(?:e)?|cluster|bundle|box(?:e)?|bag|basket|herd|flock|tray|pack"
_ROWS = re.compile(rf"\b(?:{_GROUPED})s (?:of|with) $")
_WITH_NOUN = re.compile(rf"({FIGURE}) (?!more\b|of\b|were\b|was\b|are\b|is\b|left\b|would\b)[a-z]{{2,}}")
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
_COUNTED = re.compile(
    r"how +many +([a-z' -]+?)(?= (?:of|in|on|at|with|from|is|are|was|were|would|will|can|could|do|does|did|has|have|"
    r"had|if)\b|[?,.]|$)"
)
_PLURAL = re.compile(r"(?!\w*(?:ss|us|is|'s)$)[a-z-]{2,}s|people|children|\w*men|mice|geese|teeth|feet|sheep|fish|deer")
# `open` in `how many windows would be open`, but no place and nothing that only says that they are there.
_PREDICATE = re.compile(
    r"how +many +[a-z0-9' -]+? (?:(?:would|will|could|can)(?: still| then| now)? be|are|is|were|was)(?: still)? "
    r"(?!(?:there|left|visible|shown|seen|present|in|on|at|of|the|an?|not|you|we|they|it|to|from|with|under|behind|"
    r"near|next|being|remaining|above|below)\b)(?P<predicate>[a-z]+)"
)
# `cats` in `if 2 more cats were added`, and in `if 2 cats ran`
_SUPPOSED = re.compile(
    rf"(?P<number>{FIGURE})(?: (?P<before_verb>(?:[a-z'-]+ ){{1,4}}?)(?=(?:was|were|is|are|had|has|have|would|did)\b)|"
    rf" (?P<plural>(?:[a-z-]+ )?(?:{_PLURAL.pattern}))\b)?"
)
_NO_NAME = frozenset(
    "more other others additional extra further new another of them these those the ones one was is".split()  # noqa: SIM905
)
_VERBS = re.compile(r"\b[a-z]{3,}(?=ed\b)|\b(?<!there )(?:(?<=were )|(?<=was )|(?<=been ))[a-z]{3,}|\bcame\b")


@dataclass(frozen=True)
class Asked:
    """What a question provides: its words, its things, and the numbers and verbs of its supposition."""

    text: str
    things: re.Pattern[str]
    label: re.Pattern[str]  # `cats: `
    number_of: re.Pattern[str]  # `the number of cats is `
    supposed: frozenset[str]
    of_others: frozenset[str]  # those of `supposed` that count other things: 2, in `if 2 cats were added`
    verbs: re.Pattern[str]
    predicate: re.Pattern[str]  # ` windows would be open`
    has_predicate: bool
    figures: frozenset[str]  # all numbers of the question
    echoes: frozenset[str]  # `1 leg`, in `standing on one leg`
    colour: str  # `red`, in `red cars`
    kind: str  # `milk`, in `bottles of milk`
    restriction: Restriction
    counterfactual: bool


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


@lru_cache(maxsize=4096)
def asked_by(question: str) -> Asked:
    text = in_digits(question)
    supposition = text.partition("if ")[2]
    things = label = re.compile("(?!)")
    counted = _COUNTED.search(text)
    if counted and (words := counted[1].split()):
        plural = next((place for place, word in enumerate(words) if _PLURAL.fullmatch(word)), len(words) - 1)
        words = words[: plural + 1]  # without a verb: `bridges cross the river`
        noun = words.pop()
        nouns = ("people", "persons?") if noun == "people" else (noun, noun.removesuffix("s"), noun.removesuffix("es"))
        adjectives = "".join(f"(?:{word} )?" for word in ("total", *words))
        things = re.compile(rf" {adjectives}(?:{'|'.join(nouns)})\b")
        label = re.compile(rf"\W*(?:number of )?{adjectives}(?:{'|'.join(nouns)}) ?[:|] ?")
    colour = next((one for one in COLOURS if f"(?:{one} )?" in things.pattern), "")
    return Asked(
        text=text,
        things=things,
        label=label,
        number_of=re.compile(rf"\bnumber of{things.pattern}[^.;:,]{{0,60}} (?:is|are|was|were|would be|will be) $"),
        supposed=frozenset(canonical(figure) for figure in re.findall(FIGURE, supposition)),
        of_others=_of_others(supposition, things, colour),
        verbs=re.compile(rf" (?:[a-z]+ ){{0,4}}(?:{'|'.join(_VERBS.findall(supposition)) or '(?!)'})|{_GONE}"),
        predicate=_with_predicate(text, things),
        has_predicate=_PREDICATE.search(text) is not None,
        figures=frozenset(canonical(figure) for figure in re.findall(FIGURE, text)),
        echoes=frozenset(found[0] for found in _WITH_NOUN.finditer(text) if not things.match(text, found.end(1))),
        colour=colour,
        kind=kind[1] if (kind := re.search(rf"{things.pattern} of ([a-z]+)", text)) and kind[1] != "the" else "",
        restriction=restriction_of(question, things.pattern),
        counterfactual=bool(supposition) or " would " in text,
    )


def _of_others(supposition: str, things: re.Pattern[str], colour: str) -> frozenset[str]:
    """The numbers of a supposition that count only things with another name or colour than those asked for."""
    others: dict[str, bool] = {}
    for found in _SUPPOSED.finditer(supposition):
        named = [word for word in (found["before_verb"] or found["plural"] or "").split() if word not in _NO_NAME]
        phrase = f" {' '.join(named)}"
        is_same = not named or (things.search(phrase) is not None and not _has_other_colour(phrase, colour))
        value = canonical(found["number"])
        others[value] = others.get(value, True) and not is_same
    return frozenset(value for value, is_other in others.items() if is_other)


def _with_predicate(question: str, things: re.Pattern[str]) -> re.Pattern[str]:
    found = _PREDICATE.search(question)
    return re.compile(
        rf"(?:{things.pattern})?(?: (?:of|which|that|who|whom|them|shown|seen|visible|actually|currently|only|"
        rf"people|persons?|also|would|will|could|can|be|are|is|were|"
        rf"was|still|then|now)){{0,5}} "
        rf"(?:{found['predicate']}|{base_form(found['predicate'])}s?)\b"
        if found
        else r"(?!)"
    )


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


def _has_other_colour(after: str, colour: str) -> bool:
    """Whether things are of another colour than asked for: `3 blue cars`, if asked for red cars."""
    found = re.match(r" ([a-z]+)\b", after)
    return found is not None and bool(colour) and found[1] in COLOURS and found[1] != colour


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
        if figure and noun and figure + noun[0] in asked.echoes:
            continue
        if things is None and _has_other_colour(after, asked.colour):
            is_other_kind = True
        value = figure and canonical(figure)
        segment = segment_of(text, start, end) if len(text) < _LONG else ""
        is_rest = _REST.match(after) is not None and asked.things.search(after) is not None
        difference = things is None and not is_rest and _DIFFERENCE.search(before + "#" + after) is not None
        difference |= _ALGEBRA.search(before) is not None or _CHANGES.search(before) is not None
        is_other = things is not None and value in asked.of_others  # `2 dogs would run`, if 2 cats did
        restates = value in asked.supposed and not is_other and asked.verbs.match(after) is not None
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
