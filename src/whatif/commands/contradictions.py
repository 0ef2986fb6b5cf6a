"""`whatif contradictions`: checks the numbers that papers report against each other."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatif.engine.files.project_folder import display_path

if TYPE_CHECKING:
    from whatif.results.contradictions.rows import Row

_WIDTH = 100  # columns
_LINES = 2  # of each claim


@click.command()
@click.option("--benchmark", metavar="NAME", help="Only the paper of this benchmark. Default: all that are installed.")
@click.option("--all", "everything", is_flag=True, help="Print the claims that hold, too.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path, dir_okay=False), help="Write all claims to a file.")
@click.option("--json", "as_json", is_flag=True, help="Print the claims as JSON.")
def contradictions(benchmark: str | None, everything: bool, csv_file: Path | None, as_json: bool) -> None:
    """Check the numbers that papers report against each other, and print those that do not add up.

    Drops, sums, means, shares, orders and significance are recomputed from the reported tables, with the rounding of
    what they are computed from. No params.yaml is needed, and nothing of ours is compared.
    """
    from whatif.benchmarks import contradictions as checked
    from whatif.results.contradictions import DOES_NOT_HOLD
    from whatif.results.contradictions.rows import by_verdict

    rows = checked.rows([benchmark] if benchmark else [])
    if csv_file is not None:
        from whatif.engine.files.atomic import write_whole
        from whatif.engine.files.csv_writing import frame_for_people

        write_whole(csv_file, frame_for_people(checked.as_frame(rows)).encode())
    shown = [row for row in rows if everything or row.verdict == DOES_NOT_HOLD]
    if as_json:
        counts = by_verdict(rows)
        told = {"counts": counts, "claims": [row.named() for row in shown]}
        click.echo(json.dumps(told, indent=1, ensure_ascii=False))
        return
    for line in lines(rows, shown):
        click.echo(line)
    if csv_file is not None:
        click.echo(f"written: {display_path(csv_file)}")


def lines(rows: Sequence[Row], shown: Sequence[Row]) -> Iterator[str]:
    """The text: counts of all rows by verdict, then the chosen ones by paper, each in at most two lines."""
    from whatif.results.contradictions.report import by_paper
    from whatif.results.contradictions.rows import told

    yield f"{len(rows):,} claims: {told(rows)}"
    for paper, of_paper in by_paper(shown).items():
        yield ""
        yield f"{paper} ({len(of_paper):,}):"
        for row in of_paper:
            yield from textwrap.wrap(
                f"{row.place}. {row.explanation}",
                _WIDTH,
                initial_indent="  ",
                subsequent_indent="    ",
                max_lines=_LINES,
                placeholder=" ...",
            )
