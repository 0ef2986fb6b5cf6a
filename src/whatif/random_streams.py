"""Independent streams of random numbers, one for each named thing, the same on every machine."""

from __future__ import annotations

import hashlib
import json

import numpy as np


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """A generator that depends on `seed` and `names` alone, whatever was drawn before and elsewhere.

    Different names give independent streams; `stream(0, "a", "bc")` and `stream(0, "ab", "c")` are different.
    """
    digest = hashlib.sha256(json.dumps([seed, *names]).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))
