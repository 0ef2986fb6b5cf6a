"""The numbers in README.md and docs/ that come from files: `python -m docs.tables` writes them, a test compares them.

On a page, a number or a table stands between two comments that Markdown does not show:

    <!-- table7 -->
    | Model | ...
    <!-- /table7 -->

`NUMBERS` says what belongs there. Some tables are about released data, which are not in the project: they are
written where `WHATIF_DATA` names a folder that has it. Those of docs/statistics.md come from simulations:
`python -m tests.scoring.statistics.coverage` and `python -m tests.scoring.statistics.annotator_simulation` write them.
The table of pruned benchmarks takes ten minutes: `python -m docs.audit_tables` writes it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd

from docs.audit_tables import PRUNED, audited, largest_option, most_kept
from docs.numbers import claims, embedded, first_run, guessed, reading_errors, recomputed, steps, text_alone
from docs.numbers.markdown import ROOT, markdown
from whatif.results.reporting.pair_measures import ACCURACIES, DROPPED, MCNEMAR
from whatif.results.reporting.rendering import grid
from whatif.results.reporting.table import Column, View, from_csv

SIMULATED = (
    *("coverage", "rejections", "random annotators"),
    "hostile programs",
    PRUNED,
)
_PUZZLES = "metrics/cvqa-synthetic"
_RELEASED_PAGE = "docs/cvqa-synthetic.md"


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def names(text: str) -> list[str]:
    """The names of all blocks of a page. Raises ValueError when one is not closed before the next is opened."""
    opened = re.findall(r"<!-- (\w[\w ,-]*) -->", text)
    closed = re.findall(r"<!-- /(\w[\w ,-]*) -->", text)
    if opened != closed:
        raise ValueError(f"blocks are opened as {opened} and closed as {closed}: each is closed before the next")
    return opened


def with_block(text: str, name: str, content: str) -> str:
    """The page with `content` in every block of this name: on lines of its own where it has several lines.

    Raises ValueError when the page has no such block.
    """
    shown = f"\n{content}\n" if "\n" in content else content
    made, number = re.subn(
        rf"(<!-- {re.escape(name)} -->).*?(<!-- /{re.escape(name)} -->)",
        lambda match: f"{match[1]}{shown}{match[2]}",
        text,
        flags=re.DOTALL,
    )
    if not number:
        raise ValueError(f"the page has no block `{name}`")
    return made


def updated(text: str) -> str:
    """The page with all numbers as the files of the project have them now.

    Raises ValueError for a block that nothing is known of.
    """
    for name in dict.fromkeys(names(text)):
        if name in NUMBERS:
            text = with_block(text, name, NUMBERS[name]())
        elif name not in RELEASED and name not in SIMULATED:
            raise ValueError(f"block `{name}` is not known: add it to docs/tables.py")
    return text


def with_released(text: str, released: Path) -> str:
    """The page with the tables that are about released data made again; some minutes."""
    for name in (name for name in names(text) if name in RELEASED):
        content = RELEASED[name](released)
        text = text if content is None else with_block(text, name, content)
    return text


def released_questions() -> Path | None:
    folder = os.environ.get("WHATIF_DATA")
    path = Path(folder) / "c-vqa" / "C-VQA-Synthetic_questions.csv" if folder else None
    return path if path and path.is_file() else None


def _table7() -> str:
    """README's Table 7: without the intervals of both accuracies, and without rows of programs."""
    view = View(
        "",
        {"model": "", "name": "Model", "source": "From"},
        (*(replace(column, interval=False) for column in ACCURACIES), DROPPED, MCNEMAR),
    )
    frame = _frame("table7")
    cells = grid(view, frame[~frame["model"].fillna("").str.match("viper|visprog")])
    return markdown([cells.header, *cells.rows], cells.texts)


def _shortcuts() -> str:
    """The audit of our set, a row a variant."""
    return _audit_table(_frame("shortcuts"), "ours")


