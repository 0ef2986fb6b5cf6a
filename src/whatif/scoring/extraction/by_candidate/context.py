"""The words around a mention that speak for it or against it, in English, whatever the kind of answer."""

from __future__ import annotations

import re
from functools import cached_property

from whatif.scoring.extraction.by_candidate.plain_text import PlainText
from whatif.scoring.extraction.by_candidate.weights import Evidence, add, any_of

_ALWAYS = r"[\s:*\"'(\[⟦]*"
_CUE = re.compile(
    rf"(?:\b(?:{any_of('answer_nouns')})\b(?:\s+letter)?(?:[^.\n:=?]{{0,90}}?\b(?:is|are|was|be)\b|[\s*\"']*[:=])|"
    r"\b(?:correct|right|best|true)\s+(?:one|match|estimate|answer|option|choice)\s+(?:is|would be)|"
    r"\b(?:i|we)(?:'d|'ll| would| will| can| must| should)?\s+(?:choose|select|pick|go with|conclude(?: that)?|say)|"
    r"\bstatement\b[^.\n?]{0,160}?\bis|\banswer(?:ing)?\s+with|(?:^|\n)[#\s]*(?:final )?answer\s*\n)"
    rf"{_ALWAYS}(?P<fillers>)(?:(?:{any_of('fillers')})\b[\s:]*)*{_ALWAYS}"
)
_CONCLUSION = re.compile(rf"\W*(?:{any_of('conclusions')})\b")
_CONDITION = re.compile(rf"\b(?:{any_of('conditions')})\b")
_VERB = re.compile(rf"(?:\b(?:{any_of('verbs')})|[=≈:])[\s*\"(]*(?:(?:{any_of('between_verb_and_number')})\b\s*)*$")
_DENIED_BEFORE = re.compile(rf"(?:n't|\b(?:{any_of('denials_before')}))\b(?:(?!\bbut\b)[^,;.]){{0,30}}$")
_COMPARED_BEFORE = re.compile(rf"\b(?:{any_of('comparisons')})\b[^,;.]{{0,40}}$")
_DENIED_AFTER = re.compile(
    r"[^,;.\w]{0,4}(?:[\w ]{0,25}\b)?(?:(?:is|are|was|does|do|did|has|would|can|could)(?: ?not\b|n't)|cannot\b|"
    rf"(?:is|are|seems?|appears?|(?:can|could|has|have) (?:be|been)) (?:also )?(?:{any_of('denials_after')})\b)"
)
_OTHERS_AFTER = re.compile(r"[^,;.\w]{0,4}\w+ (?:something else|(?:an)?other|different)\b")
_VERDICT = re.compile(r"[)\]*\"']* (?:(?:is|must be|seems) (?:the )?(?:right|correct|best|true)\b|fits\b)")
_DENIED_QUESTION = re.compile(r"[)\]]?\? no\b")
_CORRECTION = re.compile(rf"\b(?:{any_of('corrections')})")
_TICK, _CROSS = re.compile("[✓✔✅☑]"), re.compile("[✗✘❌✖]")
_LISTED = re.compile(r"\([a-h]\)\s?[^\s(]", re.I)
_REFUSAL = re.compile(
    rf"\b(?:{any_of('inabilities')})\b[^.\n]{{0,50}}?\b(?:{any_of('unable_to')})\b|"
    r"\b(?:does|do|did)(?: not|n't) (?:\w+ )?(?:have|provide|contain|give|include|know|see)\b"
    rf"[^.\n]{{0,50}}?\b(?:{any_of('lacks')})\b|\b(?:{any_of('no_answer')})\b"
)


class Context:
    """A plain text with what is looked up once for all mentions in it."""

    def __init__(self, plain: PlainText) -> None:
        self.plain = plain
        self.text, self.lower = plain.text, plain.lower
        self.corrected = max((mark.start() for mark in _CORRECTION.finditer(self.lower)), default=0)
        self.last = len(plain.starts) - 2
        self._sentences: dict[int, list[str]] = {}

    @cached_property
    def cues(self) -> frozenset[int]:
        """The positions that directly follow a cue for the answer."""
        return frozenset(end for cue in _CUE.finditer(self.lower) for end in (cue.start("fillers"), cue.end()))

    def features(self, start: int, end: int) -> list[str]:
        """The evidence around the mention at [start, end), whatever it is a mention of."""
        text = self.text
        found = ["answer cue"] if start in self.cues else []
        number = self.plain.sentence(start)
        begin, finish = self.plain.starts[number : number + 2]
        if not any(map(str.isalnum, text[max(0, start - 12) : start])) and start < 12:
            found.append("start")
        elif number == 0:
            found.append("first sentence")
        if number == self.last:
            found.append("last sentence")
        box = text.rfind("⟦", max(0, start - 100), start)
        if box >= 0 and text.find("⟧", box, start) < 0:
            found.append("boxed")
        found += self._of_sentence(number, begin, finish)
        before = self.lower[max(begin, start - 60) : start]
        after = self.lower[end : end + 50 if end > finish else min(finish, end + 50)]
        if _VERDICT.match(after):
            found.append("verdict")
        if (
            _DENIED_BEFORE.search(before)
            or _DENIED_AFTER.match(after)
            or _OTHERS_AFTER.match(after)
            or _DENIED_QUESTION.match(self.lower, end)
        ):
            found.append("negated")
        if start < self.corrected:
            found.append("retracted")
        if not text.isascii():
            found += ["answer cue"] if _TICK.search(text, end, min(finish, end + 60)) else []
            found += ["negated"] if _CROSS.search(text, end, min(finish, end + 60)) else []
        if _VERB.search(before):
            found.append("verb")
        if _COMPARED_BEFORE.search(before):
            found.append("compared with")
        return found

    def _of_sentence(self, number: int, begin: int, finish: int) -> list[str]:
        if number not in self._sentences:
            asks = "?" in self.text[max(begin, finish - 4) : finish]
            found = ["conditional"] if asks or _CONDITION.search(self.lower, begin, min(finish, begin + 80)) else []
            self._sentences[number] = [*found, "conclusion"] if _CONCLUSION.match(self.lower, begin) else found
        return self._sentences[number]

    def lists_options(self) -> bool:
        """Whether the response is a list of lettered options, and of nothing else."""
        marks = list(_LISTED.finditer(self.text[:400]))
        return len(marks) > 1 and marks[0].start() == 0

    def add_refusal(self, evidence: Evidence) -> None:
        """Adds that the response refuses or says that there is no answer."""
        if refusal := _REFUSAL.search(self.lower):
            outer = self.plain.sentence(refusal.start()) in (0, self.last)
            add(evidence, "", ["refusal", "first sentence"] if outer else ["refusal"])
