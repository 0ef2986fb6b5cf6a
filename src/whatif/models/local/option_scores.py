"""Log-likelihoods of answer options after a prompt that is encoded once for all of them (CFMM 3.4).

The prompt, images included, is encoded alone; its keys and values are repeated for each option, and the tokens of all
options follow in one batch, right-padded. Options of one token need no second pass: the prompt's last position predicts
all of them. Everything is summed in double precision from float32 log-softmaxes, for weights of any type: half
precision has 3 digits, too few to rank similar options.

The sum, the number of tokens and the mean are all kept, because papers disagree on which of them ranks the options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from whatif.models import OptionScore

if TYPE_CHECKING:
    import torch

    from whatif.models.local.ranking_memory import RankingMemory

Tokens = Sequence[int]
Inputs = Mapping[str, Any]

# Decoder-only families whose results with a shared prefix are tested to equal whole passes. Every other family takes
# one whole pass for each option: continuing a prompt fails silently if a family keeps further state.
SHARED_PREFIX = frozenset(
    {
        "gemma3",
        "idefics3",
        "internvl",
        "llava",
        "llava_next",
        "llava_onevision",
        "mllama",
        "qwen2_5_vl",
        "qwen2_vl",
        "qwen3_vl",
        "smolvlm",
    }
)
# Inputs with one entry per token. An option continues each with its last value: text that may be attended to.
_CONTINUED = ("attention_mask", "token_type_ids", "mm_token_type_ids", "cross_attention_mask")
PER_TOKEN = ("input_ids", *_CONTINUED)


def option_scores(
    model: Any, prompt: Inputs, options: Sequence[Tokens], memory: RankingMemory | None = None
) -> tuple[OptionScore, ...]:
    """Scores of `options` (token ids, at least one each) after `prompt`, the processor's output for one conversation.

    Families that are not in `SHARED_PREFIX` take one whole pass for each option. `memory` has what was computed for
    other questions; it changes no score.
    """
    if model.config.model_type in SHARED_PREFIX:
        return shared_prefix_scores(model, prompt, options, memory)
    return whole_pass_scores(model, prompt, options)


def keeps_keys_and_values(model: Any) -> bool:
    """Whether a language model's state after a prompt is only keys and values, which can be repeated for options.

    Other models keep further state (Mamba, RecurrentGemma, the convolutions of LFM2) or none. Tests the model with one
    token.
    """
    import torch
    from transformers.cache_utils import Cache, DynamicLayer, DynamicSlidingWindowLayer

    token = torch.zeros((1, 1), dtype=torch.long, device=model.device)
    try:
        with torch.inference_mode():
            cache = getattr(model(input_ids=token, use_cache=True, logits_to_keep=1), "past_key_values", None)
    except (TypeError, ValueError, RuntimeError):  # no such argument, or further inputs are required
        return False
    kinds = (DynamicLayer, DynamicSlidingWindowLayer)
    return isinstance(cache, Cache) and bool(cache.layers) and all(type(layer) in kinds for layer in cache.layers)


def whole_pass_scores(model: Any, prompt: Mapping[str, Any], options: Sequence[Tokens]) -> tuple[OptionScore, ...]:
    """The same scores from one forward pass for each option over prompt and option together."""
    import torch

    scores = []
    for tokens in options:
        forget_positions(model)
        with torch.inference_mode():
            logits = model(
                **on_device(model, with_continuations(prompt, [tokens]))
            ).logits  # 1 x (prompt + option) x words
        # Position i predicts token i + 1.
        scores.append(_score(log_softmax(logits[0, -len(tokens) - 1 : -1]), tokens))
    return tuple(scores)


def shared_prefix_scores(
    model: Any, prompt: Inputs, options: Sequence[Tokens], memory: RankingMemory | None = None
) -> tuple[OptionScore, ...]:
    """The same scores with the prompt encoded once. The model must keep all keys and values in one cache."""
    import torch

    def inputs_of_prompt() -> dict[str, Any]:
        return on_device(model, prompt) if memory is None else memory.inputs(prompt)

    def encode(inputs: dict[str, Any]) -> Any:
        forget_positions(model)
        with torch.inference_mode():
            return model(**inputs, use_cache=True, logits_to_keep=1)

    if memory is not None and max(map(len, options)) == 1:
        last = memory.end(prompt, lambda: encode(inputs_of_prompt()).logits[0, -1])
        return _first_tokens(last, options)
    inputs = inputs_of_prompt()
    encoded = encode(inputs)

    def follow(**more: Any) -> Any:
        rows, length = more["input_ids"].shape
        if "cross_attention_mask" in inputs:
            # Without it the option would attend to the images without a mask: another loss, and no error.
            more["cross_attention_mask"] = inputs["cross_attention_mask"][:, -1:].expand(rows, length, -1, -1)
        shift = rope_deltas(model)
        if shift is not None:
            # An image takes fewer positions than tokens, so the following positions are shifted by `rope_deltas`.
            places = torch.arange(length, device=model.device) + inputs["input_ids"].shape[1] + shift.flatten()[0]
            more["position_ids"] = places.expand(3, rows, length)
        return model(**more)

    return following_scores(encoded.logits[0, -1], encoded.past_key_values, inputs["attention_mask"], options, follow)


def following_scores(
    last: torch.Tensor, cache: Any, mask: torch.Tensor, options: Sequence[Tokens], follow: Callable[..., Any]
) -> tuple[OptionScore, ...]:
    """Scores of options after an encoded prompt.

    `last` are the logits of the prompt's last position (words), `cache` its keys and values, which are consumed, `mask`
    its attention mask (1 x prompt). `follow` is the decoder's forward pass.
    """
    import torch

    longest = max(map(len, options)) - 1  # the prediction after an option's last token is not needed
    if longest == 0:
        return _first_tokens(last, options)
    first = log_softmax(last)
    cache.batch_repeat_interleave(len(options))
    ids = torch.zeros((len(options), longest), dtype=torch.long, device=mask.device)
    real = torch.zeros((len(options), longest), dtype=mask.dtype, device=mask.device)
    for row, tokens in enumerate(options):
        ids[row, : len(tokens) - 1] = torch.tensor(tokens[:-1], dtype=torch.long)
        real[row, : len(tokens) - 1] = 1
    whole_mask = torch.cat([mask.expand(len(options), -1), real], dim=1)
    with torch.inference_mode():
        logits = follow(input_ids=ids, attention_mask=whole_mask, past_key_values=cache, use_cache=True).logits
    return tuple(
        _score(torch.cat([first[None], log_softmax(logits[row, : len(tokens) - 1])]), tokens)
        for row, tokens in enumerate(options)
    )


def decoder_scores(logits: torch.Tensor, options: Sequence[Tokens]) -> tuple[OptionScore, ...]:
    """Scores from a decoder's logits (options x positions x words); position i predicts token i of its option."""
    return tuple(_score(log_softmax(logits[row, : len(tokens)]), tokens) for row, tokens in enumerate(options))


