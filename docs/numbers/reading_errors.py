"""The error of answer extraction on real responses, by kind of question: `python -m docs.numbers.reading_errors`.

The responses are `responses/real.jsonl` in the folder that `WHATIF_DATA` names: outputs that models gave to published
benchmarks, each with the readings that a careful reader accepts. They are not in the project.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, TypeAlias

from docs.numbers.markdown import markdown
from whatif.results.reporting.reading import MEASURED, OUTCOMES
from whatif.scoring.extraction.answer import extract, normalise
from whatif.scoring.extraction.extracted import Extracted, Kind

Outcome: TypeAlias = Literal["right", "missed", "wrong"]
ALL = "all"
_NAMES = {"boolean": "yes or no", "choice": "choices", "number": "numbers"}


def real_responses() -> Path | None:
    """The file of real responses; None where `WHATIF_DATA` names no folder that has it."""
    folder = os.environ.get("WHATIF_DATA")
    path = Path(folder) / "responses" / "real.jsonl" if folder else None
    return path if path and path.is_file() else None


def read(path: Path) -> Iterator[tuple[Mapping[str, Any], Extracted, Outcome]]:
    """Each response, what is extracted from it, and whether that is one of its readings."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found = extract(row["response"], row["kind"], row["question"], row["options"])
        yield row, found, outcome(found, row["kind"], row["readings"])


def outcome(found: Extracted, kind: Kind, readings: list[str]) -> Outcome:
    """`right` if the reading is accepted, `missed` if an answer is not found, `wrong` if another one is.

    `none` among the readings accepts that no answer is found, or several (`ambiguous`).
    """
    if found.answer is None:
        return "right" if "none" in readings else "missed"
    return "right" if any(_same(found.answer, one, kind) for one in readings if one != "none") else "wrong"


def counts(path: Path) -> dict[str, Counter[Outcome]]:
    """The outcomes of each kind of question."""
    found: dict[str, Counter[Outcome]] = {name: Counter() for name in _NAMES.values()}
    for row, _, of_row in read(path):
        found[_NAMES[row["kind"]]][of_row] += 1
    return found


def table(found: Mapping[str, Mapping[Outcome, int]]) -> str:
    """The error of reading in percent, with counts, as a table in Markdown with a row of all responses."""
    together = Counter[Outcome]()
    for of_kind in found.values():
        together.update(of_kind)
    rows = [["kind", "responses", *OUTCOMES]]
    for name, of_kind in (*found.items(), (ALL, together)):
        number = sum(of_kind.values())
        cells = [
            f"{100 * of_kind.get(one, 0) / number:.1f}% ({of_kind.get(one, 0):,})" if number else "" for one in OUTCOMES
        ]
        rows.append([name, f"{number:,}", *cells])
    return markdown(rows, 1)


def published() -> dict[str, Counter[Outcome]]:
    """The counts that every report shows."""
    return {name: Counter(dict(zip(OUTCOMES, numbers, strict=True))) for name, numbers in MEASURED.items()}


def _same(answer: str, reading: str, kind: Kind) -> bool:
    """A number is also the same if it rounds to the reading: 1/3 is 0.3333."""
    if normalise(answer, kind) == normalise(reading, kind):
        return True
    if kind != "number":
        return False
    try:
        exact, rounded = Fraction(answer), Decimal(reading)
    except (ValueError, ZeroDivisionError, InvalidOperation):
        return False
    exponent = rounded.as_tuple().exponent
    return isinstance(exponent, int) and exponent < 0 and abs(exact - Fraction(rounded)) <= Fraction(10) ** exponent / 2


NUMBERS = {"reading errors": lambda: table(published())}


def main() -> None:
    path = real_responses()
    print(table(counts(path)) if path else "WHATIF_DATA names no folder that has responses/real.jsonl")


if __name__ == "__main__":
    main()
