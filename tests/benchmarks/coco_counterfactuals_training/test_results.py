"""Results read in columns: ranks and labels by weights, sizes of mixtures, and what is in two files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.coco_counterfactuals_training.trained import classified, places, results, retrieved, samples
from whatif.benchmarks.coco_counterfactuals_training.results import (
    Search,
    Size,
    Weights,
    recognitions,
    searches,
    sizes,
)
from whatif.benchmarks.coco_counterfactuals_training.schemas import CLASSIFIED, RETRIEVED, SAMPLES
from whatif.engine.artifacts.schemas import Table
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError

ALL = Weights("clip", "all", "published", "seed-108")


def written(path: Path, table: Table, rows: list[dict[str, object]]) -> Path:
    write_artifact(path, table, sorted(rows, key=lambda row: [str(row[key]) for key in table.key]))
    return path


@pytest.fixture
def ranks(tmp_path: Path) -> list[Path]:
    return [
        written(
            tmp_path / f"{seed}.parquet",
            RETRIEVED,
            [row for place in places("clip", seed) for row in retrieved(place, ["flickr", "coco"])],
        )
        for seed in ("seed-107", "seed-108")
    ]


def test_ranks_are_counted_at_each_depth_and_missing_ones_are_errors(ranks: list[Path]) -> None:
    found = searches(ranks)
    assert len(found) == 16
    assert found[ALL]["flickr", "text-retrieval"] == Search(100, 100, 1, (65, 75, 85))
    assert set(found[ALL]) == {(one, f"{kind}-retrieval") for one in ("flickr", "coco") for kind in ("text", "image")}


def test_the_mean_is_that_of_six_recalls_by_seed(ranks: list[Path]) -> None:
    found = results({"clip": "CLIP"}, searches=searches(ranks))
    recalls = found.recalls("clip", "all", "published", "coco")
    assert recalls["image", "5"] == {"seed-107": 74.0, "seed-108": 75.0}
    assert recalls["both", "mean"] == {"seed-107": 74.0, "seed-108": 75.0}
    assert found.mean_recall("clip", "all", "leak-free", "coco") == {}
    assert found.recalls("clip", "all", "published", "withheld") == {}


def test_labels_are_counted_by_data_set_and_by_class(tmp_path: Path) -> None:
    rows = [row for place in places("clip", "seed-108") for row in classified(place)]
    found = recognitions([written(tmp_path / "c.parquet", CLASSIFIED, rows)])
    one = found[ALL]["cifar-10"]
    assert (one.images, one.errors, one.accuracy) == (100, 1, 65.0)
    assert one.macro == pytest.approx(100 * (65 / 90) / 2)


def test_results_that_are_in_two_files_are_refused(ranks: list[Path], tmp_path: Path) -> None:
    same = written(tmp_path / "again.parquet", RETRIEVED, list(retrieved(ALL._asdict(), ["flickr"])))
    with pytest.raises(WhatifError, match=r"again\.parquet: has results of clip all published seed-108 flickr"):
        searches([*ranks, same])


def test_an_empty_file_has_no_results(tmp_path: Path) -> None:
    assert searches([written(tmp_path / "none.parquet", RETRIEVED, [])]) == {}


def test_sizes_count_training_samples_and_counterfactual_ones(tmp_path: Path) -> None:
    found = sizes([written(tmp_path / "s.parquet", SAMPLES, list(samples()))])
    assert found["ms-coco", "published"] == Size(3, 0)
    assert found["medium", "published"] == found["withheld-counterfactuals", "leak-free"] == Size(6, 3)
    assert results({}, sizes=found).size("pre-trained", "published") == Size(0, 0)
