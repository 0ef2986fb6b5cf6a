"""Generation of answers for many prompts at once: greedy, by beam search, or sampled."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from whatif.engine.params.decoding import Decoding
from whatif.models.local.faults import out_of_memory
from whatif.models.local.option_scores import on_device
from whatif.models.local.sampling import Noise

if TYPE_CHECKING:
    import torch

Item = TypeVar("Item")
Made = TypeVar("Made")


class Generate(Protocol):
    """Generates responses to encoded prompts, sampled if `noise` is given."""

    def __call__(self, inputs: Mapping[str, Any], limit: int, noise: Noise | None = None, /) -> list[list[int]]:
        """At most `limit` new tokens of each row."""


class GenerateTogether(Protocol):
    """Generates responses to prompts that share images."""

    def __call__(
        self,
        prompts: Sequence[Mapping[str, Any]],
        pictures: Sequence[tuple[str, ...]],
        limit: int,
        noise: Noise | None = None,
        /,
    ) -> list[list[int]]:
        """At most `limit` new tokens of each prompt."""


class Stop(Protocol):
    """Ends responses before their end token or their limit."""

    def ended(self, rows: torch.Tensor, /) -> torch.Tensor:
        """Whether each row ends now: a truth value for each row of new tokens (rows x tokens so far)."""


@dataclass
class Batches:
    """Processes items in batches of at most `size`; a batch that does not fit into memory is halved.

    The smaller size is kept and reported once on standard error, where the items are called `what`. The error of a
    single item that does not fit is raised unchanged (see `out_of_memory`).
    """

    size: int
    what: str = "questions"
    said: bool = False

    def run(self, items: Sequence[Item], work: Callable[[Sequence[Item]], Sequence[Made]]) -> Iterator[Made]:
        """The results of `work`, one for each item, in order."""
        done = 0
        while done < len(items):
            batch = items[done : done + self.size]
            try:
                made = work(batch)
            except (RuntimeError, MemoryError) as error:
                if len(batch) == 1 or not out_of_memory(error):
                    raise
                made = None
            if made is None:  # outside the handler, whose traceback would keep the failed batch's tensors alive
                self._halve(len(batch))
                continue
            yield from made
            done += len(batch)

    def _halve(self, tried: int) -> None:
        import torch

        self.size = tried // 2
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        if not self.said:
            print(f"whatif: {tried} {self.what} at once do not fit into memory; continuing with fewer", file=sys.stderr)
            self.said = True


def prepare_generation(model: Any, tokenizer: Any, decoding: Decoding) -> frozenset[int]:
    """Sets how the model generates, overriding its recommended settings (sampling, repetition penalties).

    Beam search is the library's, with its own values (a length penalty of 1 unless `decoding` has another, the best
    finished response of all beams). Sampling takes the most probable token too, after `Noise` is added.
    Returns the tokens that end an answer.
    """
    import transformers

    configuration: Any = transformers.GenerationConfig
    own = model.generation_config
    ends = own.eos_token_id if own.eos_token_id is not None else tokenizer.eos_token_id
    ends = frozenset(ends if isinstance(ends, list) else [] if ends is None else [ends])
    padding = tokenizer.pad_token_id
    if padding is None:
        padding = min(ends, default=None)
    model.generation_config = configuration(
        do_sample=False,
        num_beams=decoding.beams,
        length_penalty=1.0 if decoding.length_penalty is None else decoding.length_penalty,
        bos_token_id=own.bos_token_id,
        eos_token_id=sorted(ends) or None,
        pad_token_id=padding,
        decoder_start_token_id=own.decoder_start_token_id,
    )
    return ends


def generate(  # noqa: PLR0917
    model: Any,
    inputs: dict[str, Any],
    skipped: int,
    ends: Collection[int],
    limit: int,
    noise: Noise | None = None,
    stop: Stop | None = None,
) -> list[list[int]]:
    """At most `limit` new tokens of each row, up to and including the one of `ends` that ends the answer.

    `inputs` are rows x prompt; the first `skipped` tokens of the model's output are not part of the answer. `noise`
    makes the most probable tokens a sample. A row that `stop` has ended may go on with other tokens after that. Raises
    ValueError as `checked`.
    """
    import torch

    processors = [checked] if noise is None else [checked, noise]
    ended = [] if stop is None else [lambda tokens, scores: stop.ended(tokens[:, skipped:])]
    with torch.inference_mode():
        made = model.generate(
            **inputs, max_new_tokens=limit, logits_processor=processors, stopping_criteria=ended or None
        )
    rows = made[:, skipped:].tolist()
    return [until_end(row, ends) for row in rows]


def checked(tokens: Any, logits: torch.Tensor) -> torch.Tensor:
    """The logits of one step (rows x vocabulary), unchanged; minus infinity excludes a token.

    Raises ValueError when a row is not numbers: the most probable token would mean nothing.
    """
    highest = logits.amax(dim=-1)  # not a number if one of them is none
    if not bool(highest.isfinite().all()):
        raise ValueError(f"its scores are not numbers: the highest is {highest[~highest.isfinite()][0].item()}")
    return logits


def continued(
    model: Any,
    ends: Collection[int],
    inputs: Mapping[str, Any],
    limit: int,
    noise: Noise | None = None,
    *,
    stop: Stop | None = None,
) -> list[list[int]]:
    """What a decoder-only model generates after encoded prompts (rows x tokens), as `generate` returns it."""
    return generate(model, on_device(model, inputs), inputs["input_ids"].shape[1], ends, limit, noise, stop)


def until_end(tokens: list[int], ends: Collection[int]) -> list[int]:
    """The tokens up to and including the first of `ends`; all tokens if there is none."""
    for place, token in enumerate(tokens):
        if token in ends:
            return tokens[: place + 1]
    return tokens
