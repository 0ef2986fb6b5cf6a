"""The caption stages of COCO-Counterfactuals on all captions of MS-COCO, without the paper's language models.

`python -m bench.coco_captions FOLDER` trains a small masked and a small causal language model on the captions in
WHATIF_DATA, and writes FOLDER/params.yaml, which uses them with the real all-MiniLM-L6-v2 and the paper's thresholds.
In that folder, `whatif extract coco-counterfactuals`, and `whatif generate coco-counterfactuals --step` candidates,
measure and choose, make the caption pairs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import yaml

from training import language
from training.recipes import LanguageRecipe, Schedule
from whatif import benchmarks
from whatif.engine.random_streams import stream
from whatif.formats.caption_sets import read_caption_set

_SEED = 7
_STEPS = 400
_VOCABULARY = 6000
_NAME = "coco-counterfactuals"


def main(folder: Path) -> None:
    """Trains both models and writes the parameters."""
    data = Path(os.environ["WHATIF_DATA"]).resolve() / "coco" / "captions_val2017.json"
    captions = [one.caption for one in read_caption_set(data).captions]
    recipe = LanguageRecipe(train=Schedule(steps=_STEPS, batch=64, learning_rate=0.003, warmup=40))

    def texts(number: int, seed: int) -> Iterator[str]:
        yield from captions

    def batch(number: int, step: int, seed: int) -> list[str]:
        return [captions[place] for place in stream(seed, "captions of COCO", step).integers(0, len(captions), number)]

    with (
        patch.object(language, "texts_for_tokenizer", texts),
        patch.object(language, "caption_batch", batch),
        patch.object(language, "_VOCABULARY", _VOCABULARY),
    ):
        for kind in ("masked", "causal"):
            place = folder / f"{kind}-language"
            place.mkdir(parents=True, exist_ok=True)
            getattr(language, f"train_{kind}_language")(recipe, _SEED, 1, place, place / "training-log.jsonl")
    values = benchmarks.in_force(yaml.safe_load(Path("params.yaml").read_text(encoding="utf-8")))
    values["benchmarks"] = [_NAME]
    values["extract"][_NAME]["captions"] = str(data)
    values["generate"][_NAME]["shards"] = 8
    settings = values["generate"][_NAME]["captions"]
    settings["masked_language"] = {"checkpoint": str((folder / "masked-language").resolve()), "batch_size": 256}
    settings["perplexity"] = {"checkpoint": str((folder / "causal-language").resolve()), "batch_size": 256}
    settings["choose"]["similarity"] = {"low": 0.8, "high": 0.91}
    settings["choose"]["wordnet"] = "installed"
    (folder / "params.yaml").write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