def _released_shortcuts(released: Path) -> str:
    from whatif import benchmarks
    from whatif.benchmarks.cvqa_synthetic.settings import CvqaSyntheticSettings
    from whatif.formats.c_vqa import read_released
    from whatif.results.reporting.shortcuts import shortcuts
    from whatif.scoring.shortcuts.audit import audit

    params = benchmarks.load_params(ROOT / "params.yaml")
    settings = params.section("cvqa-synthetic", CvqaSyntheticSettings).aggregate
    found = audit(read_released(released), folds=settings.audit_folds, seed=params.seed)
    return _audit_table(shortcuts({"released": found}, settings.confidence).frame, "released")


def _of_released_table(column: int) -> str:
    """A percentage of the released set's original questions as it stands in the table of its audit, for README."""
    text = (ROOT / _RELEASED_PAGE).read_text(encoding="utf-8")
    block = re.search(r"<!-- released shortcuts -->\n(.*?)\n<!-- /", text, flags=re.DOTALL)
    if not block:
        raise ValueError(f"{_RELEASED_PAGE} has no block `released shortcuts`")
    cell = block[1].split("\n")[2].split("|")[1 + column]
    return cell.split("(")[0].strip() + "%"


def _frame(table: str) -> pd.DataFrame:
    return from_csv((ROOT / _PUZZLES / f"{table}.csv").read_text(encoding="utf-8"))


def _pairs() -> int:
    frame = _frame("table7")
    [pairs] = frame[(frame["model"] == "random") & (frame["measure"] == "drop")]["n"]
    return int(pairs)


def _audit_table(frame: pd.DataFrame, name: str) -> str:
    """The audit of a set, a row a variant."""
    columns = (("best letter", "letter"), ("best rank", "rank"), ("random forest", "forest"))
    view = View(
        "",
        {"variant": "variant"},
        tuple(Column(heading, "accuracy", {"rule": rule}, interval=True) for heading, rule in columns),
    )
    cells = grid(view, frame[frame["set"] == name])
    return markdown([cells.header, *cells.rows], cells.texts)


def _plan() -> str:
    """What the papers' sizes need, as `whatif plan` prints it, without its requests, tokens and money."""
    from whatif.commands.plan import planned
    from whatif.engine.cluster.run_plan import table

    rows = planned(ROOT / "docs/paper-scale.yaml", rates_file=ROOT / "docs/paper-rates.yaml", gpu_hour=2)
    header, *lines = table(rows)
    shown = [place for place, name in enumerate(header) if name not in ("requests", "tokens", "money")]
    return markdown([[line[place] for place in shown] for line in (header, *lines)], text_columns=1)


NUMBERS: dict[str, Callable[[], str]] = {
    "plan": _plan,
    "table7": _table7,
    "pairs": lambda: f"{_pairs():,}",
    "questions": lambda: f"{2 * _pairs():,}",
    "shortcuts": _shortcuts,
    "second smallest": lambda: _of_released_table(2),
    "forest": lambda: _of_released_table(3),
    **embedded.NUMBERS,
    **claims.NUMBERS,
    **recomputed.NUMBERS,
    **first_run.NUMBERS,
    **steps.NUMBERS,
    **reading_errors.NUMBERS,
    **text_alone.NUMBERS,
}
RELEASED: dict[str, Callable[[Path], str | None]] = {
    "released shortcuts": _released_shortcuts,
    "audited benchmarks": audited,
    "largest option": largest_option,
    "largest option, most kept": most_kept,
}


def main() -> None:
    released = released_questions()
    if released:
        _write(lambda text: with_released(text, released))
    else:
        print("tables of the released C-VQA-Synthetic: left as they are; WHATIF_DATA names no folder that has it")
    _write(updated)
    if guessed.write():
        print(f"{guessed.FILE.relative_to(ROOT)}: written")


def _write(make: Callable[[str], str]) -> None:
    for page in pages():
        text = page.read_text(encoding="utf-8")
        made = make(text)
        if made != text:
            page.write_text(made, encoding="utf-8")
            print(f"{page.relative_to(ROOT)}: written")


if __name__ == "__main__":
    main()
