"""Runs all hostile programs and prints the table of the docs: `python -m tests.models.programs.hostile`.

Also writes it into the page of docs/ that has the block `hostile programs`. The exit status is 1 if one got out.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from docs.tables import names, with_block
from tests.defaults import ROOT
from tests.models.programs.hostile.catalogue import HostileProgram, load
from tests.models.programs.hostile.harness import Attempt, Trial
from tests.models.programs.hostile.surroundings import Surroundings

BLOCK = "hostile programs"


def attempts(programs: Sequence[HostileProgram], *, checks: bool) -> list[Attempt]:
    """All programs in one pair of sandboxes. What is left after their end counts against the last program."""
    with tempfile.TemporaryDirectory() as folder, Surroundings(Path(folder)) as surroundings:
        with Trial(surroundings, checks=checks) as trial:
            found = [trial.attempt(one) for one in programs]
        if left := trial.after():
            last = found[-1]
            found[-1] = Attempt(last.program, last.finished, (*last.problems, *left))
    return found


def table(checked: Sequence[Attempt], unchecked: Sequence[Attempt]) -> str:
    """A row for each kind: programs tried, contained with and without the static check, and how they ended."""
    lines = [
        "| kind | tried | contained, with the check | how they ended | contained, without it | how they ended |",
        "|---|--:|--:|---|--:|---|",
    ]
    kinds = list(dict.fromkeys(one.program.kind for one in checked))
    for kind in (*kinds, None):
        rows = [[one for one in found if kind in (None, one.program.kind)] for found in (checked, unchecked)]
        cells = [cell for row in rows for cell in (str(sum(not one.problems for one in row)), _ends(row))]
        lines.append(" | ".join([f"| {kind or 'all'}", str(len(rows[0])), *cells]) + " |")
    return "\n".join(lines)


def _ends(found: Iterable[Attempt]) -> str:
    counts = Counter(one.finished.outcome for one in found)
    return ", ".join(
        f"{outcome} {count}" for outcome, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    )


def main() -> int:
    """Prints the table, writes it into the docs, and names each program that got out."""
    programs = load()
    checked, unchecked = attempts(programs, checks=True), attempts(programs, checks=False)
    text = table(checked, unchecked)
    print(text)
    for page in sorted((ROOT / "docs").rglob("*.md")):
        before = page.read_text(encoding="utf-8")
        if BLOCK in names(before):
            page.write_text(with_block(before, BLOCK, text), encoding="utf-8")
    out = [one for one in (*checked, *unchecked) if one.problems]
    for one in out:
        print(f"{one.program.id}: {'; '.join(one.problems)}", file=sys.stderr)
    return bool(out)


if __name__ == "__main__":
    sys.exit(main())
