"""The prompts that ask a chat model for counterfactual questions, and the format of their entries (C-VQA 3.1, B)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.benchmarks.cvqa_real.settings import NAME
from whatif.benchmarks.shared.prompt_files import SYSTEM, read_prompt_file
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import Message, Messages, user_message

FILE = "writer_prompt.yaml"  # of this package
SHORT, SHORT_FILE = "short", "writer_prompt_short.yaml"  # of this package, for models trained on the format alone
LABELS = ("Original question", "Original answer", "Step1", "Step2", "New question", "New answer")
CANNOT = "Cannot"  # the label with which a model refuses an indirect question
SEPARATOR = "-----"  # a line between two entries


class Example(Protocol):
    """An example of a prompt: a question with its answer, and the counterfactual question with its steps."""

    @property
    def seed_id(self) -> str: ...

    @property
    def question(self) -> str: ...

    @property
    def answer(self) -> str: ...

    @property
    def step1(self) -> str: ...

    @property
    def step2(self) -> str: ...

    @property
    def new_question(self) -> str: ...

    @property
    def new_answer(self) -> str: ...


@dataclass(frozen=True)
class Prompts:
    """The system prompt of each group, and the SHA-256 of their file in hexadecimal."""

    by_group: Mapping[str, str]
    digest: str


def read_prompts(file: str | None, groups: Sequence[str]) -> Prompts:
    """The prompts in a YAML file, group -> {system: text}; those of this package if `file` is None or `short`.

    Raises WhatifError when the file cannot be read, is no such mapping, or has no prompt for one of `groups`.
    """
    name, own = (SHORT_FILE, None) if file == SHORT else (FILE, file)
    values, path, digest = read_prompt_file(__package__, name, own, f"generate.{NAME}.prompting.file")
    return Prompts(_checked(values, path, groups), digest)


def _checked(values: Any, path: Path, groups: Sequence[str]) -> dict[str, str]:
    known = ", ".join(GROUPS)
    if not isinstance(values, dict):
        raise WhatifError(f"{path}: must be a mapping from each group ({known}) to {{{SYSTEM}: its system prompt}}")
    if unknown := [str(key) for key in values if key not in GROUPS]:
        raise WhatifError(f"{path}: {unknown[0]}: is no group; the groups are {known}")
    if lacking := [group for group in groups if group not in values]:
        raise WhatifError(f"{path}: has no prompt for {', '.join(lacking)}; add `{lacking[0]}: {{{SYSTEM}: ...}}`")
    for group, prompt in values.items():
        if not isinstance(prompt, dict) or set(prompt) != {SYSTEM}:
            raise WhatifError(f"{path}: {group}: must be a mapping with the key {SYSTEM}: the system prompt")
        if not isinstance(prompt[SYSTEM], str) or not prompt[SYSTEM].strip():
            raise WhatifError(f"{path}: {group}: {SYSTEM}: must be a text that is not empty")
    return {group: prompt[SYSTEM].strip() for group, prompt in values.items()}


def first_request(system: str, examples: Sequence[Example], questions: Sequence[tuple[str, str]]) -> Messages:
    """The conversation that asks about questions with their answers, after examples in the format of a reply."""
    shown = f"\n\nExamples:\n{SEPARATOR}\n{_joined(map(example_entry, examples))}\n{SEPARATOR}" if examples else ""
    return (Message("system", (f"{system}{shown}",)), user_message(asked_entries(questions)))


def asked_entries(questions: Sequence[tuple[str, str]]) -> str:
    """Questions with their answers, as they are sent: the first two lines of each entry."""
    return _joined(_entry(question) for question in questions)


def example_entry(example: Example) -> str:
    """The six lines of an example."""
    return _entry(
        (
            example.question,
            example.answer,
            example.step1,
            example.step2,
            example.new_question,
            example.new_answer,
        )
    )


def repair_request(faults: Sequence[str], questions: Sequence[tuple[str, str]]) -> str:
    """The message that names what is wrong with a reply, and asks about the questions again that have no entry yet."""
    listed = "\n".join(f"- {fault}" for fault in faults)
    return (
        f"Your reply cannot be used for {'this question' if len(questions) == 1 else 'these questions'}:\n{listed}\n"
        f"Write the whole entry of each again, in the same format, and nothing else:\n\n{asked_entries(questions)}"
    )


def _entry(values: Sequence[str]) -> str:
    # A question or answer with a line break would look like further lines of the entry.
    return "\n".join(f"{label}: {' '.join(value.split())}" for label, value in zip(LABELS, values, strict=False))


def _joined(entries: Any) -> str:
    return f"\n{SEPARATOR}\n".join(entries)
