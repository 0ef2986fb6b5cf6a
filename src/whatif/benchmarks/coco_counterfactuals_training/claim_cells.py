"""The rows of the reported tables about training, as claims look them up."""

from __future__ import annotations

from whatif.results.contradictions.published_cells import Cells
from whatif.results.contradictions.significance import Seeds
from whatif.results.reporting.published_numbers import published

RECALLS = ("recall@1", "recall@5", "recall@10")
DIRECTIONS = ("text-retrieval", "image-retrieval")
COLUMNS = tuple((direction, recall) for direction in DIRECTIONS for recall in RECALLS)
MEAN = ("both", "mean")
# Training sets by source and number of samples.
PRE_TRAINED, PHOTOGRAPHS = ("none", "0"), ("MS-COCO", "13928")
_MIXED = "MS-COCO + COCO-CFs"
MIXTURES = {"base": (_MIXED, "13928"), "medium": (_MIXED, "34820"), "all": (_MIXED, "41784")}
CORRECT = (_MIXED, "34313")
SEEDS = 25


def retrieval_cells(number: str) -> Cells:
    """Tables 3, 11 and 12 by training set, its size, direction and metric."""
    return Cells(published(__package__, f"table{number}"), "train_set", "n_train", "direction", "metric")


def recognition_cells() -> Cells:
    """Table 4 by training set, its size and data set."""
    return Cells(published(__package__, "table4"), "train_set", "n_train", "dataset")


def withheld_cells() -> Cells:
    """Table 5 by system, training set, direction and metric."""
    return Cells(published(__package__, "table5"), "system", "train_set", "direction", "metric")


def over_seeds(cells: Cells, *key: str) -> Seeds:
    """The mean over seeds of a cell with its deviation."""
    return Seeds(cells[key], cells.deviation(*key))
