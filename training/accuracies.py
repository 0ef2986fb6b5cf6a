"""Accuracies of an assessment, with their intervals and baselines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from whatif.scoring.statistics.intervals import wilson


def share(right: Sequence[bool] | NDArray[np.bool_], **baselines: float) -> dict[str, float | int]:
    """The fraction that is right, with its 95% Wilson interval, the accuracies of baselines by name, and n."""
    number = len(right)
    interval = wilson(int(np.sum(right)), number)
    values = {"accuracy": interval.estimate, "low": interval.low, "high": interval.high, **baselines}
    return {**{name: round(value, 4) for name, value in values.items()}, "n": number}
