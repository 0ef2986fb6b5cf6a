"""Makes the predictions of the authors' CLIP that ship with whatif, from the .npy files that the authors released.

In a checkout, `python -m docs.bundles clip FOLDER` reads `predictions_SET.npy` and
`groundtruth_SET.npy` of the six data sets and writes `clip_predictions/predictions.parquet` beside this module.
"""

from __future__ import annotations

from pathlib import Path

from whatif.formats.class_indices import read_predictions
from whatif.formats.prediction_folder import FILE, write_predictions

FOLDER = Path(__file__).parent / "clip_predictions"
# The data sets of Table 4 with their numbers of classes.
CLASSES = {"caltech101": 100, "caltech256": 257, "cifar10": 10, "cifar100": 100, "food101": 101, "imagenet": 1000}


def make(source: Path, target: Path = FOLDER / FILE) -> None:
    """Writes the predictions of all six data sets from the .npy files in `source`.

    Raises WhatifError when a file is missing, incomplete, or has an index without a class.
    """
    write_predictions(
        target,
        {
            name: read_predictions(
                source / f"predictions_{name}.npy", source / f"groundtruth_{name}.npy", classes, f"the data set {name}"
            )
            for name, classes in CLASSES.items()
        },
    )
