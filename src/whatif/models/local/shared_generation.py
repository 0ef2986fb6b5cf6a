"""Answers to several questions about the same images, which are encoded once for all of them: greedy or sampled.

The questions of a pair share their image, and encoding it is most of the work of a short answer. The common beginning
of the prompts of an image (the opening of the template, the image, the text up to the first difference) is encoded
once and its keys and values are repeated for each question. Then the rest of all questions, about all images, is
encoded and answered in one batch.

The rest is left-padded, so there is padding between a prompt's beginning and its rest. It is masked, and every position
is given explicitly: counted over real tokens, and over positions where an image has fewer positions than tokens. A
sliding window would count the padding, so models with one are excluded.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whatif.models.local.generation import Stop, checked, until_end
from whatif.models.local.option_scores import PER_TOKEN, SHARED_PREFIX, forget_positions, on_device, rope_deltas
from whatif.models.local.sampling import Noise
from whatif.models.local.sent_images import image_token

if TYPE_CHECKING:
    import torch

Inputs = Mapping[str, Any]


@dataclass(frozen=True)
class _Beginning:
    """The number of tokens, including all images, that the prompts at these places have in common."""

    length: int
    places: tuple[int, ...]


def shares_pictures(model: Any) -> bool:
    """Whether `generate_together` supports the model: a family whose prefix can be shared, without a sliding window."""
    from transformers.cache_utils import DynamicCache, DynamicLayer

    if model.config.model_type not in SHARED_PREFIX:
        return False
    layers: list[Any] = DynamicCache(config=model.config).layers
    return bool(layers) and all(type(layer) is DynamicLayer for layer in layers)


def generate_together(  # noqa: PLR0917
    model: Any,
    ends: Collection[int],
    prompts: Sequence[Inputs],
    pictures: Sequence[tuple[str, ...]],
    limit: int,
    noise: Noise | None = None,
    *,
    stop: Stop | None = None,
) -> list[list[int]]:
    """At most `limit` new tokens of each prompt, as `whatif.models.local.generation.generate` returns them.

    `prompts` are the processor's outputs for one conversation each (1 x tokens), all with the same number of images.
    `pictures` identifies the images: equal values are the same images. `noise` makes the most probable tokens a sample.
    Raises ValueError for a prompt that ends in an image.
    """
    import torch

    beginnings = _beginnings(model, prompts, pictures)
    order = [place for beginning in beginnings for place in beginning.places]
    with torch.inference_mode():
        encoded = [_encode(model, prompts[beginning.places[0]], beginning.length) for beginning in beginnings]
        rows = [row for row, beginning in enumerate(beginnings) for _ in beginning.places]
        cache = _joined([cache for cache, _ in encoded], rows)
        lengths = [beginnings[row].length for row in rows]
        rests = [_rest(prompts[place], length) for place, length in zip(order, lengths, strict=True)]
        words = _padded([rest["input_ids"] for rest in rests])  # rows x longest rest
        real = _padded([rest["attention_mask"] for rest in rests])
        before = _padded(
            [rest["attention_mask"].new_ones(1, length) for rest, length in zip(rests, lengths, strict=True)]
        )
        inputs = on_device(model, {"input_ids": words, "attention_mask": torch.cat([before, real], dim=1)})
        if "cross_attention_mask" in rests[0]:
            inputs |= on_device(model, {"cross_attention_mask": _padded([r["cross_attention_mask"] for r in rests])})
        next_places = torch.tensor([encoded[row][1] for row in rows])
        places = next_places[:, None] + (real.cumsum(dim=1) - 1).clamp(min=0)
        ordered = None if noise is None else noise.ordered(order)
        said = _steps(model, ends, inputs, cache, places.to(model.device), limit, ordered, stop)
    made = dict(zip(order, said, strict=True))
    return [until_end(made[place], ends) for place in range(len(prompts))]


def _beginnings(model: Any, prompts: Sequence[Inputs], pictures: Sequence[tuple[str, ...]]) -> list[_Beginning]:
    """The common beginnings of the prompts; a prompt that shares no image has its own."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for place, shown in enumerate(pictures):
        groups.setdefault(shown, []).append(place)
    made = []
    for group in groups.values():
        # A template may put the text before the images: then the common beginning is not worth sharing.
        parts = [group] if _fits(model, prompts, group) else [[place] for place in group]
        for places in parts:
            if not _fits(model, prompts, places):
                raise ValueError("the prompt ends in a picture")
            made.append(_Beginning(_common([prompts[place] for place in places]), tuple(places)))
    return made


