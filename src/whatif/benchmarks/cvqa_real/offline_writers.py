"""Counterfactual questions without people or chat models: by rules, and by computation about drawn scenes.

The writer `rules` changes the text of a question, like a chat model that does not see the image (C-VQA 3.1); often, the
text then gives the answer. The writer `open` has the same rules without such changes. The writer `scenes` knows what a
scene contains; it writes indirect questions, which nobody can write from the text alone (C-VQA 3.2), and boolean ones.

`open`, and `scenes` for boolean questions, know several counterfactuals of a question. Those of a group are chosen
together, so that the words tell little (`whatif.scoring.shortcuts.open_draw`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from whatif.benchmarks.cvqa_real.schemas import BOOLEAN, GROUPS, OPEN, RULES, SCENES, SOURCE_GROUPS
from whatif.benchmarks.cvqa_real.settings import Writers
from whatif.benchmarks.cvqa_real.sources import are_released
from whatif.benchmarks.cvqa_real.written_questions import written_id_of, written_row
from whatif.engine.graph.task import Task
from whatif.engine.random_streams import stream

if TYPE_CHECKING:
    import numpy as np

    from whatif.world.scene_counterfactuals import SceneCounterfactual

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
    source: Sequence[Row], writers: Writers, seed: int
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Rows of `written-questions` and `rejections`: one of them for each source question, group and writer."""
    options: dict[tuple[str, str], dict[str, list[Offline]]] = {}
    rejections: list[dict[str, str]] = []
    for row, group, writer in _asked(source, writers):
        written_id = written_id_of(row["pair_id"], group, writer)
        generator = stream(seed, "cvqa-real offline writer", written_id)
        found = _WRITERS[writer](row, group, generator)
        if isinstance(found, Offline):
            found = [found]
        if isinstance(found, list):
            options.setdefault((group, writer), {})[row["pair_id"]] = found
        else:
            rejections.append({"item_id": written_id, **found})
    chosen = {place: _chosen(of) for place, of in options.items()}
    return [
        written_row(row["pair_id"], group, writer, **chosen[group, writer][row["pair_id"]]._asdict())
        for row, group, writer in _asked(source, writers)
        if row["pair_id"] in chosen.get((group, writer), {})
    ], rejections


def _chosen(options: Mapping[str, Sequence[Offline]]) -> dict[str, Offline]:
    """One of the options of each source question."""
    from whatif.scoring.shortcuts.open_draw import least_told

    if all(len(several) == 1 for several in options.values()):
        return {name: only for name, [only] in options.items()}
    texts = {name: [(one.question, one.answer) for one in several] for name, several in options.items()}
    return {name: options[name][place] for name, place in least_told(texts).items()}


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


def _open(row: Row, group: str, generator: np.random.Generator) -> list[Offline] | dict[str, str]:
    from whatif.benchmarks.cvqa_real.rules.rules_writer import open_rewrites

    found = open_rewrites(row["question"], row["answer"], generator)
    return _refusal(found, row) if isinstance(found, str) else [Offline(*one, {}) for one in found]


def _about_scenes(row: Row, group: str, generator: np.random.Generator) -> list[Offline] | dict[str, str]:
    from whatif.world.scene_counterfactuals import scene_counterfactual
    from whatif.world.scene_yes_no import yes_no_counterfactuals
    from whatif.world.scenes import draw_scene

    known = json.loads(row["provenance"])
    if "number" not in known:
        return {"reason": NO_SCENE, "detail": "the image is a photograph, whose content is not known"}
    scene = draw_scene(known["split"], known["number"], known["seed"])
    write = yes_no_counterfactuals if group == BOOLEAN else scene_counterfactual
    found = write(scene, row["question"], generator)
    if isinstance(found, str):
        return _refusal(found, row)
    return [_offline(one) for one in (found if isinstance(found, list) else [found])]


def _offline(found: SceneCounterfactual) -> Offline:
    more = {
        "kind": found.kind,
        "change": found.change,
        "presupposition": found.presupposition,
        "unchanged": found.unchanged,
    }
    return Offline(found.question, found.answer, found.step1, found.step2, more)


def _refusal(why: str, row: Row) -> dict[str, str]:
    """A rejection; what a writer says after a colon is about this question alone, and no reason to be counted."""
    return {"reason": why.partition(": ")[0], "detail": f"{row['question'][:120]} ({row['answer']})"}


_WRITERS: dict[str, Callable[[Row, str, Any], Offline | list[Offline] | dict[str, str]]] = {
    RULES: _by_rules,
    OPEN: _open,
    SCENES: _about_scenes,
}
