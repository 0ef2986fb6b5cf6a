"""Reads a data set folder of the Hugging Face Hub, or one that `save_to_disk` of the datasets library has written.

Only files are read: no script of a data set is run, and nothing is downloaded.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import disk_errors, open_temporary, write_whole
from whatif.engine.files.inputs import read_bytes
from whatif.engine.files.well_formed import well_formed, well_formed_json
from whatif.formats.arrow_rows import RowDecoder, kept_batches, read_parquet_rows, reading, write_parquet_rows
from whatif.formats.benchmark_files import BenchmarkTable, Row, read_benchmark_file

_PREFERRED = ("test", "validation", "dev", "val", "train")  # of several splits
_CARD = "README.md"
_FRONT = re.compile(r"\A---\s*\n(.*?)\n---\s*(?:\n|\Z)", re.DOTALL)
_DATA = (".parquet", ".jsonl", ".csv", ".tsv", ".json")
_SAVED, _DICT, _STATE = "dataset_info.json", "dataset_dict.json", "state.json"
_LARGEST_CARD = 16 * 1024**2  # bytes


def read_benchmark_folder(folder: Path, *, config: str | None = None, split: str | None = None) -> BenchmarkTable:
    """The rows of one split of one configuration; by default the split `test`, if there are several.

    Raises WhatifError when the folder has no data that is read here, when it has several configurations and `config`
    does not name one, and when it has no such split.
    """
    if (folder / _DICT).is_file() or (folder / _STATE).is_file():
        return _saved(folder, split)
    files = _declared(folder, config) or _found(folder)
    if not files:
        raise WhatifError(
            f"{folder}: has no data files ({', '.join(_DATA)}), no {_CARD} with `configs` and no {_STATE}; "
            "give the folder of a data set, or a file in it"
        )
    name = _split(folder, files, split)
    return _table(folder, files[name], name)


def _split(folder: Path, names: Mapping[str, Any], split: str | None) -> str:
    if split is not None:
        if split not in names:
            raise WhatifError(f"{folder}: has no split {split}; it has {', '.join(names)}")
        return split
    return next((name for name in _PREFERRED if name in names), next(iter(names)))


def _declared(folder: Path, config: str | None) -> dict[str, list[Path]]:
    """The data files by split that the card declares, empty if it declares none."""
    import yaml

    card = folder / _CARD
    front = _FRONT.match(read_bytes(card, _LARGEST_CARD).decode("utf-8", "replace")) if card.is_file() else None
    try:
        head = yaml.safe_load(front[1]) if front else None
    except yaml.YAMLError as error:
        raise WhatifError(f"{card}: its header is not YAML; correct it, or give a data file itself") from error
    configs = head.get("configs") if isinstance(head, dict) else None
    if not isinstance(configs, list):
        if config is not None:
            raise WhatifError(f"{card}: declares no configurations, so there is no {config}; leave --config out")
        return {}
    named = {well_formed(str(one.get("config_name", "default"))): one for one in configs if isinstance(one, dict)}
    marked = [name for name, one in named.items() if one.get("default") is True or name == "default"]
    if config is None and len(named) > 1 and not marked:
        raise WhatifError(f"{card}: has the configurations {', '.join(named)}; name one with --config")
    chosen = config or next(iter([*marked, *named]), "")
    if chosen not in named:
        raise WhatifError(f"{card}: has no configuration {chosen}; it has {', '.join(named) or 'none'}")
    return dict(_files(folder, named[chosen].get("data_files")))


def _files(folder: Path, declared: Any) -> Iterator[tuple[str, list[Path]]]:
    if isinstance(declared, str):
        declared = [{"split": "train", "path": declared}]
    for one in declared if isinstance(declared, list) else []:
        if not isinstance(one, dict) or "path" not in one:
            continue
        patterns = one["path"] if isinstance(one["path"], list) else [one["path"]]
        found = sorted({path for pattern in patterns for path in _matching(folder, str(pattern))})
        if not found:
            named = patterns[0] if patterns else "no data file"
            raise WhatifError(f"{folder}: its {_CARD} names {named}, but there is no such file in the folder")
        yield well_formed(str(one.get("split", "train"))), found


def _matching(folder: Path, pattern: str) -> list[Path]:
    """Files below the folder, never outside it."""
    if pattern.startswith("/") or ".." in Path(pattern).parts:
        raise WhatifError(f"{folder / _CARD}: `{pattern}` leaves the folder; data files must lie in it")
    try:
        return [path for path in folder.glob(pattern) if path.is_file()]
    except ValueError as error:
        raise WhatifError(
            f"{folder / _CARD}: `{pattern}` is no pattern of file names ({error}); correct `data_files`"
        ) from error


def _found(folder: Path) -> dict[str, list[Path]]:
    """Data files of one format by split, which their names begin with (`test-00000-of-00002.parquet`)."""
    for suffix in _DATA:
        paths = sorted(
            path
            for below in (folder, folder / "data")
            for path in below.glob(f"*{suffix}")
            if not path.name.startswith(("dataset_info", "dataset_dict", "croissant"))
        )
        splits: dict[str, list[Path]] = {}
        for path in paths:
            splits.setdefault(re.split(r"[-_.]", path.name)[0], []).append(path)
        if splits:
            return splits
    return {}


def _table(folder: Path, paths: Sequence[Path], split: str) -> BenchmarkTable:
    source = f"Hugging Face folder, split {split}"
    if all(path.suffix == ".parquet" for path in paths):
        columns, rows = read_parquet_rows(paths)

        def write(kept: Sequence[int], out: Path) -> None:
            write_parquet_rows(paths, kept, out / paths[0].relative_to(folder))
            _copy_card(folder, out, kept, split)

        return BenchmarkTable(folder, source, tuple(columns), rows, _places(rows), write)
    tables = [read_benchmark_file(path) for path in paths]
    if len(tables) > 1:
        raise WhatifError(
            f"{folder}: its split {split} is {len(paths)} files of text; join them, or give one of them: {paths[0]}"
        )

    def write_file(kept: Sequence[int], out: Path) -> None:
        tables[0].write(kept, out / paths[0].relative_to(folder))
        _copy_card(folder, out, kept, split)

    return replace(tables[0], path=folder, source=source, write=write_file)


def _copy_card(folder: Path, out: Path, kept: Sequence[int], split: str) -> None:
    """The card goes with the data, with a line that says what was done to them."""
    card = folder / _CARD
    if card.is_file():
        text = read_bytes(card, _LARGEST_CARD).decode("utf-8", "replace").rstrip("\n")
        note = f"This copy holds {len(kept):,} rows of the split {split}: `whatif audit` dropped the others."
        write_whole(out / _CARD, f"{text}\n\n{note}\n".encode())


def _saved(folder: Path, split: str | None) -> BenchmarkTable:
    """What `save_to_disk` has written: Arrow files that `state.json` names, in a folder for each split."""
    home = folder
    name = ""
    if (folder / _DICT).is_file():
        names = _json(folder / _DICT).get("splits")
        if not isinstance(names, list) or not names:
            raise WhatifError(f"{folder / _DICT}: names no splits; save the data set again")
        name = _split(folder, dict.fromkeys(map(str, names)), split)
        home = folder / Path(name).name
    state = _json(home / _STATE)
    declared = [str(one.get("filename", "")) for one in state.get("_data_files") or [] if isinstance(one, dict)]
    if not declared or any(Path(one).name != one or not one for one in declared):
        raise WhatifError(f"{home / _STATE}: names no data files in its folder; save the data set again")
    paths = [home / one for one in declared]
    decoder = RowDecoder()
    rows: list[Row] = []
    columns: dict[str, None] = {}
    for path in paths:
        with reading(path):
            for batch in _arrow_batches([path]):
                columns |= dict.fromkeys(batch.schema.names)
                rows += decoder.rows(path, batch)
    if not rows:
        raise WhatifError(f"{home}: has no rows; it needs one for each question")

    def write(kept: Sequence[int], out: Path) -> None:
        target = out / home.relative_to(folder)
        _write_arrow(paths, kept, target / "data-00000-of-00001.arrow")
        kept_state = {**state, "_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_fingerprint": "audited"}
        write_whole(target / _STATE, json.dumps(kept_state, indent=2, sort_keys=True).encode())
        for other, place in ((home / _SAVED, target / _SAVED), (folder / _CARD, out / _CARD)):
            if other.is_file():
                shutil.copyfile(other, place)
        if home != folder:
            write_whole(out / _DICT, json.dumps({"splits": [name]}).encode())

    source = "data set of save_to_disk" + (f", split {name}" if name else "")
    return BenchmarkTable(folder, source, tuple(columns), rows, _places(rows), write)


def _arrow_batches(paths: Sequence[Path]) -> Iterator[Any]:
    import pyarrow as pa

    for path in paths:
        with pa.memory_map(str(path)) as file, pa.ipc.open_stream(file) as stream:
            yield from stream


def _write_arrow(paths: Sequence[Path], kept: Sequence[int], out: Path) -> None:
    import pyarrow as pa

    with pa.memory_map(str(paths[0])) as first, pa.ipc.open_stream(first) as stream:
        schema = stream.schema
    with disk_errors(out):
        file, temporary = open_temporary(out)
        with file:
            try:
                with pa.ipc.new_stream(file, schema) as writer:
                    for batch in kept_batches(_arrow_batches(paths), kept):
                        writer.write_batch(batch)
                file.flush()
                temporary.replace(out)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise


def _places(rows: Sequence[Row]) -> list[str]:
    return [f"row {number}" for number in range(1, len(rows) + 1)]


def _json(path: Path) -> dict[str, Any]:
    try:
        found = well_formed_json(read_bytes(path, _LARGEST_CARD).decode("utf-8-sig"))
    except FileNotFoundError:
        raise WhatifError(f"{path}: no such file; save the data set again") from None
    except (OSError, ValueError, RecursionError) as error:
        raise WhatifError(f"{path}: is not JSON; save the data set again") from error
    if not isinstance(found, dict):
        raise WhatifError(f"{path}: is not an object; save the data set again")
    return found