def _fits(model: Any, prompts: Sequence[Inputs], places: Sequence[int]) -> bool:
    """Whether all images of these prompts are in their common beginning."""
    common = _common([prompts[place] for place in places])
    token = image_token(model.config)
    return not any((prompts[place]["input_ids"][0, common:] == token).any() for place in places)


def _common(prompts: Sequence[Inputs]) -> int:
    """The number of tokens in the prompts' common beginning, which never includes the last token of a prompt."""
    rows = [prompt["input_ids"][0].tolist() for prompt in prompts]
    most = min(map(len, rows)) - 1
    return next((place for place in range(most) if len({row[place] for row in rows}) > 1), most)


def _encode(model: Any, prompt: Inputs, length: int) -> tuple[Any, int]:
    """Keys and values of the first tokens of a prompt, and the position of the next token."""
    beginning = {name: value[:, :length] if name in PER_TOKEN else value for name, value in prompt.items()}
    forget_positions(model)
    cache = model(**on_device(model, beginning), use_cache=True, logits_to_keep=1).past_key_values
    shift = rope_deltas(model)
    return cache, length if shift is None else length + int(shift.flatten()[0])


def _rest(prompt: Inputs, length: int) -> dict[str, torch.Tensor]:
    return {name: value[:, length:] for name, value in prompt.items() if name in PER_TOKEN}


def _joined(caches: Sequence[Any], rows: Sequence[int]) -> Any:
    """One cache whose row i is cache number `rows[i]`; shorter ones are left-padded. Consumes the caches."""
    for layer, *others in zip(*(cache.layers for cache in caches), strict=True):
        for name in ("keys", "values"):  # 1 x heads x tokens x dimensions
            each = [getattr(one, name) for one in (layer, *others)]
            setattr(layer, name, _padded([each[row] for row in rows], axis=-2))
            for one in others:
                setattr(one, name, None)
    return caches[0]


def _padded(rows: Sequence[torch.Tensor], axis: int = 1) -> torch.Tensor:
    """Stacks tensors of one row each, left-padded with zeros along `axis`."""
    import torch

    longest = max(row.shape[axis] for row in rows)
    filled = []
    for row in rows:
        shape = list(row.shape)
        shape[axis] = longest - row.shape[axis]
        filled.append(torch.cat([row.new_zeros(shape), row], dim=axis) if shape[axis] else row)
    return torch.cat(filled)


def _steps(  # noqa: PLR0917
    model: Any,
    ends: Collection[int],
    inputs: dict[str, Any],
    cache: Any,
    places: torch.Tensor,
    limit: int,
    noise: Noise | None,
    stop: Stop | None,
) -> list[list[int]]:
    """The most probable tokens, step by step, until all rows have ended. `places` are the positions of `input_ids`."""
    import torch

    moves = rope_deltas(model) is not None
    last = torch.tensor(sorted(ends), device=model.device)
    made: list[torch.Tensor] = []
    ended = torch.zeros(len(places), dtype=torch.bool, device=model.device)
    while len(made) < limit and not ended.all():
        # Models with three-dimensional positions need all three; they are equal for text.
        positions = places.expand(3, -1, -1) if moves else places
        output = model(**inputs, position_ids=positions, past_key_values=cache, use_cache=True, logits_to_keep=1)
        logits = checked(inputs["input_ids"], output.logits[:, -1])
        made.append((logits if noise is None else noise(inputs["input_ids"], logits)).argmax(dim=-1))
        ended |= torch.isin(made[-1], last)
        if stop is not None:
            ended |= stop.ended(torch.stack(made, dim=1))
        inputs["input_ids"] = made[-1][:, None]
        inputs["attention_mask"] = torch.nn.functional.pad(inputs["attention_mask"], (0, 1), value=1)
        if "cross_attention_mask" in inputs:
            inputs["cross_attention_mask"] = inputs["cross_attention_mask"][:, -1:]
        places = places[:, -1:] + 1
    return torch.stack(made, dim=1).tolist()
