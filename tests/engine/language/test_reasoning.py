"""The reasoning in a response is kept apart from its answer, whatever marks a family of models puts around it."""

from __future__ import annotations

import pytest

from whatif.engine.language.reasoning import CUT_OFF, Split, split_reasoning
from whatif.scoring.extraction.answer import extract

FAMILIES = [
    ("<think>", "</think>"),
    ("<THINK>\n", "\n</THINK>"),
    ("<thinking>", "</thinking>"),
    ("<think>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<thought>", "</thought>"),
    ("◁think▷", "◁/think▷"),
    ("[THINK]", "[/THINK]"),
    ("<seed:think>", "</seed:think>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|start|>assistant<|channel|>analysis<|message|>", "<|start|>assistant<|channel|>final<|message|>"),
    ("analysis", "assistantfinal"),
    ("<|channel>thought\n", "<channel|>"),
    ("<unused94>thought\n", "<unused95>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("<|thinking|>", "</|thinking|>"),
    ("<|thinking|>", "<|end_thinking|>"),
    ("<|thinking|>", "<|response|>"),
    ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>\n\n<|begin_of_solution|>"),
    ("<|im_start|>think\n", "<|im_start|>answer\n"),
    ("Here is my thought process: ", "\nHere is my response: "),
    ("analysis\n", "assistantfinal"),
    ("Here are my reasoning steps:\n", "\n[BEGIN FINAL RESPONSE]\n"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("[unused16]", "[unused17]"),
    ("<longcat_think>", "</longcat_think>"),
    ("<think_never_used_51bce0c785ca2f68081bfa7d91973934>", "</think_never_used_51bce0c785ca2f68081bfa7d91973934>"),
    ("<mm:think>", "</mm:think>"),
    ("<antThinking>", "</antThinking>"),
    ("<inner_thoughts>", "</inner_thoughts>"),
    ("<chain-of-thought>", "</chain-of-thought>"),
    ("&lt;think&gt;", "&lt;/think&gt;"),
    ("<|think|>", "<|end|><|begin|>assistant<|content|>"),
    ('<details type="reasoning" done="true">\n<summary>Thought for 3 s</summary>', "</details>"),
    ("[think]", "[/think]"),
    ("[REASONING]", "[/REASONING]"),
    ("{thinking}", "{/thinking}"),
    ("<reason>", "</reason>"),
    ("<analysis>", "</analysis>"),
    ("Thinking...\n", "\n...done thinking.\n\n"),
]
# Without their end they are ordinary text.
PAIRED = (
    *("Here is my thought process: ", "analysis", "[think]", "[REASONING]", "{thinking}", "<reason>", "<analysis>"),
    "Thinking...\n",
)
NEVER_ALONE = ("<|response|>", "<|end|><|begin|>assistant<|content|>", "</details>")  # an end of what was begun only


@pytest.mark.parametrize(("begins", "ends"), FAMILIES)
@pytest.mark.parametrize(
    ("kind", "question", "choices", "wrong", "right"),
    [
        ("number", "How many dogs are there?", None, "4", "3"),
        ("boolean", "Is it open?", None, "no", "yes"),
        ("choice", "What is it?", ["a jug", "a candle"], "A", "B"),
    ],
)
def test_the_reasoning_of_every_family_is_no_answer(  # noqa: PLR0917
    begins: str, ends: str, kind: str, question: str, choices: list[str] | None, wrong: str, right: str
) -> None:
    thought = f"The answer is {wrong}. I will check."
    for response in (f"{begins}{thought}{ends}{right}", f"{begins}{thought}{ends}The answer is {right}."):
        assert split_reasoning(response).reasoning == thought
        found = extract(response, kind, question, choices)  # type: ignore[arg-type]
        assert (found.answer, found.status) == (right, "ok")
    if ends not in NEVER_ALONE:  # the template began it
        found = extract(f"{thought}{ends}{right}", kind, question, choices)  # type: ignore[arg-type]
        assert (found.answer, found.status) == (right, "ok")
    if begins not in PAIRED:
        found = extract(begins + thought, kind, question, choices)  # type: ignore[arg-type]
        assert (found.answer, found.status, found.reason) == (None, "none", CUT_OFF)


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("3", Split(None, "3", cut_off=False)),
        (" There are 3. ", Split(None, " There are 3. ", cut_off=False)),
        ("<think>\n\n</think>\n\n3", Split(None, "3", cut_off=False)),
        ("<think>a</think>3<think>b</think>", Split("a\n\nb", "3", cut_off=False)),
        ("<think>a <think> b</think> c</think>3", Split("a <think> b\n\nc", "3", cut_off=False)),
        ("<think>a</think>3. <think>b", Split("a\n\nb", "3.", cut_off=True)),
        ("<think>", Split("", "", cut_off=True)),
        ("</think>3", Split(None, "3", cut_off=False)),
        ("a</think>", Split("a", "", cut_off=False)),
        ("Two. [REASONING] I see 1.", Split(None, "Two. [REASONING] I see 1.", cut_off=False)),
        ("It says [THINK]. There are 3.", Split(None, "It says [THINK]. There are 3.", cut_off=False)),
        ("<think>Two, plus one.<answer>3</answer>", Split("Two, plus one.", "<answer>3</answer>", cut_off=False)),
        ("<think>a <answer>1</answer></think>3", Split("a <answer>1</answer>", "3", cut_off=False)),
        ("<end_thinking>3", Split(None, "<end_thinking>3", cut_off=False)),
        ("analysisWe need to count", Split("We need to count", "", cut_off=True)),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary to=functions.see "
            "<|constrain|>json<|message|>{}<|call|><|start|>assistant<|channel|>final<|message|>3<|return|>",
            Split("a\n\n{}", "3", cut_off=False),
        ),
        ("<|channel|>final<|message|>3<|return|>", Split(None, "3", cut_off=False)),
        (
            "<|begin_of_thought|>a<|end_of_thought|><|begin_of_solution|>3<|end_of_solution|>",
            Split("a", "3", cut_off=False),
        ),
    ],
)
def test_marks_without_a_partner_and_several_blocks(text: str, split: Split) -> None:
    assert split_reasoning(text) == split


@pytest.mark.parametrize(
    "text",
    [
        *("I think there are 3.", "analysis of the image shows 3 dogs", "An analysis: 3."),
        *("The thought [thinking] of it.", "3<|end|>", "Here is my thought process: two and one are three."),
        *("<answer>3</answer>", "The assistant finally left."),
    ],
)
def test_text_without_marks_is_unchanged(text: str) -> None:
    assert split_reasoning(text) == Split(None, text, cut_off=False)
