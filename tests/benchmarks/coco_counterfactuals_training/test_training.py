"""A job trains each mixture from the checkpoint, evaluates it, and trains nothing again when the evaluation changes."""

from __future__ import annotations

import dataclasses
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.models.fine_tuning.contrastive import COLOURS, RECIPE, Coloured, clip, samples
from whatif.benchmarks.coco_counterfactuals_training.schemas import (
    CLASSES,
    CLASSIFIED,
    LABELLED,
    LOSSES,
    RETRIEVAL_SETS,
    RETRIEVED,
    SAMPLES,
)
from whatif.benchmarks.coco_counterfactuals_training.settings import TrainedModel
from whatif.benchmarks.coco_counterfactuals_training.training import write_trained, write_with
from whatif.engine.artifacts.images import ImageStore, image_row
from whatif.engine.artifacts.schemas import IMAGES, Table
from whatif.engine.artifacts.writer import ArtifactWriter, write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.graph.task import Input, Task
from whatif.engine.params.checkpoints import DualEncoder
from whatif.models.fine_tuning import trained_store
from whatif.models.local.encoders import Embedder, dual_encoder
from whatif.models.local.prepared_pictures import PreparedPictures

pytestmark = pytest.mark.slow

pytest.importorskip("transformers")
pytest.importorskip("accelerate")

Row = dict[str, Any]
TABLES = {"losses": LOSSES, "retrieved": RETRIEVED, "classified": CLASSIFIED}


