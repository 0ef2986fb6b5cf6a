"""Loading of the diffusion pipeline, and the error messages for invalid checkpoints."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.tiny_checkpoints import tiny_diffusion
from tests.tiny_checkpoints.spoilt import Spoil, change, lose, lose_a_weight, truncate, write
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import DiffusionCheckpoint
from whatif.models.prompt_to_prompt.attention import PairRequest, generate_pairs
from whatif.models.prompt_to_prompt.pipeline import identity, is_local, load_pipeline

torch = pytest.importorskip("torch")
diffusers = pytest.importorskip("diffusers")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_diffusion(tmp_path / "diffusion")


def test_a_folder_is_loaded_in_the_type_that_was_asked_for(folder: Path) -> None:
    pipeline = load_pipeline(DiffusionCheckpoint(checkpoint=str(folder), steps=2, dtype="bfloat16"))
    assert type(pipeline) is diffusers.StableDiffusionPipeline
    assert pipeline.unet.dtype == torch.bfloat16 and pipeline.unet.device.type == "cpu"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("euler-ancestral", "EulerAncestralDiscreteScheduler"), ("dpm-solver++", "DPMSolverMultistepScheduler")],
)
def test_a_named_scheduler_takes_the_place_of_the_checkpoints_own(folder: Path, name: str, kind: str) -> None:
    own = DiffusionCheckpoint(checkpoint=str(folder), steps=2)
    named = DiffusionCheckpoint.model_validate({**own.model_dump(), "scheduler": name})
    pipelines = [load_pipeline(settings) for settings in (own, named)]
    kinds = [type(pipeline.scheduler).__name__ for pipeline in pipelines]
    assert kinds == ["DDIMScheduler", kind]
    assert pipelines[1].scheduler.config.beta_end == pipelines[0].scheduler.config.beta_end
    assert identity(own, pipelines[0]) != identity(named, pipelines[1])
    drawn = [
        generate_pairs(pipeline, [PairRequest("a cat", "a dog", 1, shared=0.5, guidance=2.0)], 2)[0][0].tobytes()
        for pipeline in pipelines
    ]
    assert drawn[0] != drawn[1]


def test_another_autoencoder_decodes_in_place_of_its_own(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "vae"
    shutil.copytree(tiny_diffusion(tmp_path / "other", seed=1) / "vae", other)
    own = DiffusionCheckpoint(checkpoint=str(folder), steps=2)
    given = own.model_copy(update={"vae": str(other)})
    assert is_local(given) and not is_local(own.model_copy(update={"vae": "a/b"}))
    request = PairRequest("a cat", "a dog", 1, shared=0.5, guidance=2.0)
    drawn = [generate_pairs(load_pipeline(one), [request], 2)[0][0].tobytes() for one in (own, given)]
    assert drawn[0] != drawn[1]
    assert "vae" not in identity(own, None)
    before = identity(given, None)
    assert {**before, "vae": None} == {**identity(own, None), "vae": None} and isinstance(before["vae"], str)
    change("config.json", scaling_factor=0.5)(other)
    assert identity(given, None) != before


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lose("config.json"), ": lacks config.json"),
        (lose("diffusion_pytorch_model.safetensors"), ": lacks weights"),
        (change("config.json", _class_name="UNet2DConditionModel"), "as vae it must be a Auto"),
        (lose_a_weight("diffusion_pytorch_model.safetensors"), "its files lack 1 weights"),
    ],
)
def test_an_autoencoder_that_is_none_is_one_line(folder: Path, tmp_path: Path, spoil: Spoil, message: str) -> None:
    other = tmp_path / "vae"
    shutil.copytree(folder / "vae", other)
    spoil(other)
    with pytest.raises(WhatifError) as error:
        load_pipeline(DiffusionCheckpoint(checkpoint=str(folder), steps=2, vae=str(other)))
    said = str(error.value)
    assert said.startswith(f"checkpoint {other}") and message in said and "\n" not in said


OWN = {"scheduler": None, "cross_attention": False}
UNET, VAE = (f"{part}/diffusion_pytorch_model.safetensors" for part in ("unet", "vae"))
TEXT = "text_encoder/model.safetensors"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lose("model_index.json"), ": lacks model_index.json"),
        (write("model_index.json", "[]"), "/model_index.json: is not a pipeline index"),
        (
            change("model_index.json", _class_name="StableDiffusionXLPipeline"),
            ": is a 'StableDiffusionXLPipeline'; it must be a StableDiffusionPipeline",
        ),
        (
            change("model_index.json", unet=["diffusers", "SD3Transformer2DModel"]),
            "/model_index.json: its unet is a 'diffusers.SD3Transformer2DModel'; it must be a diffusers.UNet2D",
        ),
        (
            change("model_index.json", text_encoder=["transformers", "T5EncoderModel"]),
            "/model_index.json: its text_encoder is a 'transformers.T5EncoderModel'; it must be a transformers.CLIP",
        ),
        (lose(UNET), "/unet: lacks weights"),
        (lose("vae/config.json"), "/vae: lacks config.json"),
        (lose("scheduler/scheduler_config.json"), "/scheduler: lacks scheduler_config.json"),
        (lose("tokenizer/tokenizer_config.json"), "/tokenizer: lacks tokenizer_config.json"),
        (truncate(UNET, 0.001), f"/{UNET}: is truncated: it ends after 400 bytes, within its header"),
        (truncate(UNET, 0.5), f"/{UNET}: is truncated: it has 200,100 of 400,200 bytes"),
        (truncate(VAE, 0.9), f"/{VAE}: is truncated"),
        (truncate(TEXT, 0.9), f"/{TEXT}: is truncated"),
        (truncate(TEXT, 0), f"/{TEXT}: is truncated"),
        (lose_a_weight(UNET), "/unet: its files lack 1 weights, first"),
        (lose_a_weight(VAE), "/vae: its files lack 1 weights, first"),
        (lose_a_weight(TEXT), "/text_encoder: its files lack 1 weights, first"),
        (write("unet/config.json", "{"), ": cannot be loaded"),
        (change("unet/config.json", cross_attention_dim=16), ": cannot be loaded"),
        (change("unet/config.json", sample_size=None), "/unet/config.json: has no sample_size"),
    ],
)
def test_a_spoilt_checkpoint_is_one_line(folder: Path, spoil: Spoil, message: str) -> None:
    spoil(folder)
    with pytest.raises(WhatifError) as error:
        load_pipeline(DiffusionCheckpoint(checkpoint=str(folder), steps=2))
    said = str(error.value)
    assert said.startswith(f"checkpoint {folder}") and message in said and "\n" not in said


def test_a_folder_has_no_revisions(folder: Path) -> None:
    with pytest.raises(WhatifError, match=r"is a folder, which has no revisions; remove `revision` \(0123abc\)"):
        load_pipeline(DiffusionCheckpoint(checkpoint=str(folder), steps=2, revision="0123abc"))


def test_what_draws_over_another_picture_is_refused(folder: Path) -> None:
    unet = diffusers.UNet2DConditionModel.from_pretrained(folder / "unet")
    diffusers.UNet2DConditionModel.from_config({**unet.config, "in_channels": 9}).save_pretrained(folder / "unet")
    with pytest.raises(WhatifError, match=r"unet/config.json: has in_channels 9, its vae has latent_channels 4"):
        load_pipeline(DiffusionCheckpoint(checkpoint=str(folder), steps=2))


def test_a_folder_is_known_by_its_files_wherever_it_lies(folder: Path, tmp_path: Path) -> None:
    settings = DiffusionCheckpoint(checkpoint=str(folder), steps=2, batch_size=3)
    copy = DiffusionCheckpoint(checkpoint=str(shutil.copytree(folder, tmp_path / "copy")), steps=2)
    assert identity(settings, None) == identity(copy, None)
    change("scheduler/scheduler_config.json", steps_offset=0)(tmp_path / "copy")
    assert identity(settings, None) != identity(copy, None)


def test_a_checkpoint_of_the_hub_is_known_by_its_commit(folder: Path, tmp_path: Path) -> None:
    # Like the hub's cache.
    place = tmp_path / "hub" / "models--a--b" / "snapshots" / "0123abc"
    pipeline = load_pipeline(DiffusionCheckpoint(checkpoint=str(shutil.copytree(folder, place)), steps=2))
    found = identity(DiffusionCheckpoint(checkpoint="a/b", steps=2), pipeline)
    assert found == {"checkpoint": "a/b", "revision": "0123abc", "dtype": "float32", **OWN}
