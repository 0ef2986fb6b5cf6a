"""Stored cosines are the same, whatever kernels the processor's BLAS has."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from whatif.statistics.cosines import DIGITS, cosines

_PROGRAM = """
import hashlib, sys
import numpy as np
from whatif.benchmarks.mucr.preselection import _measured

generator = np.random.default_rng(0)
vectors = generator.standard_normal((400, 512)).astype(np.float32)
vectors /= np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True).astype(np.float32)
rows = [dict(candidate_id=str(n), image_id=str(n), pair_id="p", side=("cause", "effect")[n % 2]) for n in range(40)]
images = {str(n): vectors[n] for n in range(40)}
texts = {("p", side): vectors[100 + n] for n, side in enumerate(("cause", "effect"))}
found = _measured(rows, images, texts)
print(hashlib.sha256(repr((found.fit, found.likeness)).encode()).hexdigest())
"""


def test_values() -> None:
    assert cosines([[0.6, 0.8], [1.0, 0.0]], [[0.6, 0.8], [-1e-9, 1.0]]).tolist() == [1.0, 0.0]
    assert cosines([1.0, 0.0], [1 / 3, 0.5]) == round(1 / 3, DIGITS)
    assert cosines(np.ones(3, np.float32), np.ones(3, np.float32)).dtype == np.float64


@pytest.mark.process
def test_no_kernel_of_the_processor_changes_them() -> None:
    found = set()
    for kernel in ("NEHALEM", "HASWELL", "SKYLAKEX"):
        environment = {**os.environ, "OPENBLAS_CORETYPE": kernel}
        ended = subprocess.run(
            [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        found.add(ended.stdout)
    assert len(found) == 1
