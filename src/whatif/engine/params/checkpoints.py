"""The settings of models that run on this machine: one class per adapter."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from whatif.engine.params.base import Settings, SourcePath
from whatif.engine.params.decoding import Decoding
from whatif.engine.params.model_entries import ModelEntry, Prompt, Prompted, SeveralImages, SystemMessage
from whatif.engine.params.reasoning import Reasoning, check_room


class LocalCheckpoint(Settings):
    """A checkpoint of the Hugging Face libraries, from the hub or from a folder, that runs on this machine."""

    # Hub id, path of a folder, `embedded:NAME`, or for language models a GGUF file.
    checkpoint: SourcePath
    revision: str | None = None
    dtype: Literal["float32", "float16", "bfloat16"] = "float32"
    device: str = "cpu"
    batch_size: int = Field(default=8, ge=1, le=1024)  # questions, captions or images at once


class DiffusionCheckpoint(LocalCheckpoint):
    """A StableDiffusionPipeline with its scheduler and its number of steps."""

    steps: int = Field(ge=1, le=1000)
    # null: the checkpoint's own. dpm-solver++ (of second order) needs few steps, and draws no noise between them.
    scheduler: Literal["ddim", "dpm-solver++", "euler-ancestral"] | None = None
    cross_attention: bool = False  # whether image pairs also share cross-attention maps
    vae: SourcePath | None = None  # another autoencoder, a hub id or a folder with its config.json; null: its own
    shared_start: float = Field(default=0, ge=0, lt=1)  # share of the steps in which both images are the same
    licence: str = Field(default="unknown", min_length=1)  # licence of the generated images, for example `CC0-1.0`


class EarlyStop(Settings):
    """When a candidate is not drawn to its end: the images that are predicted for the end have too low cosines.

    The names of the cosines are those of `filter`. At -1, the default, a cosine stops no candidate.
    """

    after: float = Field(gt=0, lt=1)  # the share of the steps after which the images are predicted
    caption_image: float = Field(default=-1, ge=-1, le=1)
    image_image: float = Field(default=-1, ge=-1, le=1)
    directional: float = Field(default=-1, ge=-1, le=1)


class CheckpointSettings(Prompted, LocalCheckpoint):
    """A checkpoint that answers questions; its batches are halved when memory runs out."""

    max_new_tokens: int = Field(default=64, ge=1, le=4096)  # maximum length of an answer in words
    decoding: Decoding = Decoding()  # of answers in words; default: greedy
    multiple_choice: Literal["rank-text", "rank-letter", "words"] = "rank-text"
    # How accelerate distributes the weights over the devices that it finds; null: all weights are on `device`.
    device_map: Literal["auto", "balanced", "balanced_low_0", "sequential"] | None = None
    quantization: Literal["4bit", "8bit"] | None = None  # by bitsandbytes; null: none
    lora: SourcePath | None = Field(default=None, min_length=1)  # folder of a LoRA that peft saved; null: none

    @model_validator(mode="after")
    def _one_place(self) -> CheckpointSettings:
        if self.device_map is not None and "device" in self.model_fields_set:
            raise ValueError("device_map chooses the devices; give either device or device_map")
        return self


class HuggingFaceChat(CheckpointSettings):
    """A vision-language model with a chat template, which `AutoModelForImageTextToText` loads."""

    adapter: Literal["hf-chat"]
    several_images: SeveralImages = "in place"
    system: SystemMessage | None = None
    prompt: Prompt | None = None  # null: the prompt alone
    # Limits of width times height of an image, for families that take images of any size (Qwen-VL); null: the
    # checkpoint's own.
    min_pixels: int | None = Field(default=None, ge=1)
    max_pixels: int | None = Field(default=None, ge=1)
    reasoning: Reasoning | None = None

    @model_validator(mode="after")
    def _has_room(self) -> HuggingFaceChat:
        check_room(self.reasoning, self.max_new_tokens)
        return self

    @model_validator(mode="after")
    def _ordered_limits(self) -> HuggingFaceChat:
        if self.min_pixels is not None and self.max_pixels is not None and self.min_pixels > self.max_pixels:
            raise ValueError(f"min_pixels ({self.min_pixels}) exceeds max_pixels ({self.max_pixels})")
        return self


class HuggingFaceBlip(CheckpointSettings):
    """A BLIP-2 or an InstructBLIP; they have no chat template."""

    adapter: Literal["hf-blip"]
    prompt: Prompt = "Question: {question} Answer:"

    @property
    def can_judge(self) -> bool:
        """It takes no system message and no examples."""
        return False


class BlindTextModel(CheckpointSettings):
    """A language model that reads the question but never sees the image."""

    adapter: Literal["blind"]
    system: SystemMessage | None = None  # of a checkpoint with a chat template
    prompt: Prompt = "Question: {question}\nAnswer:"  # of a checkpoint without a chat template


class DualEncoder(ModelEntry, LocalCheckpoint):
    """A matcher that embeds captions and images separately (CLIP, FLAVA, BridgeTower) and scores them by their cosine.

    Only this kind of matcher can be used for retrieval.
    """

    adapter: Literal["dual-encoder"]


class CrossEncoder(ModelEntry, LocalCheckpoint):
    """A matcher that reads a caption and an image together (ViLT, BridgeTower)."""

    adapter: Literal["cross-encoder"]
