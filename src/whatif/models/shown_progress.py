"""Shows the progress of a model's answers, with the time that is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from whatif.engine.progress import progress
from whatif.models import Model, note_of

Item = TypeVar("Item")


def with_progress(answers: Iterable[Item], total: int, model: Model, what: str, unit: str) -> Iterator[Item]:
    """The `answers` that a model gives, `total` in number, with a display of their progress and the model's remark.

    The time left is estimated by the work that the model has done if it tells (`share_of`), otherwise by their number.
    """
    return progress(answers, total, what, unit, note=note_of(model), share=lambda: share_of(model))


def share_of(model: Model) -> float | None:
    """The share of the work for its current answers that a model has done, from 0 to 1 (`share`); None if unknown."""
    share: float | None = getattr(model, "share", None)
    return share
