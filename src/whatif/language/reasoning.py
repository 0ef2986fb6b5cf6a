"""Separates the reasoning of a model, which is no answer, from the rest of its response by the marks around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

CUT_OFF = "the reasoning was cut off"  # why a response has no answer whose reasoning does not end
_NAMES = (
    r"(?:seed:)?(?:think(?:ing)?|thoughts?|thought_process|reasoning|reflection|scratchpad|cot|chain_of_thought|"
    r"inner_monologue)"
)
_CAPITALS = r"(?-i:THINK(?:ING)?|THOUGHTS?|REASONING)"  # in lower case, brackets are ordinary text: `[thinking]`
_BAR = "[|｜]"  # DeepSeek writes a wide one in its special tokens
_ANSWER = r"(?:solution|response|answer|final)"
_HERE_IS_MY = r"\bHere(?:['’]s| is) my"


@dataclass(frozen=True)
class Marks:
    """What begins and what ends the reasoning of a family of models, as regular expressions.

    `ends` may be reached without a beginning, where the chat template has begun the reasoning. `also_ends` are other
    texts that end a reasoning that was begun, and otherwise mean nothing.
    """

    begins: str
    ends: str
    also_ends: str = r"(?!)"


# In the order in which they are tried at one place. Sources: chat templates and reasoning parsers (vLLM, SGLang).
MARKS = (
    # Qwen, DeepSeek, Seed-OSS: `<think>`, `<seed:think>`; Kimi: `◁think▷`; Magistral: `[THINK]`; Cohere, OpenThinker:
    # `<|START_THINKING|>`, `<|begin_of_thought|>`, `<|thinking|>`. Models mix the names, so each end ends each.
    Marks(
        begins=rf"< ?{_NAMES}(?: [^<>\n]{{0,80}})?>|◁ ?{_NAMES} ?▷|\[{_CAPITALS}\]|"
        rf"<{_BAR}(?:(?:begin|start)(?:_of)?_)?{_NAMES}(?:_(?:begin|start))?{_BAR}>",
        ends=rf"< ?/ ?{_NAMES} ?>|◁ ?/ ?{_NAMES} ?▷|\[/{_CAPITALS}\]|"
        rf"<(?:/{_BAR}|{_BAR}/|{_BAR}end(?:_of)?_){_NAMES}{_BAR}>|<{_BAR}{_NAMES}_end{_BAR}>",
        also_ends=rf"<{_BAR}(?:(?:begin|start)(?:_of)?_)?{_ANSWER}{_BAR}>",
    ),
    # gpt-oss (harmony): every channel but `final`
    Marks(
        begins=r"(?:<\|start\|>assistant)?<\|channel\|>(?!final)[^<]{0,200}(?:<\|constrain\|>[^<]{0,80})?<\|message\|>",
        ends=r"(?:<\|start\|>assistant)?<\|channel\|>final[^<]{0,80}(?:<\|constrain\|>[^<]{0,80})?<\|message\|>",
        also_ends=r"<\|(?:end|call|return)\|>|(?=(?:<\|start\|>assistant)?<\|channel\|>)",
    ),
    # the same without its special tokens
    Marks(
        begins=r"(?-i:\A\s*analysis(?=[^a-z\s,.;:?!]|[\s\S]*assistantfinal))",
        ends=r"(?-i:assistantfinal)",
    ),
    # Gemma; MedGemma
    Marks(begins=r"<\|channel>\s*thought\b", ends=r"<channel\|>"),
    Marks(begins=r"<(?:unused|ctrl)94>(?:\s*thought\b)?", ends=r"<(?:unused|ctrl)95>"),
    # s1
    Marks(begins=r"<\|im_start\|>think\b", ends=r"<\|im_start\|>answer\b"),
    # Granite, in words: a beginning alone is ordinary text
    Marks(
        begins=rf"\A\W*{_HERE_IS_MY} (?:thought|thinking|reasoning) process:(?=[\s\S]*{_HERE_IS_MY} response:)",
        ends=rf"{_HERE_IS_MY} response:",
    ),
)
_BEGIN_OR_END = re.compile(
    "|".join(f"(?P<begins_{place}>{one.begins})|(?P<ends_{place}>{one.ends})" for place, one in enumerate(MARKS)),
    re.IGNORECASE,
)
_ENDS = tuple(re.compile(f"{one.ends}|{one.also_ends}", re.IGNORECASE) for one in MARKS)
# Marks around an answer that follows a reasoning.
_AROUND_ANSWER = re.compile(
    rf"<{_BAR}(?:/|(?:begin|start|end)(?:_of)?_)?{_ANSWER}{_BAR}>|<\|(?:start\|>assistant|(?:end|return)\|>)",
    re.IGNORECASE,
)


class Split(NamedTuple):
    """A response in two. `reasoning` is None if it has none; `cut_off` says that the reasoning does not end."""

    reasoning: str | None
    rest: str
    cut_off: bool


def split_reasoning(text: str) -> Split:
    """The reasoning in a response, and the rest, which alone may be an answer.

    What stands before an end without a beginning is reasoning: a chat template may have begun it. A beginning without
    an end means that the response was cut off in its reasoning. Without any mark the rest is the text, unchanged.
    """
    thoughts: list[str] = []
    rest, place = "", 0
    while (mark := _BEGIN_OR_END.search(text, place)) is not None:
        rest += text[place : mark.start()]
        place = mark.end()
        role, _, number = str(mark.lastgroup).partition("_")
        if role == "ends":
            thoughts, rest = [*thoughts, rest], ""
            continue
        end = _ENDS[int(number)].search(text, place)
        if end is None:
            return Split(_together([*thoughts, text[place:]]) or "", rest.strip(), cut_off=True)
        thoughts.append(text[place : end.start()])
        place = end.end()
    if not place:
        return Split(None, text, cut_off=False)
    return Split(_together(thoughts), _AROUND_ANSWER.sub("", rest + text[place:]).lstrip(), cut_off=False)


def _together(thoughts: list[str]) -> str | None:
    return "\n\n".join(filter(None, (thought.strip() for thought in thoughts))) or None
