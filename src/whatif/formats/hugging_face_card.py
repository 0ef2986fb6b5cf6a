"""The header of a data card, which the hub reads, and the sections that describe the tables of a data set folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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
    lines = ["---", f"pretty_name: {json.dumps(title, ensure_ascii=False)}"]
    for key, values in (
        ("license", sorted(set(licences)) or ["other"]),
        ("language", languages),
        ("task_categories", tasks),
        ("tags", ["counterfactual", *tags, "croissant"]),
        ("size_categories", [size]),
    ):
        lines += [f"{key}:", *(f"- {value}" for value in values)]
    lines.append("configs:")
    for number, configuration in enumerate(configurations):
        lines += [
            f"- config_name: {configuration.name}",
            *(["  default: true"] if number == 0 else []),
            "  data_files:",
            f"  - split: {SPLIT}",
            f"    path: {configuration.name}/{SPLIT}-*.parquet",
        ]
    for name, splits in further.items():
        lines += [f"- config_name: {name}", "  data_files:"]
        for split, files in splits.items():
            lines += [f"  - split: {split}", f"    path: {files}"]
    return "\n".join([*lines, "---", ""])


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
