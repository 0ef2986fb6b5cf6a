"""Tiny encoders and Stable Diffusion: what makes, filters and matches counterfactual pairs of pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.tiny_checkpoints.tokenizer import special_ids, tiny_tokenizer, widen

_WIDTH = 32
_TOWER = {"hidden_size": _WIDTH, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
_SQUARE = {"height": 32, "width": 32}
_MEAN = {"image_mean": [0.5] * 3, "image_std": [0.5] * 3}


def tiny_clip(folder: Path, seed: int = 0) -> Path:
    """Saves a random CLIP of 0.2 MB into `folder`."""
    import transformers

    tokenizer = framed_tokenizer()
    configuration = transformers.CLIPConfig(
        text_config=_text_config(tokenizer),
        vision_config={**_TOWER, "image_size": 32, "patch_size": 16},
        projection_dim=16,
    )
    widen(transformers.CLIPModel(configuration), seed).save_pretrained(folder)
    images = transformers.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size=32, **_MEAN)
    transformers.CLIPProcessor(images, tokenizer).save_pretrained(folder)
    return folder


def tiny_flava(folder: Path, seed: int = 0) -> Path:
    """Saves a random FLAVA of 0.5 MB, with all heads of its training, into `folder`."""
    import transformers

    tokenizer = framed_tokenizer()
    pictures = {"image_size": 32, "patch_size": 16}
    configuration = transformers.FlavaConfig(
        text_config={**_TOWER, "vocab_size": len(tokenizer), "max_position_embeddings": 64, "pad_token_id": 0},
        image_config={**_TOWER, **pictures, "vocab_size": 16},
        multimodal_config=_TOWER,
        image_codebook_config={"hidden_size": 4, "vocab_size": 16, "num_groups": 1, "num_blocks_per_group": 1},
        hidden_size=_WIDTH,
        projection_dim=16,
        init_codebook=False,
        return_loss=False,
    )
    widen(transformers.FlavaForPreTraining(configuration), seed).save_pretrained(folder)
    images = transformers.FlavaImageProcessorPil(size=_SQUARE, crop_size=_SQUARE, **_MEAN)
    transformers.FlavaProcessor(images, tokenizer).save_pretrained(folder)
    return folder


def tiny_bridgetower(folder: Path, head: str = "ForContrastiveLearning", seed: int = 0) -> Path:
    """Saves a random BridgeTower of 0.5 MB with that head into `folder`."""
    import transformers

    tokenizer = framed_tokenizer()
    width = 64  # of one head of its vision encoder, the same in all parts
    configuration = transformers.BridgeTowerConfig(
        text_config={**_text_config(tokenizer), "hidden_size": width, "num_hidden_layers": 3},
        vision_config={"hidden_size": width, "num_hidden_layers": 4, "image_size": 32, "patch_size": 16},
        hidden_size=width,
        num_hidden_layers=2,
        num_attention_heads=2,
        contrastive_hidden_size=16,
        logit_scale_init_value=2.6592,
    )
    widen(getattr(transformers, f"BridgeTower{head}")(configuration), seed).save_pretrained(folder)
    size = {"shortest_edge": 32}
    images = transformers.BridgeTowerImageProcessorPil(size=size, crop_size=size, size_divisor=16, **_MEAN)
    transformers.BridgeTowerProcessor(images, tokenizer).save_pretrained(folder)
    return folder


def tiny_vilt(folder: Path, seed: int = 0) -> Path:
    """Saves a random ViLT of 0.2 MB into `folder`."""
    import transformers

    tokenizer = framed_tokenizer()
    configuration = transformers.ViltConfig(
        **_TOWER,
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        max_position_embeddings=64,
        image_size=32,
        patch_size=16,
    )
    widen(transformers.ViltForImageAndTextRetrieval(configuration), seed).save_pretrained(folder)
    images = transformers.ViltImageProcessor(size={"shortest_edge": 32}, size_divisor=16, **_MEAN)
    transformers.ViltProcessor(images, tokenizer).save_pretrained(folder)
    return folder


def tiny_diffusion(folder: Path, seed: int = 0, tokens: int = 64) -> Path:
    """Saves a random StableDiffusionPipeline of 0.5 MB, which draws pictures of 64 x 64 pixels, into `folder`.

    `tokens` is the length of the prompts that it reads.
    """
    import diffusers
    import torch
    import transformers

    torch.manual_seed(seed)
    tokenizer = framed_tokenizer(tokens)
    widths = (8, 8, 8)
    pipeline: Any = diffusers.StableDiffusionPipeline(
        vae=diffusers.AutoencoderTiny(
            encoder_block_out_channels=widths,
            decoder_block_out_channels=widths,
            num_encoder_blocks=(0, 0, 1),
            num_decoder_blocks=(1, 0, 0),
        ),
        text_encoder=transformers.CLIPTextModel(transformers.CLIPTextConfig(**_text_config(tokenizer))),
        tokenizer=tokenizer,
        unet=diffusers.UNet2DConditionModel(
            sample_size=16,
            layers_per_block=1,
            block_out_channels=(16, 16),
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
            cross_attention_dim=_WIDTH,
            attention_head_dim=2,
            norm_num_groups=4,
        ),
        scheduler=diffusers.DDIMScheduler(steps_offset=1, clip_sample=False),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )
    pipeline.save_pretrained(folder)
    return folder


def framed_tokenizer(tokens: int = 64) -> Any:
    """The tiny tokeniser with a beginning and an end around each text, of which CLIP reads the end."""
    from tokenizers.processors import TemplateProcessing

    tokenizer = tiny_tokenizer(())
    ends = [(token, tokenizer.convert_tokens_to_ids(token)) for token in ("<s>", "</s>")]
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    tokenizer.model_max_length = tokens
    return tokenizer


def _text_config(tokenizer: Any) -> dict[str, Any]:
    sizes = {"vocab_size": len(tokenizer), "max_position_embeddings": tokenizer.model_max_length}
    return {**_TOWER, **sizes, **special_ids(tokenizer)}
