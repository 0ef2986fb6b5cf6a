"""The option that a response commits to, as its letter."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from whatif.scoring.extraction.by_sentence import acts, boolean
from whatif.scoring.extraction.by_sentence.mentions import Options, first_letter, gives_value, mentions, options_of
from whatif.scoring.extraction.extracted import Extracted, ambiguous, one_of

_DENIED_BEFORE = re.compile(
    r"(?i)(?:\bnot|n't|\bnone of|\bneither|\bnor|\brather than|\binstead of|\bunlike|\bthan|\bcompared (?:to|with)|"
    r"\bversus|\bvs\.?|\bexcept|\bother than|\bfrom)(?: (?!but\b)\w+){0,3}? ?[\"'(]?$"
)
_DENIED_AFTER = re.compile(
    r"(?i)[^\s\w]?(?: \w+)?,? (?:(?:is|are|was|does|do|would|could|can|has|have|seems)(?: not\b|n't\b|not\b| (?:\w+ )?"
    r"(?:incorrect|wrong|too|unlikely|less|eliminated|ruled|(?:be )?excluded|false)\b)|"
    r"shows? (?:something|other|another)\b)"
)
_GIVES = re.compile(r"(?:\bis|\bequals|=|≈|\bapproximately|\babout) ?[^\s\w]?[\dπ√][\w.,/√π^° ]{0,30}$")
_MATHS = re.compile(r"[\dπ√+/^-]")
_SECOND = re.compile(r"\W*(?:[A-Z]|[a-z](?=\)))\W{0,5}(?:(?:and|or|/|&)\W{0,5}[A-Za-z]|,\W{0,5}[A-Z])(?![A-Za-z'])")
_ANOTHER = re.compile(
    r"\W*(?i:(?:no|or|and|also)\b,? )?(\(?[A-Z]\W*)$|\W*(?i:(?:option|answer) )?(\(?[A-Z])\b.{0,20}\balso\b"
)
_LIST = re.compile(r"\bA[:.)].*\bB[:.)]")
_LIST_LINE = re.compile(r"\W*\(?[A-Za-z][.):]")
_REASON = re.compile(r"(?i),? (?:because|since|while|whereas)\b")
_AND = re.compile(r"[\s,'\")(]*(?:(?:and|or|nor)\b)?[\s'\")(]*")
_NONE_OF = re.compile(r"(?i)\b(?:none of|neither)(?: \w+){0,2} ?[\"'(]?$")
_PLURAL = re.compile(r",? (?:are|were|do|have|can|could|show)\b")
_WOULD = re.compile(r"(?i)\bwould\b")
_NEAR = 40  # characters within which what is named as the answer begins
_RESTATES, _FITS = 0.5, 0.25  # shares of the question's words in a sentence that answers it, and in one that may


def read(sentences: Sequence[str], question: str, choices: Sequence[str], *, letters: bool) -> Extracted:
    """The option that the sentences commit to."""
    options = options_of(tuple(choices))
    asserted = partial(_asserted, options=options, letters=letters)
    head, concluded = (partial(part, options=options, letters=letters) for part in (_head, _concluded))
    settled, refused = acts.settle(sentences, head, concluded)
    if settled:
        disputed = _names_two(sentences, head) or _differs(sentences, settled.answer, options)
        return ambiguous("another option is said, too") if disputed else settled
    lines = {letter for sentence in sentences if (letter := _line(sentence, options, letters))}
    if len(lines) == 1 or refused:
        unknown = {letter for text, letter in options.by_text.items() if acts.refuses(text)}
        known = {asserted(sentence) for sentence in sentences if acts.refuses(sentence)} & unknown
        return one_of(lines if len(lines) == 1 else known, "option")
    if options.polar and not lines:
        found = boolean.read(sentences, question)
        return Extracted(options.polar[found.answer], "ok", None) if found.answer else found
    if near := _told(sentences, question, asserted):
        return one_of(near, "option")
    equal = any(options.texts.count(sentence.strip(" .\"'").lower()) > 1 for sentence in sentences)
    if lines or equal or any(mentions(sentence, options, letters=letters) for sentence in sentences):
        return ambiguous("options are mentioned, but none is chosen")
    near = {letter for s in sentences if acts.overlap(s, question) >= _RESTATES and (letter := _meant(s, options))}
    return one_of(near, "option")


def _told(sentences: Sequence[str], question: str, asserted: Callable[[str], str | None]) -> set[str]:
    """The options that the sentences nearest to the question assert."""
    told = [
        (acts.overlap(sentence, question), letter, sentence)
        for sentence in sentences
        if not acts.supposes(clause := acts.main_clause(sentence)) and (letter := asserted(clause))
    ]
    if not _WOULD.search(question):  # then what would be is not what is asked
        told = [one for one in told if not _WOULD.search(one[2])] or told
    for least in (_RESTATES, 0.0 if len(sentences) < 4 else _FITS):
        if near := {letter for share, letter, _ in told if share >= least}:
            return near
    return set()


def _names_two(sentences: Sequence[str], head: Callable[[acts.Named], str | None]) -> bool:
    """Whether two options are named as the answer, and none of them is taken back or supposed."""
    others = (text for text in sentences if not (acts.supposes(text) or _WOULD.search(text) or _LIST.search(text)))
    names = [what for text in others if (what := acts.named(text)) and not what.before]
    return len({letter for what in names if (letter := head(what))}) > 1


def _differs(sentences: Sequence[str], answer: str | None, options: Options) -> bool:
    """Whether sentences without the letter of another option say only the words of another one, or add its letter."""
    if answer is None:
        return False
    said: set[str] = set()
    for sentence in (text for text in sentences if not acts.supposes(text)):
        words = set(mentions(sentence, options, letters=False))
        by_letter = set(mentions(sentence, options, letters=True)) - words if words else set()
        said |= {letter for *_, letter in words} if {letter for *_, letter in by_letter} <= {answer} else set()
    another = _ANOTHER.match(sentences[-1])
    added = another is not None and another[another.lastindex or 0].strip("().!") not in (answer, "")
    return added or (len(said) == 1 and answer not in said)


def _head(what: acts.Named, options: Options, *, letters: bool) -> str | None:
    """The option that is named as the answer; an empty text for something else that cannot be right."""
    text = what.text
    letter = first_letter(text) if letters and not what.before else None
    if letter and letter in options.letters and len(text) < 5 and not _SECOND.match(text):
        return letter
    found = mentions(text, options, letters=letters)
    kept = _kept(text, found)
    if what.before:
        return kept[-1][1] if kept else None
    if letter and letter in options.letters:
        near = {(start > 3, option) for start, option in kept if start < _NEAR}
        fits = (True, letter) in near or {option for _, option in near} <= {letter}
        return letter if fits and not _SECOND.match(text) else ""
    if what.boxed and found and _MATHS.search(text[: found[0][0]] + text[found[0][1] :]):
        return ""
    if kept and (kept[0][0] < _NEAR or len({option for _, option in kept}) == 1):
        return kept[0][1]
    polar = boolean.head(what) if options.polar else None
    wrong = letter or (not found and (what.boxed or gives_value(text[:60], options)))
    return options.polar[polar] if polar else "" if wrong else None


def _asserted(sentence: str, options: Options, *, letters: bool) -> str | None:
    """The only option that a sentence mentions without denying it."""
    found = mentions(sentence, options, letters=letters)
    kept = {letter for _, letter in _kept(sentence, found)}
    if len(kept) > 1 and (reason := _REASON.search(sentence, found[0][1])):
        kept = {letter for start, letter in _kept(sentence, found) if start < reason.start()}
    return kept.pop() if len(kept) == 1 else None


def _concluded(tail: str, options: Options, *, letters: bool) -> str | None:
    """The option that is concluded; an empty text for another value."""
    answer = _asserted(tail, options, letters=letters)
    other = not answer and _GIVES.search(tail) and gives_value(tail, options)
    return "" if other and not mentions(tail, options, letters=letters) else answer


def _line(sentence: str, options: Options, letters: bool) -> str | None:
    """The option that a line gives: `(B) no`, `B`, `B. no`, or only its text."""
    only = sentence.strip(" .\"'").lower()
    if options.texts.count(only) == 1:
        return options.by_text[only]
    letter = first_letter(sentence) if letters else None
    if (
        letter is None
        or letter not in options.letters
        or not (len(only.removeprefix("option ")) < 4 or _LIST_LINE.match(sentence))
    ):
        return None
    return letter if {other for _, _, other in mentions(sentence, options, letters=True)} <= {letter} else None


def _meant(sentence: str, options: Options) -> str | None:
    """The only option all of whose own words a sentence has."""
    words = acts.stems(sentence)
    found = [letter for letter, own in zip(options.letters, options.own_stems, strict=False) if own and own <= words]
    return found[0] if len(found) == 1 and not acts.DENIES.search(sentence) else None


def _kept(text: str, found: Sequence[tuple[int, int, str]]) -> list[tuple[int, str]]:
    """Start and letter of each mention that is not denied: not one of `none of A, C and D`, `A and B are wrong`."""
    lists: list[list[tuple[int, int, str]]] = []
    for mention in found:
        is_listed = lists and mention[0] > lists[-1][-1][1] and _AND.fullmatch(text[lists[-1][-1][1] : mention[0]])
        lists = [*lists[:-1], [*lists[-1], mention]] if is_listed else [*lists, [mention]]
    kept = []
    for one in lists:
        last = text[one[-1][1] :]
        all_denied = _NONE_OF.search(text[max(0, one[0][0] - 50) : one[0][0]]) or (
            _PLURAL.match(last) and _DENIED_AFTER.match(last[:40])
        )
        kept += [(start, letter) for start, end, letter in one if not (all_denied or _denied(text, start, end))]
    return kept


def _denied(text: str, start: int, end: int) -> bool:
    return bool(_DENIED_BEFORE.search(text[max(0, start - 50) : start]) or _DENIED_AFTER.match(text[end : end + 40]))
