"""Denoiser evaluations for each accepted candidate: early stop and fewer steps, against all candidates to their end."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from whatif import benchmarks
from whatif.embedded.scene_pairs import caption_pair
from whatif.models.responses.store import ResponseStore
from whatif.params.checkpoints import EarlyStop
from whatif.prompt_to_prompt.candidate_scores import candidate_rows
from whatif.prompt_to_prompt.directional_similarity import Thresholds, refusal
from whatif.prompt_to_prompt.image_maker import PictureMaker

_CAPTION_PAIRS = 50
_CANDIDATES = 4
_STRICT = Thresholds(0.2, 0.7, 0.2)  # the paper's: few candidates of the embedded pipeline pass
_LOOSE = Thresholds(0.2, 0.2, 0.2)  # of params.yaml: nearly all pass
_STOP = EarlyStop(after=0.45, image_image=0.5)
_FEWER = (8,)  # numbers of steps


def measure() -> dict[str, Any]:
    """Evaluations of the denoiser for a pair of images, by the number of accepted candidates of 200.

    The embedded pipeline with the settings of `params.yaml`. `ours` is with the early stop, and `ratio` above 1 means
    that it needs fewer evaluations for each accepted candidate by the paper's thresholds. Candidates that are not
    stopped are compared with those drawn without it: all columns are the same, the images' ids among them.
    """
    without = _measured(None, None)
    stopping = _measured(_STOP, None)
    going = 0
    for row, whole in zip(stopping["rows"], without["rows"], strict=True):
        if "stopped_after" not in row["provenance"]:
            assert row == whole, row["pair_id"]
            going += 1
    ways = {"to the end": without, "early stop": stopping} | {f"{n} steps": _measured(None, n) for n in _FEWER}
    details = {
        name: {
            "evaluations": way["evaluations"],
            "cpu_seconds": way["cpu_seconds"],
            "accepted": [_accepted(way["rows"], least) for least in (_STRICT, _LOOSE)],
            "pairs_with_one": [_pairs_with_one(way["rows"], least) for least in (_STRICT, _LOOSE)],
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


def _measured(stop: EarlyStop | None, steps: int | None) -> dict[str, Any]:
    """All candidates, the evaluations of the denoiser for a pair, and the CPU seconds."""
    settings = benchmarks.load_params().lookup("generate.coco-counterfactuals.pictures")
    diffusion = settings.diffusion if steps is None else settings.diffusion.model_copy(update={"steps": steps})
    maker = PictureMaker(diffusion, settings.clip, stop)
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
    return {"rows": found, "evaluations": calls * maker.width, "cpu_seconds": seconds}


def _accepted(rows: Sequence[dict[str, Any]], least: Thresholds) -> int:
    return sum(refusal(row, least) is None for row in rows)


def _pairs_with_one(rows: Sequence[dict[str, Any]], least: Thresholds) -> int:
    return len({row["pair_id"] for row in rows if refusal(row, least) is None})
