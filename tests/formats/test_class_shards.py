"""Labelled images of Hugging Face data sets on disk: Parquet by split, and folders of save_to_disk."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from tests.pictures import png
from whatif.engine.artifacts.schemas import IMAGE
from whatif.engine.errors import WhatifError
from whatif.formats.class_names import ClassifiedImages
from whatif.formats.class_shards import is_sharded, read_class_shards

NAMES = ["airplane", "automobile", "bird"]


def value(number: int) -> dict[str, Any]:
    return {"bytes": png((number, 2, 3)), "path": f"{number}.png"}


def shard(
    path: Path,
    labels: Sequence[int | None],
    *,
    images: Sequence[Any] | None = None,
    image: str = "image",
    label: str = "label",
    names: Sequence[str] | None = NAMES,
    kind: pa.DataType = IMAGE,
) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    features: dict[str, Any] = {image: {"_type": "Image"}, label: {"_type": "Value", "dtype": "int64"}}
    if names is not None:
        features[label] = {"_type": "ClassLabel", "names": list(names)}
    schema = pa.schema(
        [(image, kind), (label, pa.int64())], metadata={"huggingface": json.dumps({"info": {"features": features}})}
    )
    columns = [list(images or [value(number) for number in range(len(labels))]), list(labels)]
    arrays = [pa.array(one, field.type) for one, field in zip(columns, schema, strict=True)]
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path)
    return path


def labels(found: ClassifiedImages) -> dict[str, int | str]:
    return {item: image[0] if isinstance(image, tuple) else label for item, label, image in found.images}


def test_an_incomplete_or_doubled_download_is_an_error(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    shard(one / "test-00001-of-00003.parquet", [0])
    with pytest.raises(
        WhatifError, match=r"has 1 of 3 shards of test; for example test-00000-of-00003\.parquet is miss"
    ):
        read_class_shards(one, None)
    shard(two / "test-00000-of-00001.parquet", [0])
    assert list(labels(read_class_shards(two, "test")).values()) == [0]
    for number in (0, 1):
        shard(two / f"test-{number:05d}-of-00002-0a1b.parquet", [0])
    with pytest.raises(WhatifError, match="has shards of test of 1 and 2, from two downloads; remove those of one"):
        read_class_shards(two, "test")
    shard(tmp_path / "both" / "a" / "test-00000-of-00001.parquet", [0])
    shard(tmp_path / "both" / "b" / "test-00000-of-00001.parquet", [0])
    with pytest.raises(WhatifError, match="both: has the split test in a and b; give one of these folders"):
        read_class_shards(tmp_path / "both", "test")
    assert list(labels(read_class_shards(two / "test-00000-of-00002-0a1b.parquet", None)).values()) == [0]


def test_shards_of_a_split_in_their_order(tmp_path: Path) -> None:
    shard(tmp_path / "data" / "train-00000-of-00001.parquet", [2, 2])
    shard(tmp_path / "data" / "test-00001-of-00002.parquet", [0])
    shard(tmp_path / "data" / "test-00000-of-00002.parquet", [1, 2])
    assert is_sharded(tmp_path)
    found = read_class_shards(tmp_path, "test")
    assert found.names == NAMES
    rows = list(found.images)
    assert [(item, label) for item, label, _ in rows] == [("00000000", 1), ("00000001", 2), ("00000002", 0)]
    assert isinstance(rows[0][2], dict)
    assert rows[0][2]["image"]["bytes"] == png((0, 2, 3))
    assert (rows[0][2]["width"], rows[0][2]["source"]) == (8, "file:test-00000-of-00002.parquet")


def test_splits_are_named_by_files_or_folders(tmp_path: Path) -> None:
    shard(tmp_path / "default" / "validation" / "0000.parquet", [1])
    shard(tmp_path / "default" / "train" / "0000.parquet", [0])
    assert list(labels(read_class_shards(tmp_path, "validation")).values()) == [1]
    with pytest.raises(WhatifError, match="has no split test; there are train, validation"):
        read_class_shards(tmp_path, "test")
    with pytest.raises(WhatifError, match="has the splits train, validation; set `split` to one of them"):
        read_class_shards(tmp_path, None)
    one = tmp_path / "default" / "train" / "0000.parquet"
    assert is_sharded(one)
    assert list(labels(read_class_shards(one, None)).values()) == [0]


def test_cifar_100_has_two_labels_and_bytes_may_stand_alone(tmp_path: Path) -> None:
    path = tmp_path / "test.parquet"
    features = {
        name: {"_type": "ClassLabel", "names": [f"{name}-{n}" for n in (0, 1)]}
        for name in ("fine_label", "coarse_label")
    }
    table = pa.table(
        {"img": pa.array([png((1, 2, 3))], pa.binary()), "fine_label": [1], "coarse_label": [0]}
    ).replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    pq.write_table(table, path)
    assert read_class_shards(path, None).names == ["fine_label-0", "fine_label-1"]
    assert labels(read_class_shards(path, "test")) == {"00000000": 1}
    assert labels(read_class_shards(path, "test", label_column="coarse_label")) == {"00000000": 0}
    with pytest.raises(WhatifError, match=r"has no column of whole numbers colour; .* found: img, fine_label"):
        read_class_shards(path, "test", label_column="colour")


def test_rows_that_cannot_be_used_are_rejected(tmp_path: Path) -> None:
    images = [
        value(0),
        {"bytes": None, "path": "gone.png"},
        {"bytes": b"no image", "path": ""},
        None,
        value(4),
        value(5),
    ]
    path = shard(tmp_path / "test.parquet", [0, 0, 0, 0, -1, None], images=images)
    assert list(labels(read_class_shards(path, None)).values()) == [
        *(0, "picture missing", "picture unreadable", "picture missing", "no class", "no class")
    ]
    assert list(labels(read_class_shards(shard(path, [3, 1]), None)).values()) == ["no class", 1]


def test_classes_are_left_out_merged_and_named_by_a_file(tmp_path: Path) -> None:
    path = shard(tmp_path / "test.parquet", [0, 1, 2])
    found = read_class_shards(path, None, leave_out=["airplane"], merge={"bird": "automobile"})
    assert found.names == ["automobile"]
    assert list(labels(found).values()) == ["class left out", 0, 0]
    classes = tmp_path / "names.txt"
    classes.write_text("plane, aircraft\ncar\nbird\n")
    assert read_class_shards(path, None, classes=classes).names == ["plane, aircraft", "car", "bird"]
    unnamed = shard(tmp_path / "unnamed.parquet", [2], names=None)
    assert read_class_shards(unnamed, None, classes=classes).names[2] == "bird"
    with pytest.raises(WhatifError, match="has no names of classes for `label`; give a file of them as `classes`"):
        read_class_shards(unnamed, None)
    classes.write_text("plane\ncar\n")
    with pytest.raises(WhatifError, match=r"names.txt: has 2 lines, but `label` of .*test.parquet has 3 classes"):
        read_class_shards(path, None, classes=classes)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "test.parquet").write_bytes(b"PAR1 cut off")
    with pytest.raises(WhatifError, match=r"test.parquet: cannot be read .*; give a complete data set"):
        read_class_shards(tmp_path, None)
    pq.write_table(pa.table({"text": ["a"], "label": [1]}), tmp_path / "test.parquet")
    with pytest.raises(
        WhatifError, match=r"has no column of images; a Hugging Face data set has .*; found: text, label"
    ):
        read_class_shards(tmp_path, None)
    (tmp_path / "saved").mkdir()
    (tmp_path / "saved" / "state.json").write_text("{}")
    with pytest.raises(WhatifError, match=r"state.json: has no list `_data_files`; save the data set again"):
        read_class_shards(tmp_path / "saved", None)
    (tmp_path / "saved" / "state.json").write_text('{"_data_files": [{"filename": "../a.arrow"}]}')
    with pytest.raises(WhatifError, match=r"state.json: `_data_files` names no files of this folder"):
        read_class_shards(tmp_path / "saved", None)
    (tmp_path / "saved" / "state.json").write_text('{"_data_files": [{"filename": "a.arrow"}]}')
    with pytest.raises(WhatifError, match=r"a.arrow: cannot be read"):
        read_class_shards(tmp_path / "saved", None)
    assert not is_sharded(tmp_path / "none")


def test_only_a_few_images_are_in_memory(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    path, size, groups = tmp_path / "test.parquet", 500_000, 80
    schema = pa.schema([("image", pa.binary()), ("label", pa.int64())])
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(groups):
            writer.write_table(pa.table({"image": [random.bytes(size)], "label": [0]}, schema=schema))
    before = most = pa.total_allocated_bytes()
    classes = tmp_path / "names.txt"
    classes.write_text("noise\n")
    for _ in read_class_shards(path, None, classes=classes).images:
        most = max(most, pa.total_allocated_bytes())
    assert most - before < 10 * size


def test_what_the_datasets_library_saves(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    features = datasets.Features({"img": datasets.Image(), "label": datasets.ClassLabel(names=NAMES)})
    rows = {"img": [Image.open(io.BytesIO(png((n, 2, 3)))) for n in range(3)], "label": [2, 0, 1]}
    whole = datasets.Dataset.from_dict(rows, features=features)
    datasets.DatasetDict({"train": whole.select([0]), "test": whole}).save_to_disk(str(tmp_path / "splits"))
    whole.save_to_disk(str(tmp_path / "one"), num_shards=2)
    (tmp_path / "parquet").mkdir()
    whole.to_parquet(str(tmp_path / "parquet" / "test-00000-of-00001.parquet"))
    for path, split in ((tmp_path / "splits", "test"), (tmp_path / "one", None), (tmp_path / "parquet", "test")):
        assert is_sharded(path)
        found = read_class_shards(path, split)
        assert found.names == NAMES
        assert list(labels(found).items()) == [("00000000", 2), ("00000001", 0), ("00000002", 1)]
    with pytest.raises(WhatifError, match="has no split dev; there are test, train"):
        read_class_shards(tmp_path / "splits", "dev")
