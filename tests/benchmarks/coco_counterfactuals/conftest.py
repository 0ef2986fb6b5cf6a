"""Tiny checkpoints, and small groups of captions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tiny_checkpoints import tiny_clip, tiny_diffusion, tiny_vilt


@pytest.fixture(scope="module")
def small_groups() -> Iterator[None]:
    """Few captions go through models together, so that five of them can be cut into parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("whatif.benchmarks.coco_counterfactuals.captions._GROUP", 2)
        yield


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    for name, make in {"clip": tiny_clip, "vilt": tiny_vilt, "diffusion": tiny_diffusion}.items():
        make(folder / name)
    return folder
