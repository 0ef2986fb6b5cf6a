"""Reads labelled images from a Hugging Face data set on disk: Parquet shards, or a folder of `save_to_disk`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whatif.engine.artifacts.images import image_row
from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import UnreadableImageError, decode
from whatif.engine.files.inputs import check_regular
from whatif.formats.class_names import LEFT_OUT, ClassifiedImages, choose_classes, read_class_names

if TYPE_CHECKING:
    import pyarrow as pa

LABEL_COLUMNS = ("label", "fine_label")  # CIFAR-100 has coarse ones, too
_IMAGE_COLUMNS = ("image", "img")
_ROWS_AT_ONCE = 64  # rows whose images are in memory at once
_SHARD = re.compile(r"(?P<split>.+?)-(?P<number>\d{5})-of-(?P<of>\d{5})(-[0-9a-f]+)?")
_NEEDED = "a Hugging Face data set has a column of images and a column of class labels"


@dataclass(frozen=True)
class _Columns:
    image: str
    label: str
    names: list[str] | None


def is_sharded(path: Path) -> bool:
    """Whether this is a data set in Parquet, or a folder of `save_to_disk`, and not a folder of class folders."""
    if path.is_file():
        return path.suffix.lower() == ".parquet"
    return _is_saved(path) or next(path.rglob("*.parquet"), None) is not None


def read_class_shards(
    path: Path,
    split: str | None,
    *,
    classes: Path | None = None,
    leave_out: Sequence[str] = (),
    merge: Mapping[str, str] | None = None,
    label_column: str | None = None,
) -> ClassifiedImages:
    """The images of one split, in the order of the shards' names; ids are numbers of rows from 0 (`00000042`).

    The split of a Parquet file is in its name (`test-00000-of-00001.parquet`, `test.parquet`) or, where this is a
    number, that of its folder. Images are encoded bytes, alone or as `{bytes, path}`. Labels are whole numbers, in
    `label_column`, or `label`, or `fine_label`, or the only column with names of classes. The names are those of the
    file `classes`, or of the data set (`ClassLabel`).

    Raises WhatifError that names the file and the remedy when there is no such split, when several splits exist and
    none is chosen, when a column or the names are missing, and when a file cannot be read.
    """
    shards = _shards(path, split)
    read = _arrow_batches if shards[0].suffix == ".arrow" else _parquet_batches
    columns = _columns(shards[0], label_column)
    given = read_class_names(classes) if classes is not None else columns.names
    if given is None:
        raise WhatifError(
            f"{shards[0]}: has no names of classes for `{columns.label}`; give a file of them as `classes`"
        )
    if columns.names is not None and len(given) != len(columns.names):
        raise WhatifError(
            f"{classes}: has {len(given):,} lines, but `{columns.label}` of {shards[0]} has {len(columns.names):,} "
            "classes; write the name of each class in a line, in the order of the labels"
        )
    names, labels = choose_classes(str(path), given, leave_out, merge or {})
    return ClassifiedImages(names, _images(shards, columns, given, labels, read))


def _is_saved(path: Path) -> bool:
    return any((path / name).is_file() for name in ("dataset_dict.json", "state.json"))


def _shards(path: Path, split: str | None) -> list[Path]:
    if path.is_dir() and _is_saved(path):
        by_split = _saved_shards(path)
    else:
        files = [path] if path.is_file() else sorted(path.rglob("*.parquet"))
        by_split = {}
        for file in files:
            by_split.setdefault(_split_of(file), []).append(file)
    if not by_split:
        raise WhatifError(f"{path}: has no Parquet file; {_NEEDED}")
    told = ", ".join(sorted(by_split)) or "one without a name"
    if split is None:
        if len(by_split) > 1:
            raise WhatifError(f"{path}: has the splits {told}; set `split` to one of them")
        split = next(iter(by_split))
    if split not in by_split:
        raise WhatifError(f"{path}: has no split {split}; there are {told}")
    if path.is_dir() and not _is_saved(path):
        _check_whole(path, split, by_split[split])
    return by_split[split]


def _check_whole(path: Path, split: str, files: Sequence[Path]) -> None:
    """Refuses a download without all shards, and one that has the same images twice."""
    if len(folders := sorted({str(file.parent.relative_to(path)) for file in files})) > 1:
        raise WhatifError(f"{path}: has the split {split} in {' and '.join(folders[:4])}; give one of these folders")
    numbers: dict[int, set[int]] = {}
    for file in files:
        if match := _SHARD.fullmatch(file.stem):
            numbers.setdefault(int(match["of"]), set()).add(int(match["number"]))
    if len(numbers) > 1:
        told = " and ".join(f"{of:,}" for of in sorted(numbers))
        raise WhatifError(f"{path}: has shards of {split} of {told}, from two downloads; remove those of one")
    for of, found in numbers.items():
        if missing := sorted(set(range(of)) - found):
            raise WhatifError(
                f"{path}: has {len(found):,} of {of:,} shards of {split}; for example {split}-{missing[0]:05d}-of-"
                f"{of:05d}.parquet is missing; download the whole split"
            )


def _split_of(file: Path) -> str:
    if match := _SHARD.fullmatch(file.stem):
        return match["split"]
    return file.parent.name if file.stem.isdigit() else file.stem


def _saved_shards(path: Path) -> dict[str, list[Path]]:
    """The Arrow files of a `save_to_disk` folder, in the order of its `state.json`, by split; without splits, by ''."""
    found = {}
    if (path / "dataset_dict.json").is_file():
        folders = {str(name): path / str(name) for name in _json_of(path / "dataset_dict.json", "splits", list)}
    else:
        folders = {_json_of(path / "state.json", "_split", object) or "": path}
    for split, folder in folders.items():
        files = _json_of(folder / "state.json", "_data_files", list)
        names = [str(one.get("filename")) if isinstance(one, Mapping) else "" for one in files]
        if not names or any(Path(name).name != name for name in names):
            raise WhatifError(
                f"{folder / 'state.json'}: `_data_files` names no files of this folder; save the set again"
            )
        found[str(split)] = [folder / name for name in names]
    return found


def _json_of(path: Path, key: str, kind: type) -> Any:
    try:
        value = json.loads(path.read_bytes()).get(key)
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise WhatifError(f"{path}: cannot be read ({error}); save the data set again with save_to_disk") from error
    if not isinstance(value, kind):
        raise WhatifError(f"{path}: has no list `{key}`; save the data set again with save_to_disk")
    return value


def _columns(path: Path, label_column: str | None) -> _Columns:
    import pyarrow as pa

    schema = _schema(path)
    classes = _class_labels(schema.metadata)
    images = [field.name for field in schema if _holds_images(field.type)]
    numbers = [field.name for field in schema if pa.types.is_integer(field.type)]
    image = next((one for one in _IMAGE_COLUMNS if one in images), images[0] if len(images) == 1 else None)
    wanted = (label_column,) if label_column else LABEL_COLUMNS
    named = [one for one in classes if one in numbers]
    only = named[0] if len(named) == 1 and not label_column else None
    label = next((one for one in wanted if one in numbers), only)
    if image is None or label is None:
        missing = "column of images" if image is None else f"column of whole numbers {' or '.join(wanted)}"
        raise WhatifError(f"{path}: has no {missing}; {_NEEDED}; found: {', '.join(schema.names)}")
    return _Columns(image, label, classes.get(label))


def _holds_images(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_struct(kind):
        place = kind.get_field_index("bytes")
        return place >= 0 and _holds_images(kind.field(place).type)
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _class_labels(metadata: Mapping[bytes, bytes] | None) -> dict[str, list[str]]:
    """Column -> names of its classes, as the datasets library stores them in the schema."""
    try:
        features = json.loads((metadata or {}).get(b"huggingface", b"{}"))["info"]["features"]
        return {
            column: list(map(str, one["names"])) for column, one in features.items() if one.get("_type") == "ClassLabel"
        }
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}  # other files have no such metadata, or of another form


def _images(
    shards: Sequence[Path],
    columns: _Columns,
    names: Sequence[str],
    labels: Sequence[int | None],
    read: Callable[[Path, list[str]], Iterator[pa.RecordBatch]],
) -> Iterator[tuple[str, int, dict[str, Any] | tuple[str, str]]]:
    number = -1
    for shard in shards:
        for batch in read(shard, [columns.image, columns.label]):
            pair = (batch.column(columns.image).to_pylist(), batch.column(columns.label).to_pylist())
            for value, given in zip(*pair, strict=True):
                number += 1
                item_id = f"{number:08d}"
                if given is None or not 0 <= given < len(labels):
                    detail = f"{shard.name}: `{columns.label}` is {given}; there are {len(labels):,} classes, from 0"
                    yield item_id, 0, ("no class", detail)
                elif (label := labels[given]) is None:
                    yield item_id, 0, (LEFT_OUT, f"the class {names[given]} is left out")
                else:
                    yield item_id, label, _image(value, f"{shard.name}: row {item_id}")


def _image(value: Any, where: str) -> dict[str, Any] | tuple[str, str]:
    data = value.get("bytes") if isinstance(value, Mapping) else value
    if not data:
        return "picture missing", f"{where}: the data set has no bytes of this image"
    try:
        width, height = decode(data).size
    except UnreadableImageError as error:
        return "picture unreadable", f"{where}: {error.kind}"
    return image_row(data, width, height, f"file:{where.partition(': ')[0]}", "unknown")


def _schema(path: Path) -> pa.Schema:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        check_regular(path)
        if path.suffix != ".arrow":
            return pq.read_schema(path)
        with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as stream:
            return stream.schema
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from error


def _parquet_batches(path: Path, columns: list[str]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        check_regular(path)
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):  # together, they would stay in memory until the last one is read
                yield from file.iter_batches(_ROWS_AT_ONCE, row_groups=[group], columns=columns)
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from error


def _arrow_batches(path: Path, columns: list[str]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    try:
        check_regular(path)
        with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as stream:
            for batch in stream:
                for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
                    yield batch.select(columns).slice(start, _ROWS_AT_ONCE)
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> WhatifError:
    said = str(error).partition("\n")[0][:160]
    return WhatifError(f"{path}: cannot be read ({said}); give a complete data set: {_NEEDED}")
