"""The mistakes that a first benchmark in YAML has: each message says what is wrong, where, and the line to write."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from tests.benchmarks.from_yaml.files import write, write_table
from whatif.benchmarks import benchmark
from whatif.benchmarks.from_yaml.settings import PictureTable
from whatif.benchmarks.from_yaml.table_rows import table_rows
from whatif.engine.errors import WhatifError

TEXT = """\
title: Colours
about: Questions about colours.
extract:
  table: {file: table.csv, folder: pictures, licence: CC0-1.0}
generate:
  templates:
    paint:
      blanks: {place: [top, bottom]}
      where: number > 1
      original: What colour is it?
      if: if its {place} were looked at
      counterfactual: How many would it be {if}?
      answer: {original: colour, counterfactual: number}
      change: always
      options: 3
filter: {pairs: 8}
"""
AT = "generate.templates.paint"
NAMES = "here are place, name, picture, colour, number, tags"


def test_the_text_has_no_mistake(tmp_path: Path) -> None:
    write_table(tmp_path)
    write(tmp_path, TEXT)
    with contextlib.chdir(tmp_path):
        assert benchmark("small").name == "small"


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        (
            "counterfactual: number}",
            """counterfactual: "'red'"}""",
            13,
            f"{AT}.answer.counterfactual: is the same for all rows with the same question, so there are no wrong "
            "options; let it depend on an attribute that the question does not name, for example "
            "`counterfactual: count(tags)`",
        ),
        ("original: colour,", "original: place,", 13, f"{AT}.answer.original: is the same for all rows"),
        (
            "counterfactual: number}",
            "counterfactual: red}",
            13,
            f"""red: there is no such name; t{NAMES}; for the word itself write `"'red'"`""",
        ),
        (
            "counterfactual: number}",
            "counterfactual: 0}",
            13,
            """is 0; it must be a text; write `counterfactual: "0"`""",
        ),
        ("counterfactual: number}", "counterfactual: yes}", 13, """write `counterfactual: '"yes"'`"""),
        ("original: colour,", "original: [red, blue],", 13, "it must be a single text; lists of words belong to"),
        (
            ", licence: CC0-1.0",
            "",
            4,
            "extract.table.licence: is missing; write `licence: CC0-1.0` or `licence: unknown`",
        ),
        ("      change: always\n", "", 7, "is missing; write `change: always` or `change: never` or `change: either`"),
        ("filter: {pairs: 8}\n", "", 1, "filter: is missing; it needs `pairs`; write `filter: {pairs: 100}`"),
        ("title: Colours\n", "", 1, "title: is missing; write `title: My benchmark`"),
        ("number > 1", "numbr > 1", 9, f"numbr: there is no such name; did you mean `number`? T{NAMES}"),
        ("number > 1", "colour == red", 9, "for the word itself write `'red'`"),
        ("number > 1", "number = 1", 9, "is no expression: invalid syntax; write `==` for `=`"),
        ("number > 1", "number > 1 && colour == '='", 9, "invalid syntax; write `and` for `&&`"),
        ("{place} were", "{plac} were", 11, "{plac}: is neither a blank nor a plain attribute; did you mean `place`?"),
        ("if its {place} were", "{place} were", 11, """put the text in quotes: `if: "{place} were looked at"`"""),
        ("What colour is it?", "{colour}", 10, """needs quotes; write `original: "{colour}"`"""),
        ("What colour", "Look: what colour", 10, """the text in quotes: `original: "Look: what colour is it?"`"""),
        ("      where:", "\twhere:", 9, "indent with spaces in place of tabs: `  where: number > 1`"),
        (
            "[top, bottom]",
            "top, bottom",
            8,
            "bottom: has no words; a list is in brackets: `blanks: {place: [red, blue]}`",
        ),
        ("    paint:", "    Paint it:", 7, "a name is lower-case words joined by hyphens; write `paint-it:`"),
    ],
)
def test_a_message_has_the_place_and_the_line_to_write(
    tmp_path: Path, old: str, new: str, line: int, told: str
) -> None:
    assert TEXT.count(old) == 1
    write_table(tmp_path)
    write(tmp_path, TEXT.replace(old, new))
    with contextlib.chdir(tmp_path), pytest.raises(WhatifError) as raised:
        benchmark("small")
    (message,) = str(raised.value).splitlines()
    assert message.startswith(f"benchmarks/small.yaml:{line}: ") and told in message


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"picture": "pictur"}, "in extract.table, write `picture: picture`, or the column that you mean"),
        ({"id": "names"}, "in extract.table, write `id: name`, or the column that you mean"),
        ({"file": "tabel.csv"}, "did you mean `table.csv`?"),
    ],
)
def test_a_table_that_is_named_wrongly(tmp_path: Path, change: dict[str, str], told: str) -> None:
    write_table(tmp_path)
    named = {"file": "table.csv", "folder": "pictures", "licence": "unknown", **change}
    with contextlib.chdir(tmp_path), pytest.raises(WhatifError) as raised:
        table_rows(PictureTable(**named))
    assert told in str(raised.value)
