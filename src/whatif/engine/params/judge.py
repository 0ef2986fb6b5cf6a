"""The settings of a judge: a model that reads responses in which the rules of extraction find no single answer.

One judge is set for all benchmarks, as `judge` of `params.yaml`. A benchmark may name another one, or none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, field_validator

from whatif.engine.language.judges import judge_prompts
from whatif.engine.params.base import BenchmarkSettings, Settings, SourcePath


class DefaultJudge(Settings):
    """The judge of all benchmarks, and its prompt."""

    model: str = Field(min_length=1)  # a key of `models`
    prompt: str = "answer"  # a file in src/whatif/engine/language/judges

    @field_validator("prompt")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in judge_prompts():
            raise ValueError(f"must be one of {', '.join(judge_prompts())}")
        return name


class JudgeSettings(DefaultJudge):
    """The judge of a benchmark, and what people read in the same responses."""

    # CSV with question_id, model, strategy and answer: the answer that a person reads in the response, or `none`.
    labels: SourcePath | None = Field(default=None, min_length=1)


_NONE = JudgeSettings.model_construct(model="", prompt="", labels=None)  # `judge: false`, until `with_judge`


class Judging(Settings):
    """How a benchmark asks models whose responses a judge may read: the part of its settings that names the judge."""

    judge: JudgeSettings | None = None  # null: that of all benchmarks; false: none

    @field_validator("judge", mode="before")
    @classmethod
    def _off(cls, given: Any) -> Any:
        return _NONE if given is False else given


def with_judge(
    section: BenchmarkSettings, default: DefaultJudge | None, models: Mapping[str, Any]
) -> BenchmarkSettings:
    """The settings of a benchmark with the judge that it has: its own, or that of all benchmarks.

    Raises ValueError as `check_judge`.
    """
    stage = getattr(section, "evaluate", None)
    if not isinstance(stage, Judging):
        return section
    judge = stage.judge
    if judge is None:
        judge = None if default is None else JudgeSettings(model=default.model, prompt=default.prompt)
    elif not judge.model:
        judge = None
    else:
        check_judge(judge, models, "evaluate.{name}.judge")
    return section.model_copy(update={"evaluate": stage.model_copy(update={"judge": judge})})


def check_judge(judge: DefaultJudge, models: Mapping[str, Any], place: str) -> None:
    """Checks that a judge is a model of `params.yaml` that can answer in words what it is asked.

    Raises ValueError; its text begins with the path of the key, which is below `place`.
    """
    able = [key for key, model in models.items() if getattr(model, "can_judge", False)]
    if judge.model not in able:
        found = models.get(judge.model)
        what = "is not a key of models" if found is None else f"has the adapter {found.adapter}, which cannot judge"
        known = ", ".join(able) or "none; add a model with the adapter api, served, hf-chat or blind"
        raise ValueError(f"{place}.model: {judge.model!r} {what}; those that can: {known}")