def log_softmax(logits: torch.Tensor) -> torch.Tensor:
    """Log-likelihoods over the last axis, in float32."""
    return logits.float().log_softmax(dim=-1)


def on_device(model: Any, inputs: Inputs) -> dict[str, Any]:
    """Inputs on the model's device, images in the data type of its weights."""
    return {
        name: value.to(model.device, model.dtype if value.is_floating_point() else value.dtype)
        for name, value in inputs.items()
    }


def _first_tokens(last: torch.Tensor, options: Sequence[Tokens]) -> tuple[OptionScore, ...]:
    """Scores of options of one token after a prompt whose last logits are `last` (words)."""
    first = log_softmax(last)
    return tuple(_score(first[None], tokens) for tokens in options)


def _score(log_likelihoods: torch.Tensor, tokens: Tokens) -> OptionScore:
    """`log_likelihoods` are tokens x words."""
    places = range(len(tokens))
    return OptionScore(float(log_likelihoods[list(places), list(tokens)].double().sum()), len(tokens))


def with_continuations(prompt: Mapping[str, Any], continuations: Sequence[Tokens]) -> dict[str, Any]:
    """The inputs of encoded prompts (rows x tokens, left-padded), each with the tokens that follow it.

    `continuations` has one list for each row; shorter ones are padded on the right, and padding is masked.
    """
    import torch

    longest = max(map(len, continuations))
    rows = [[*tokens, *[0] * (longest - len(tokens))] for tokens in continuations]
    inputs = dict(prompt)
    inputs["input_ids"] = torch.cat([prompt["input_ids"], torch.tensor(rows)], dim=1)
    for name in _CONTINUED:
        if name in prompt:
            value: torch.Tensor = prompt[name]
            following = value[:, -1:].repeat_interleave(longest, dim=1)
            if name == "mm_token_type_ids":
                following = torch.zeros_like(following)  # they are text, also after a prompt that ends in an image
            if name == "attention_mask":
                for row, tokens in enumerate(continuations):
                    following[row, len(tokens) :] = 0
            inputs[name] = torch.cat([value, following], dim=1)
    return inputs


def rope_deltas(model: Any) -> Any:
    """The shift of positions against token numbers after the last prompt (rows x 1); None in most families."""
    return getattr(getattr(model, "model", None), "rope_deltas", None)


def forget_positions(model: Any) -> None:
    """Call this before a prompt: models with three-dimensional positions keep those of the last prompt.

    They would use them for a prompt without an image.
    """
    if rope_deltas(model) is not None:
        model.model.rope_deltas = None
