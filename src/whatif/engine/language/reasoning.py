"""Separates the reasoning of a model, which is no answer, from the rest of its response by the marks around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

# Why a response has no answer whose reasoning does not end: at a limit of tokens, or although the model was done.
CUT_OFF = "cut off inside its reasoning"
NEVER_LEFT = "never left its reasoning"
_BEFORE = "the reasoning was cut off"  # what earlier versions stored
# With what families put before and after the word: `seed:think`, `longcat_think`, `internal_reasoning`, `antThinking`.
_NAMES = (
    r"(?!(?:end|stop|no)[:_-])(?:[a-z]{1,20}[:_-]|ant)?(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|cot|"
    r"chain[_-]of[_-]thoughts?|inner_monologue)(?:[_-][a-z0-9_-]{1,60})?"
)
_LESS, _MORE = "(?:<|&lt;)", "(?:>|&gt;)"
_OTHER_NAMES = "(?:reason|rationale|analysis)"  # also ordinary tags, so that only a whole pair counts
_IN_BRACKETS = rf"[\[{{]/{_NAMES}[\]}}]"
_BAR = "[|｜]"  # DeepSeek writes a wide one in its special tokens
_ANSWER = r"(?:solution|response|answer|final)"
_HERE_IS_MY = r"\bHere(?:['’]s| is) my"
_TAG_ENDS = (
    rf"{_LESS} ?/ ?{_NAMES} ?{_MORE}|◁ ?/ ?{_NAMES} ?▷|{_IN_BRACKETS}|"
    rf"<(?:/{_BAR}|{_BAR}/|{_BAR}end(?:_of)?_){_NAMES}{_BAR}>|<{_BAR}{_NAMES}_end{_BAR}>"
)


@dataclass(frozen=True)
class Marks:
    """What begins and what ends the reasoning of a family of models, as regular expressions.

    `ends` may be reached without a beginning, where the chat template has begun the reasoning. `also_ends` are other
    texts that end a reasoning that was begun, and otherwise mean nothing; `ends_if_cut` end one that has no other end.
    A beginning without an end is ordinary text if the marks are `paired`.
    """

    begins: str
    ends: str
    also_ends: str = r"(?!)"
    ends_if_cut: str = r"(?!)"
    paired: bool = False


# In the order in which they are tried at one place. Sources: chat templates and reasoning parsers (vLLM, SGLang).
MARKS = (
    # Qwen, DeepSeek, Seed-OSS: `<think>`, `<seed:think>`; Kimi: `◁think▷`; Magistral: `[THINK]`; Cohere, OpenThinker:
    # `<|START_THINKING|>`, `<|begin_of_thought|>`, `<|thinking|>`. Models mix the names, so each end ends each.
    Marks(
        begins=rf"{_LESS} ?{_NAMES}(?: [^<>\n]{{0,80}})?{_MORE}|◁ ?{_NAMES} ?▷|(?:^|(?<=\]))\s*(?-i:\[THINK\])|"
        rf"<{_BAR}(?:(?:begin|start)(?:_of)?_)?{_NAMES}(?:_(?:begin|start))?{_BAR}>",
        ends=_TAG_ENDS,
        also_ends=rf"<{_BAR}(?:(?:begin|start)(?:_of)?_)?{_ANSWER}{_BAR}>|"
        r"<\|end\|><\|begin\|>assistant<\|content\|>",
        ends_if_cut=r"(?=<answer>)",
    ),
    # ordinary text, too
    Marks(begins=rf"[\[{{]{_NAMES}[\]}}]", ends=_TAG_ENDS, paired=True),
    Marks(begins=rf"<{_OTHER_NAMES}>", ends=rf"</{_OTHER_NAMES}>", paired=True),
    # gpt-oss (harmony): every channel but `final`
    Marks(
        begins=r"(?:<\|start\|>assistant)?<\|channel\|>(?!final)[^<]{0,200}(?:<\|constrain\|>[^<]{0,80})?<\|message\|>",
        ends=r"(?:<\|start\|>assistant)?<\|channel\|>final[^<]{0,80}(?:<\|constrain\|>[^<]{0,80})?<\|message\|>",
        also_ends=r"<\|(?:end|call|return)\|>|(?=(?:<\|start\|>assistant)?<\|channel\|>)",
    ),
    # the same without its special tokens
    Marks(
        begins=r"(?-i:\A\s*analysis(?=[^a-z\s,.;:?!]|\s*\n|[\s\S]*assistantfinal))",
        ends=r"(?-i:assistantfinal)",
    ),
    # Gemma; MedGemma
    Marks(begins=r"<\|channel>\s*thought\b", ends=r"<channel\|>"),
    Marks(begins=r"<(?:unused|ctrl)94>(?:\s*thought\b)?", ends=r"<(?:unused|ctrl)95>"),
    # Apertus; Pangu; Apriel
    Marks(begins=r"<\|inner_prefix\|>", ends=r"<\|inner_suffix\|>"),
    Marks(begins=r"\[unused16\]", ends=r"\[unused17\]"),
    Marks(begins=r"\A\s*Here are my reasoning steps:", ends=r"(?-i:\[BEGIN FINAL RESPONSE\])"),
    # copied from a chat's page, and from the terminal of Ollama
    Marks(
        begins=r"<details [^<>]{0,80}\btype=[\"']reasoning[\"'][^<>]{0,80}>(?:\s*<summary>[^<]{0,80}</summary>)?",
        ends=r"(?!)",
        also_ends=r"</details>",
    ),
    Marks(
        begins=r"\A\s*Thinking\.\.\.\s*\n",
        ends=r"^\.\.\.done thinking\.",
        paired=True,
    ),
    # s1
    Marks(begins=r"<\|im_start\|>think\b", ends=r"<\|im_start\|>answer\b"),
    # Granite, in words: a beginning alone is ordinary text
    Marks(
        begins=rf"\A\W*{_HERE_IS_MY} (?:thought|thinking|reasoning) process:",
        ends=rf"{_HERE_IS_MY} response:",
        paired=True,
    ),
)
_BEGIN_OR_END = re.compile(
    "|".join(f"(?P<begins_{place}>{one.begins})|(?P<ends_{place}>{one.ends})" for place, one in enumerate(MARKS)),
    re.IGNORECASE | re.MULTILINE,
)
_ENDS = tuple(re.compile(f"{one.ends}|{one.also_ends}", re.IGNORECASE | re.MULTILINE) for one in MARKS)
_IF_CUT = tuple(re.compile(one.ends_if_cut, re.IGNORECASE) for one in MARKS)
# Marks around an answer that follows a reasoning.
_AROUND_ANSWER = re.compile(
    rf"<{_BAR}(?:/|(?:begin|start|end)(?:_of)?_)?{_ANSWER}{_BAR}>|<\|(?:start\|>assistant|(?:end|return)\|>)|"
    r"(?-i:\[END FINAL RESPONSE\])",
    re.IGNORECASE,
)

# Each mark, of a beginning or of an end, has one of these, so that a text with none of them need not be searched.
_IN_MARKS = (
    *("think", "thought", "reason", "reflection", "scratchpad", "cot", "chain", "monologue", "rationale", "analysis"),
    *("channel", "unused", "ctrl", "inner_", "im_start", "assistantfinal", "my response", "final response"),
)


def cut_off_reason(tokens: int | None) -> str:
    """The reason of a response that was cut off inside its reasoning, after this number of tokens if it is known."""
    return f"{CUT_OFF} at {tokens:,} tokens" if tokens else CUT_OFF


def ended_in_reasoning(reason: str | None) -> bool:
    """Whether the reason of an answer says that its response has nothing after its reasoning."""
    return (reason or "").startswith((CUT_OFF, NEVER_LEFT, _BEFORE))


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
    lowered = text.lower()
    if not any(word in lowered for word in _IN_MARKS):
        return Split(None, text, cut_off=False)
    thoughts: list[str] = []
    rest, place = "", 0
    endless: set[int] = set()  # marks of which no end follows; it is looked for once, so that the time is linear
    while (mark := _BEGIN_OR_END.search(text, place)) is not None:
        before, place = text[place : mark.start()], mark.end()
        role, _, number = str(mark.lastgroup).partition("_")
        family = int(number)
        if role == "ends":
            thoughts.append(rest + before)
            rest = ""
            continue
        end = None if family in endless else _ENDS[family].search(text, place) or _IF_CUT[family].search(text, place)
        if end is None and MARKS[family].paired:
            endless.add(family)
            rest += before + mark[0]
            continue
        rest += before
        if end is None:
            return Split(_together([*thoughts, text[place:]]) or "", rest.strip(), cut_off=True)
        thoughts.append(text[place : end.start()])
        place = end.end()
    if not thoughts:
        return Split(None, text, cut_off=False)
    return Split(_together(thoughts), _AROUND_ANSWER.sub("", rest + text[place:]).lstrip(), cut_off=False)


def _together(thoughts: list[str]) -> str | None:
    return "\n\n".join(filter(None, (thought.strip() for thought in thoughts))) or None
