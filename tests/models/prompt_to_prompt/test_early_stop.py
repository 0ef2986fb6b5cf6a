"""Candidates that are stopped early: the others come out with the same bytes, and every stopped one says so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from tests.models.prompt_to_prompt.test_candidate_scores import PAIRS_OF_CAPTIONS, WIDTH, CountingMaker, Row, rows
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import DiffusionCheckpoint, EarlyStop, LocalCheckpoint
from whatif.models.prompt_to_prompt.candidate_scores import is_hopeless, steps_before
from whatif.models.prompt_to_prompt.chosen_images import chosen_pictures
from whatif.models.prompt_to_prompt.directional_similarity import STOPPED, Thresholds, refusal
from whatif.models.prompt_to_prompt.image_maker import PictureMaker

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("folder")]

pytest.importorskip("diffusers")

STEPS, DONE = 4, 2


class FinishingMaker(CountingMaker):
    """Records the number of candidates of each run that was drawn to its end."""

    def finish(self, run: Sequence[Any]) -> Any:
        self.finished: list[int] = getattr(self, "finished", [])
        self.finished.append(sum(one is not None for one in run))
        return super().finish(run)


def maker(
    checkpoints: Path, stop: EarlyStop | None, scheduler: Literal["ddim", "euler-ancestral"] | None
) -> FinishingMaker:
    diffusion = DiffusionCheckpoint(
        checkpoint=str(checkpoints / "diffusion"), batch_size=WIDTH, steps=STEPS, scheduler=scheduler
    )
    return FinishingMaker(diffusion, LocalCheckpoint(checkpoint=str(checkpoints / "clip")), stop)


def is_stopped(row: Row) -> bool:
    return json.loads(row["provenance"]).get("stopped_after") == DONE


@pytest.mark.parametrize("scheduler", [pytest.param("ddim", marks=pytest.mark.soak), "euler-ancestral"])
def test_what_is_not_stopped_has_the_same_bytes(
    checkpoints: Path, scheduler: Literal["ddim", "euler-ancestral"]
) -> None:
    whole = rows(maker(checkpoints, None, scheduler), Path("whole"))
    all_stopped = rows(maker(checkpoints, EarlyStop(after=0.5, image_image=1), scheduler), Path("all"))
    assert all(map(is_stopped, all_stopped))
    middle = float(np.median([row["image_image"] for row in all_stopped]))
    made_by = maker(checkpoints, EarlyStop(after=0.5, image_image=middle), scheduler)
    found = rows(made_by, Path("s"))
    stopped = [row for row in found if is_stopped(row)]
    assert len(whole) / 3 < len(stopped) < len(whole) * 2 / 3
    for row, to_its_end, at_once in zip(found, whole, all_stopped, strict=True):
        assert row == (at_once if is_stopped(row) else to_its_end)
        reason = refusal(row, Thresholds(-1, -1, -1))
        assert (reason is not None and reason[0] == STOPPED) == is_stopped(row)
    going = len(whole) - len(stopped)
    assert sum(made_by.finished) == going and len(made_by.finished) < len(whole) / WIDTH, "what goes on fills runs"

    parts = [
        rows(maker(checkpoints, made_by.stop, scheduler), Path(pair["pair_id"]), [pair]) for pair in PAIRS_OF_CAPTIONS
    ]
    assert [row for part in parts for row in part] == found
    again = maker(checkpoints, made_by.stop, scheduler)
    assert rows(again, Path("s")) == found and "pipeline" not in vars(again), "stored results are not drawn again"

    best = [row for row in found if not is_stopped(row)]
    for pair in chosen_pictures(best, made_by, Thresholds(-1, -1, -1), licence="CC0-1.0"):
        assert [image["image_id"] for image in pair.images] == [pair.row["image_id_0"], pair.row["image_id_1"]]
        assert "redrawn" not in json.loads(pair.row["provenance"])


def test_results_without_the_setting_are_not_taken_for_those_with_it(checkpoints: Path) -> None:
    without = maker(checkpoints, None, "ddim")
    assert "stop" not in without.identity
    rows(without, Path("s"), PAIRS_OF_CAPTIONS[:1])
    found = rows(maker(checkpoints, EarlyStop(after=0.5, directional=1), "ddim"), Path("s"), PAIRS_OF_CAPTIONS[:1])
    assert all(map(is_stopped, found))


def test_a_scheduler_that_remembers_steps_is_one_line(checkpoints: Path) -> None:
    made_by = maker(checkpoints, EarlyStop(after=0.5), None)
    from diffusers import PNDMScheduler

    made_by.pipeline.scheduler = PNDMScheduler()
    with pytest.raises(WhatifError, match=r"`stop` cannot stop its PNDMScheduler; set scheduler to ddim or") as error:
        rows(made_by, Path("s"), PAIRS_OF_CAPTIONS[:1])
    assert "\n" not in str(error.value)


def test_each_similarity_has_its_own_minimum() -> None:
    scores = {"caption_image_0": 0.4, "caption_image_1": 0.3, "image_image": 0.5, "directional": 0.2}
    assert not is_hopeless(scores, EarlyStop(after=0.5))
    assert not is_hopeless(scores, EarlyStop(after=0.5, caption_image=0.3, image_image=0.5, directional=0.2))
    assert is_hopeless(scores, EarlyStop(after=0.5, caption_image=0.35))
    assert is_hopeless(scores, EarlyStop(after=0.5, image_image=0.51))
    assert is_hopeless(scores, EarlyStop(after=0.5, directional=0.21))


def test_at_least_one_step_is_before_and_one_after() -> None:
    assert [steps_before(EarlyStop(after=share), 16) for share in (0.01, 0.45, 0.99)] == [1, 7, 15]
    with pytest.raises(ValueError, match="at least 2 steps"):
        steps_before(EarlyStop(after=0.5), 1)


def test_a_maker_without_the_setting_stops_nothing(checkpoints: Path) -> None:
    from whatif.models.prompt_to_prompt.candidate_scores import begin

    made_by: PictureMaker = maker(checkpoints, None, "ddim")
    with pytest.raises(ValueError, match="no setting `stop`"):
        begin([None], made_by)
