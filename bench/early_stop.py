"""Denoiser evaluations for each accepted candidate: early stop and fewer steps, against all candidates to their end."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from whatif import benchmarks
from whatif.engine.artifacts.pair_items import pair_and_side
from whatif.engine.params.checkpoints import DiffusionCheckpoint, EarlyStop, LocalCheckpoint
from whatif.models.prompt_to_prompt.candidate_scores import candidate_rows
from whatif.models.prompt_to_prompt.directional_similarity import Thresholds, best_candidates, candidate_name, refusal
from whatif.models.prompt_to_prompt.image_maker import PictureMaker, Row
from whatif.models.responses.store import ResponseStore
from whatif.world.automatic_labels import automatic_labels
from whatif.world.scene_pairs import caption_pair

SMALL = {"_CAPTION_PAIRS": 2, "_CANDIDATES": 1, "_FEWER": {"2 steps": {"steps": 2}}}
_CAPTION_PAIRS = 50
_CANDIDATES = 4
_STRICT = Thresholds(0.2, 0.7, 0.2)  # the paper's: few candidates of the embedded pipeline pass
_LOOSE = Thresholds(0.2, 0.2, 0.2)  # of params.yaml: nearly all pass
_STOP = EarlyStop(after=0.45, image_image=0.5)
_FEWER: dict[str, dict[str, Any]] = {
    "8 steps": {"steps": 8},
    "6 steps": {"steps": 6},
    "8 steps of dpm-solver++": {"steps": 8, "scheduler": "dpm-solver++"},
    "6 steps of dpm-solver++": {"steps": 6, "scheduler": "dpm-solver++"},
}


class _Remembering(PictureMaker):
    """Keeps the images that it encodes, by their ids."""

    def __init__(self, diffusion: DiffusionCheckpoint, clip: LocalCheckpoint, stop: EarlyStop | None) -> None:
        super().__init__(diffusion, clip, stop)
        self.kept: dict[str, Image.Image] = {}

    def images(self, row: Row, pictures: tuple[Image.Image, Image.Image], licence: str) -> list[dict[str, Any]]:
        found = super().images(row, pictures, licence)
        self.kept.update(zip((image["image_id"] for image in found), pictures, strict=True))
        return found

    def get(self, image_id: str) -> Image.Image:
        return self.kept[image_id]


def measure() -> dict[str, Any]:
    """Evaluations of the denoiser for a pair of images, by the number of accepted candidates of 200.

    The embedded pipeline with the settings of `params.yaml`. `ours` is with the early stop, and `ratio` above 1 means
    that it needs fewer evaluations for each accepted candidate by the paper's thresholds. Candidates that are not
    stopped are compared with those drawn without it: all columns are the same, the images' ids among them.

    `ways` has more of these, with fewer steps and another scheduler. `accepted` and `pairs_with_one` are by the paper's
    thresholds and by those of `params.yaml`. `correct` is the share of images that show their caption by the
    recogniser: of the candidates that the filter would choose by `params.yaml`, as in Table 1, and of all candidates
    that are drawn to their end.
    """
    without = _measured(None, {})
    stopping = _measured(_STOP, {})
    going = 0
    for row, whole in zip(stopping["rows"], without["rows"], strict=True):
        if "stopped_after" not in row["provenance"]:
            assert row == whole, row["pair_id"]
            going += 1
    ways = {"to the end": without, "early stop": stopping} | {
        name: _measured(None, changes) for name, changes in _FEWER.items()
    }
    details = {
        name: {
            "evaluations": way["evaluations"],
            "cpu_seconds": way["cpu_seconds"],
            "accepted": [_accepted(way["rows"], least) for least in (_STRICT, _LOOSE)],
            "pairs_with_one": [_pairs_with_one(way["rows"], least) for least in (_STRICT, _LOOSE)],
            "correct": way["correct"],
        }
        for name, way in ways.items()
    }
    ours, peer = (way["evaluations"] / max(1, _accepted(way["rows"], _STRICT)) for way in (stopping, without))
    return {
        "name": "early-stop",
        "ours": ours,
        "peer": peer,
        "unit": "evaluations",
        "ratio": peer / ours,
        "peer_name": "all candidates drawn to their end, for each accepted one",
        "drawn_to_the_end": going,
        "ways": details,
    }


def _measured(stop: EarlyStop | None, changes: dict[str, Any]) -> dict[str, Any]:
    """All candidates, the evaluations of the denoiser for a pair, the CPU seconds, and the shares of correct images."""
    settings = benchmarks.load_params().lookup("generate.coco-counterfactuals.pictures")
    maker = _Remembering(settings.diffusion.model_copy(update=changes), settings.clip, stop)
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    maker.pipeline.unet.register_forward_pre_hook(count)
    pairs = [caption_pair("test", number, 0) for number in range(_CAPTION_PAIRS)]
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder, ResponseStore(Path(folder) / "store.sqlite") as store:
        how = {"candidates": _CANDIDATES, "seed": 0, "p": settings.p, "guidance": settings.guidance}
        found = list(candidate_rows(pairs, maker, store, **how))
    seconds = time.process_time() - started
    chosen = [best for _, best, _ in best_candidates(found, _LOOSE) if best is not None]
    ended = [{**row, "pair_id": candidate_name(row)} for row in found if "stopped_after" not in row["provenance"]]
    correct = [_correct(rows, maker) for rows in (chosen, ended)]
    return {"rows": found, "evaluations": calls * maker.width, "cpu_seconds": seconds, "correct": correct}


def _correct(rows: Sequence[Row], images: _Remembering) -> float:
    judgements, _ = automatic_labels(rows, images, seed=0, labelled_three_times=0)
    own = sum(row["decision"] == f"caption_{pair_and_side(row['item_id'])[1]}" for row in judgements)
    return own / max(1, len(judgements))


def _accepted(rows: Sequence[dict[str, Any]], least: Thresholds) -> int:
    return sum(refusal(row, least) is None for row in rows)


def _pairs_with_one(rows: Sequence[dict[str, Any]], least: Thresholds) -> int:
    return len({row["pair_id"] for row in rows if refusal(row, least) is None})
