"""Measures the chat model that writes counterfactual questions, on held-out scenes (C-VQA 3.1)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from training.accuracies import share
from training.writer_examples import Asked, asked_about, prompt_turns, system_prompts
from whatif.benchmarks.cvqa_real.rules.rules_writer import BOOLEAN, DIRECT, Rewritten, rewrite
from whatif.engine.random_streams import stream

QUESTIONS = 300  # of each group
_SEED = 20_26
_DRAWS = 400  # of the rules for each question; together they give nearly all that the rules can write
_MOST_TOKENS = 160
_BATCH = 60


def held_out(number: int = QUESTIONS, split: str = "test") -> list[Asked]:
    """`number` questions of each group about scenes of a split, at most one of a group from each scene."""
    found: dict[str, list[Asked]] = {DIRECT: [], BOOLEAN: []}
    scene = 0
    while any(len(asked) < number for asked in found.values()):
        options = asked_about(split, scene, _SEED)
        for group, asked in found.items():
            of_group = [one for one in options if one.group == group]
            if of_group and len(asked) < number:
                asked.append(of_group[int(stream(_SEED, "writer asked", group, scene).integers(len(of_group)))])
        scene += 1
    return [one for asked in found.values() for one in asked]


def assess_writer(folder: Path, number: int = QUESTIONS) -> dict[str, Any]:
    """How many replies of the model in `folder` are right, by group, with n and Wilson intervals.

    `right`: the reply is one that the rules write for this question, with both steps, or would write with other random
    numbers. `question_and_answer`: the same of the new question and its answer alone. `form`: it has the six lines, and
    repeats the question and its answer. Decoding is greedy.
    """
    asked = held_out(number)
    replies = _replies(folder, asked)
    table: dict[str, Any] = {}
    for group in (DIRECT, BOOLEAN):
        pairs = [(one, reply) for one, reply in zip(asked, replies, strict=True) if one.group == group]
        possible = [possible_replies(one) for one, _ in pairs]
        table[group] = {
            "right": share([reply in known for (_, reply), known in zip(pairs, possible, strict=True)]),
            "question_and_answer": share(
                [_end(reply) in {_end(one) for one in known} for (_, reply), known in zip(pairs, possible, strict=True)]
            ),
            "form": share([has_form(one, reply) for one, reply in pairs]),
            "different_changes": len({_change(reply) for _, reply in pairs}),
        }
    return table


def possible_replies(asked: Asked) -> set[str]:
    """The replies that the rules write in many draws."""
    drawn = (
        rewrite(asked.group, asked.question, asked.answer, stream(_SEED, "draw", number)) for number in range(_DRAWS)
    )
    return {asked.reply(one) for one in drawn if isinstance(one, Rewritten)}


def has_form(asked: Asked, reply: str) -> bool:
    """Whether a reply has six lines with their labels, and repeats the question and its answer."""
    labels = [line.partition(": ")[0] for line in reply.split("\n")]
    whole = asked.reply(Rewritten("", "", "", "")).split("\n")
    return reply.startswith(f"{asked.request}\n") and labels == [line.partition(": ")[0] for line in whole]


def _end(reply: str) -> str:
    """The new question and its answer."""
    return "\n".join(reply.split("\n")[-2:])


def _change(reply: str) -> str:
    """The condition of the new question."""
    return _end(reply).partition(" if ")[2].partition("?")[0]


def _replies(folder: Path, asked: list[Asked]) -> list[str]:
    import torch
    import transformers

    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    tokenizer.padding_side = "left"
    model_class: Any = transformers.AutoModelForCausalLM
    options = {"local_files_only": True, "dtype": torch.float32}
    model = model_class.from_pretrained(folder, trust_remote_code=False, **options).eval()
    prompts, replies = system_prompts(), []
    for start in range(0, len(asked), _BATCH):
        turns = [prompt_turns(one, prompts) for one in asked[start : start + _BATCH]]
        inputs = tokenizer.apply_chat_template(
            turns, add_generation_prompt=True, return_dict=True, return_tensors="pt", padding=True
        )
        with torch.inference_mode():
            tokens = model.generate(**inputs, max_new_tokens=_MOST_TOKENS, do_sample=False)
        new = tokens[:, inputs["input_ids"].shape[1] :].tolist()
        replies += [str(tokenizer.decode(one, skip_special_tokens=True)).strip() for one in new]
    return replies
