"""The training loop that all embedded checkpoints share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from training.loop import optimise
from training.recipes import Schedule
from whatif.engine.errors import WhatifError

SCHEDULE = Schedule(steps=120, batch=1, learning_rate=0.05, warmup=10, weight_decay=0.0)


def _line() -> tuple[Any, Any]:
    import torch

    torch.manual_seed(0)
    model = torch.nn.Linear(1, 1)
    inputs = torch.linspace(-1, 1, 16)[:, None]
    return model, lambda step: {"error": ((model(inputs) - 2 * inputs - 1) ** 2).mean()}


def test_it_finds_what_can_be_found_and_logs_the_way(tmp_path: Path) -> None:
    model, losses = _line()
    lines = optimise("line", [model], losses, SCHEDULE, tmp_path / "log.jsonl")
    assert float(model.weight) == pytest.approx(2, abs=0.05) and float(model.bias) == pytest.approx(1, abs=0.05)
    assert [line["step"] for line in lines] == [50, 100, 120]
    assert lines[-1]["error"] < lines[0]["error"] / 100
    assert [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()] == lines
    assert not model.training


def test_the_log_of_a_second_stretch_stands_behind_the_first(tmp_path: Path) -> None:
    model, losses = _line()
    first = optimise("line", [model], losses, SCHEDULE, tmp_path / "log.jsonl")
    second = optimise("line", [model], losses, SCHEDULE, tmp_path / "log.jsonl", before=first)
    assert [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()] == [*first, *second]


def test_the_rate_rises_then_falls(tmp_path: Path) -> None:
    model, losses = _line()
    rates = [line["learning_rate"] for line in optimise("line", [model], losses, SCHEDULE, tmp_path / "log.jsonl")]
    assert rates == sorted(rates, reverse=True) and rates[-1] < SCHEDULE.learning_rate / 50


def test_the_rate_may_fall_over_more_steps_than_there_are(tmp_path: Path) -> None:
    model, losses = _line()
    slower = SCHEDULE.model_copy(update={"decay": 2 * SCHEDULE.steps})
    rates = [line["learning_rate"] for line in optimise("line", [model], losses, slower, tmp_path / "log.jsonl")]
    assert rates == sorted(rates, reverse=True)
    assert 0.4 < rates[-1] / SCHEDULE.learning_rate < 0.6


def test_a_loss_that_is_no_number_stops_with_a_line(tmp_path: Path) -> None:
    model, losses = _line()
    with pytest.raises(WhatifError, match="line: the loss is nan at step 0; lower learning_rate"):
        optimise("line", [model], lambda step: {"error": losses(0)["error"] * float("nan")}, SCHEDULE, tmp_path / "log")
