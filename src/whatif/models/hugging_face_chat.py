"""Ranks options by their loss under a vision-language chat model of the Hugging Face library.

The prompt is the model's own chat template around images and question. The tokens of an option are appended to the
tokens of the prompt, never tokenised together with it: no token of the prompt may depend on the option that
follows, or the losses of two options would be taken after different prompts. What stands between the prompt and
an answer (the space of `ASSISTANT: 16` in one family, nothing in another) is learnt from the template itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whatif.models import Answerer, ChoiceAnswer, ChoiceQuestion
from whatif.models.checkpoints import load_chat_model
from whatif.params import HuggingFaceChat
from whatif.text.options import LETTERS

if TYPE_CHECKING:
    import torch

# Inputs with one entry a token. Where an option follows, each goes on as it ended: text that may be attended to.
_PER_TOKEN = ("attention_mask", "token_type_ids", "mm_token_type_ids", "cross_attention_mask")


@dataclass(frozen=True)
class AnswerPlace:
    """How a chat template leads up to an answer: the prompt's last line, and the white space after it."""

    line: str
    separator: str


def hugging_face_chat(settings: HuggingFaceChat, seed: int) -> Answerer:
    """Ranks the options of a question by mean log-likelihood, one full forward pass an option.

    The option with the highest mean over its tokens (the lowest loss) wins, the first one among equals. Nothing is
    drawn, so `seed` changes nothing. A question whose picture cannot be decoded, or whose scores are not numbers,
    is an `error` with its reason and the run goes on.

    Raises WhatifError when the checkpoint cannot be loaded (see `load_chat_model`).
    """
    model, processor = load_chat_model(settings)
    place = answer_place(processor)

    def answer(questions: Sequence[ChoiceQuestion]) -> Iterator[ChoiceAnswer]:
        for question in questions:
            yield _rank(model, processor, place, question)

    return answer


def _rank(model: Any, processor: Any, place: AnswerPlace, question: ChoiceQuestion) -> ChoiceAnswer:
    empty = [letter for letter, option in zip(LETTERS, question.options, strict=False) if not option.strip()]
    if empty:
        return ChoiceAnswer(None, "error", f"option {empty[0]} is empty: there is nothing to rank")
    try:
        images = question.images()
    except OSError as error:
        return ChoiceAnswer(None, "error", f"picture cannot be decoded: {error}")
    prompt = processor.apply_chat_template(
        _conversation(images, question.prompt),
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
    )
    options = [option_tokens(processor.tokenizer, place, option) for option in question.options]
    scores = tuple(mean_log_likelihood(model, prompt, tokens) for tokens in options)
    counts = {"prompt_tokens": prompt["input_ids"].shape[1], "response_tokens": sum(map(len, options))}
    if not all(map(math.isfinite, scores)):
        return ChoiceAnswer(None, "error", f"the model's scores are not numbers: {scores}", **counts)
    best = max(range(len(scores)), key=scores.__getitem__)  # max keeps the first among equals
    return ChoiceAnswer(LETTERS[best], choice_scores=scores, **counts)


def mean_log_likelihood(model: Any, prompt: Any, tokens: Sequence[int]) -> float:
    """Mean log-likelihood in nats of `tokens` after the prompt (the processor's output for one conversation).

    Taken in float32 whatever type the weights have: half precision has 3 digits, too few to rank close options.
    """
    import torch

    count = len(tokens)
    inputs = {
        name: value.to(model.device, model.dtype if torch.is_floating_point(value) else value.dtype)
        for name, value in _with_option(prompt, tokens).items()
    }
    with torch.inference_mode():
        logits = model(**inputs).logits  # 1 x (prompt + option) x vocabulary; place i predicts token i + 1
    log_likelihoods = torch.log_softmax(logits[0, -count - 1 : -1].float(), dim=-1)
    wanted = torch.tensor(tokens, device=log_likelihoods.device)
    return float(log_likelihoods.gather(1, wanted[:, None]).double().mean())


def option_tokens(tokenizer: Any, place: AnswerPlace, option: str) -> list[int]:
    """The token ids of an option as they stand where the chat template puts an answer.

    Tokenisers treat the beginning of a text specially (SentencePiece puts a space there), so the option is
    tokenised behind the prompt's last line, which is cut off again. Where that line's own tokens change because of
    what follows, the option is tokenised by itself.
    """
    before = tokenizer.encode(place.line, add_special_tokens=False)
    together = tokenizer.encode(place.line + place.separator + option, add_special_tokens=False)
    if together[: len(before)] == before:
        return list(together[len(before) :])
    return list(tokenizer.encode(place.separator + option, add_special_tokens=False))


def answer_place(processor: Any) -> AnswerPlace:
    """Learns from the chat template where an answer stands: the place after its generation prompt."""
    question = _conversation([], "question")
    probe = "probe"
    reply = {"role": "assistant", "content": [{"type": "text", "text": probe}]}
    before = str(processor.apply_chat_template(question, add_generation_prompt=True, tokenize=False))
    whole = str(processor.apply_chat_template([*question, reply], add_generation_prompt=False, tokenize=False))
    last_line = re.search(r"[^\n]*\s*\Z", before)
    line = last_line.group() if last_line else ""
    if not whole.startswith(before) or probe not in whole[len(before) :]:
        return AnswerPlace(line, "")
    between = whole[len(before) : whole.index(probe, len(before))]
    return AnswerPlace(line, "" if between.strip() else between)


def _with_option(prompt: Any, tokens: Sequence[int]) -> dict[str, Any]:
    import torch

    inputs = dict(prompt)
    inputs["input_ids"] = torch.cat([prompt["input_ids"], torch.tensor([list(tokens)])], dim=1)
    for name in _PER_TOKEN:
        if name in prompt:
            value: torch.Tensor = prompt[name]
            inputs[name] = torch.cat([value, value[:, -1:].repeat_interleave(len(tokens), dim=1)], dim=1)
    return inputs


def _conversation(images: Sequence[Any], prompt: str) -> list[dict[str, Any]]:
    # Always a list of parts: some templates silently drop content that is a plain string.
    parts: list[dict[str, Any]] = [{"type": "image", "image": image} for image in images]
    return [{"role": "user", "content": [*parts, {"type": "text", "text": prompt}]}]
