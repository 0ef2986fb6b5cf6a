"""A job that mixes training samples, with its inputs written into a folder and its outputs kept in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from tests.pictures import png
from whatif.benchmarks.coco_counterfactuals_training.mixtures import write_mixtures
from whatif.benchmarks.coco_counterfactuals_training.settings import MixSamples, MixSettings, PairsFrom
from whatif.benchmarks.coco_counterfactuals_training.steps import mix
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.task import Input, Task
from whatif.engine.params.resolution import Resolution

Row = dict[str, Any]


def pair(pair_id: str, captions: tuple[str, str] = ("A cat", "A dog"), images: tuple[str, str] | None = None) -> Row:
    """A row of `pairs`; its images have ids of their own, unless they are given."""
    image_ids = images or (f"image of {pair_id}-0", f"image of {pair_id}-1")
    row: Row = {"pair_id": pair_id, "candidate": 0, "p": 0.0, "guidance": 0.0, "seed": 0, "provenance": "{}"}
    for side in (0, 1):
        row |= {f"caption_{side}": captions[side], f"subject_{side}": "", f"image_id_{side}": image_ids[side]}
        row[f"caption_image_{side}"] = None
    return {**row, "image_image": None, "directional": None}


def original(caption_id: str, photograph: str, caption: str = "A cat") -> Row:
    return {"caption_id": caption_id, "caption": caption, "image_id": photograph}


def judged(item: str, decision: str) -> Row:
    row: Row = {"item_id": item, "annotator": "ann", "decision": decision, "corrected": "{}", "comment": ""}
    return {**row, "time": None, "seconds": None}


def photograph(image_id: str, source: str) -> Row:
    return {**image_row(png((1, 2, 3)), 16, 16, source, "none"), "image_id": image_id}


class Kept:
    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {}

    def write(self, role: str, rows: Sequence[Row]) -> None:
        """Keeps an output, after it was written as an artifact would be."""
        self.rows[role] = list(rows)


class Mixed:
    """The outputs of a job: rows of `samples` and `unused`, and what it said."""

    def __init__(
        self,
        folder: Path,
        tables: Mapping[str, Sequence[Row]],
        *,
        pairs: PairsFrom = "scenes",
        resolution: Resolution | None = None,
        seed: int = 7,
        **settings: Any,
    ) -> None:
        assert not set(tables) - set(mix.inputs)
        folder.mkdir(exist_ok=True)
        inputs = {}
        for role, output in mix.inputs.items():
            path = folder / f"{role}.parquet"
            write_artifact(path, output.table, sorted(tables.get(role, []), key=itemgetter(*output.table.key)))
            inputs[role] = Input(output.table, (path,), ({},))
        self.messages: list[str] = []
        kept = Kept()
        write_mixtures(
            Task(
                settings=MixSettings(pairs, MixSamples(**settings), resolution or Resolution()),
                inputs=inputs,
                outputs=kept,  # type: ignore[arg-type]
                wildcards={},
                name="verify mix",
                benchmark="coco-counterfactuals-training",
                say=self.messages.append,
                given_seed=seed,
            )
        )
        for role, rows in kept.rows.items():
            table = mix.outputs[role]
            write_artifact(folder / f"made-{role}.parquet", table, sorted(rows, key=itemgetter(*table.key)))
        self.samples, self.unused = kept.rows["samples"], kept.rows["unused"]

    def parts(self, mixture: str, division: str = "published") -> dict[str, str]:
        chosen = (row for row in self.samples if (row["mixture"], row["division"]) == (mixture, division))
        return {row["sample_id"]: row["part"] for row in chosen}

    @property
    def reasons(self) -> dict[str, str]:
        return {row["item_id"]: row["reason"] for row in self.unused}
