"""Reads seeds: counterfactual questions by hand that serve as examples in prompts (C-VQA 3.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError, field_validator, model_validator

from whatif.benchmarks.cvqa_real.schemas import BOOLEAN
from whatif.benchmarks.cvqa_real.settings import NAME
from whatif.benchmarks.shared.prompt_files import read_prompt_file
from whatif.engine.errors import WhatifError
from whatif.engine.language.named_files import Entry, Text

SEEDS_FILE = "seeds.yaml"  # of this package
SETTING = f"generate.{NAME}.prompting.examples.file"  # that replaces it


@dataclass(frozen=True)
class Seed:
    """An example: an original question with its answer, the steps of C-VQA B, and the new question with its answer."""

    seed_id: str
    group: str
    question: str
    answer: str
    step1: str
    step2: str
    new_question: str
    new_answer: str


class SeedScene(Entry):
    """The drawn scene that a shipped seed is about: `draw_scene(split, number, seed)`."""

    split: Text
    number: int
    seed: int


class SeedEntry(Entry):
    """An entry of a file of seeds. Only ours name a scene, and the change that the new question supposes."""

    id: Text
    group: Literal["direct", "indirect", "boolean"]
    scene: SeedScene | None = None
    change: dict[str, Any] | None = None
    question: Text
    answer: str
    step1: Text
    step2: Text
    new_question: Text
    new_answer: str

    @field_validator("answer", "new_answer", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        """YAML reads 3 as a number, and yes without quotation marks as true."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        return str(value) if isinstance(value, int) else value

    @model_validator(mode="after")
    def _agrees(self) -> SeedEntry:
        for name, answer in (("answer", self.answer), ("new_answer", self.new_answer)):
            if self.group == BOOLEAN and answer not in ("yes", "no"):
                raise ValueError(f"{name}: {answer!r} must be yes or no in the group {self.group}")
            if self.group != BOOLEAN and not (answer.isascii() and answer.isdecimal()):
                raise ValueError(f"{name}: {answer!r} must be a whole number, such as 3, in the group {self.group}")
        if " if " not in self.new_question.lower() and not self.new_question.lower().startswith("if "):
            raise ValueError("new_question: has no presupposition; write a clause with `if`")
        result = re.search(r"=\s*(\d+)\D*$", self.step2)
        if self.group != BOOLEAN and result and result[1] != self.new_answer:
            raise ValueError(f"step2: ends with {result[1]}, but new_answer is {self.new_answer}")
        return self


def read_seeds(file: str | None) -> list[Seed]:
    """The seeds of a user's file, or ours, in their order.

    Raises WhatifError, naming the file, the entry and the field, for a file that cannot be read and for wrong or
    duplicate entries.
    """
    return [
        Seed(one.id, one.group, one.question, one.answer, one.step1, one.step2, one.new_question, one.new_answer)
        for one in read_entries(file)
    ]


def read_entries(file: str | None) -> list[SeedEntry]:
    """As `read_seeds`, with the scenes and changes of our seeds."""
    values, path, _ = read_prompt_file(__package__, SEEDS_FILE, file, SETTING)
    if not isinstance(values, list) or not values:
        raise WhatifError(f"{path}: must be a list of seeds, each with id, group, question, answer and so on")
    entries = list(_checked(values, path))
    seen: dict[str, int] = {}
    for place, entry in enumerate(entries, 1):
        if entry.id in seen:
            raise WhatifError(f"{path}: entry {place}: {entry.id} is also the id of entry {seen[entry.id]}; rename one")
        seen[entry.id] = place
    return entries


def _checked(values: list[Any], path: Path) -> Iterator[SeedEntry]:
    for place, value in enumerate(values, 1):
        try:
            yield SeedEntry.model_validate(value)
        except ValidationError as error:
            first = error.errors()[0]
            name = value.get("id") if isinstance(value, dict) else None
            entry = f"entry {place}" + (f" ({name})" if isinstance(name, str) else "")
            field = ".".join(str(part) for part in first["loc"])
            reason = first["msg"].removeprefix("Value error, ")
            raise WhatifError(f"{path}: {entry}: {f'{field}: ' if field else ''}{reason}") from error
