"""Greedy answers in the model's own words, for many prompts at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from whatif.models.local.faults import out_of_memory

Item = TypeVar("Item")
Made = TypeVar("Made")


@dataclass
class Batches:
    """Works through items in batches of at most `size`; a batch that memory does not hold is cut in two.

    The smaller size is kept for what follows, and said once on standard error, where the items are called `what`. The
    error of a single item that memory does not hold is raised as it is (see `out_of_memory`).
    """

    size: int
    what: str = "questions"
    said: bool = False

    def run(self, items: Sequence[Item], work: Callable[[Sequence[Item]], Sequence[Made]]) -> Iterator[Made]:
        """What `work` makes of the items, in their order; `work` gives one result an item."""
        done = 0
        while done < len(items):
            batch = items[done : done + self.size]
            try:
                made = work(batch)
            except (RuntimeError, MemoryError) as error:
                if len(batch) == 1 or not out_of_memory(error):
                    raise
                made = None
            if made is None:  # outside the handler, whose traceback keeps the tensors of the failed batch alive
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
            print(f"whatif: {tried} {self.what} at once do not fit into memory; going on with fewer", file=sys.stderr)
            self.said = True


def make_greedy(model: Any, tokenizer: Any, max_new_tokens: int) -> frozenset[int]:
    """Sets the model to greedy generation, whatever its checkpoint recommends (sampling, repetition penalties).

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
        max_new_tokens=max_new_tokens,
        do_sample=False,
        num_beams=1,
        bos_token_id=own.bos_token_id,
        eos_token_id=sorted(ends) or None,
        pad_token_id=padding,
        decoder_start_token_id=own.decoder_start_token_id,
    )
    return ends


def generate(model: Any, inputs: dict[str, Any], skipped: int, ends: Collection[int]) -> list[list[int]]:
    """The new tokens of each row, up to and with the one of `ends` that ends an answer.

    `inputs` are rows x prompt; the first `skipped` places of what the model returns are not part of the answer.
    """
    import torch

    with torch.inference_mode():
        rows = model.generate(**inputs)[:, skipped:].tolist()
    return [until_end(row, ends) for row in rows]


def until_end(tokens: list[int], ends: Collection[int]) -> list[int]:
    """The tokens up to and with the first of `ends`; all of them when none is there."""
    for place, token in enumerate(tokens):
        if token in ends:
            return tokens[: place + 1]
    return tokens
