"""Reads the questions of a data set folder that was written for the Hugging Face hub, with their images by id."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from whatif.engine.errors import WhatifError


class PublishedQuestions:
    """The questions of a data set folder.

    rows: the questions in the order of the files, without images but with `image_ids`. withheld: how many further
    questions have an image that was not published; they are not among the rows.

    Memory holds the rows, and the images of one row group. Raises WhatifError when the folder has no questions.
    """

    def __init__(self, folder: Path) -> None:
        paths = sorted((folder / "questions").glob("test-*.parquet"))
        if not paths:
            raise WhatifError(f"{folder / 'questions'}: has no test-*.parquet; publish a benchmark with questions")
        self.files = [path.relative_to(folder).as_posix() for path in paths]
        self._opened = [pq.ParquetFile(path) for path in paths]
        names = self._opened[0].schema_arrow.names
        self.is_single = "image" in names  # otherwise the column is `images`, a list
        self._column = "image" if self.is_single else "images"
        texts = [name for name in names if name != self._column]
        paths_alone = "image.path" if self.is_single else "images.list.element.path"  # which images there are
        self._places: dict[str, tuple[int, int, int, int]] = {}
        self._group: tuple[tuple[int, int], list[Any]] | None = None
        self.rows: list[dict[str, Any]] = []
        self.withheld = 0
        for file, opened in enumerate(self._opened):
            for group in range(opened.num_row_groups):
                pieces = opened.read_row_group(group, columns=[*texts, paths_alone]).to_pylist()
                for number, row in enumerate(pieces):
                    images = row.pop(self._column)
                    self._add(row, [images] if self.is_single else images, (file, group, number))

    def encoded(self, image_id: str) -> bytes:
        """The encoded bytes of an image of one of the rows."""
        file, group, number, place = self._places[image_id]
        if self._group is None or self._group[0] != (file, group):
            read = self._opened[file].read_row_group(group, columns=[self._column])
            self._group = (file, group), read.column(self._column).to_pylist()
        images = self._group[1][number]
        data: bytes = (images if self.is_single else images[place])["bytes"]
        return data

    def _add(self, row: dict[str, Any], images: list[Any] | None, position: tuple[int, int, int]) -> None:
        if images is None or any(image is None for image in images):
            self.withheld += 1
            return
        ids = [row["image_id"]] if self.is_single else row["image_ids"]
        for place, image_id in enumerate(ids):
            self._places.setdefault(image_id, (*position, place))
        self.rows.append({**row, "image_ids": ids})
