"""Tiny checkpoints of the two models that a maker of images needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiny_checkpoints import tiny_clip, tiny_diffusion


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders `diffusion` and `clip`; no test changes them."""
    folder = tmp_path_factory.mktemp("checkpoints")
    tiny_diffusion(folder / "diffusion")
    tiny_clip(folder / "clip")
    return folder
