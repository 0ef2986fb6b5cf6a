"""Cosines as they are stored: the same on processors whose libraries add in another order."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

# A BLAS chooses its kernels by processor, so sums of equal float32 numbers differ in the seventh digit. Sums of doubles
# without BLAS differ in the sixteenth at most, and are rounded. Thresholds and ties see the rounded numbers.
DIGITS = 6


def cosines(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Dot products (...) of vectors of length 1 (... x width), in double precision, to DIGITS decimals."""
    products = np.asarray(first, dtype=np.float64) * np.asarray(second, dtype=np.float64)
    return rounded(products.sum(axis=-1))


def rounded(values: ArrayLike) -> NDArray[np.float64]:
    """Cosines to DIGITS decimals, without negative zeros."""
    return np.asarray(np.round(np.asarray(values, dtype=np.float64), DIGITS) + 0.0, dtype=np.float64)