class Kept:
    """The outputs of a job: real artifacts, read back."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writers: dict[str, ArtifactWriter] = {}

    def writer(self, role: str) -> ArtifactWriter:
        if role not in self._writers:
            path = self._folder / f"made-{role}.parquet"
            self._writers[role] = ArtifactWriter(path, TABLES[role], role=role, made_from={})
        return self._writers[role]

    def rows(self, role: str) -> list[Row]:
        from whatif.engine import artifacts

        if not (self._folder / f"made-{role}.parquet").exists():
            self.writer(role).finish()
            self.writer(role).commit()
        return list(artifacts.rows_of([self._folder / f"made-{role}.parquet"], TABLES[role]))


class FirstResults:
    """An evaluation with one query and two images: their order shows which weights the embedder has."""

    def __init__(self, task: Any, prepared: PreparedPictures) -> None:
        self.places: list[dict[str, str]] = []

    def rows(self, embedder: Embedder, place: Mapping[str, str]) -> tuple[list[Row], list[Row]]:
        self.places.append(dict(place))
        told = embedder.captions(["the red flower", "the blue flower"])
        seen = embedder.pictures([Coloured().get("90-red"), Coloured().get("91-blue")])
        one = {**place, "data_set": "colours"}
        retrieved = [
            {
                **one,
                "direction": "text-retrieval",
                "query_id": str(q),
                "rank": int(told[q] @ seen[q] * 1e6),
                "candidates": 2,
            }
            for q in (1, 0)
        ]
        return retrieved, [{**one, "item_id": "90", "label": 0, "predicted": int((told @ seen[0]).argmax())}]


def png(image_id: str) -> Row:
    if image_id.startswith("damaged"):
        return {**image_row(b"nothing", 1, 1, "drawn", "CC0-1.0"), "image_id": image_id}
    buffer = io.BytesIO()
    Coloured().get(image_id).save(buffer, "PNG")
    return {**image_row(buffer.getvalue(), 40, 40, "drawn", "CC0-1.0"), "image_id": image_id}


def sample_rows(mixture: str, division: str, damaged: int = 0) -> list[Row]:
    """14 training samples, 6 for validation and 4 withheld ones."""
    chosen = samples(range(24) if mixture == "base" else range(10, 34))
    return [
        {
            "mixture": mixture,
            "division": division,
            "sample_id": f"{number:03}",
            "part": "train" if number < 14 else "validation" if number < 20 else "test",
            "source": "original",
            "caption": sample.caption,
            "image_id": f"damaged-{number}" if number < damaged else sample.image_id,
            "photograph": sample.image_id,
        }
        for number, sample in enumerate(chosen)
    ]


def task_of(folder: Path, rows: Sequence[Row], seed: str = "seed-107", **own: Any) -> Task[dict[str, TrainedModel]]:
    """A job of the step `train` whose inputs are written into `folder`."""

    def given(role: str, table: Table, found: Sequence[Row]) -> Input:
        path = folder / f"{role}.parquet"
        write_artifact(path, table, list(found))
        return Input(table, (path,), ({},))

    folder.mkdir(exist_ok=True)
    ids = sorted({row["image_id"] for row in rows})
    nothing = Input(IMAGES, (), ())
    settings = {"seeds": [107, 108], "recipe": RECIPE | own.pop("recipe", {}), **own}
    entry = {"dtype": own.pop("dtype", "float32")} if "dtype" in own else {}
    settings.pop("dtype", None)
    return Task(
        settings={"tiny": TrainedModel.model_validate(settings)},
        inputs={
            "samples": given("samples", SAMPLES, rows),
            "images": given("images", IMAGES, [png(one) for one in ids[::2]]),
            "photographs": given("photographs", IMAGES, [png(one) for one in ids[1::2]]),
            "our-images": nothing,
            "released-images": nothing,
        },
        outputs=Kept(folder),  # type: ignore[arg-type]
        wildcards={"trained": "tiny", "seed": seed},
        name="evaluate train",
        benchmark="coco-counterfactuals-training",
        say=print,
        own_model=DualEncoder(adapter="dual-encoder", checkpoint=str(checkpoint()), batch_size=4, **entry),
    )


def checkpoint() -> Path:
    folder = Path("clip").absolute()
    return folder if folder.exists() else clip(folder)


def evaluated_task(folder: Path, rows: Sequence[Row], seed: str) -> Task[dict[str, TrainedModel]]:
    """A job with a retrieval set of 4 captions and images, and a data set of 4 images of 4 classes."""
    task = task_of(folder, rows, seed)
    shown = samples(range(90, 94))
    given: dict[str, tuple[Table, list[Row]]] = {
        "retrieval": (
            RETRIEVAL_SETS,
            [
                {"data_set": "colours", "item_id": one.image_id, "caption": one.caption, "image_id": one.image_id}
                for one in shown
            ],
        ),
        "retrieval-images": (IMAGES, [png(one.image_id) for one in shown]),
        "classes": (
            CLASSES,
            [
                {"data_set": "colours", "label": label, "name": name, "prompt": f"the {name} flower"}
                for label, name in enumerate(COLOURS)
            ],
        ),
        "labelled": (
            LABELLED,
            [
                {"data_set": "colours", "item_id": one.image_id, "image_id": one.image_id, "label": place % 4}
                for place, one in enumerate(samples(range(94, 98)), 2)
            ],
        ),
        "labelled-images": (IMAGES, [png(one.image_id) for one in samples(range(94, 98))]),
    }
    inputs = dict(task.inputs)
    for role, (table, found) in given.items():
        path = folder / f"{role}.parquet"
        write_artifact(path, table, found)
        inputs[role] = Input(table, (path,), ({},))
    return dataclasses.replace(task, inputs=inputs)


@pytest.mark.parametrize("seed", ["seed-107", "pre-trained"])
def test_a_job_trains_and_evaluates_and_decodes_each_image_once(
    folder: Path, seed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: Counter[str] = Counter()
    get = ImageStore.get

    def counted(store: ImageStore, image_id: str) -> Any:
        decoded[image_id] += 1
        return get(store, image_id)

    monkeypatch.setattr(ImageStore, "get", counted)
    withheld = [
        {**row, "mixture": mixture}
        for mixture in ("withheld-counterfactuals", "withheld-ms-coco")
        for row in sample_rows("base", "published")
    ]
    task = evaluated_task(folder / "one", [*sample_rows("all", "published"), *withheld], seed)
    write_trained(task)
    kept: Any = task.outputs
    assert set(decoded.values()) == {1}
    trained = ["all", "withheld-counterfactuals", "withheld-ms-coco"]
    assert sorted({row["mixture"] for row in kept.rows("losses")}) == (trained if seed == "seed-107" else [])
    evaluated = trained if seed == "seed-107" else ["pre-trained"]
    retrieved, classified = kept.rows("retrieved"), kept.rows("classified")
    for table, found in ((RETRIEVED, retrieved), (CLASSIFIED, classified)):
        keys = [tuple(row[name] for name in table.key) for row in found]
        assert keys == sorted(set(keys))
    assert Counter((row["mixture"], row["data_set"]) for row in retrieved) == {
        **{(mixture, "colours"): 8 for mixture in evaluated},
        **{(mixture, "withheld"): 8 for mixture in evaluated if mixture != "all"},
    }
    assert all(1 <= row["rank"] <= row["candidates"] == 4 for row in retrieved)
    assert Counter(row["mixture"] for row in classified) == dict.fromkeys(evaluated, 4)
    # Ranks are those of the embedder with these weights: here those of the checkpoint.
    if seed == "pre-trained":
        embedder = dual_encoder(task.model)
        shown = samples(range(90, 94))
        scores = embedder.captions([one.caption for one in shown]) @ (
            embedder.pictures([Coloured().get(one.image_id) for one in shown]).T
        )
        wanted = {one.image_id: 1 + int((scores[at] > scores[at, at]).sum()) for at, one in enumerate(shown)}
        assert wanted == {
            row["query_id"]: row["rank"]
            for row in retrieved
            if row["direction"] == "image-retrieval" and row["data_set"] == "colours"
        }


BOTH = [*sample_rows("base", "leak-free"), *sample_rows("base", "published"), *sample_rows("all", "published")]
PLACES = [("all", "published"), ("base", "leak-free"), ("base", "published")]


def test_each_mixture_is_trained_from_the_checkpoint_and_evaluated(folder: Path) -> None:
    task = task_of(folder / "one", BOTH)
    write_with(task, FirstResults)
    kept: Any = task.outputs
    losses = kept.rows("losses")
    assert sorted({(row["mixture"], row["division"]) for row in losses}) == PLACES
    assert [row["step"] for row in losses if row["mixture"] == "all"] == [0, 2, 4, 6, 8, 10, 12]
    assert {row["seed"] for row in losses} == {"seed-107"}
    # The same samples under two divisions: the second training began with the weights of the checkpoint, too.
    of = {
        place: [row["validation_loss"] for row in losses if (row["mixture"], row["division"]) == place]
        for place in PLACES
    }
    assert of["base", "leak-free"] == of["base", "published"] != of["all", "published"]
    ranks = [(row["mixture"], row["division"], row["query_id"]) for row in kept.rows("retrieved")]
    assert ranks == [(*place, query) for place in PLACES for query in ("0", "1")]
    assert len(kept.rows("classified")) == 3
    # Alone, a mixture gets the same weights as after others.
    alone = task_of(folder / "two", sample_rows("base", "published"))
    write_with(alone, FirstResults)
    other: Any = alone.outputs
    assert [row["rank"] for row in other.rows("retrieved")] == [
        row["rank"] for row in kept.rows("retrieved") if row["mixture"] == "base" and row["division"] == "published"
    ]


def test_the_checkpoint_as_it_was_is_evaluated_under_each_division_and_not_trained(folder: Path) -> None:
    task = task_of(folder / "one", BOTH, "pre-trained")
    write_with(task, FirstResults)
    kept: Any = task.outputs
    assert kept.rows("losses") == []
    found = {(row["mixture"], row["division"], row["seed"]) for row in kept.rows("retrieved")}
    assert found == {("pre-trained", "leak-free", "pre-trained"), ("pre-trained", "published", "pre-trained")}
    assert not trained_store.TRAINED.exists()


def test_a_changed_evaluation_trains_nothing_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = task_of(folder / "one", BOTH)
    write_with(first, FirstResults)
    monkeypatch.setattr(trained_store, "train", lambda *_: pytest.fail("trains again"))
    again = task_of(folder / "two", BOTH)
    write_with(again, FirstResults)
    for role in TABLES:
        assert again.outputs.rows(role) == first.outputs.rows(role)  # type: ignore[attr-defined]


def test_only_the_mixtures_of_the_model_are_trained(folder: Path) -> None:
    task = task_of(folder / "one", BOTH, mixtures=["all"])
    write_with(task, FirstResults)
    assert {row["mixture"] for row in task.outputs.rows("losses")} == {"all"}  # type: ignore[attr-defined]


def test_samples_without_a_readable_image_are_counted_also_when_the_weights_are_stored(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        write_with(task_of(folder / name, sample_rows("base", "published", damaged=3)), FirstResults)
        said = capsys.readouterr().err
        assert (
            "whatif: tiny on base (published, seed-107): 3 of 20 samples are left out, because their images cannot be "
            "decoded (UnidentifiedImageError 3)"
        ) in said


def test_a_mixture_without_samples_is_one_line(folder: Path) -> None:
    with pytest.raises(WhatifError, match="the mixture correct has no samples; extract more pairs, or remove it from"):
        write_with(task_of(folder / "one", BOTH, mixtures=["all", "correct"]), FirstResults)
    with pytest.raises(WhatifError, match="the mixture of every name has no samples"):
        write_with(task_of(folder / "two", []), FirstResults)


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"recipe": {"precision": "bfloat16"}}, "recipe of tiny: precision bfloat16 needs a GPU"),
        ({"dtype": "bfloat16"}, "models.tiny.dtype: bfloat16 weights cannot be trained"),
    ],
)
def test_a_model_that_cannot_be_trained_is_refused_before_anything_is_loaded(
    folder: Path, own: dict[str, Any], message: str
) -> None:
    with pytest.raises(WhatifError, match=message):
        write_with(task_of(folder / "one", BOTH, **own), lambda *_: pytest.fail("prepared"))
