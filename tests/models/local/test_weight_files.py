"""Error messages for incomplete safetensors files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from whatif.engine.errors import WhatifError
from whatif.models.local.weight_files import check_weights


def written(path: Path, header: bytes, weights: bytes) -> bytes:
    data = len(header).to_bytes(8, "little") + header + weights
    path.write_bytes(data)
    return data


HEADER = json.dumps(
    {"__metadata__": {"format": "pt"}, "a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}
).encode()


def test_a_whole_file_is_whole_and_every_shorter_one_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    data = written(path, HEADER, bytes(12))
    check_weights(path)
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(WhatifError, match=r"^checkpoint .*/model.safetensors: is truncated: .*again$"):
            check_weights(path)


@pytest.mark.parametrize(
    ("header", "weights", "message"),
    [
        (HEADER, bytes(13), "is damaged: it has .* bytes, not "),
        (b"[1, 2]", b"", "is not a safetensors file"),
        (b'{"a": 1}', b"", "is not a safetensors file"),
        (b'{"a": {"data_offsets": [0]}}', b"", "is not a safetensors file"),
        (b"\xff\xfe", b"", "is not a safetensors file"),
    ],
)
def test_other_files_are_named(tmp_path: Path, header: bytes, weights: bytes, message: str) -> None:
    path = tmp_path / "model.safetensors"
    written(path, header, weights)
    with pytest.raises(WhatifError, match=message):
        check_weights(path)


def test_a_page_of_the_web_is_no_weight_file(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_text("<!DOCTYPE html><html>not found</html>")
    with pytest.raises(WhatifError, match="is not a safetensors file"):
        check_weights(path)
    with pytest.raises(WhatifError, match="cannot be read"):
        check_weights(tmp_path / "nothing")
