"""The header of a data card, which the hub reads, and the sections that describe the tables of a data set folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import yaml

from whatif.formats.hugging_face_folder import SPLIT, Columns
from whatif.formats.markdown import Markdown, code, table

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass(frozen=True)
class Configuration:
    """The card's description of one table of the folder.

    `columns`: their types. `fields`: column (or several columns) -> meaning, as Markdown. `numbers`: the lines of a
    table that summarises the contents.
    """

    name: str
    rows: int
    tasks: tuple[str, ...]
    tags: tuple[str, ...]
    description: str
    columns: Columns
    fields: Mapping[str, str]
    numbers: Sequence[str]

    @property
    def key(self) -> str:
        """The column that identifies a row: the first one."""
        return next(iter(self.columns))


def card_header(
    title: str,
    configurations: Sequence[Configuration],
    licences: Iterable[str],
    languages: Sequence[str],
    further: Mapping[str, Mapping[str, str]],
) -> str:
    """The YAML header; `licences` and `languages` are identifiers of the hub.

    `further`: name of a configuration without a section -> its splits with their files.
    """
    rows = max(configuration.rows for configuration in configurations)
    size = next((label for limit, label in _SIZES if rows < limit), "n>1M")
    tasks = dict.fromkeys(task for configuration in configurations for task in configuration.tasks)
    tags = dict.fromkeys(tag for configuration in configurations for tag in configuration.tags)
    tables = {**{one.name: {SPLIT: f"{one.name}/{SPLIT}-*.parquet"} for one in configurations}, **further}
    header = {
        "pretty_name": title,
        "license": sorted(set(licences)) or ["other"],
        "language": list(languages),
        "task_categories": list(tasks),
        "tags": ["counterfactual", *tags, "croissant"],
        "size_categories": [size],
        "configs": [
            {
                "config_name": name,
                **({"default": True} if name == configurations[0].name else {}),
                "data_files": [{"split": split, "path": files} for split, files in splits.items()],
            }
            for name, splits in tables.items()
        ],
    }
    # Not as text of our own: YAML reads `no`, the code of Norwegian, and a split `1` as other values.
    return f"---\n{yaml.safe_dump(header, sort_keys=False, allow_unicode=True, width=1000)}---\n"


def card_section(configuration: Configuration, repository: str) -> list[str]:
    """The lines that describe a table: how it is loaded from a folder or a repository, and its columns."""
    return [
        f"## {configuration.name.capitalize()}",
        "",
        configuration.description,
        "",
        "```python",
        "from datasets import load_dataset",
        "",
        f'load_dataset("{repository}", "{configuration.name}", split="{SPLIT}")',
        "```",
        "",
        *table(
            ("field", "meaning"),
            [
                (Markdown(", ".join(map(code, columns.split(", ")))), Markdown(meaning))
                for columns, meaning in configuration.fields.items()
            ],
        ),
        *configuration.numbers,
    ]


def numbers_table(columns: Sequence[str], rows: Sequence[Mapping[str, float | None]]) -> list[str]:
    """The lines of a table: count, minimum, mean and maximum of the known values of each column."""
    found: list[tuple[object, ...]] = []
    for column in columns:
        values = [value for value in (row[column] for row in rows) if value is not None]
        if values:
            numbers = (min(values), sum(values) / len(values), max(values))
            found.append((code(column), len(values), *(f"{number:.4f}" for number in numbers)))
        else:
            found.append((code(column), 0, "", "", ""))
    return table(("field", "known", "smallest", "mean", "largest"), found, " rrrr")
