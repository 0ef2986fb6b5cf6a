"""Tables as Markdown and LaTeX."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest

from whatif.results.reporting import rendering
from whatif.results.reporting.numerals import count, decimal, signed
from whatif.results.reporting.rendering import WIDTH, grid, to_latex, to_markdown
from whatif.results.reporting.table import Column, Table, View, tidy

IDENTITY = ("model", "name", "source", "variant", "measure", "published")
ORIGINAL = Column("Original", "accuracy", {"variant": "original"}, interval=True)
VIEW = View("Accuracy in % of all_pairs.", {"model": "", "name": "Model", "source": "From"}, (ORIGINAL,))


def row(name: str, source: str, value: float | None, **more: Any) -> dict[str, Any]:
    found = {"model": name, "name": name, "source": source, "variant": "original", "measure": "accuracy"}
    return {**found, "value": value, **more}


def table(*rows: dict[str, Any], view: View = VIEW, **changes: Any) -> Table:
    return Table("t", "T", tidy(rows, IDENTITY), (View(**{**vars(view), **changes}),))


ROWS = (
    row("tiny_llava|v1", "ours", 71.23, low=70.0, high=72.44),
    row('say "A", *B*', "reported", 6.9, published="6.90"),
    row("[x] & <y>", "", 1.0),
    row("no number", "ours", None),
)


def test_markdown_is_padded_aligned_and_escaped() -> None:
    assert to_markdown(table(*ROWS)) == "\n".join(
        [
            r"**Accuracy in % of all\_pairs.**",
            "",
            r"| Model           | From     |            Original |",
            r"| --------------- | -------- | ------------------: |",
            r"| tiny\_llava\|v1 | ours     | 71.2 (70.0 to 72.4) |",
            r"| say " '"A"' r", \*B\*  | reported |                6.90 |",
            r"| \[x\] & \<y>    |          |                 1.0 |",
            "",
        ]
    )


def test_latex_uses_booktabs_and_escapes() -> None:
    assert to_latex(table(*ROWS, note="Read on.")) == "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            r"\caption{Accuracy in \% of all\_pairs. Read on.}",
            r"\begin{tabular}{llr}",
            r"\toprule",
            r"Model & From & Original \\",
            r"\midrule",
            r"tiny\_llava\textbar{}v1 & ours & 71.2 (70.0 to 72.4) \\",
            r"""say "A", *B* & reported & 6.90 \\""",
            r"{}[x] \& \textless{}y\textgreater{} &  & 1.0 \\",
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def test_html_has_every_cell_and_escapes() -> None:
    page = table(*ROWS)._repr_html_()
    assert "<p>Accuracy in % of all_pairs.</p>" in page
    cells = [html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", page)]
    printed = grid(VIEW, table(*ROWS).frame)
    assert cells == [cell for line in printed.rows for cell in line]
    assert "<y>" not in page


@pytest.mark.parametrize("character", list("\\&%$#_{}~^"))
def test_no_special_character_reaches_latex(character: str) -> None:
    cell = to_latex(table(row(f"a{character}b", "", 1))).splitlines()[7].split(" & ")[0]
    harmless = re.sub(r"\\(textbackslash|textasciitilde|textasciicircum)\{\}|\\[&%$#_{}]", "", cell)
    assert harmless == "ab"
    assert cell != f"a{character}b"


def test_every_sign_of_our_tables_is_one_that_latex_knows() -> None:
    source = Path(rendering.__file__).parents[1]
    folders = (source / "reporting", source / "benchmarks")
    files = [path for folder in folders for path in folder.rglob("*.py") if path.stem != "steps"]
    signs = {
        sign for path in files for sign in path.read_text(encoding="utf-8") if not (sign.isascii() or sign.isalpha())
    }
    assert signs >= set("→∞–")
    assert to_latex(table(row("".join(sorted(signs)), "∞", 1), caption="woman → girl")).isascii()
    assert r"woman $\rightarrow$ girl" in to_latex(table(row("a", "", 1), caption="woman → girl"))


def test_a_line_break_never_breaks_a_table() -> None:
    broken = table(row("a\nb", "", 1), caption="two\nlines")
    assert "| a b " in to_markdown(broken) and "**two lines**" in to_markdown(broken)
    assert "a b &" in to_latex(broken)


def test_numbers_are_written_as_their_column_says() -> None:
    columns = (
        Column("Value", "accuracy"),
        Column("Signed", "accuracy", write=signed(2)),
        Column("Count", "accuracy", write=count),
        Column("N", "accuracy", number="n"),
        Column("P", "accuracy", number="p"),
        Column("Holm", "accuracy", number="p_holm"),
    )
    made = table(row("a", "ours", -0.04, n=7, p=1e-300, p_holm=0.04321), columns=columns)
    assert grid(made.views[0], made.frame).rows == (("a", "ours", "0.0", "-0.04", "0", "7", "< 1e-300", "0.043"),)
    assert [decimal(1)(-0.04), signed(1)(-0.04), signed(1)(2.25)] == ["0.0", "+0.0", "+2.2"]


def test_a_cell_with_two_numbers_is_refused() -> None:
    ambiguous = table(row("a", "ours", 1.0), {**row("a", "ours", 2.0), "variant": "counterfactual"})
    made = grid(ambiguous.views[0], ambiguous.frame)
    assert made.rows == (("a", "ours", "1.0"),)
    with pytest.raises(ValueError, match="the column 'Any' has two numbers in the row of a a ours"):
        grid(View("", VIEW.rows, (Column("Any", "accuracy"),)), ambiguous.frame)


def test_a_further_view_without_rows_is_left_out_and_the_first_is_not() -> None:
    frame = tidy([], IDENTITY)
    empty = Table("t", "T", frame, (VIEW, View("Details.", VIEW.rows, VIEW.columns)))
    assert to_markdown(empty).count("| Model |") == 1 and "Details" not in to_markdown(empty)
    assert to_latex(empty).count("tabular") == 2


LONG = "Some-Vision-Language-Model-With-A-Long-Name (pilot sample of 1,000 pairs)"


@pytest.mark.parametrize("names", [("short", "other"), (LONG, "short"), ("x" * 300, "y" * 5), ("a_b|c" * 30, "d")])
@pytest.mark.parametrize("number", [1, 3, 12])
def test_every_line_fits_and_nothing_is_lost(names: tuple[str, str], number: int) -> None:
    columns = tuple(Column(f"Column {place}", f"m{place}", interval=True) for place in range(number))
    rows = [
        {
            "model": name,
            "name": name,
            "source": "ours",
            "measure": f"m{place}",
            "value": 70.0 + place,
            "low": 1,
            "high": 2,
        }
        for name in names
        for place in range(number)
    ]
    wide = table(*rows, columns=columns, caption="caption " * 40, note="note " * 60)
    text = to_markdown(wide)
    assert max(map(len, text.splitlines())) <= WIDTH
    for place in range(number):
        assert text.count(f"{70 + place}.0 (1.0 to 2.0)") == len(names)
    first = [line[2:].split(" | ")[0].rstrip() for line in text.splitlines() if line.startswith("| ")]
    plain = "".join(first).replace("\\", "")
    for name in names:
        assert name.replace(" ", "") in plain.replace(" ", "")
    assert text.count("caption ") + text.count("caption**") + text.count("caption\n") == 40


def test_rows_without_a_number_in_a_further_table_are_left_out_of_it() -> None:
    columns = tuple(Column(f"Column {place} of many", f"m{place}", interval=True) for place in range(6))
    rows = [
        {"model": name, "name": name, "source": "ours", "measure": measure, "value": 1.0, "low": 0.5, "high": 1.5}
        for name, measures in {"first": ("m0",), "last": ("m0", "m5")}.items()
        for measure in measures
    ]
    tables = to_markdown(table(*rows, columns=columns)).split("\n\n")[1:]
    assert len(tables) > 1
    assert "first" in tables[0] and "first" not in tables[-1] and "last" in tables[-1]
