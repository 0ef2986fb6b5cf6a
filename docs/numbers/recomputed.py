"""Table 4 of COCO-Counterfactuals as reported, and as the default run recomputes its first row, for README.md."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from docs.numbers.markdown import ROOT, markdown
from whatif.results.reporting.table import from_csv

_TABLE = "metrics/coco-counterfactuals-training/table4.csv"
_PREDICTIONS = "src/whatif/benchmarks/coco_counterfactuals_training/clip_predictions/predictions.parquet"
_ROW = {"mixture": "pre-trained", "measure": "accuracy"}


def _table4() -> str:
    """A row for each data set: its images, the reported number, and ours from the released predictions."""
    frame = from_csv((ROOT / _TABLE).read_text(encoding="utf-8"))
    for column, value in _ROW.items():
        frame = frame[frame[column] == value]
    reported, ours = (frame[frame["source"] == source].set_index("data_set") for source in ("reported", "recomputed"))
    rows = [("Data set", "Images", "Reported", "Recomputed")]
    names = [str(name) for name in reported.index if name != "mean"]
    rows += [(name, *_cells(reported, ours, name)) for name in names]
    return markdown(rows, text_columns=1)


def _cells(reported: pd.DataFrame, ours: pd.DataFrame, name: str) -> tuple[str, str, str]:
    shown = f"{reported['value'].to_dict()[name]:.2f}"
    if name not in ours.index:
        return "", shown, ""
    images, value, low, high = (ours[column].to_dict()[name] for column in ("n", "value", "low", "high"))
    return f"{images:,.0f}", shown, f"{value:.2f} ({low:.2f} to {high:.2f})"


def _predictions() -> str:
    """How many predictions ship with the package."""
    import pyarrow.parquet as pq

    return f"{pq.read_metadata(ROOT / _PREDICTIONS).num_rows:,}"


NUMBERS: dict[str, Callable[[], str]] = {"table4": _table4, "predictions": _predictions}
