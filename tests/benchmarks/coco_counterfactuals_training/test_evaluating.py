"""The evaluation of weights: retrieval sets, withheld samples of each division, and recognition."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.pictures import icon
from tests.tiny_checkpoints import tiny_clip
from whatif.benchmarks.coco_counterfactuals_training.evaluating import Evaluation
from whatif.benchmarks.coco_counterfactuals_training.schemas import CLASSIFIED, PRE_TRAINED, RETRIEVED
from whatif.engine.artifacts.images import ImageStore, image_row
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.artifacts.writer import as_table, write_artifact
from whatif.engine.files.image_decoding import decode
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.models.local.encoders import Embedder, dual_encoder
from whatif.models.local.prepared_pictures import PreparedPictures

pytest.importorskip("torch")

Row = dict[str, Any]
COLOURS = {"red": (200, 20, 20), "green": (20, 200, 20), "blue": (20, 20, 200), "grey": (90, 90, 90)}
SHOWN = {name: image_row(icon(colour), 40, 40, name, "CC0-1.0") for name, colour in COLOURS.items()}
BROKEN = image_row(b"\x89PNG\r\n\x1a\n, but no image", 40, 40, "broken", "CC0-1.0")
SHOWN["broken"] = BROKEN
PROMPTS = ("a red cup", "two blue dogs on a mat", "the wall of a green house")  # the random tower tells these apart


class GivenTask:
    """A task with rows in memory and images in an artifact."""

    def __init__(self, folder: Path, **tables: list[Row]) -> None:
        self.tables, self.folder, self.read = tables, folder, list[tuple[str, ...]]()
        self.path = folder / "images.parquet"
        write_artifact(self.path, IMAGES, sorted(SHOWN.values(), key=lambda row: str(row["image_id"])))

    def rows(self, role: str, part: Any = None) -> list[Row]:
        return [row for row in self.tables.get(role, []) if part is None or row["part"] in part]

    def images(self, *roles: str) -> ImageStore:
        self.read.append(roles)
        return ImageStore([self.path])


def searched(data_set: str, name: str, number: int = 0) -> Row:
    caption = f"a {name} disc {number}"
    image_id = SHOWN[name]["image_id"]
    return {"data_set": data_set, "item_id": f"{name}-{number}", "caption": caption, "image_id": image_id}


def withheld(division: str, name: str) -> Row:
    of = {"mixture": "withheld-counterfactuals", "division": division, "part": "test", "sample_id": f"{name}-1"}
    return {**of, "caption": f"some {name} discs", "image_id": SHOWN[name]["image_id"]}


def place(mixture: str, division: str = "published") -> dict[str, str]:
    seed = PRE_TRAINED if mixture == PRE_TRAINED else "seed-107"
    return {"model": "clip", "mixture": mixture, "division": division, "seed": seed}


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    folder = tiny_clip(tmp_path_factory.mktemp("clip"))
    return dual_encoder(LocalCheckpoint.model_validate({"checkpoint": str(folder), "batch_size": 3}))


@pytest.fixture
def task(tmp_path: Path) -> GivenTask:
    return GivenTask(
        tmp_path,
        retrieval=[
            *(searched("first", name) for name in ("red", "green", "blue")),
            *(searched("five", name, number) for name in ("red", "green") for number in range(5)),
            searched("five", "broken"),
        ],
        samples=[
            *(withheld("published", name) for name in ("red", "green")),
            *(withheld("leak-free", name) for name in ("blue", "green", "grey")),
            {**withheld("published", "blue"), "part": "train"},
        ],
        classes=[
            {"data_set": "colours", "label": label, "name": prompt, "prompt": prompt}
            for label, prompt in enumerate(PROMPTS)
        ],
        labelled=[
            {"data_set": "colours", "item_id": f"{name}.png", "image_id": row["image_id"], "label": 0}
            for name, row in SHOWN.items()
        ],
    )


@pytest.fixture
def rows(task: GivenTask, embedder: Embedder) -> Callable[..., tuple[list[Row], list[Row]]]:
    evaluation = Evaluation(task, PreparedPictures(embedder.processor))  # type: ignore[arg-type]
    return lambda *of: evaluation.rows(embedder, place(*of))


def test_rows_fit_their_tables_and_have_each_query_once(rows: Any) -> None:
    retrieved, classified = rows("withheld-counterfactuals")
    assert as_table(sorted(retrieved, key=lambda row: [row[key] for key in RETRIEVED.key]), RETRIEVED, "r").num_rows
    assert as_table(sorted(classified, key=lambda row: [row[key] for key in CLASSIFIED.key]), CLASSIFIED, "c").num_rows
    keys = [tuple(row[key] for key in RETRIEVED.key) for row in retrieved]
    assert len(keys) == len(set(keys))


def test_an_image_with_five_captions_is_one_query_and_each_caption_another(rows: Any) -> None:
    retrieved, _ = rows("ms-coco")
    found = [row for row in retrieved if row["data_set"] == "five"]
    by_direction = {
        direction: [row for row in found if row["direction"] == direction]
        for direction in ("text-retrieval", "image-retrieval")
    }
    assert {direction: len(those) for direction, those in by_direction.items()} == {
        "text-retrieval": 3,
        "image-retrieval": 11,
    }
    assert {row["candidates"] for row in by_direction["text-retrieval"]} == {11}
    assert {row["candidates"] for row in by_direction["image-retrieval"]} == {2}
    assert {row["query_id"] for row in found if row["rank"] is None} == {"broken-0"}


def test_the_withheld_samples_are_those_of_the_division(rows: Any) -> None:
    def ids(*of: str) -> set[str]:
        return {row["query_id"] for row in rows(*of)[0] if row["data_set"] == "withheld"}

    assert ids("withheld-counterfactuals") == ids("withheld-ms-coco") == {"red-1", "green-1"}
    assert ids("withheld-counterfactuals", "leak-free") == {"blue-1", "green-1", "grey-1"}
    assert ids(PRE_TRAINED) == {"red-1", "green-1"}
    # Other mixtures contain the pairs that are withheld from these.
    assert ids("all") == set()


def test_the_checkpoint_is_evaluated_once_on_what_no_division_changes(rows: Any) -> None:
    retrieved, classified = rows(PRE_TRAINED, "leak-free")
    assert {row["data_set"] for row in retrieved} == {"withheld"} and classified == []
    retrieved, classified = rows(PRE_TRAINED)
    assert {row["data_set"] for row in retrieved} == {"first", "five", "withheld"} and classified


def test_an_image_gets_the_label_of_the_nearest_prompt(rows: Any, embedder: Embedder) -> None:
    _, classified = rows("base")
    told = embedder.captions(PROMPTS)
    seen = embedder.pictures([decode(icon(colour)) for colour in COLOURS.values()])
    scores = seen @ told.T
    assert np.diff(np.sort(scores, axis=1)).min() > 1e-4
    wanted = {f"{name}.png": int(label) for name, label in zip(COLOURS, np.argmax(scores, axis=1), strict=True)}
    assert {row["item_id"]: row["predicted"] for row in classified} == {**wanted, "broken.png": None}
    assert {row["mixture"] for row in classified} == {"base"}


def test_images_are_decoded_once_for_all_models(task: GivenTask, embedder: Embedder, tmp_path: Path) -> None:
    evaluation = Evaluation(task, PreparedPictures(embedder.processor))  # type: ignore[arg-type]
    first = evaluation.rows(embedder, place("base"))
    read = list(task.read)
    other = dual_encoder(
        LocalCheckpoint.model_validate({"checkpoint": str(tiny_clip(tmp_path / "c", seed=5)), "batch_size": 3})
    )
    second = evaluation.rows(other, place("base"))
    assert task.read == read and len(read) == 3
    assert [row["rank"] for row in first[0]] != [row["rank"] for row in second[0]]
    again = Evaluation(task, PreparedPictures(other.processor))  # type: ignore[arg-type]
    fresh = again.rows(other, place("base"))
    assert fresh == second
