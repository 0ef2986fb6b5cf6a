"""Independent streams of random numbers, one for each named thing, the same on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

import numpy as np


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """A generator that depends on `seed` and `names` alone, whatever was drawn before and elsewhere.

    Different names give independent streams; `stream(0, "a", "bc")` and `stream(0, "ab", "c")` are different.
    """
    digest = hashlib.sha256(json.dumps([seed, *names]).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))


def sample(seed: int, name: str, ids: Iterable[str], number: int | None) -> set[str]:
    """`number` of the ids at random, all of them when it is None or more than there are.

    It depends on the seed, the name and the ids alone, not on their order. A larger sample holds a smaller one, and an
    id that is added or taken away moves at most one other: so what was computed for a sample stays of use.
    """
    ranked = sorted(set(ids), key=lambda one: hashlib.sha256(json.dumps([seed, name, one]).encode()).digest())
    return set(ranked[:number])
