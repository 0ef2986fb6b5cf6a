"""Builds tiny random checkpoints on the spot, by family, so that tests run the real loading and scoring code."""

from tests.tiny_checkpoints.blip import tiny_blip2, tiny_instructblip
from tests.tiny_checkpoints.gemma import tiny_gemma3
from tests.tiny_checkpoints.idefics import tiny_idefics3, tiny_smolvlm
from tests.tiny_checkpoints.internvl import tiny_internvl
from tests.tiny_checkpoints.llava import random_llava, tiny_llava, tiny_llava_next
from tests.tiny_checkpoints.matching import tiny_bridgetower, tiny_clip, tiny_diffusion, tiny_flava, tiny_vilt
from tests.tiny_checkpoints.mllama import tiny_mllama
from tests.tiny_checkpoints.onevision import tiny_llava_onevision
from tests.tiny_checkpoints.qwen import tiny_qwen2_5_vl, tiny_qwen2_vl, tiny_qwen3_vl
from tests.tiny_checkpoints.text import tiny_text_model
from tests.tiny_checkpoints.text_to_image import tiny_flux, tiny_pixart, tiny_sd3, tiny_sdxl
from tests.tiny_checkpoints.tokenizer import tiny_tokenizer

__all__ = [
    "random_llava",
    "tiny_blip2",
    "tiny_bridgetower",
    "tiny_clip",
    "tiny_diffusion",
    "tiny_flava",
    "tiny_flux",
    "tiny_gemma3",
    "tiny_idefics3",
    "tiny_instructblip",
    "tiny_internvl",
    "tiny_llava",
    "tiny_llava_next",
    "tiny_llava_onevision",
    "tiny_mllama",
    "tiny_pixart",
    "tiny_qwen2_5_vl",
    "tiny_qwen2_vl",
    "tiny_qwen3_vl",
    "tiny_sd3",
    "tiny_sdxl",
    "tiny_smolvlm",
    "tiny_text_model",
    "tiny_tokenizer",
    "tiny_vilt",
]
