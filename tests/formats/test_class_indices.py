"""Class indices in .npy files: what is read, and how each other file is refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from whatif.engine.errors import WhatifError
from whatif.formats.class_indices import read_class_indices, read_predictions

RIGHT = "save it with numpy.save as an int64 array of one dimension"


class Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def saved(path: Path, array: Any) -> Path:
    np.save(path, array)
    return path


def test_indices_are_read_unchanged(tmp_path: Path) -> None:
    found = read_class_indices(saved(tmp_path / "a.npy", np.array([2, 0, 1])), 3, "names.txt")
    assert found.dtype == np.int64
    assert found.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("array", "finding"),
    [
        (np.array([0.0, 1.0]), rf"a.npy: has the type float64; {RIGHT}"),
        (np.array([0, 1], np.int32), rf"a.npy: has the type int32; {RIGHT}"),
        (np.array(["cat"]), r"a.npy: has the type <U3"),
        (np.array([[0, 1]]), rf"a.npy: has the shape \(1, 2\); {RIGHT}"),
        (np.array(1), r"a.npy: has the shape \(\)"),
        (np.array([], np.int64), r"a.npy: has no indices"),
        (np.array([0, 2, 3]), r"a.npy: number 2 \(from 0\) is 3; names.txt has 3 classes, so indices are 0 to 2; give"),
        (np.array([0, -1]), r"a.npy: number 1 \(from 0\) is -1; names.txt has 3 classes"),
    ],
)
def test_other_arrays_are_refused(tmp_path: Path, array: Any, finding: str) -> None:
    with pytest.raises(WhatifError, match=finding):
        read_class_indices(saved(tmp_path / "a.npy", array), 3, "names.txt")


def test_pickles_are_never_loaded(tmp_path: Path) -> None:
    inside = tmp_path / "a.npy"
    np.save(inside, np.array([Trap(tmp_path / "ran")], dtype=object), allow_pickle=True)
    plain = tmp_path / "b.npy"
    plain.write_bytes(pickle.dumps(Trap(tmp_path / "ran")))
    with pytest.raises(WhatifError, match=r"a.npy: contains pickled objects, which are never loaded; save it"):
        read_class_indices(inside, 3, "names.txt")
    with pytest.raises(WhatifError, match=r"b.npy: is not a complete .npy file"):
        read_class_indices(plain, 3, "names.txt")
    assert not (tmp_path / "ran").exists()


def test_a_header_longer_than_any_is_not_called_pickled(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    header = b"{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }".ljust(20_000) + b"\n"
    path.write_bytes(b"\x93NUMPY\x02\x00" + len(header).to_bytes(4, "little") + header + bytes(16))
    with pytest.raises(WhatifError, match=r"a.npy: is not a complete .npy file \(Header info length"):
        read_class_indices(path, 3, "names.txt")


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.npy", np.arange(3))
    data = path.read_bytes()
    for content, finding in (
        (b"", r"a.npy: is empty; save it"),
        (b"0,1,2\n", r"a.npy: is not a complete .npy file"),
        (data[:-4], r"a.npy: is not a complete .npy file"),
        (data[:20], r"a.npy: is not a complete .npy file"),
        (data.replace(b"(3,)", b"(9\x00)"), r"a.npy: is not a complete .npy file"),
    ):
        path.write_bytes(content)
        with pytest.raises(WhatifError, match=finding):
            read_class_indices(path, 3, "names.txt")
    np.savez(tmp_path / "b.npz", np.arange(3))
    with pytest.raises(WhatifError, match=r"b.npz: is not a complete .npy file"):
        read_class_indices(tmp_path / "b.npz", 3, "names.txt")
    with pytest.raises(WhatifError, match=r"none.npy: cannot be read \(No such file or directory\); give a .npy file"):
        read_class_indices(tmp_path / "none.npy", 3, "names.txt")
    with pytest.raises(WhatifError, match=r"cannot be read \(Is a directory\)"):
        read_class_indices(tmp_path, 3, "names.txt")


def test_predictions_are_as_many_as_the_truth(tmp_path: Path) -> None:
    predictions, truth = saved(tmp_path / "p.npy", np.array([0, 1])), saved(tmp_path / "t.npy", np.array([0, 2]))
    labels, predicted = read_predictions(predictions, truth, 3, "names.txt")
    assert (labels.tolist(), predicted.tolist()) == ([0, 2], [0, 1])
    saved(truth, np.array([0, 2, 1]))
    with pytest.raises(
        WhatifError, match=r"p.npy: has 2 indices, but .*t.npy has 3; give one prediction for each image"
    ):
        read_predictions(predictions, truth, 3, "names.txt")
