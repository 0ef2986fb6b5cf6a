"""Finds the letters of options in a text, and whether the text affirms or denies each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from whatif.language.options import LETTERS
from whatif.scoring.extraction.extracted import Extracted, ambiguous, none

_AFTER_ARTICLE = re.compile(
    r"'| (?!(?i:is|because|since|and|or|but|as|seems?|looks?|fits?|would|with|for|not|on)\b)(?:[a-z]|[A-Z]{2}|\d)"
)
_OPENS = re.compile(r"(?:\A|[.!?:;\n])\W*\Z")
_CONTRACTED = re.compile(r"(?<=[a-z])(?:n't|n’t)\b|\bcannot\b", re.IGNORECASE)
_SIGN = 0xE000
ONE = f"[{chr(_SIGN)}-{chr(_SIGN + 25)}]"
OTHER_SIGN = rf"[^\w{chr(_SIGN)}-{chr(_SIGN + 25)}✓✗\n]"
_AND = r"(?:\s?(?:,|/|&|\band\b|\bor\b|\bnor\b|\bas well as\b)\s?){1,2}(?:(?:both|also|either|option|the) )?"
_LIST = rf"{ONE}(?:{_AND}{ONE}){{0,9}}"
_OF = r"(?: (?:the|be|is|answer|options?|choices?|possibilit\w+|both|either|all|with|for|out)\b){0,4}:? ?"
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|neither|than|instead of|except(?: for)?|exclud\w+|eliminat\w+|reject\w*|dismiss\w*|discard\w*|"
    rf"rul(?:e|es|ed|ing) out|cross\w* out|unlike|second[- ](?:pick|choice|guess|best|option)(?: (?:would be|is))?|"
    rf"wrong(?: options?| answers?| choices?)?(?: are| is)?|"
    rf"tempt\w+)){_OF}(?P<denied>{_LIST})|"
    rf"\bfrom (?P<origin>{ONE})(?= to {ONE})|\bnot (?:[\w'-]+ ){{1,5}}\((?P<beside>{ONE})\)",
    re.IGNORECASE,
)
_MODAL = (
    r"(?:(?:is|are|was|were|can|could|would|will|must|does|do|did|seems?|looks?|appears?|both|all|be|being|also|"
    r"clearly|therefore|"
)
_MODAL += (
    r"thus|simply|just|either|definitely|completely|obviously|then|probably|to|have|has|been|as|so|very|quite|"
    r"highly|rather)\s){0,5}"
)
_DENIED_AFTER = re.compile(
    rf"(?P<denied>{_LIST})(?:\s?\([^()\n]{{0,60}}\))?[\"']?(?:\s|:\s|\s[-→]\s){_MODAL}"
    r"(?:not\b(?! only\b)|wrong|incorrect|false\b|unlikely|impossible|implausible|irrelevant|unrelated|ruled out|"
    r"eliminated|excluded|"
    r"out\b|inconsistent|contradict\w*|no\b(?=\W*(?:$|[,.;\n)|]))|incomplete|(?:right|correct|true|(?:the )?(?:right |"
    r"correct )?(?:answer|choice|option)) (?:for|if|when|had|in case)\b|insufficient|possible,? but (?:less|un|"
    r"not|im)\w*|never|fails?\b|unsupported|"
    r"inaccurate|invalid|useless|✗|rejected|(?:\w+ly )?exaggerated|the opposite|opposite|revers(?:es|ed)|confuses|"
    r"ignores|overstates|swaps)",
    re.IGNORECASE,
)
_POSSIBLE = r"\b(?:could|might|may|can)(?: (?:also|possibly|well|equally|even))? (?:be|have been|fit|apply|work)\b"
_POSSIBLY = re.compile(
    rf"{_POSSIBLE}{_OF}(?P<one>{ONE})|(?P<also>{_LIST})(?:\s?\([^()\n]{{0,60}}\))? (?:(?:is|are|seems?|would be) "
    rf")?(?:also|too|equally|as well)\b|"
    rf"(?P<modal>{_LIST})(?:\s?\([^()\n]{{0,60}}\))? (?:{_POSSIBLE}|(?:is|are) (?:also )?(?:possible|plausible)(?! "
    rf"but))|"
    rf"\b(?:but|or|and|otherwise) (?:if|when|in case)\b[^.;\n]{{0,80}} (?P<otherwise>{ONE})|"
    rf"(?P<condition>{ONE})\W{{1,3}}(?:if|when|provided|depending|unless)\b|"
    rf"\b(?:or|perhaps|maybe|possibly|also|alternatively,?)(?: (?:perhaps|maybe|possibly|even|also))?(?: option| "
    rf"choice)? (?P<rival>{ONE})",
    re.IGNORECASE,
)
_CHOSEN = (
    r"(?:\b(?:so|therefore|thus|hence|then|chose|choose|choosing|pick|picking|picked|select|selecting|selected|go "
    r"with|going with|go for|"
    r"settle on|settling on|lean towards?|leaning towards?|leaves|left with|remaining(?: option| choice| one| "
    r"answer)?|remains|must be|"
    r"have to be|has to be|should be|would be|conclude|vote|corresponds to|correspond to|matches|match|namely|answer|"
    r"conclusion|prefer|say|"
    r"still|definitely|which is|means|makes|choice|selection|supports?|confirms|points to|indicates|in favou?r of|"
    r"answers?|it is|it's|that is|"
    r"that's|this is|best|most likely|likely)|→)"
)
_AFFIRMED_BEFORE = re.compile(rf"{_CHOSEN},?{_OF}(?P<affirmed>{_LIST})", re.IGNORECASE)
_BEST = (
    r"(?:the |a |an |my |our |more |most |only |clearly |likely |best |very |one |that |indeed |also |therefore |"
    r"probably |definitely |by far |"
    r"much |really |actually ){0,6}"
)
_AFFIRMED_AFTER = re.compile(
    rf"(?P<affirmed>{_LIST})(?:\s?\([^()\n]{{0,60}}\))?[\"']?(?:\s|[,:]\s?|\s[-→]\s){{1,2}}"
    rf"(?:(?:is|are|was|seems?(?: to be)?|looks?|appears?(?: to be)?|would be|must be|has to be|being|as) )?{_BEST}"
    r"(?:correct|right|best|answer|true|fits?|matches|match|✓|plausible|accurate|remains|left\b|supported|consistent|"
    r"reasonable|choice|"
    r"option|likely|final answer|suitable|appropriate|logical|valid)\b",
    re.IGNORECASE,
)
_CONCLUDED = re.compile(
    rf"\b(?:so|therefore|thus|hence|conclude|conclusion|finally|"
    rf"overall)\b[^.;\n{chr(_SIGN)}-{chr(_SIGN + 25)}]{{0,60}}(?P<one>{ONE})"
    rf"(?P<more>{_AND}{ONE})?",
    re.IGNORECASE,
)
_PREFERRED = re.compile(
    rf"\b(?:but|however|yet|"
    rf"though)\b[^.;\n{chr(_SIGN)}-{chr(_SIGN + 25)}]{{0,40}}(?P<one>{ONE})[^.;\n]{{0,20}}\b(?:more|better|best|"
    rf"most)\b",
    re.IGNORECASE,
)
_NOT_WRONG = re.compile(r"\bnot (?:wrong|incorrect|false|ruled out|excluded|impossible)\b", re.IGNORECASE)
_BARE = re.compile(
    rf"(?:^|(?<=[.!?] )){OTHER_SIGN}{{0,9}}(?:(?:so|thus|therefore|hence|still|yes|then)\b,? )?({ONE})"
    rf"{OTHER_SIGN}{{0,9}}$",
    re.MULTILINE | re.IGNORECASE,
)
_HEAD = re.compile(
    rf"\A{OTHER_SIGN}*(?:(?:ok(?:ay)?|sure|certainly|well|yes|hmm|assistant|i think|i'd say|it is|it's|"
    rf"so)\b\W{{1,3}}){{0,2}}(?P<one>{ONE})(?P<more>{_AND}{ONE}(?! (?:is|was|seems|looks|appears|does|has)\b))?"
)
LINE = re.compile(rf"^(?P<sign>(?:{OTHER_SIGN}|[✓✗])*)(?P<one>{ONE})(?P<said>[^\n]*)$", re.MULTILINE)
_ALL_BUT = re.compile(
    rf"\b(?:all|every|each|everything|none|any)\b[^.;\n]{{0,40}}?\b(?:except|but|other than|apart from|besides)(?: "
    rf"for)? (?P<one>{ONE})"
    r"[^.;\n]{0,60}",
    re.IGNORECASE,
)
_ONLY_NOT = re.compile(rf"\bonly (?P<one>{ONE}) (?:is|are|do|does|can|could|will|would|has) not\b", re.IGNORECASE)
_CHAIN = re.compile(rf"(?P<one>{ONE})(?: ?> ?{ONE}){{2,25}}")
_BETWEEN = re.compile(rf"\bbetween (?:option )?{ONE} (?:and|or) (?:option )?{ONE},?", re.IGNORECASE)
_JOINED = re.compile(rf"(?P<between>\bbetween )?(?P<list>{ONE}(?:{_AND}{ONE})+)", re.IGNORECASE)
_VERB = re.compile(r"(?: (?:is|was|seems|looks|does|has|would|could|can|or|and)\b|,| ?[/&])")
_DISCUSSED = re.compile(r" (?:is|was|shows|describes|would|has|does)\b")


@dataclass
class Letters:
    """The letters of a text, each with its position; a text affirms, denies or only mentions a letter."""

    source: str
    text: str  # with one sign for each letter
    places: list[tuple[str, int, int]]  # letter, and where it begins and ends in the source
    affirmed: list[str] = field(default_factory=list)
    denied: set[str] = field(default_factory=set)
    rivals: set[str] = field(default_factory=set)
    concluded: str | None = None  # the last letter after `so`, `therefore`, ...
    preferred: str | None = None  # the letter of the last `but B is better`

    @property
    def named(self) -> list[str]:
        """All letters, each once, in their order."""
        return list(dict.fromkeys(letter for letter, *_ in self.places))

    def is_last(self, letter: str | None) -> bool:
        """Whether a letter is the last one of a text, in its last sentence."""
        last, _, end = self.places[-1]
        return last == letter and not re.search(r"[.!?;\n]\s*\w", self.source[end:])


def letters_in(text: str, letters: str, choices: Sequence[str] = (), *, yes_or_no: bool = False) -> Letters:
    """The letters of options in a text; the article `A` does not count.

    A letter in the text of one of the `choices` is part of it (`route A`). If they are yes and no, these words are an
    option's text and deny no letter.
    """
    text = _CONTRACTED.sub(lambda found: "can not" if found[0].lower() == "cannot" else " not", text)
    source = text
    for choice in choices:
        if re.search(r"\b[A-Z]\b", choice):
            text = re.sub(re.escape(choice), lambda said: "·" * len(said[0]), text, flags=re.IGNORECASE)
    either = letters + letters.lower()
    marked = rf"\A\W*(?P<head>[{either}])(?:\)|(?=\W*\Z|[.:]|\n))|\((?P<round>[{either}])\)|\[(?P<square>[{letters}])\]"
    named = (
        rf"(?<!\w)(?i:options?|choices?|answers?|letter|caption|statement)[^\w\n]{{1,3}}(?P<named>[{either}])(?![\w'])"
    )
    made, places, end = [], [], 0
    for form in re.finditer(rf"{marked}|{named}|(?<![\w'.°-])(?P<bare>[{letters}])(?![\w'-])", text):
        letter = next(filter(None, form.groups()))
        begins = form.start(form.lastgroup or 0) - (form.lastgroup in ("round", "square"))
        if form["bare"] in ("A", "I"):
            opens = _OPENS.search(text[max(0, form.start() - 9) : form.start()])
            if (opens or letter == "I") and _AFTER_ARTICLE.match(text, form.end()):
                continue
        if form["named"] and letter in "ai" and re.match(r" [a-z]", text[form.end() :]):
            continue
        kept = text[end : form.start()] if form["named"] else text[end:begins]
        made += [kept, chr(_SIGN + LETTERS.index(letter.upper()))]
        places.append((letter.upper(), form.start(), form.end()))
        end = form.end()
    found = Letters(source, "".join([*made, text[end:]]), places)
    judged = _without_texts(found.text, choices)
    _judge(found, re.sub(r"\b(?:yes|no)\b", "·", judged, flags=re.IGNORECASE) if yes_or_no else judged, len(letters))
    return found


def _without_texts(text: str, choices: Sequence[str]) -> str:
    """A text with signs for letters, without the text of its option after a letter: `not (B) the ceiling`."""
    for place, choice in enumerate(choices):
        sign, said = chr(_SIGN + place), re.escape(choice.strip(" ."))
        text = re.sub(rf"{sign}[)\]]?(?:[:.,-]| -)? ?[(\"']?{said}(?!\w)[)\"']?", sign, text, flags=re.IGNORECASE)
    return text


def _judge(found: Letters, text: str, many: int) -> None:
    """Sorts the letters into affirmed and denied ones, by a text with one sign for each of `many` options."""
    text = _ONLY_NOT.sub(lambda one: f"so {one['one']}", text)
    text = _ALL_BUT.sub(lambda one: f"so {one['one']}", _NOT_WRONG.sub("possible", text))
    text = _BETWEEN.sub("between,", text)
    text = _CHAIN.sub(lambda one: f"so {one['one']}", text)
    for pattern in (_DENIED_BEFORE, _DENIED_AFTER):
        for one in pattern.finditer(text):
            found.denied.update(read("".join(filter(None, one.groups()))))
        text = pattern.sub(lambda one: re.sub(ONE, "·", one[0]), text)
    for one in _POSSIBLY.finditer(text):
        found.rivals.update(read("".join(filter(None, one.groups()))))
    for pattern in (_AFFIRMED_BEFORE, _AFFIRMED_AFTER):
        for one in pattern.finditer(text):
            found.affirmed += read(one["affirmed"])
    for one in _JOINED.finditer(text):
        together = set(read(one["list"]))
        if len(together) == many - 1 > 1 and not together & set(found.affirmed):  # what all but one have in common
            found.denied |= together
        elif not one["between"] and found.affirmed and not set(read(one["list"])) & set(found.affirmed):
            found.rivals.update(read(one["list"]))
    for one in _PREFERRED.finditer(text):
        found.preferred = read(one["one"])[0]
    for one in _CONCLUDED.finditer(text):
        found.concluded = read(one["one"])[0] if one["more"] is None else None


def read(signs: str) -> list[str]:
    return [LETTERS[ord(sign) - _SIGN] for sign in signs if _SIGN <= ord(sign) < _SIGN + 26]


def head_of(found: Letters) -> str | None:
    """The letter with which a text begins as its answer, or its only line that begins with one; None without one."""
    head = _HEAD.match(found.text)
    if head and _DISCUSSED.match(found.text, head.end("one")) and bare_in(found):
        return None
    if head is None:
        lines = [line for line in LINE.finditer(found.text) if not _VERB.match(line["said"])]
        return read(lines[0]["one"])[0] if len(lines) == 1 else None
    return None if head["more"] else read(head["one"])[0]


def bare_in(found: Letters) -> list[str]:
    """The letters that are a line or a sentence of their own."""
    return [read(one[1])[0] for one in _BARE.finditer(found.text)]


def decided(found: Letters, letters: str) -> Extracted:
    """The letter that a text affirms; without one, the only letter that it mentions and does not deny."""
    affirmed = [letter for letter in dict.fromkeys(found.affirmed) if letter not in found.denied]
    if found.preferred and found.preferred not in found.denied:
        return Extracted(found.preferred, "ok", None)
    open_letters = [letter for letter in found.named if letter not in found.denied]
    if len(affirmed) > 1 and found.concluded == affirmed[-1]:
        affirmed = affirmed[-1:]
    if len(affirmed) == 1:
        rivals = (
            set()
            if found.concluded == affirmed[0] or found.is_last(affirmed[0])
            else found.rivals - found.denied - {affirmed[0]}
        )
        return ambiguous("another letter is possible, too") if rivals else Extracted(affirmed[0], "ok", None)
    if not affirmed and len(open_letters) == 1:
        return Extracted(open_letters[0], "ok", None)
    if not affirmed and found.concluded in open_letters and found.is_last(found.concluded):
        return Extracted(found.concluded, "ok", None)
    if affirmed or open_letters:
        return ambiguous("more than one letter")
    left = set(letters) - found.denied
    return Extracted(left.pop(), "ok", None) if len(left) == 1 else none("letters, all of them denied")
