"""Loading of text-to-image pipelines by their own class, and what is refused before anything is loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.models.text_to_image.requests import settings_of
from tests.tiny_checkpoints import tiny_diffusion, tiny_flux, tiny_pixart, tiny_sd3, tiny_sdxl
from tests.tiny_checkpoints.spoilt import Spoil, as_pickle, change, lose, lose_a_weight, truncate, write
from whatif.engine.errors import WhatifError
from whatif.models.text_to_image.diffusers_generator import PAD_ALIKE
from whatif.models.text_to_image.pipeline import load_text_to_image, text_to_image_classes

pytestmark = pytest.mark.slow

pytest.importorskip("diffusers")

MAKERS = {
    "StableDiffusionPipeline": tiny_diffusion,
    "StableDiffusionXLPipeline": tiny_sdxl,
    "StableDiffusion3Pipeline": tiny_sd3,
    "FluxPipeline": tiny_flux,
    "PixArtSigmaPipeline": tiny_pixart,
}
UNET = "unet/diffusion_pytorch_model.safetensors"


@pytest.mark.parametrize("name", MAKERS)
def test_a_checkpoint_is_loaded_by_its_own_class(name: str, tmp_path: Path) -> None:
    import torch

    folder = MAKERS[name](tmp_path / "checkpoint")
    pipeline = load_text_to_image(settings_of(folder, dtype="bfloat16"))
    assert type(pipeline).__name__ == name
    denoiser = getattr(pipeline, "unet", None) or pipeline.transformer
    assert denoiser.dtype == torch.bfloat16
    assert getattr(pipeline, "watermark", None) is None and getattr(pipeline, "safety_checker", None) is None


def test_stable_diffusion_3_may_lack_its_third_encoder(tmp_path: Path) -> None:
    pipeline = load_text_to_image(settings_of(tiny_sd3(tmp_path / "checkpoint", third=False)))
    assert pipeline.text_encoder_3 is None and pipeline.tokenizer_3 is None


def test_only_pipelines_that_need_no_image_are_known() -> None:
    known = text_to_image_classes()
    assert set(PAD_ALIKE) <= set(known) and {"PixArtSigmaPipeline", "SanaPipeline", "QwenImagePipeline"} <= set(known)
    odd = ("Img2Img", "Inpaint", "ControlNet", "Control", "Kontext", "Combined", "PAG")
    assert [name for name in known if any(word in name for word in odd)] == []


def change_index(**values: Any) -> Spoil:
    return change("model_index.json", **values)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lose("model_index.json"), ": lacks model_index.json"),
        (write("model_index.json", "[]"), "is not a pipeline index"),
        (write("model_index.json", "{"), "is not a pipeline index"),
        (change_index(_class_name="StableDiffusionXLImg2ImgPipeline"), "it must be a text-to-image pipeline that"),
        (change_index(_class_name="StableDiffusionXLControlNetPipeline"), "it must be a text-to-image pipeline that"),
        (change_index(_class_name="MyPipeline"), "is a 'MyPipeline'; it must be"),
        (change_index(unet=["diffusers", "UNet3DConditionModel"]), "it must be a UNet2DConditionModel of diffusers"),
        (change_index(unet=["os", "system"]), "its unet is a 'os.system'; it must be"),
        (change_index(vae=["transformers", "CLIPModel"]), "it must be a kind of ModelMixin of diffusers"),
        (change_index(vae=["diffusers", "utils"]), "its vae is a 'diffusers.utils'; it must be"),
        (change_index(tokenizer=["my_code", "MyTokenizer"]), "it must be a kind of PreTrainedTokenizerBase of transf"),
        (change_index(text_encoder=[None, None]), "its text_encoder is a 'None.None'; it must be"),
        (change_index(text_encoder_2=["transformers", "AutoModel"]), "it must be a kind of PreTrainedModel of transf"),
        (change_index(scheduler=["diffusers", "AutoencoderKL"]), "it must be a kind of SchedulerMixin of diffusers"),
        (change_index(helper=["os", "path"]), "names a part 'helper', which a StableDiffusionXLPipeline does not have"),
        (as_pickle(UNET), "/unet: lacks weights (a .safetensors file)"),
        (as_pickle("text_encoder_2/model.safetensors"), "/text_encoder_2: lacks weights (a .safetensors file)"),
        (lose_a_weight(UNET), "/unet: its files lack 1 weights, first"),
        (lose_a_weight("vae/diffusion_pytorch_model.safetensors"), "/vae: its files lack 1 weights, first"),
        (lose_a_weight("text_encoder_2/model.safetensors"), "/text_encoder_2: its files lack 1 weights, first"),
        (truncate(UNET, 0.999), f"/{UNET}: is truncated"),
        (lose("vae/config.json"), "/vae: lacks config.json"),
        (write("unet/config.json", "{"), ": cannot be loaded"),
    ],
)
def test_a_spoilt_checkpoint_is_one_line(tmp_path: Path, spoil: Spoil, message: str) -> None:
    folder = tiny_sdxl(tmp_path / "checkpoint")
    spoil(folder)
    with pytest.raises(WhatifError) as error:
        load_text_to_image(settings_of(folder))
    said = str(error.value)
    assert said.startswith(f"checkpoint {folder}") and message in said and "\n" not in said


@pytest.mark.parametrize("maker", [tiny_flux, tiny_sd3])
def test_no_weight_of_the_other_classes_may_lack(tmp_path: Path, maker: Callable[[Path], Path]) -> None:
    folder = maker(tmp_path / "checkpoint")
    lose_a_weight("transformer/diffusion_pytorch_model.safetensors")(folder)
    with pytest.raises(WhatifError, match="/transformer: its files lack 1 weights, first"):
        load_text_to_image(settings_of(folder))


def test_a_negative_prompt_is_refused_where_it_has_no_effect(tmp_path: Path) -> None:
    folder = tiny_diffusion(tmp_path / "checkpoint")
    change_index(_class_name="LatentConsistencyModelPipeline")(folder)
    with pytest.raises(WhatifError, match="negative_prompt: a LatentConsistencyModelPipeline takes none; remove it"):
        load_text_to_image(settings_of(folder, negative_prompt="blurred"))
    with pytest.raises(WhatifError, match="negative_prompt: a FluxPipeline takes none; remove it"):
        load_text_to_image(settings_of(tiny_flux(tmp_path / "flux"), negative_prompt="blurred"))
    with pytest.raises(ValueError, match="negative_prompt has no effect at a guidance of 1; raise it above 1"):
        settings_of(folder, negative_prompt="blurred", guidance=1.0)
