"""Weights over several devices and in fewer bits: equal or similar answers, or a one-line error."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.models.families import checkpoint
from tests.tiny_checkpoints import random_llava
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.models import Answer, Question, load
from whatif.models.local import placement

pytestmark = pytest.mark.slow

pytest.importorskip("torch")
pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def folder() -> Path:
    return checkpoint("llava")


def model(folder: Path, **more: Any) -> Any:
    return load("hf-chat", HuggingFaceChat(adapter="hf-chat", checkpoint=str(folder), max_new_tokens=3, **more), 0)


def answers(folder: Path, **more: Any) -> list[Answer]:
    picture = Image.new("RGB", (24, 24), (200, 30, 30))
    asked = [
        Question("ranked", "g", "original", one_turn("How many?", ["p"]), ("one", "two"), lambda: [picture]),
        Question("open", "g", "original", one_turn("How many?", ["p"]), (), lambda: [picture]),
    ]
    return list(model(folder, **more).answer(asked))


@pytest.mark.skipif(find_spec("accelerate") is None, reason="accelerate is not installed")
def test_a_model_that_accelerate_places_answers_as_one_that_is_not(folder: Path) -> None:
    assert answers(folder, device_map="auto") == answers(folder)


@pytest.mark.skipif(
    find_spec("bitsandbytes") is None or find_spec("accelerate") is None, reason="bitsandbytes is not installed"
)
@pytest.mark.parametrize("bits", ["4bit", "8bit"])
def test_fewer_bits_give_answers_that_are_close(tmp_path: Path, bits: str) -> None:
    folder = random_llava(
        tmp_path / "llava", 2, layers=2, hidden_size=128
    )  # 4-bit quantisation uses blocks of 64 weights
    (ranked, said), (ranked_whole, _) = answers(folder, quantization=bits), answers(folder)
    assert (ranked.status, said.status) == ("ok", "ok")
    assert ranked.option_scores is not None and ranked_whole.option_scores is not None
    for few, whole in zip(ranked.option_scores, ranked_whole.option_scores, strict=True):
        assert few.log_likelihood != whole.log_likelihood, "nothing was quantised"
        assert few.log_likelihood == pytest.approx(whole.log_likelihood, rel=0.1)


@pytest.mark.parametrize(
    ("settings", "present", "message"),
    [
        ({"device_map": "auto"}, (), "device_map: auto: requires accelerate; run pip install accelerate"),
        (
            {"quantization": "4bit"},
            (),
            "quantization: 4bit: requires accelerate and bitsandbytes; run pip install accelerate b",
        ),
        (
            {"quantization": "8bit", "device_map": "auto"},
            ("accelerate",),
            "quantization: 8bit: requires bitsandbytes; run pip install bitsandbytes",
        ),
    ],
)
def test_a_package_that_lacks_is_one_line(
    folder: Path, settings: dict[str, Any], present: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placement, "find_spec", lambda name: object() if name in present else None)
    with pytest.raises(WhatifError, match=message) as error:
        model(folder, **settings)
    assert "\n" not in str(error.value)


@pytest.mark.skipif(find_spec("accelerate") is None, reason="accelerate is not installed")
def test_it_is_part_of_what_answers_are_stored_under_when_it_is_set(folder: Path) -> None:
    assert model(folder, device_map="auto").identity == {**model(folder).identity, "device_map": "auto"}
