"""Captions that differ in a noun unknown to the diffusion model give the same image twice, and no pair."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.defaults import ROOT
from whatif import benchmarks
from whatif.models.prompt_to_prompt.candidate_scores import candidate_rows
from whatif.models.prompt_to_prompt.directional_similarity import Thresholds, best_candidates
from whatif.models.prompt_to_prompt.image_maker import PictureMaker
from whatif.models.responses.store import ResponseStore

pytestmark = pytest.mark.slow

pytest.importorskip("diffusers")


def pair(pair_id: str, caption: str, nouns: tuple[str, str]) -> dict[str, Any]:
    subjects = {f"subject_{side}": noun for side, noun in enumerate(nouns)}
    captions = {f"caption_{side}": caption.format(noun) for side, noun in enumerate(nouns)}
    return {"pair_id": pair_id, **subjects, **captions, "provenance": "{}"}


def test_the_embedded_diffusion_draws_one_picture_for_nouns_that_it_does_not_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    pictures = benchmarks.load_params().lookup("generate.coco-counterfactuals.pictures")
    pairs = [
        pair("known", "There is a red {} in front of a white background.", ("star", "ball")),
        pair("unknown", "A woman is cutting into a {} with a large knife.", ("cake", "sandwich")),
    ]
    maker = PictureMaker(pictures.diffusion.model_copy(update={"steps": 4, "batch_size": 1}), pictures.clip)
    with ResponseStore(tmp_path / "store.sqlite") as store:
        drawn = list(
            candidate_rows(pairs, maker, store, candidates=1, seed=1, p=pictures.p, guidance=pictures.guidance)
        )
    (known, best, _), (unknown, none, rejections) = best_candidates(drawn, Thresholds(-1, -1, -1))
    assert (known, unknown) == ("known", "unknown")
    assert best is not None and none is None
    assert [row["reason"] for row in rejections] == ["same picture"]
    assert drawn[1]["directional"] == 0


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data")
def test_most_released_captions_are_the_same_to_the_embedded_diffusion() -> None:
    from transformers import AutoTokenizer

    folder = ROOT / "src" / "whatif" / "world" / "checkpoints" / "diffusion" / "tokenizer"
    tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    file = Path(os.environ["WHATIF_DATA"]) / "coco-counterfactuals" / "metadata.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    read = [
        tokenizer([row[f"caption_{side}"] for row in rows], truncation=True, max_length=tokenizer.model_max_length)
        for side in (0, 1)
    ]
    same = sum(first == second for first, second in zip(*(one["input_ids"] for one in read), strict=True))
    assert (same, len(rows)) == (15_821, 17_410)
