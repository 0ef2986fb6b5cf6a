"""Writes a table as CSV, Markdown or LaTeX; the same table always gives the same text."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "−": "$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "→": r"$\rightarrow$",
    "∞": r"$\infty$",
    "–": "--",
    "\n": " ",
}


@dataclass(frozen=True)
class DisplayTable:
    """A table as it is shown: its cells are text, every row is as long as the header.

    The first `text_columns` columns hold words and stand to the left; the others hold numbers and stand to the right.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text_columns: int = 1

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.header):
                raise ValueError(f"row {number} has {len(row)} cells, the header has {len(self.header)}")


def to_csv(table: DisplayTable) -> str:
    """Comma-separated with one header line; the caption is left out."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.header)
    writer.writerows(table.rows)
    return text.getvalue()


def to_markdown(table: DisplayTable) -> str:
    """A pipe table under its caption, columns padded so that the text itself reads as a table."""
    cells = [[_markdown(cell) for cell in row] for row in (table.header, *table.rows)]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(table.header))]
    lines = [_markdown_line(table, row, widths) for row in cells]
    rule = [
        "-" * width if column < table.text_columns else "-" * (width - 1) + ":" for column, width in enumerate(widths)
    ]
    return "\n".join([f"**{_markdown(table.caption)}**", "", lines[0], f"| {' | '.join(rule)} |", *lines[1:], ""])


def to_latex(table: DisplayTable) -> str:
    r"""A `table` environment with the rules of the package booktabs; every special character is escaped.

    So are the signs beyond ASCII that our tables have; letters with accents are as they were, which LaTeX reads itself.
    """
    columns = "".join("l" if number < table.text_columns else "r" for number in range(len(table.header)))
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_latex(table.caption)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _latex_line(table.header),
            r"\midrule",
            *(_latex_line(row) for row in table.rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _markdown_line(table: DisplayTable, row: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        cell.ljust(width) if column < table.text_columns else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return f"| {' | '.join(padded)} |"


def _markdown(cell: str) -> str:
    # Cells are plain text: no `_` or `*` of a model's name may turn into emphasis, no `|` into a column.
    for character in "\\`*_[]<|":
        cell = cell.replace(character, f"\\{character}")
    return " ".join(cell.split("\n"))


def _latex(cell: str) -> str:
    return "".join(_LATEX.get(character, character) for character in cell)


def _latex_line(row: Sequence[str]) -> str:
    line = rf"{' & '.join(_latex(cell) for cell in row)} \\"
    # Behind \\ or a rule, a bracket would be read as an optional argument.
    return f"{{}}{line}" if line.startswith("[") else line
