"""Removes what a chat model says around its answer: `Sure! Here is my answer: ... Let me know if you need more.`"""

from __future__ import annotations

import re

_IMAGE = (
    r"(?:the|this|your) (?:given |provided |attached )?(?:image|picture|photo(?:graph)?|scene|visual)s?"
    r"(?: provided| above| shown| given)?"
)
_LOOKS = (
    r"(?:look|think|see|examine|analy[sz]e|consider|start|begin|go|break|work|take|solve|inspect|describe|answer|study|"
    r"evaluate|check the|figure)"
)
_OPENING = re.compile(
    r"\A\W*(?:(?:assistant|answerer|bot|ai|model|response)\s?:\s*|"
    r"(?P<assent>sure(?: thing)?|certainly|of course|absolutely|okay|ok|alright|all right|great question|good question|"
    r"interesting question|(?:i'd be |i am |i'm )?happy to help|thank you[^.!\n]{0,40}|thanks[^.!\n]{0,40})"
    r"(?P<sign>[!.,:]+\s+|\n)|"
    r"(?:so,? )?here(?:'s| is| are)(?: my| the| what| how)\b[^.:!\n]{0,60}[:.!]\s+|"
    rf"(?:so,? |okay,? |first,? )?let(?:'s| me| us) (?:first )?(?:carefully )?{_LOOKS}\b(?![^.:!\n]{{0,40}}\bagain\b)"
    r"[^.:!\n]{0,80}[.:!]\s+|"
    r"(?:to answer (?:this|the|your) question|to (?:solve|answer|determine|find out) (?:this|it))\b[^.,:\n]{0,60}"
    r"[,:.]\s+|"
    r"(?:based on|from|looking at|according to|judging (?:by|from)|after (?:looking at|examining|analy[sz]ing))"
    rf"(?: (?:what|everything) (?:i|we) (?:can )?see(?: in)?)?(?: {_IMAGE})[,:]\s+)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:(?<=[.!?:)\n] )|(?<=\n)|(?<=[^\w\s] ))(?:please )?"
    r"(?:let me know if|(?:i )?hope (?:this|that|it)|feel free to|would you like(?: me)? to|is there anything|"
    r"do you (?:want|need|have)|if you (?:have|need|want|would like|'d like)|happy to help|"
    r"\W{0,3}confidence(?: level| score)? ?[:=(])[^\n]*\Z",
    re.IGNORECASE,
)
_MANY = 4


def without_courtesies(text: str) -> str:
    """A text without its courtesies and announcements; a text that is nothing else stays."""
    for _ in range(_MANY):
        rest = _CLOSING.sub("", text, count=1).rstrip()
        if rest == text.rstrip() or not re.search(r"\w", rest):
            break
        text = rest
    for _ in range(_MANY):
        rest = _OPENING.sub("", text, count=1)
        if rest == text or not re.search(r"\w", rest):
            break
        text = rest
    return text


def begins_with_assent(text: str) -> bool:
    """Whether a text begins with a word such as `certainly`, which may also be an answer."""
    found = _OPENING.match(text)
    return found is not None and found["assent"] is not None and found["sign"].strip() in (",", ".")
