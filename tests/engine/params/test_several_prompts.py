"""Entries of models with several prompts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.defaults import shipped_values
from whatif import benchmarks
from whatif.engine.errors import WhatifError
from whatif.engine.graph.graph import Graph
from whatif.engine.params.several_prompts import labels, without_prompt
from whatif.engine.params.whole import Params

API = {"adapter": "api", "model": "m", "base_url": "http://localhost:1/v1", "multiple_choice": "words"}
TEXTS = ["Q: {question}", "c-vqa", "{question} Be brief."]


def checked(**entries: dict[str, Any]) -> Params:
    values = shipped_values()
    values["models"] |= {key.replace("_", "-"): entry for key, entry in entries.items()}
    return benchmarks.check_params(values)


def test_each_prompt_is_an_entry_of_its_own() -> None:
    models = checked(m={**API, "prompts": TEXTS, "limit": 7}, other={**API, "prompt": "c-vqa"}).models
    assert [key for key in models if key.startswith("m-")] == ["m-text-1", "m-c-vqa", "m-text-2"]
    assert [models[f"m-{name}"].prompt for name in labels(TEXTS)] == TEXTS  # type: ignore[union-attr]
    assert {models[f"m-{name}"].limit for name in labels(TEXTS)} == {7}  # type: ignore[union-attr]
    assert models["m-c-vqa"].name == "m (c-vqa)" and models["m-c-vqa"].prompt_form == "c-vqa"  # type: ignore[union-attr]
    assert "m" not in models and models["other"].name is None
    assert {without_prompt(key, models[key]) for key in models if key.startswith("m-")} == {"m"}
    assert without_prompt("other", models["other"]) == "other"


def test_a_key_that_is_there_is_an_error() -> None:
    prompts = {**API, "prompts": TEXTS}
    for entries in ({"m_c_vqa": API, "m": prompts}, {"m": prompts, "m_c_vqa": API}):
        with pytest.raises(WhatifError, match=r"models\.m: prompts make the entry 'm-c-vqa', which there is already"):
            checked(**entries)
    with pytest.raises(WhatifError, match=r"'m' is not a key of models; .*m-c-vqa"):
        benchmarks.check_params({**shipped_values(), "models": {"m": prompts}, "judge": {"model": "m"}})


def test_another_prompt_changes_no_evaluation_with_the_others() -> None:
    def read(params: Params, key: str) -> list[dict[str, Any]]:
        graph: Graph = benchmarks.graph(params)
        return [job.plain_parameters for job in graph.jobs if job.model_key == key]

    before = read(checked(m={**API, "prompts": TEXTS}), "m-c-vqa")
    assert before and before == read(checked(m={**API, "prompts": ["c-vqa", "internvl"]}), "m-c-vqa")
    assert before[0]["models.m-c-vqa.prompt"] == "c-vqa"
