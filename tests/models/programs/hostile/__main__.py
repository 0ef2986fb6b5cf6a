"""Runs all hostile programs and prints the sentence of the docs: `python -m tests.models.programs.hostile`.

Also writes it into the page of docs/ that has the block `hostile programs`. The exit status is 1 if one got out.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
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


def sentence(checked: Sequence[Attempt], unchecked: Sequence[Attempt]) -> str:
    """How many programs of how many kinds were tried, and how many were contained with and without the static check."""
    kinds = {one.program.kind for one in checked}
    with_check, without = (sum(not one.problems for one in found) for found in (checked, unchecked))
    return (
        f"{len(checked)} programs of {len(kinds)} kinds, {with_check} are contained with the check of their source, "
        f"and {without} without it"
    )


def main() -> int:
    """Prints the sentence, writes it into the docs, and names each program that got out."""
    programs = load()
    checked, unchecked = attempts(programs, checks=True), attempts(programs, checks=False)
    text = sentence(checked, unchecked)
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
