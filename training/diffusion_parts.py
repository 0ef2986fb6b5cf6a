"""The parts of the embedded diffusion pipeline: tokeniser, text encoder, autoencoder, denoiser and scheduler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from training.diffusion_scenes import SIDE

LATENT_CHANNELS = 16
LATENT_SIDE = SIDE // 8
_TOKENS = 24  # tokens of a caption, including beginning and end
_TEXT_WIDTH = 64
_AUTOENCODER_WIDTH = 32
_DENOISER_WIDTHS = (64, 96)  # at 8 x 8 and at 4 x 4
_HEADS = 4


def new_tokenizer(words: Sequence[str]) -> Any:
    """A tokeniser with one token for each word; case and punctuation are ignored, other words are `<unk>`."""
    import tokenizers
    import transformers

    tokens = ["<pad>", "<s>", "</s>", "<unk>", *words]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    core = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    core.normalizer = tokenizers.normalizers.Sequence(
        [
            tokenizers.normalizers.Lowercase(),
            tokenizers.normalizers.Replace(tokenizers.Regex("[^a-z]+"), " "),
        ]
    )
    core.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    core.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", vocabulary["<s>"]), ("</s>", vocabulary["</s>"])]
    )
    fast: Any = transformers.PreTrainedTokenizerFast
    return fast(
        tokenizer_object=core,
        model_max_length=_TOKENS,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
    )


def new_text_encoder(tokenizer: Any) -> Any:
    """A CLIPTextModel of two layers."""
    import transformers

    return transformers.CLIPTextModel(
        transformers.CLIPTextConfig(
            vocab_size=len(tokenizer),
            hidden_size=_TEXT_WIDTH,
            intermediate_size=2 * _TEXT_WIDTH,
            projection_dim=_TEXT_WIDTH,
            num_hidden_layers=2,
            num_attention_heads=_HEADS,
            max_position_embeddings=_TOKENS,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
        )
    )


def new_autoencoder() -> Any:
    """An AutoencoderTiny from 64 x 64 pixels to 8 x 8 latents, with its blocks at the low resolution."""
    import diffusers

    widths = (_AUTOENCODER_WIDTH,) * 4
    kind: Any = diffusers.AutoencoderTiny
    return kind(
        encoder_block_out_channels=widths,
        decoder_block_out_channels=widths,
        num_encoder_blocks=(0, 1, 1, 1),
        num_decoder_blocks=(2, 2, 1, 0),
        latent_channels=LATENT_CHANNELS,
        scaling_factor=1.0,
    )


def new_denoiser() -> Any:
    """A UNet of two levels with attention at 8 x 8, and at 4 x 4 in the middle.

    The caption as a whole is added to the time embedding (`addition_embed_type`), which scales and shifts every block:
    so the model learns what to draw long before cross-attention alone would teach it. Cross-attention determines which
    colour belongs to which thing.
    """
    import diffusers

    kind: Any = diffusers.UNet2DConditionModel
    return kind(
        sample_size=LATENT_SIDE,
        in_channels=LATENT_CHANNELS,
        out_channels=LATENT_CHANNELS,
        layers_per_block=1,
        block_out_channels=_DENOISER_WIDTHS,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
        cross_attention_dim=_TEXT_WIDTH,
        attention_head_dim=_HEADS,  # the number of heads, despite its name
        norm_num_groups=16,
        resnet_time_scale_shift="scale_shift",
        addition_embed_type="text",
        addition_embed_type_num_heads=_HEADS,
    )


def new_scheduler() -> Any:
    """The noise schedule of images: nothing of the image is left at the last step, so that a background can be
    black or white (Lin et al. 2024, Common Diffusion Noise Schedules and Sample Steps are Flawed).
    """
    import diffusers

    kind: Any = diffusers.DDIMScheduler
    return kind(
        beta_start=0.00085,
        beta_end=0.012,
        beta_schedule="scaled_linear",
        rescale_betas_zero_snr=True,
        prediction_type="v_prediction",
        timestep_spacing="trailing",
        clip_sample=False,
        set_alpha_to_one=True,
        steps_offset=1,  # has no effect with this spacing, but avoids a warning of diffusers
    )


def new_pipeline(tokenizer: Any, text_encoder: Any, autoencoder: Any, denoiser: Any) -> Any:
    """The parts as a StableDiffusionPipeline."""
    import diffusers

    kind: Any = diffusers.StableDiffusionPipeline
    return kind(
        vae=autoencoder,
        text_encoder=text_encoder,
        tokenizer=tokenizer,
        unet=denoiser,
        scheduler=new_scheduler(),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )


def token_ids(tokenizer: Any, captions: Sequence[str]) -> Any:
    """The ids of captions as the pipeline computes them: (captions, 24)."""
    return tokenizer(
        list(captions), padding="max_length", max_length=_TOKENS, truncation=True, return_tensors="pt"
    ).input_ids
