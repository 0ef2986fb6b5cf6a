"""Prompts that are longer than a pipeline reads: they are counted, and diffusers does not print each of them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from whatif.models.text_to_image.pipeline import TOKENIZERS


class CutOffPrompts:
    """The different prompts of a run that none of a pipeline's text encoders reads to its end."""

    def __init__(self) -> None:
        self._found: set[str] = set()

    @property
    def note(self) -> str:
        """How many there are; empty if there are none."""
        return f"{len(self._found):,} prompts are too long; their ends are cut off" if self._found else ""

    @contextmanager
    def counted(self, pipeline: Any, prompts: Iterable[str]) -> Iterator[None]:
        """Counts those among `prompts`; within the block, diffusers does not print what it cuts off from each batch."""
        from diffusers.utils import logging

        self._found.update(prompt for prompt in prompts if is_cut_off(pipeline, prompt))
        before = logging.get_verbosity()
        logging.set_verbosity_error()
        try:
            yield
        finally:
            logging.set_verbosity(before)


def is_cut_off(pipeline: Any, prompt: str) -> bool:
    """Whether none of a pipeline's text encoders reads a prompt to its end."""
    accepted = inspect.signature(type(pipeline).__call__).parameters
    longest = accepted["max_sequence_length"].default if "max_sequence_length" in accepted else None
    found = []
    for name in TOKENIZERS:
        tokenizer = getattr(pipeline, name, None)
        if tokenizer is not None:
            encoder = getattr(pipeline, name.replace("tokenizer", "text_encoder"), None)
            reads_clip = "CLIP" in type(encoder).__name__  # the others read as many tokens as the call says
            most = tokenizer.model_max_length if reads_clip or longest is None else longest
            found.append(len(tokenizer(prompt, verbose=False).input_ids) > most)
    return bool(found) and all(found)
