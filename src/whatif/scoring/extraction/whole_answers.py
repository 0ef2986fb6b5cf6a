"""Yes or no by how a whole text answers: by a condition, by questions that it asks itself, by a final conclusion."""

from __future__ import annotations

import re

from whatif.scoring.extraction.word_forms import content_of

_ONLY_IF = re.compile(
    r"\W*(?:(?:well|yes|no),? )?(?:but )?only (?:if|when|as long as|provided)\b[^.;!?\n]{1,100}\W*\Z",
    re.IGNORECASE,
)
_ASKED_ITSELF = re.compile(r"(?P<asked>[^.?!\n]{2,120})\?\s{1,2}(?P<said>yes|no)\b[^.?!\n]{0,3}", re.IGNORECASE)
_CONCLUSION = re.compile(
    r"\W*(?:(?:so|therefore|thus|hence|in conclusion|in short|overall|to sum up|all in all|conclusion|verdict|result|"
    r"so the answer is|(?:the|my) (?:final )?answer is)\b|→|∴)",
    re.IGNORECASE,
)
# `The statement isn't supported by the chart.`, `I therefore change my answer to no.`
_OF_THE_CLAIM = re.compile(
    r"\b(?:the|this|that) (?:claim|statement|assumption|hypothesis|assertion|premise|condition|requirement)"
    r"(?: in the question)? (?:is|does|has|can be)(?P<not>(?: therefore| thus)? ?(?:not|n't))?"
    r"(?: therefore| thus| hence| indeed| clearly)? ?(?:been )?"
    r"(?:(?P<yes>supported|true|correct|confirmed|met|satisfied|fulfilled|hold)|(?P<no>false|incorrect|wrong|refuted|"
    r"contradicted|unsupported|violated))\b|"
    r"\b(?:change|revise|correct|switch) my answer (?:back )?to (?P<changed>yes|no)\b|"
    r"\b(?:answer|reply|respond)\w*(?: \w+){0,2} in the (?P<affirmative>affirmative|negative)\b|"
    r"\bthat(?:'s| is| would be) a (?:clear |definite |solid )?(?P<plain>yes|no)\b",
    re.IGNORECASE,
)
_MANY = 20  # questions; a text with more of them is no discussion
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")


def is_on_condition(text: str) -> bool:
    """Whether a text answers only by a condition: `Only if she turned in time.`"""
    return _ONLY_IF.match(text) is not None


def is_marked_both(text: str) -> bool:
    """Whether some lines end in a tick and others in a cross, the last line among them: `left: ✓`, `right: ✗`."""
    lines = [line.rstrip(" .") for line in text.strip().split("\n")]
    return lines[-1].endswith(("✓", "✗")) and all(any(line.endswith(mark) for line in lines) for mark in "✓✗")


def without_other_questions(text: str, question: str) -> str:
    """A text without the questions that it asks itself and answers, if they are others than the one it was asked."""
    found = list(_ASKED_ITSELF.finditer(text))
    if not 1 < len(found) <= _MANY:
        return text
    known = set(content_of(question))
    own = [one for one in found if (words := set(content_of(one["asked"]))) and words <= known]
    others = [one for one in found if one not in own]
    if not others:
        return text
    for one in reversed(others):
        text = f"{text[: one.start()]} {text[one.end() :]}"
    return text


def of_the_claim(text: str) -> str | None:
    """`yes` or `no` if the last thing that a text says of the claim in the question is that it is true, or false."""
    verdict = None
    for found in _OF_THE_CLAIM.finditer(text):
        if said := found["changed"] or found["plain"]:
            verdict = said.lower()
        elif found["affirmative"]:
            verdict = "yes" if found["affirmative"].lower() == "affirmative" else "no"
        else:
            verdict = "yes" if (found["yes"] is not None) != (found["not"] is not None) else "no"
    return verdict


def names_both(text: str) -> bool:
    """Whether a text has both `yes` and `no` as words of their own."""
    return all(re.search(rf"\b{word}\b", text, re.IGNORECASE) for word in ("yes", r"no(?=\W*(?:$|[.,;:)|*]))"))


def conclusion_of(text: str) -> str | None:
    """The last sentence, if it is marked as a conclusion and another one comes before it."""
    sentences = [sentence for sentence in _SENTENCES.split(text.strip()) if re.search(r"\w", sentence)]
    return sentences[-1] if len(sentences) > 1 and _CONCLUSION.match(sentences[-1]) else None
