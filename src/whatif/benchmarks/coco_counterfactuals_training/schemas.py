"""The tables of training with counterfactuals: samples, evaluation sets, trainings and their results."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

import pyarrow as pa

from whatif.engine.artifacts.schemas import NULLABLE, Table, schema_of

# The training sets (B.3.1, A.1, A.4): captions of photographs alone; with 25, 75 and 100% of the counterfactual
# samples; with those that people matched correctly; and two of the same size for the withheld test (Table 5).
Mixture: TypeAlias = Literal[
    "ms-coco", "base", "medium", "all", "correct", "withheld-ms-coco", "withheld-counterfactuals"
]
MIXTURES: tuple[Mixture, ...] = get_args(Mixture)
# How a mixture is divided into training and validation samples: at random, as published; or so that the samples of a
# photograph, and those of a pair, stay together.
Division: TypeAlias = Literal["published", "leak-free"]
PRE_TRAINED: Final = "pre-trained"  # in place of mixture and seed: the checkpoint as it was
ORIGINAL, COUNTERFACTUAL = "original", "counterfactual"
TRAIN, VALIDATION, TEST = "train", "validation", "test"
WITHHELD = "withheld"  # the retrieval set of withheld counterfactual samples (A.1)

ORIGINALS = Table(
    name="original_samples",
    version=1,
    key=("caption_id",),
    schema=schema_of(
        ("caption_id", pa.string()),  # of a pair's original caption: the id of the pair
        ("caption", pa.string()),
        ("image_id", pa.string()),  # the photograph that it was written for
    ),
)

SAMPLES = Table(
    name="training_samples",
    version=1,
    key=("mixture", "division", "sample_id"),
    schema=schema_of(
        ("mixture", pa.string()),
        ("division", pa.string()),  # `published` or `leak-free`
        ("sample_id", pa.string()),  # of an original its caption_id; of a counterfactual sample "<pair_id>-<side>"
        ("part", pa.string()),  # `train`, `validation`, or `test` (withheld)
        ("source", pa.string()),  # `original`: a photograph; `counterfactual`: an image of a pair
        ("caption", pa.string()),
        ("image_id", pa.string()),
        # What samples about the same photograph share: its image_id, or else the id of its first pair.
        ("photograph", pa.string()),
    ),
)

RETRIEVAL_SETS = Table(
    name="retrieval_sets",
    version=1,
    key=("data_set", "item_id"),
    schema=schema_of(
        ("data_set", pa.string()),  # key in params.yaml
        ("item_id", pa.string()),  # "<image name>-<number of the caption>"
        ("caption", pa.string()),
        ("image_id", pa.string()),
    ),
)

CLASSES = Table(
    name="classes",
    version=1,
    key=("data_set", "label"),
    schema=schema_of(
        ("data_set", pa.string()),
        ("label", pa.int32()),  # index of the class, from 0
        ("name", pa.string()),  # as in the data set: `apple_pie`, `tench, Tinca tinca`
        ("prompt", pa.string()),  # `a photo of a tench`
    ),
)

LABELLED = Table(
    name="labelled_images",
    version=1,
    key=("data_set", "item_id"),
    schema=schema_of(
        ("data_set", pa.string()),
        ("item_id", pa.string()),  # path of the file in its folder, or the number of the row
        ("image_id", pa.string()),
        ("label", pa.int32()),
    ),
)

CLASSIFIED = Table(
    name="classified_images",
    version=1,
    key=("model", "mixture", "division", "seed", "data_set", "item_id"),
    schema=schema_of(
        ("model", pa.string()),  # key in params.yaml; of imported predictions the name in the settings
        ("mixture", pa.string()),  # or `pre-trained`
        ("division", pa.string()),
        ("seed", pa.string()),  # `seed-107`, or `pre-trained`
        ("data_set", pa.string()),
        ("item_id", pa.string()),
        ("label", pa.int32()),
        ("predicted", pa.int32(), NULLABLE),  # label of the nearest prompt; null after an error, which counts as wrong
    ),
)

RETRIEVED = Table(
    name="retrieved",
    version=1,
    key=("model", "mixture", "division", "seed", "data_set", "direction", "query_id"),
    schema=schema_of(
        ("model", pa.string()),
        ("mixture", pa.string()),
        ("division", pa.string()),
        ("seed", pa.string()),
        ("data_set", pa.string()),  # a key of the retrieval sets, or `withheld`
        ("direction", pa.string()),  # `text-retrieval` or `image-retrieval`
        ("query_id", pa.string()),
        ("rank", pa.int32(), NULLABLE),  # of the first correct result, from 1; null after an error
        ("candidates", pa.int32()),
    ),
)

LOSSES = Table(
    name="contrastive_losses",
    version=1,
    key=("model", "mixture", "division", "seed", "step"),
    schema=schema_of(
        ("model", pa.string()),
        ("mixture", pa.string()),
        ("division", pa.string()),
        ("seed", pa.string()),
        ("step", pa.int32()),  # optimiser steps, from 0: before the training
        ("epoch", pa.float64()),
        ("learning_rate", pa.float64()),
        ("loss", pa.float64(), NULLABLE),  # mean since the last row, in nats; null at step 0
        ("validation_loss", pa.float64(), NULLABLE),  # also at step 0, before the training
        ("best", pa.bool_()),  # whether these weights were kept
    ),
)
