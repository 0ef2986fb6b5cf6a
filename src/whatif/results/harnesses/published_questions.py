"""Reads the questions of a data set folder that was written for the Hugging Face hub, with their images by id."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from whatif.engine.errors import WhatifError


class PublishedQuestions(Collection[dict[str, Any]]):
    """The questions of a data set folder: a collection of rows, which are read again for each iteration.

    They come in the order of the files, without images but with `image_ids`. withheld: how many further questions have
    an image that was not published; they are not among the rows.

    Memory holds one row group, and the places of images once one is asked for. Raises WhatifError when the folder has
    no questions.
    """

    def __init__(self, folder: Path) -> None:
        paths = sorted((folder / "questions").glob("test-*.parquet"))
        if not paths:
            raise WhatifError(f"{folder / 'questions'}: has no test-*.parquet; publish a benchmark with questions")
        self.files = [path.relative_to(folder).as_posix() for path in paths]
        self._opened = [pq.ParquetFile(path) for path in paths]
        self._texts = list(self._opened[0].schema_arrow.names)
        self.is_single = "image" in self._texts  # otherwise the column is `images`, a list
        self._column = "image" if self.is_single else "images"
        self._texts.remove(self._column)
        self._group: tuple[tuple[int, int], list[Any]] | None = None
        self._number = sum(1 for _ in self._stored([]))
        self.withheld = sum(file.metadata.num_rows for file in self._opened) - self._number

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for _, row in self._stored(self._texts):
            yield row if "image_ids" in row else {**row, "image_ids": [row["image_id"]]}

    def __contains__(self, row: object) -> bool:
        return any(row == one for one in self)

    def encoded(self, image_id: str) -> bytes:
        """The encoded bytes of an image of one of the rows."""
        file, group, number, place = self._places[image_id]
        if self._group is None or self._group[0] != (file, group):
            read = self._opened[file].read_row_group(group, columns=[self._column])
            self._group = (file, group), read.column(self._column).to_pylist()
        images = self._group[1][number]
        data: bytes = (images if self.is_single else images[place])["bytes"]
        return data

    @cached_property
    def _places(self) -> dict[str, tuple[int, int, int, int]]:
        """File, row group, row and place in the row of the first of each image."""
        found: dict[str, tuple[int, int, int, int]] = {}
        name = "image_id" if self.is_single else "image_ids"
        for position, row in self._stored([name]):
            for place, image_id in enumerate([row[name]] if self.is_single else row[name]):
                found.setdefault(image_id, (*position, place))
        return found

    def _stored(self, columns: list[str]) -> Iterator[tuple[tuple[int, int, int], dict[str, Any]]]:
        """File, row group and row of each question whose images are published, with its values of some columns."""
        images = "image.path" if self.is_single else "images.list.element.path"  # which there are
        for file, opened in enumerate(self._opened):
            for group in range(opened.num_row_groups):
                rows = opened.read_row_group(group, columns=[*columns, images]).to_pylist()
                for number, row in enumerate(rows):
                    shown = row.pop(self._column)
                    if shown is not None and (self.is_single or None not in shown):
                        yield (file, group, number), row
