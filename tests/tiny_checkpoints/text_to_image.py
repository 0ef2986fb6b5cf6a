"""Tiny random text-to-image pipelines of the real classes: Stable Diffusion XL, Stable Diffusion 3, Flux, PixArt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.tiny_checkpoints.matching import framed_tokenizer

_WIDTH = 16
_TOKENS = 192  # of a prompt
_FLAT = {"intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "hidden_size": _WIDTH}


def tiny_sdxl(folder: Path, seed: int = 0) -> Path:
    """Saves a random StableDiffusionXLPipeline, which draws images of 32 x 32 pixels, into `folder`."""
    import diffusers
    import torch

    torch.manual_seed(seed)
    tokenizer = framed_tokenizer(_TOKENS)
    pipeline: Any = diffusers.StableDiffusionXLPipeline(
        vae=_vae(),
        text_encoder=_clip(tokenizer, "CLIPTextModel"),
        text_encoder_2=_clip(tokenizer, "CLIPTextModelWithProjection"),
        tokenizer=tokenizer,
        tokenizer_2=tokenizer,
        unet=diffusers.UNet2DConditionModel(
            sample_size=16,
            layers_per_block=1,
            block_out_channels=(8, 16),
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
            cross_attention_dim=2 * _WIDTH,
            attention_head_dim=(2, 4),
            use_linear_projection=True,
            addition_embed_type="text_time",
            addition_time_embed_dim=8,
            projection_class_embeddings_input_dim=6 * 8 + _WIDTH,
            norm_num_groups=4,
        ),
        scheduler=diffusers.EulerDiscreteScheduler(),
    )
    pipeline.save_pretrained(folder)
    return folder


def tiny_sd3(folder: Path, seed: int = 0, third: bool = True) -> Path:
    """Saves a random StableDiffusion3Pipeline of 32 x 32 pixels into `folder`; `third`: with its T5 encoder."""
    import diffusers
    import torch

    torch.manual_seed(seed)
    tokenizer = framed_tokenizer(_TOKENS)
    pipeline: Any = diffusers.StableDiffusion3Pipeline(
        transformer=diffusers.SD3Transformer2DModel(
            sample_size=16,
            patch_size=1,
            in_channels=4,
            out_channels=4,
            num_layers=1,
            attention_head_dim=8,
            num_attention_heads=2,
            joint_attention_dim=2 * _WIDTH,
            caption_projection_dim=16,
            pooled_projection_dim=2 * _WIDTH,
        ),
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(),
        vae=_vae(shift_factor=0.1),
        text_encoder=_clip(tokenizer, "CLIPTextModelWithProjection"),
        tokenizer=tokenizer,
        text_encoder_2=_clip(tokenizer, "CLIPTextModelWithProjection"),
        tokenizer_2=tokenizer,
        text_encoder_3=_t5(tokenizer, 2 * _WIDTH) if third else None,
        tokenizer_3=tokenizer if third else None,
    )
    pipeline.save_pretrained(folder)
    return folder


def tiny_flux(folder: Path, seed: int = 0) -> Path:
    """Saves a random FluxPipeline, which draws images of 32 x 32 pixels, into `folder`."""
    import diffusers
    import torch

    torch.manual_seed(seed)
    tokenizer = framed_tokenizer(_TOKENS)
    pipeline: Any = diffusers.FluxPipeline(
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(),
        vae=_vae(shift_factor=0.1),
        text_encoder=_clip(tokenizer, "CLIPTextModel"),
        tokenizer=tokenizer,
        text_encoder_2=_t5(tokenizer, _WIDTH),
        tokenizer_2=tokenizer,
        transformer=diffusers.FluxTransformer2DModel(
            patch_size=1,
            in_channels=16,
            num_layers=1,
            num_single_layers=1,
            attention_head_dim=16,
            num_attention_heads=2,
            joint_attention_dim=_WIDTH,
            pooled_projection_dim=_WIDTH,
            axes_dims_rope=(4, 4, 8),
        ),
    )
    pipeline.save_pretrained(folder)
    return folder


def tiny_pixart(folder: Path, seed: int = 0) -> Path:
    """Saves a random PixArtSigmaPipeline, which pads the prompts of a batch in its own way, into `folder`."""
    import diffusers
    import torch

    torch.manual_seed(seed)
    tokenizer = framed_tokenizer(_TOKENS)
    pipeline: Any = diffusers.PixArtSigmaPipeline(
        tokenizer=tokenizer,
        text_encoder=_t5(tokenizer, _WIDTH),
        vae=_vae(),
        transformer=diffusers.PixArtTransformer2DModel(
            sample_size=8,
            num_layers=1,
            patch_size=2,
            attention_head_dim=8,
            num_attention_heads=2,
            caption_channels=_WIDTH,
            in_channels=4,
            out_channels=8,
            cross_attention_dim=16,
        ),
        scheduler=diffusers.DDIMScheduler(),
    )
    pipeline.save_pretrained(folder)
    return folder


def _vae(**options: float) -> Any:
    import diffusers

    return diffusers.AutoencoderKL(
        block_out_channels=(4, 8),
        in_channels=3,
        out_channels=3,
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
        latent_channels=4,
        norm_num_groups=2,
        sample_size=32,
        use_quant_conv=not options,
        use_post_quant_conv=not options,
        **options,
    )


def _clip(tokenizer: Any, kind: str) -> Any:
    import transformers

    configuration = transformers.CLIPTextConfig(
        **_FLAT,
        vocab_size=len(tokenizer),
        max_position_embeddings=tokenizer.model_max_length,
        projection_dim=_WIDTH,
        eos_token_id=tokenizer.eos_token_id,
    )
    return getattr(transformers, kind)(configuration)


def _t5(tokenizer: Any, width: int) -> Any:
    import transformers

    return transformers.T5EncoderModel(
        transformers.T5Config(
            vocab_size=len(tokenizer), d_model=width, d_kv=8, d_ff=32, num_layers=1, num_heads=2, pad_token_id=0
        )
    )
