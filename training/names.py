"""The embedded checkpoints by name: description, training function and assessment function."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.recipes import Recipes
from whatif.engine.errors import WhatifError
from whatif.engine.looked_up import looked_up

EMBEDDED = Path("src/whatif/world/checkpoints")
LOG_FILE = "training-log.jsonl"


@dataclass(frozen=True)
class Embedded:
    """A checkpoint. `trainer` is `(recipe, seed, threads, folder, log)`, `assessment` is `(folder) -> table`."""

    what: str
    trainer: str
    assessment: str


_LLAVA = "training.vision_language:train_vision_language"
_ASSESS_LLAVA = "training.assess_vision_language:assess_vision_language"
_ASSESS_LLAVA_OF_SCENES = "training.assess_vision_language:assess_on_scenes"

CHECKPOINTS = {
    "llava-original": Embedded(
        "A LLaVA (`LlavaForConditionalGeneration`) that was asked the original questions of counting puzzles and of "
        'scenes, and never an "if".',
        _LLAVA,
        _ASSESS_LLAVA,
    ),
    "llava-counterfactual": Embedded(
        "`llava-original`, trained further on original and counterfactual questions of counting puzzles.",
        _LLAVA,
        _ASSESS_LLAVA,
    ),
    "llava-scenes": Embedded(
        "`llava-original`, trained further on basic questions of CFMM's six categories about scenes, none with an "
        '"if".',
        _LLAVA,
        _ASSESS_LLAVA_OF_SCENES,
    ),
    "llava-presuppositions": Embedded(
        "`llava-original`, trained further on basic and counterfactual questions of CFMM's six categories about "
        "scenes.",
        _LLAVA,
        _ASSESS_LLAVA_OF_SCENES,
    ),
    "llava-causes": Embedded(
        "A small LLaVA (`LlavaForConditionalGeneration`) that learnt MuCR's tasks about drawn causes and effects, in "
        "text and on composites.",
        "training.causal:train_causal",
        "training.assess_causal:assess_causal",
    ),
    "clip": Embedded(
        "A CLIP (`CLIPModel`) of scenes and their captions.",
        "training.contrastive:train_clip",
        "training.assess_text_image:assess_clip",
    ),
    "clip-plain": Embedded(
        "A CLIP (`CLIPModel`) of scenes and their captions, trained for a short time and without minimal edits, so "
        "that training with counterfactuals has something to add.",
        "training.contrastive_plain:train_clip_plain",
        "training.assess_text_image:assess_clip",
    ),
    "vilt": Embedded(
        "A ViLT (`ViltForImageAndTextRetrieval`) that tells whether a caption and a scene belong together.",
        "training.matching:train_vilt",
        "training.assess_text_image:assess_vilt",
    ),
    "owlv2": Embedded(
        "An OWLv2 (`Owlv2ForObjectDetection`) that finds the things of a scene by a noun, a colour or a size, or all "
        "of them by the word `thing`. It was not trained on counting puzzles: what it finds in them shows how a tool "
        "fails outside its training domain (C-VQA, section 4.2).",
        "training.owlv2:train_owlv2",
        "training.assess_owlv2:assess_owlv2",
    ),
    "masked-language": Embedded(
        "A masked language model (`AutoModelForMaskedLM`) of captions of scenes.",
        "training.language:train_masked_language",
        "training.assess_language:assess_masked_language",
    ),
    "causal-language": Embedded(
        "A causal language model (`AutoModelForCausalLM`) of captions of scenes.",
        "training.language:train_causal_language",
        "training.assess_language:assess_causal_language",
    ),
    "writer": Embedded(
        "A chat model (`LlamaForCausalLM`) that writes counterfactual questions for questions about scenes, in the "
        "steps and the format of C-VQA. It has learnt from the rules of C-VQA-Real.",
        "training.writer:train_writer",
        "training.assess_writer:assess_writer",
    ),
    "diffusion": Embedded(
        "A diffusion pipeline (`StableDiffusionPipeline`) that draws scenes from their captions.",
        "training.diffusion:train_diffusion",
        "training.assess_diffusion:assess_diffusion",
    ),
}


def train(name: str, recipes: Recipes, folder: Path) -> None:
    """Trains the checkpoint `name` into `folder`, with its log. Raises WhatifError for an unknown name."""
    recipe = recipe_of(name, recipes)
    folder.mkdir(parents=True, exist_ok=True)
    looked_up(CHECKPOINTS[name].trainer)(recipe, recipes.seed, recipes.threads, folder, folder / LOG_FILE)


def assess(name: str, folder: Path) -> dict[str, Any]:
    """Measures the checkpoint in `folder` as the one called `name`. Raises WhatifError when it does not exist."""
    if name not in CHECKPOINTS:
        raise WhatifError(_unknown(name))
    if not folder.is_dir():
        raise WhatifError(f"{folder}: no such checkpoint; make it with `whatif train {name}`")
    table: dict[str, Any] = looked_up(CHECKPOINTS[name].assessment)(folder)
    return table


def recipe_of(name: str, recipes: Recipes) -> Any:
    """The recipe of a checkpoint. Raises WhatifError for an unknown name."""
    if name not in CHECKPOINTS:
        raise WhatifError(_unknown(name))
    return getattr(recipes, name.replace("-", "_"))


def _unknown(name: str) -> str:
    return f"{name}: unknown embedded checkpoint; choose one of {', '.join(CHECKPOINTS)}"
