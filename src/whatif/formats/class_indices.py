"""Reads class indices from `.npy` files: whole numbers in one dimension, never pickled objects."""

from __future__ import annotations

from pathlib import Path
from tokenize import TokenError

import numpy as np
from numpy.typing import NDArray

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import check_regular

_RIGHT = "save it with numpy.save as an int64 array of one dimension, an index for each image"


def read_class_indices(path: Path, classes: int, names: str) -> NDArray[np.int64]:
    """The indices in a file, int64 of shape (images,), each from 0 to `classes` - 1.

    `names` says in messages where the number of classes is from. Raises WhatifError that says what is wrong, where, and
    what would be right: a file that cannot be read, is empty, pickled or no .npy file; another type or number of
    dimensions; no images; an index that is negative or too large.
    """
    try:
        check_regular(path)
        if path.stat().st_size == 0:
            raise WhatifError(f"{path}: is empty; {_RIGHT}")
        with path.open("rb") as file:
            indices = np.lib.format.read_array(file, allow_pickle=False)
    except OSError as error:
        raise WhatifError(f"{path}: cannot be read ({error.strerror or error}); give a .npy file") from error
    except ValueError as error:
        if "Object arrays" in str(error):
            raise WhatifError(f"{path}: contains pickled objects, which are never loaded; {_RIGHT}") from error
        raise WhatifError(f"{path}: is not a complete .npy file ({_first_line(error)}); {_RIGHT}") from error
    except (EOFError, SyntaxError, TokenError, MemoryError, OverflowError, TypeError) as error:  # a damaged header
        raise WhatifError(f"{path}: is not a complete .npy file ({_first_line(error)}); {_RIGHT}") from error
    if indices.dtype != np.int64:
        raise WhatifError(f"{path}: has the type {indices.dtype}; {_RIGHT}")
    if indices.ndim != 1:
        raise WhatifError(f"{path}: has the shape {indices.shape}; {_RIGHT}")
    if not len(indices):
        raise WhatifError(f"{path}: has no indices; {_RIGHT}")
    wrong = np.flatnonzero((indices < 0) | (indices >= classes))
    if len(wrong):
        raise WhatifError(
            f"{path}: number {wrong[0]:,} (from 0) is {indices[wrong[0]]}; {names} has {classes:,} classes, so indices "
            f"are 0 to {classes - 1:,}; give the names of all classes, repeated names included, or correct the indices"
        )
    return indices.astype(np.int64, copy=False)


def read_predictions(
    predictions: Path, truth: Path, classes: int, names: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The true and the predicted class indices, in this order, each of shape (images,).

    Raises WhatifError as `read_class_indices`, and when the files have different lengths.
    """
    labels, predicted = (read_class_indices(path, classes, names) for path in (truth, predictions))
    if len(labels) != len(predicted):
        raise WhatifError(
            f"{predictions}: has {len(predicted):,} indices, but {truth} has {len(labels):,}; give one prediction for "
            "each image, in the same order"
        )
    return labels, predicted


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0][:120] or type(error).__name__
