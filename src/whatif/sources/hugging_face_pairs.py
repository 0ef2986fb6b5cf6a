"""Counterfactual pairs written as a Hugging Face data set folder: Parquet with pictures, and a data card."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif.artifact_writer import CODEC, CODEC_LEVEL
from whatif.atomic_files import disk_errors, open_temporary, write_whole
from whatif.errors import WhatifError
from whatif.images import EncodedPictures
from whatif.schemas import IMAGE
from whatif.sources.coco_counterfactuals_folder import chosen_pairs
from whatif.sources.hugging_face_card import NUMBERS, SPLIT, data_card, is_released, number

Row = Mapping[str, Any]

CARD = "README.md"
PAIRS_OF_A_SHARD = 1_000
_ROWS_AT_ONCE = 32  # pairs whose pictures are in memory; also rows of a row group
_TEXTS = ("id", "caption_0", "caption_1", "subject_0", "subject_1")
_PICTURES = ("image_0", "image_1")


def write_hugging_face_pairs(
    pairs: Iterable[Row], images: EncodedPictures, folder: Path, *, licences: Iterable[str]
) -> int:
    """Writes chosen rows of `pairs` with their pictures as a folder that `datasets.load_dataset(folder)` loads.

    Returns how many pairs. Shards are `data/test-00000-of-00018.parquet`, 1,000 pairs each, the same bytes for the same
    rows; `README.md` is the data card, with a YAML header. `licences` are those of the pictures.
    What a pair's settings and scores are not known for is null (`p` and `guidance` of released pairs).

    Raises WhatifError when there are no pairs, when a pair comes with several candidates, when a picture is in none of
    the files, when the folder has a card already, and when it cannot be written.
    """
    rows = chosen_pairs(pairs, folder)
    if (folder / CARD).exists():
        raise WhatifError(f"{folder / CARD}: is there already; give another folder")
    shards = -(-len(rows) // PAIRS_OF_A_SHARD)
    for shard in range(shards):
        path = folder / "data" / f"{SPLIT}-{shard:05d}-of-{shards:05d}.parquet"
        _write_shard(path, rows[shard * PAIRS_OF_A_SHARD : (shard + 1) * PAIRS_OF_A_SHARD], images)
    write_whole(folder / CARD, data_card(rows, licences=licences).encode())
    return len(rows)


def _write_shard(path: Path, rows: Sequence[Row], images: EncodedPictures) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    features: dict[str, Any] = {name: {"_type": "Value", "dtype": "string"} for name in (*_TEXTS, "provenance")}
    features |= {name: {"_type": "Image"} for name in _PICTURES}
    features |= {name: {"_type": "Value", "dtype": "float64"} for name in NUMBERS}
    features["seed"] = {"_type": "Value", "dtype": "int64"}
    kinds = {"string": pa.string(), "float64": pa.float64(), "int64": pa.int64()}
    order = (*_TEXTS, *_PICTURES, *NUMBERS, "seed", "provenance")
    schema = pa.schema(
        [(name, IMAGE if name in _PICTURES else kinds[features[name]["dtype"]]) for name in order],
        metadata={"huggingface": json.dumps({"info": {"features": {name: features[name] for name in order}}})},
    )
    with disk_errors(path):
        file, temporary = open_temporary(path)
        with file:
            try:
                with pq.ParquetWriter(file, schema, compression=CODEC, compression_level=CODEC_LEVEL) as writer:
                    for start in range(0, len(rows), _ROWS_AT_ONCE):
                        piece = [_record(row, images) for row in rows[start : start + _ROWS_AT_ONCE]]
                        writer.write_table(pa.Table.from_pylist(piece, schema))
                file.flush()
                temporary.replace(path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise


def _record(row: Row, images: EncodedPictures) -> dict[str, Any]:
    return {
        "id": row["pair_id"],
        **{name: row[name] for name in _TEXTS if name != "id"},
        **{f"image_{side}": {"bytes": images.encoded(row[f"image_id_{side}"]), "path": None} for side in (0, 1)},
        **{name: number(row, name) for name in NUMBERS},
        "seed": None if is_released(row) else row["seed"],
        "provenance": row["provenance"],
    }
