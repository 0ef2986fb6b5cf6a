"""Class predictions of one model on several data sets: a folder with a Parquet file, and texts that say whose they are.

The columns of `predictions.parquet` are `data_set`, `label` (the true class, an index from 0) and `predicted`. Its rows
are in the order of the data sets' names, and within one in the order of its images. Beside it, README.md and LICENSE
say who made the predictions and how they may be used.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.files.inputs import check_regular

FILE = "predictions.parquet"
SCHEMA = pa.schema([("data_set", pa.string()), ("label", pa.int16()), ("predicted", pa.int16())])
_RIGHT = "give a folder that `whatif.formats.prediction_folder.write_predictions` wrote"
_MOST = 32_767  # classes of int16

Labels = NDArray[np.int64]


def read_prediction_folder(folder: Path) -> dict[str, tuple[Labels, Labels]]:
    """Data set -> true and predicted class indices, each int64 of shape (images,); the data sets are in order.

    Raises WhatifError when the file is missing, is no Parquet file, has other columns or missing values, is not in the
    order of its data sets, or has a negative index.
    """
    path = folder / FILE
    try:
        check_regular(path)
        table = pq.read_table(path, columns=SCHEMA.names)
    except OSError as error:
        raise WhatifError(f"{path}: cannot be read ({error.strerror or error}); {_RIGHT}") from error
    except pa.ArrowException as error:
        raise WhatifError(f"{path}: is not a complete Parquet file ({str(error)[:120]}); {_RIGHT}") from error
    if table.schema.remove_metadata() != SCHEMA or any(column.null_count for column in table.columns):
        told = ", ".join(f"{field.name} ({field.type})" for field in SCHEMA)
        raise WhatifError(f"{path}: must have the columns {told}, without missing values; {_RIGHT}")
    names = table["data_set"].combine_chunks().dictionary_encode()
    codes = names.indices.to_numpy()
    known = names.dictionary.to_pylist()
    if known != sorted(known) or (np.diff(codes) < 0).any():
        raise WhatifError(f"{path}: rows are not in the order of their data sets; {_RIGHT}")
    labels, predicted = (table[name].to_numpy().astype(np.int64) for name in ("label", "predicted"))
    if table.num_rows and min(labels.min(), predicted.min()) < 0:
        raise WhatifError(f"{path}: has a negative class index; indices begin at 0")
    return {name: (labels[codes == code], predicted[codes == code]) for code, name in enumerate(known)}


def write_predictions(path: Path, found: Mapping[str, tuple[Labels, Labels]]) -> None:
    """Writes true and predicted class indices by data set; the same arrays give the same bytes with one pyarrow.

    Raises WhatifError when a data set has not one prediction for each image, or an index that does not fit.
    """
    for name, (labels, predicted) in found.items():
        if labels.shape != predicted.shape or labels.ndim != 1:
            raise WhatifError(
                f"{name}: labels {labels.shape} and predictions {predicted.shape}; give one for each image"
            )
        if len(labels) and not 0 <= min(labels.min(), predicted.min()) <= max(labels.max(), predicted.max()) <= _MOST:
            raise WhatifError(f"{name}: class indices must be from 0 to {_MOST:,}")
    columns = [
        pa.chunked_array([pa.repeat(name, len(found[name][0])) for name in sorted(found)], pa.string()),
        *(
            pa.chunked_array([found[name][side].astype(np.int16) for name in sorted(found)], pa.int16())
            for side in (0, 1)
        ),
    ]
    sink = pa.BufferOutputStream()
    pq.write_table(
        pa.table(columns, schema=SCHEMA), sink, compression="brotli", compression_level=11, row_group_size=2**20
    )
    write_whole(path, sink.getvalue().to_pybytes())
