"""A typed view of `training/recipes.yaml`: how each embedded checkpoint is trained."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from whatif.benchmarks.cvqa_synthetic.settings import GeneratePuzzles
from whatif.engine.params.base import Settings
from whatif.engine.params.files import read_settings

RECIPES_FILE = "training/recipes.yaml"
_REMEDY = "the checkpoints that ship with whatif are trained and measured in its own repository"


class Schedule(Settings):
    """One stage of optimisation."""

    steps: int = Field(ge=1)
    batch: int = Field(ge=1)  # images or texts per step
    learning_rate: float = Field(gt=0, lt=1)
    warmup: int = Field(ge=1)  # steps
    decay: int | None = Field(default=None, ge=1)  # steps until the learning rate is lowest; all of them when null
    weight_decay: float = Field(default=0.05, ge=0)


class Examples(Settings):
    """How many training images are drawn; each is used several times in other orientations or wordings."""

    flower_puzzles: int = Field(ge=0)
    dot_puzzles: int = Field(ge=0)
    scenes: int = Field(ge=0)
    category_scenes: int = Field(default=0, ge=0)  # with questions of CFMM's six categories


class VisionLanguageRecipe(Settings):
    """A LLaVA. Stages: the vision tower alone, for dense targets; the whole model, to answer; its language model alone.

    Then the whole model learns to count exactly, and finally the language model alone again.
    """

    counterfactual: bool  # whether counterfactual questions are used, too
    start: str | None = None  # another embedded checkpoint to continue from
    new_words: int = Field(default=0, ge=0)  # of the questions, as tokens of their own; with `start`
    examples: Examples
    tower: Schedule | None = None
    answers: Schedule | None = None
    words: Schedule | None = None
    counts: Schedule | None = None
    settling: Schedule | None = None


class CausalRecipe(Settings):
    """A LLaVA of causes and effects. Stages: the vision tower alone, for what panels show; then the whole model."""

    groups: int = Field(ge=1)  # of four pairs each
    texts: int = Field(ge=1)  # pairs that are asked about in text at each step, beside the composites of `answers`
    tower: Schedule
    answers: Schedule


class ContrastiveRecipe(Settings):
    """A CLIP, trained on captions of scenes with their minimal edits in the same batch.

    First its vision tower alone learns the appearance of things.
    """

    tower: Schedule
    train: Schedule


class PlainContrastiveRecipe(Settings):
    """A CLIP, trained on scenes and captions without edits, and stopped early.

    First its vision tower alone learns the appearance of things.
    """

    whole: float = Field(ge=0, le=1)  # share of the captions that name everything; the others omit the colours
    tower: Schedule
    train: Schedule


class MatchingRecipe(Settings):
    """A ViLT that tells whether a caption and an image belong together, trained on minimal edits.

    First it learns the appearance of things, without captions.
    """

    start: str | None = None  # an embedded CLIP whose vision tower becomes its first layers
    tower: Schedule
    train: Schedule


class DetectionRecipe(Settings):
    """An OWLv2 that finds the things of scenes by their names.

    First its vision tower alone learns the appearance of things.
    """

    tower: Schedule
    train: Schedule


class LanguageRecipe(Settings):
    """A language model: of captions, masked or causal, or one that writes questions."""

    train: Schedule


class DiffusionRecipe(Settings):
    """A latent diffusion pipeline: first its autoencoder, then its denoiser and text encoder."""

    scenes: int = Field(ge=1)
    pairs: float = Field(ge=0, le=1)  # the fraction of scenes with two things; the others have one
    autoencoder: Schedule
    denoiser: Schedule


class Recipes(Settings):
    """The whole of `training/recipes.yaml`, one key for each checkpoint."""

    seed: int = Field(ge=0, lt=2**32)
    threads: int = Field(ge=1)
    puzzles: GeneratePuzzles
    llava_original: VisionLanguageRecipe = Field(alias="llava-original")
    llava_counterfactual: VisionLanguageRecipe = Field(alias="llava-counterfactual")
    llava_scenes: VisionLanguageRecipe = Field(alias="llava-scenes")
    llava_presuppositions: VisionLanguageRecipe = Field(alias="llava-presuppositions")
    llava_causes: CausalRecipe = Field(alias="llava-causes")
    clip: ContrastiveRecipe
    clip_plain: PlainContrastiveRecipe = Field(alias="clip-plain")
    vilt: MatchingRecipe
    owlv2: DetectionRecipe
    masked_language: LanguageRecipe = Field(alias="masked-language")
    causal_language: LanguageRecipe = Field(alias="causal-language")
    writer: LanguageRecipe
    diffusion: DiffusionRecipe


def load_recipes(path: Path = Path(RECIPES_FILE)) -> Recipes:
    """Reads and checks the recipes. Raises WhatifError with one line per error; see `read_settings`."""
    return read_settings(Recipes, path, remedy=_REMEDY)
