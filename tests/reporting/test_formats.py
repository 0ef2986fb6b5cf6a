"""Tables as CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from whatif.reporting import formats
from whatif.reporting.formats import DisplayTable, to_csv, to_latex, to_markdown

TABLE = DisplayTable(
    "Accuracy in % of all_pairs",
    ("Model", "From", "Original"),
    (("tiny_llava|v1", "ours", "71.2"), ('say "A", *B*', "printed", "6.9"), ("[x] & <y>", "", "")),
    text_columns=2,
)


def test_csv_reads_back() -> None:
    text = to_csv(TABLE)
    assert list(csv.reader(io.StringIO(text))) == [list(TABLE.header), *(list(row) for row in TABLE.rows)]
    assert "\r" not in text


def test_markdown_is_padded_aligned_and_escaped() -> None:
    assert to_markdown(TABLE) == "\n".join(
        [
            r"**Accuracy in % of all\_pairs**",
            "",
            r"| Model           | From    | Original |",
            r"| --------------- | ------- | -------: |",
            r"| tiny\_llava\|v1 | ours    |     71.2 |",
            r"| say " '"A"' r", \*B\*  | printed |      6.9 |",
            r"| \[x\] & \<y>    |         |          |",
            "",
        ]
    )


def test_latex_uses_booktabs_and_escapes() -> None:
    assert to_latex(TABLE) == "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            r"\caption{Accuracy in \% of all\_pairs}",
            r"\begin{tabular}{llr}",
            r"\toprule",
            r"Model & From & Original \\",
            r"\midrule",
            r"tiny\_llava\textbar{}v1 & ours & 71.2 \\",
            r"""say "A", *B* & printed & 6.9 \\""",
            r"{}[x] \& \textless{}y\textgreater{} &  &  \\",
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


@pytest.mark.parametrize("character", list("\\&%$#_{}~^"))
def test_no_special_character_reaches_latex(character: str) -> None:
    table = DisplayTable("", ("h",), ((f"a{character}b",),))
    cell = to_latex(table).splitlines()[7].removesuffix(r" \\")
    harmless = re.sub(r"\\(textbackslash|textasciitilde|textasciicircum)\{\}|\\[&%$#_{}]", "", cell)
    assert harmless == "ab"
    assert cell != f"a{character}b"


def test_every_sign_of_our_tables_is_one_that_latex_knows() -> None:
    folder = Path(formats.__file__).parent
    signs = {sign for path in folder.glob("*.py") for sign in path.read_text(encoding="utf-8") if not sign.isascii()}
    assert signs >= set("→∞–")
    assert to_latex(DisplayTable("".join(sorted(signs)), ("woman → girl",), (("∞",),))).isascii()
    assert r"woman $\rightarrow$ girl" in to_latex(DisplayTable("", ("woman → girl",), ()))


def test_a_line_break_never_breaks_a_table() -> None:
    table = DisplayTable("two\nlines", ("h",), (("a\nb",),))
    assert "| a b |" in to_markdown(table)
    assert "a b " in to_latex(table)
    assert "**two lines**" in to_markdown(table)


def test_rows_are_as_long_as_the_header() -> None:
    with pytest.raises(ValueError, match="row 1 has 1 cells, the header has 2"):
        DisplayTable("", ("a", "b"), (("1", "2"), ("1",)))
