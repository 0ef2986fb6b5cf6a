"""Independent streams of random numbers, one for each name, identical on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

import numpy as np


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """A generator that depends only on `seed` and `names`, regardless of what other generators have drawn.

    Different names give independent streams; `stream(0, "a", "bc")` and `stream(0, "ab", "c")` are different.
    """
    digest = hashlib.sha256(json.dumps([seed, *names]).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))


def sample(seed: int, name: str, ids: Iterable[str], number: int | None) -> set[str]:
    """A random sample of `number` ids; all ids if `number` is None or larger than their count.

    The sample depends only on the seed, the name and the set of ids, not on their order. A larger sample contains every
    smaller one. Adding or removing one id changes at most one other member of the sample, so earlier results for
    a sample remain usable.
    """
    ranked = sorted(set(ids), key=lambda one: hashlib.sha256(json.dumps([seed, name, one]).encode()).digest())
    return set(ranked[:number])
