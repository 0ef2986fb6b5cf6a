"""Renders result tables as Markdown of at most 100 columns, LaTeX and HTML. The same table gives the same text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from whatif.results.reporting.numerals import interval_text
from whatif.results.reporting.table import MEASURE, OURS, PUBLISHED, Column, Table, View

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 100  # characters per line of a Markdown table
_NARROW = 20  # characters; a text column becomes narrower only if the table does not fit otherwise
_NARROWEST = 8
_LEAST = 3  # minimum characters of a column, required by its rule
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
    "✕": r"$\times$",
    "·": r"$\cdot$",
    "÷": r"$\div$",
    "∗": r"$\ast$",
    "±": r"$\pm$",
    "→": r"$\rightarrow$",
    "∞": r"$\infty$",
    "–": "--",
    "—": "---",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "•": r"$\bullet$",
    "\n": " ",
}


@dataclass(frozen=True)
class Grid:
    """A view as text cells: headings, and rows with the same number of cells. The first `texts` columns are text."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int


def grid(view: View, frame: pd.DataFrame) -> Grid:
    """The cells of a view, with numbers formatted by their columns.

    Raises ValueError when a cell would hold two numbers; then `view.rows` or `where` does not distinguish them.
    """
    records = frame.to_dict("records")
    made = list(dict.fromkeys(tuple(row[key] for key in view.rows) for row in records))
    cells = {key: [""] * len(view.columns) for key in made}
    filled: set[tuple[tuple[str, ...], int]] = set()
    for place, column in enumerate(view.columns):
        wanted = {MEASURE: column.measure, **column.where}
        for row in records:
            if any(row[name] != text for name, text in wanted.items()):
                continue
            key = tuple(row[name] for name in view.rows)
            if (key, place) in filled:
                raise ValueError(f"the column {column.heading!r} has two numbers in the row of {' '.join(key)}")
            filled.add((key, place))
            cells[key][place] = _cell(column, row)
    printed = [place for place, heading in enumerate(view.rows.values()) if heading]
    rows = tuple((*(key[place] for place in printed), *numbers) for key, numbers in cells.items() if any(numbers))
    header = (*filter(None, view.rows.values()), *(column.heading for column in view.columns))
    return Grid(header, rows, len(printed))


def _cell(column: Column, row: Mapping[Any, Any]) -> str:
    import pandas as pd

    number = row[column.number]
    if pd.isna(number):
        return ""
    published = row.get(PUBLISHED) if column.number == "value" and row.get("source") != OURS else None
    text = published or column.writes(number)
    if column.interval and not pd.isna(row["low"]):
        text += f" ({interval_text(row['low'], row['high'], column.writes)})"
    return text


def to_markdown(table: Table, *, width: int = WIDTH) -> str:
    """All views of a table as pipe tables, each under its caption, in at most `width` columns.

    Text that is too long for its column continues in the next row. Columns of numbers that do not fit are moved to
    further tables below, with the same first columns.
    """
    return "\n".join(_markdown_view(view, cells, width) for view, cells in _shown(table))


def _shown(table: Table) -> Iterator[tuple[View, Grid]]:
    """The views with their cells; a view after the first is left out if it has no rows."""
    for place, view in enumerate(table.views):
        cells = grid(view, table.frame)
        if cells.rows or place == 0:
            yield view, cells


def _markdown_view(view: View, cells: Grid, width: int) -> str:
    paragraphs = [f"**{textwrap.fill(markdown_text(view.caption), width - 4)}**"]
    if view.note:
        paragraphs.append(textwrap.fill(markdown_text(view.note), width))
    return "\n\n".join([*paragraphs, *_pipe_tables(cells, width)]) + "\n"


def _pipe_tables(cells: Grid, width: int) -> Iterator[str]:
    rows, blocks = _layout(cells, width)
    for block in blocks:
        columns = [*range(cells.texts), *block]
        header, *body = ([row[column] for column in columns] for row in rows)
        # A row is left out of this table if it has numbers only in another of the tables.
        yield _pipe_table(header, [row for row in body if any(row[cells.texts :])], cells.texts)


def _pipe_table(header: Sequence[str], body: Sequence[Sequence[str]], texts: int) -> str:
    sizes = [max(_LEAST, *(_size(row[column]) for row in (header, *body))) for column in range(len(header))]
    rule = ["-" * size if column < texts else "-" * (size - 1) + ":" for column, size in enumerate(sizes)]
    lines = [*_lines(header, sizes, texts), f"| {' | '.join(rule)} |"]
    return "\n".join([*lines, *(line for row in body for line in _lines(row, sizes, texts))])


