"""Entries of `models` with several prompts: each prompt makes an entry of its own, which shares all other settings.

`llava: {prompts: [internvl, "{question} Be brief."], ...}` is evaluated as `llava-internvl` and `llava-text-1`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from whatif.engine.language.prompts import is_text
from whatif.engine.params.model_entries import ModelEntry, Prompted

Entry = TypeVar("Entry", bound=ModelEntry)


def one_entry_a_prompt(models: Mapping[str, Entry]) -> dict[str, Entry]:
    """The models by key, with an entry for each prompt in place of one with `prompts`.

    Raises ValueError when two entries have the same key; its text begins with the path of the key.
    """
    found: dict[str, Entry] = {}
    for key, entry in models.items():
        prompts = entry.prompts if isinstance(entry, Prompted) else None
        made = {key: entry}
        if prompts is not None:
            made = {
                f"{key}-{label}": entry.model_copy(update={"prompt": prompt, "name": f"{entry.name or key} ({label})"})
                for label, prompt in zip(labels(prompts), prompts, strict=True)
            }
        for new in made:
            if new in found or (new != key and new in models):
                raise ValueError(f"models.{key}: prompts make the entry {new!r}, which there is already; rename one")
        found |= made
    return found


def labels(prompts: Sequence[str]) -> list[str]:
    """A name for each prompt: that of the form, or `text-1`, `text-2`, ... for the texts in their order."""
    texts = [prompt for prompt in prompts if is_text(prompt)]
    return [f"text-{texts.index(prompt) + 1}" if is_text(prompt) else prompt for prompt in prompts]


def without_prompt(key: str, entry: ModelEntry) -> str:
    """The key in `params.yaml` of an entry that `one_entry_a_prompt` returned under `key`."""
    if not isinstance(entry, Prompted) or entry.prompts is None:
        return key
    prompt: str = getattr(entry, "prompt")  # noqa: B009 - every subclass has one
    return key.removesuffix(f"-{labels(entry.prompts)[entry.prompts.index(prompt)]}")
