"""Counterfactual questions without people or chat models: by rules, and by computation about drawn scenes.

The writer `rules` changes the text of a question, like a chat model that does not see the image (C-VQA 3.1). The writer
`scenes` knows what a scene contains; it writes questions of the group `indirect`, which nobody can write from the text
alone (C-VQA 3.2).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from whatif.benchmarks.cvqa_real.schemas import GROUPS, RULES, SCENES, SOURCE_GROUPS
from whatif.benchmarks.cvqa_real.settings import Writers
from whatif.benchmarks.cvqa_real.sources import are_released
from whatif.benchmarks.cvqa_real.written_questions import written_id_of, written_row
from whatif.engine.graph.task import Task
from whatif.engine.random_streams import stream

if TYPE_CHECKING:
    import numpy as np

NO_SCENE = "no drawn scene"

Row = Mapping[str, Any]


class Offline(NamedTuple):
    """A question that was written offline, with the steps of C-VQA B."""

    question: str
    answer: str
    step1: str
    step2: str
    provenance: dict[str, Any]


def write_by_rules(task: Task[Writers]) -> None:
    """Writes a counterfactual question for each source question, group and offline writer; the released set has all.

    What a writer cannot change is rejected with its reason.
    """
    source = list(task.rows("questions"))
    written, rejections = written_offline([] if are_released(source) else source, task.settings, task.seed)
    task.outputs.write("by-rules", written)
    task.outputs.write("unchanged", rejections)
    task.check_losses("questions to be written", len(written), rejections, needed=False)


def written_offline(
    source: Iterable[Row], writers: Writers, seed: int
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Rows of `written-questions` and `rejections`: one of them for each source question, group and writer."""
    written: list[dict[str, Any]] = []
    rejections: list[dict[str, str]] = []
    for row, group, writer in _asked(source, writers):
        written_id = written_id_of(row["pair_id"], group, writer)
        generator = stream(seed, "cvqa-real offline writer", written_id)
        found = _WRITERS[writer](row, group, generator)
        if not isinstance(found, Offline):
            rejections.append({"item_id": written_id, **found})
            continue
        written.append(written_row(row["pair_id"], group, writer, **found._asdict()))
    return written, rejections


def _asked(source: Iterable[Row], writers: Writers) -> Iterator[tuple[Row, str, str]]:
    for row in source:
        for group in GROUPS:
            if SOURCE_GROUPS[group] == row["group"]:
                yield from ((row, group, writer) for writer in writers.of(group) if writer in _WRITERS)


def _by_rules(row: Row, group: str, generator: np.random.Generator) -> Offline | dict[str, str]:
    from whatif.benchmarks.cvqa_real.rules.rules_writer import rewrite

    found = rewrite(group, row["question"], row["answer"], generator)
    if isinstance(found, str):
        return _refusal(found, row)
    return Offline(found.question, found.answer, found.step1, found.step2, {})


def _about_scenes(row: Row, group: str, generator: np.random.Generator) -> Offline | dict[str, str]:
    from whatif.world.scene_counterfactuals import scene_counterfactual
    from whatif.world.scenes import draw_scene

    known = json.loads(row["provenance"])
    if "number" not in known:
        return {"reason": NO_SCENE, "detail": "the image is a photograph, whose content is not known"}
    scene = draw_scene(known["split"], known["number"], known["seed"])
    found = scene_counterfactual(scene, row["question"], generator)
    if isinstance(found, str):
        return _refusal(found, row)
    more = {
        "kind": found.kind,
        "change": found.change,
        "presupposition": found.presupposition,
        "unchanged": found.answer == row["answer"],
    }
    return Offline(found.question, found.answer, found.step1, found.step2, more)


def _refusal(why: str, row: Row) -> dict[str, str]:
    """A rejection; what a writer says after a colon is about this question alone, and no reason to be counted."""
    return {"reason": why.partition(": ")[0], "detail": f"{row['question'][:120]} ({row['answer']})"}


_WRITERS: dict[str, Callable[[Row, str, Any], Offline | dict[str, str]]] = {RULES: _by_rules, SCENES: _about_scenes}
