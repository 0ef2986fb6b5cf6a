"""The settings of a judge: a model that reads responses in which the rules of extraction find no single answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, field_validator

from whatif.language.judges import judge_prompts
from whatif.params.base import Settings, SourcePath


class JudgeSettings(Settings):
    """The judge, its prompt, and what people read in the same responses."""

    model: str = Field(min_length=1)  # a key of `models`
    prompt: str = "answer"  # a file in src/whatif/language/judges
    # CSV with question_id, model, strategy and answer: the answer that a person reads in the response, or `none`.
    labels: SourcePath | None = Field(default=None, min_length=1)

    @field_validator("prompt")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in judge_prompts():
            raise ValueError(f"must be one of {', '.join(judge_prompts())}")
        return name


def check_judge(judge: JudgeSettings | None, models: Mapping[str, Any]) -> None:
    """Checks that a judge is a model of `params.yaml` that can answer in words what it is asked.

    Raises ValueError; its text begins with the path of the key, in which `{name}` is the benchmark's name.
    """
    if judge is None:
        return
    able = [key for key, model in models.items() if getattr(model, "can_judge", False)]
    if judge.model not in able:
        found = models.get(judge.model)
        what = "is not a key of models" if found is None else f"has the adapter {found.adapter}, which cannot judge"
        known = ", ".join(able) or "none; add a model with the adapter api, served, hf-chat or blind"
        raise ValueError(f"evaluate.{{name}}.judge.model: {judge.model!r} {what}; those that can: {known}")