def _lines(row: Sequence[str], sizes: Sequence[int], texts: int) -> Iterator[str]:
    """A row, followed by further rows for the rest of any text that is longer than its column."""
    for pieces in zip_longest(*(cell.split("\n") for cell in row), fillvalue=""):
        padded = [
            piece.ljust(size) if column < texts else piece.rjust(size)
            for column, (piece, size) in enumerate(zip(pieces, sizes, strict=True))
        ]
        yield f"| {' | '.join(padded)} |"


def _layout(cells: Grid, width: int) -> tuple[list[list[str]], list[list[int]]]:
    """The escaped cells with long text wrapped, and the indices of the number columns in each table.

    Among the layouts that fit, this is the one with the fewest tables, and among these the one with the least wrapping.
    """
    longest = max((len(text) for row in (cells.header, *cells.rows) for text in row[: cells.texts]), default=_NARROWEST)
    widest = min(max(longest, _NARROWEST), width)
    numbers = [[markdown_text(cell) for cell in row[cells.texts :]] for row in (cells.header, *cells.rows)]
    sizes = [max(_LEAST, *map(len, column)) + 3 for column in zip(*numbers, strict=True)]

    def laid_out(limit: int) -> tuple[bool, int, list[list[str]], list[list[int]]]:
        """Whether the layout with text of `limit` characters is too wide, its number of tables, rows and blocks."""
        texts = [[_wrapped(cell, limit) for cell in row[: cells.texts]] for row in (cells.header, *cells.rows)]
        room = width - 1 - sum(max(_LEAST, *map(_size, column)) + 3 for column in zip(*texts, strict=True))
        blocks = _blocks(sizes, room)
        rows = [[*text, *number] for text, number in zip(texts, numbers, strict=True)]
        return any(sum(sizes[column] for column in block) > room for block in blocks), len(blocks), rows, blocks

    def widest_as_good(least: int, most: int) -> int:
        """The largest limit that is as good as the smallest one; narrower text never needs more tables."""
        best = laid_out(least)[:2]
        while least < most:
            middle = (least + most + 1) // 2
            least, most = (middle, most) if laid_out(middle)[:2] <= best else (least, middle - 1)
        return least

    narrow = min(_NARROW, widest)
    does_not_fit = laid_out(narrow)[0]
    limit = widest_as_good(_NARROWEST, narrow) if does_not_fit else widest_as_good(narrow, widest)
    *_, rows, blocks = laid_out(limit)
    return rows, [[cells.texts + column for column in block] for block in blocks]


def _wrapped(cell: str, limit: int) -> str:
    return (
        "\n".join(markdown_text(line) for line in textwrap.wrap(cell, limit) or [""])
        if len(cell) > limit
        else markdown_text(cell)
    )


def _size(cell: str) -> int:
    return max(map(len, cell.split("\n")))


def _blocks(sizes: Sequence[int], room: int) -> list[list[int]]:
    """Splits columns of these sizes into consecutive blocks that fit; a block has at least one column."""
    blocks: list[list[int]] = []
    left = 0
    for column, size in enumerate(sizes):
        if not blocks or size > left:
            blocks.append([])
            left = room
        blocks[-1].append(column)
        left -= size
    return blocks or [[]]


def markdown_text(text: str) -> str:
    """Plain text for a cell of a Markdown table."""
    # Cells are plain text: `_` or `*` in a model's name must not become emphasis, and `|` must not end a column.
    for character in "\\`*_[]<|":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split("\n"))


def to_latex(table: Table) -> str:
    r"""Each view as a `table` environment with rules of the package booktabs; every special character is escaped.

    Non-ASCII symbols in our tables are escaped too. Accented letters stay, since LaTeX reads them itself.
    """
    return "\n".join(_latex_view(view, cells) for view, cells in _shown(table))


def _latex_view(view: View, cells: Grid) -> str:
    caption = f"{view.caption} {view.note}".rstrip()
    columns = "".join("l" if number < cells.texts else "r" for number in range(len(cells.header)))
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_latex(caption)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _latex_line(cells.header),
            r"\midrule",
            *(_latex_line(row) for row in cells.rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def to_html(table: Table) -> str:
    """Each view as an HTML table under its caption; everything is escaped."""
    import pandas as pd

    parts = []
    for view, cells in _shown(table):
        caption = escape(f"{view.caption} {view.note}".rstrip())
        frame = pd.DataFrame(list(cells.rows), columns=list(cells.header), dtype="str")
        made = frame.to_html(index=False, border=0, justify="left")
        parts.append(f"<p>{caption}</p>\n{made}\n")
    return "\n".join(parts)


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def _latex_line(row: Sequence[str]) -> str:
    line = rf"{' & '.join(_latex(cell) for cell in row)} \\"
    # After \\ or a rule, LaTeX would read a bracket as an optional argument.
    return f"{{}}{line}" if line.startswith("[") else line
