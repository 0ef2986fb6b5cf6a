"""How the answers in each model's responses were read: strictly, by two readers that agree, by a judge, or not at all.

The shares differ by model, and with them the errors of reading, so that they can move a ranking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from whatif.results.reporting.table import Column, Table, View, tidy

# The columns that are read from `predictions`.
COLUMNS = ("model", "response", "status", "read_by")
WAYS = ("strict", "agreement", "other language", "judge", "ambiguous", "none")
_SELDOM = ("other language", "judge")  # have a column only where there are such answers

_CAPTION = "How the answers in the responses were read, in percent of the responses."
_NOTE = (
    "Strict: the response can be read in one way only, as a letter alone or `The answer is B.` Agreement: two readers, "
    "written independently, read the same answer. Ambiguous and none: no answer counts. Questions whose options were "
    "ranked have no response that is read."
)
_JUDGE = " Judge: a second model found the answer where the readers did not."
# Real responses by the kind of their question: how many were read right, missed (an answer was not found) and wrong
# (another answer was read). `python -m docs.numbers.reading_errors` measures them; no judge takes part.
OUTCOMES: tuple[Literal["right", "missed", "wrong"], ...] = ("right", "missed", "wrong")
MEASURED = {
    "yes or no": (388, 13, 1),
    "choices": (846, 16, 3),
    "numbers": (344, 18, 0),
}
_ERRORS = "The error of reading real responses, in percent: of models of 2023 and 2024, to questions of six benchmarks."
_MISSED = "Missed: an answer was not found. Wrong: another one was read. See docs/reading.md."
_IDENTITY = ("model", "name", "kind", "measure")


def readings_by_model(predictions: Iterable[pa.Table]) -> dict[str, Counter[str]]:
    """How many responses of each model (by its key) were read in each way, from tables with the columns COLUMNS.

    Of `response`, only its presence is needed, a bool. A response with an error, or without text, does not count.
    """
    found: dict[str, Counter[str]] = {}
    for piece in predictions:
        read = piece.filter(pc.and_(piece["response"], pc.not_equal(piece["status"], "error")))
        by = pc.fill_null(read["read_by"], read["status"].cast(pa.string()))
        counted = pa.table({"model": read["model"].cast(pa.string()), "by": by}).group_by(["model", "by"])
        for row in counted.aggregate([([], "count_all")]).to_pylist():
            found.setdefault(row["model"], Counter())[row["by"]] += row["count_all"]
    return found


def reading(found: Mapping[str, Counter[str]], names: Mapping[str, str]) -> Table:
    """The table `reading` for the models in `names` (key -> display name, in order) that have responses in words.

    Its measures are WAYS; `n` is the number of responses. The rows with a `kind` are the errors MEASURED.
    """
    rows: list[dict[str, Any]] = []
    readings = [by for by in WAYS if by not in _SELDOM or any(one[by] for one in found.values())]
    for key, name in names.items():
        of_model = {by: found.get(key, Counter())[by] for by in readings}
        n = sum(of_model.values())
        for by, number in of_model.items() if n else ():
            rows.append({"model": key, "name": name, "measure": by, "value": 100 * number / n, "n": n})
    for kind, counts in MEASURED.items():
        for outcome, number in zip(OUTCOMES, counts, strict=True):
            rows.append({"kind": kind, "measure": outcome, "value": 100 * number / sum(counts), "n": sum(counts)})
    columns = (Column("Responses", "strict", number="n"), *(Column(by.capitalize(), by) for by in readings))
    errors = (Column("Responses", "right", number="n"), *(Column(one.capitalize(), one) for one in OUTCOMES))
    views = (
        View(_CAPTION, {"model": "", "name": "Model"}, columns, _NOTE + _JUDGE * ("judge" in readings)),
        View(_ERRORS, {"kind": "Kind of question"}, errors, _MISSED),
    )
    return Table("reading", "How answers were read", tidy(rows, _IDENTITY, ("value", "n")), views)
