"""The diffusion pipeline as it is loaded, and what is said of a bad checkpoint."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tiny_checkpoints import tiny_diffusion
from whatif.errors import WhatifError
from whatif.models.diffusion import load_pipeline
from whatif.params_models import LocalCheckpoint

torch = pytest.importorskip("torch")
diffusers = pytest.importorskip("diffusers")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_diffusion(tmp_path / "diffusion")


def test_a_folder_is_loaded_in_the_type_that_was_asked_for(folder: Path) -> None:
    pipeline = load_pipeline(LocalCheckpoint(checkpoint=str(folder), dtype="bfloat16"))
    assert type(pipeline) is diffusers.StableDiffusionPipeline
    assert pipeline.unet.dtype == torch.bfloat16 and pipeline.unet.device.type == "cpu"


def another_class(folder: Path) -> None:
    index = json.loads((folder / "model_index.json").read_text())
    (folder / "model_index.json").write_text(json.dumps({**index, "_class_name": "FluxPipeline"}))


def truncate(folder: Path) -> None:
    (path,) = (folder / "unet").glob("*.safetensors")
    path.write_bytes(path.read_bytes()[:1000])


def lose_weights(folder: Path) -> None:
    for path in (folder / "unet").glob("*.safetensors"):
        path.unlink()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "model_index.json").unlink(), "lacks model_index.json"),
        (lambda folder: (folder / "model_index.json").write_text("[]"), "is no index of a pipeline"),
        (another_class, "is a 'FluxPipeline'; needed is a StableDiffusionPipeline"),
        (lose_weights, "unet: lacks weights"),
        (truncate, "cannot be loaded"),
    ],
)
def test_a_spoilt_checkpoint_is_one_line(folder: Path, spoil: Callable[[Path], object], message: str) -> None:
    spoil(folder)
    with pytest.raises(WhatifError) as error:
        load_pipeline(LocalCheckpoint(checkpoint=str(folder)))
    said = str(error.value)
    assert said.startswith(f"checkpoint {folder}") and message in said and "\n" not in said
