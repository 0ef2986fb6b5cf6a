"""Values that are remembered as far as they fit into memory."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from whatif.models.local.ranking_memory import Recent, digest

torch = pytest.importorskip("torch")


def test_the_least_recent_values_are_forgotten_first() -> None:
    made: list[int] = []

    def value(number: int) -> Any:
        made.append(number)
        return {"whole": torch.zeros(2), "parts": (torch.zeros(1), [torch.zeros(1)])}  # 16 bytes

    recent: Recent[Any] = Recent(most_bytes=32)
    for number in (1, 2, 1, 3, 1, 2):
        recent.get(bytes([number]), partial(value, number))
        assert len(recent) <= 2
    assert made == [1, 2, 3, 2]
    recent.forget()
    assert len(recent) == 0
    recent.get(bytes([2]), lambda: value(4))
    assert made[-1] == 4


def test_a_value_that_does_not_fit_is_not_kept() -> None:
    recent: Recent[Any] = Recent(most_bytes=3)
    assert recent.get(b"", lambda: torch.ones(1)).item() == 1
    assert recent.get(b"", lambda: torch.zeros(1)).item() == 0
    assert len(recent) == 0


def test_names_types_shapes_and_values_are_told_apart() -> None:
    one = torch.ones(4)
    others = [
        {"x": one.int()},
        {"x": one.view(2, 2)},
        {"y": one},
        {"x": one, "y": one},
        {"x": torch.tensor([1.0, 1.0, 1.0, 1.0000001])},
        {"x": one.bfloat16()},
        {"x": one.bool()},
        {},
    ]
    assert len({digest(tensors) for tensors in [{"x": one}, *others]}) == 1 + len(others)
    assert digest({"x": one, "y": 2 * one}) == digest({"y": 2 * one, "x": one[:]})
    strided = torch.arange(6).view(2, 3).t()
    assert digest({"x": strided}) == digest({"x": strided.contiguous()})
