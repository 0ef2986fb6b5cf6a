"""Writes the data card of a Hugging Face data set folder, with the header that the hub reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import whatif
from whatif.formats.hugging_face_folder import SPLIT

# The hub's identifiers of our images' licences; any other licence is `other` in the header and named in the card.
_HUB_LICENCES = {"CC0-1.0": "cc0-1.0", "CC-BY-4.0": "cc-by-4.0"}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass(frozen=True)
class Configuration:
    """The card's description of one table of the folder.

    `fields`: column (or several columns) -> meaning. `numbers`: a Markdown table that summarises the contents.
    """

    name: str
    rows: int
    tasks: tuple[str, ...]
    tags: tuple[str, ...]
    description: str
    fields: Mapping[str, str]
    numbers: str


@dataclass(frozen=True)
class Origin:
    """The origin of a data set: the parameters of every step, and sources outside the graph with their digests."""

    parameters: Mapping[str, Any]
    sources: Mapping[str, str]
    unknown: Sequence[str] = ()
    citation: str = ""  # the paper whose method the data set follows


def data_card(name: str, configurations: Sequence[Configuration], origin: Origin, *, licences: Iterable[str]) -> str:
    """The data card: a YAML header, the rows, how they were made, their licences, and what to cite.

    `name` is the benchmark's name in whatif: a data set that was built anew does not carry the name of the paper whose
    method it follows. `licences` are those of the images.
    """
    known = sorted(set(licences))
    return "\n".join(
        [
            *_header(name, configurations, known),
            f"# whatif {name}",
            "",
            *(line for configuration in configurations for line in _section(configuration, name)),
            *_made_with(origin),
            "## Licence",
            "",
            f"Pictures: {'; '.join(known) or 'not known'}.",
            *(["The sources listed above keep their own licences."] if _outside(origin) else []),
            "",
            *_citation(name, origin),
        ]
    )


def _header(name: str, configurations: Sequence[Configuration], licences: Sequence[str]) -> list[str]:
    rows = max(configuration.rows for configuration in configurations)
    size = next((label for limit, label in _SIZES if rows < limit), "n>1M")
    hub = sorted({_HUB_LICENCES.get(licence, "other") for licence in licences}) or ["other"]
    tasks = dict.fromkeys(task for configuration in configurations for task in configuration.tasks)
    tags = dict.fromkeys(tag for configuration in configurations for tag in configuration.tags)
    lines = ["---", f"pretty_name: {json.dumps(f'whatif {name}')}"]
    for key, values in (
        ("license", hub),
        ("task_categories", tasks),
        ("tags", ["counterfactual", *tags]),
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
    return [*lines, "---", ""]


def _section(configuration: Configuration, name: str) -> list[str]:
    return [
        f"## {configuration.name.capitalize()}",
        "",
        configuration.description,
        "",
        "```python",
        "from datasets import load_dataset",
        "",
        f'load_dataset("FOLDER_OR_REPOSITORY", "{configuration.name}", split="{SPLIT}")',
        "```",
        "",
        "| field | meaning |",
        "|---|---|",
        *(
            f"| {', '.join(f'`{column}`' for column in columns.split(', '))} | {meaning} |"
            for columns, meaning in configuration.fields.items()
        ),
        "",
        configuration.numbers,
        "",
    ]


def numbers_table(columns: Sequence[str], rows: Sequence[Mapping[str, float | None]]) -> str:
    """A Markdown table: count, minimum, mean and maximum of the known values of each column."""
    lines = ["| field | known | smallest | mean | largest |", "|---|--:|--:|--:|--:|"]
    for column in columns:
        values = [value for value in (row[column] for row in rows) if value is not None]
        if values:
            mean = sum(values) / len(values)
            lines.append(f"| `{column}` | {len(values):,} | {min(values):.4f} | {mean:.4f} | {max(values):.4f} |")
        else:
            lines.append(f"| `{column}` | 0 | | | |")
    return "\n".join(lines)


def _made_with(origin: Origin) -> list[str]:
    """The seed, the checkpoints, all other parameters, and the files they name, without folders."""
    checkpoints = {place: value for place, value in origin.parameters.items() if place.endswith(".checkpoint")}
    revisions = {place: origin.parameters.get(place.replace(".checkpoint", ".revision")) for place in checkpoints}
    lines = ["## How it was made", "", f"With whatif {whatif.__version__}, from these parameters alone.", ""]
    if "seed" in origin.parameters:
        lines += [f"Seed: {origin.parameters['seed']}.", ""]
    if checkpoints:
        lines += ["| checkpoint of | name | revision or digest of its files |", "|---|---|---|"]
        for place, value in checkpoints.items():
            version = revisions[place] or origin.sources.get(str(value), "")
            lines.append(f"| `{place.removesuffix('.checkpoint')}` | {_shown(value)} | {version} |")
        lines.append("")
    if outside := _outside(origin):
        lines += ["| source | SHA-256 |", "|---|---|"]
        lines += [f"| {_shown(path)} | {digest} |" for path, digest in outside.items()]
        lines.append("")
    rest = {place: value for place, value in origin.parameters.items() if place != "seed" and place not in checkpoints}
    if rest:
        lines += ["| parameter | value |", "|---|---|"]
        lines += [f"| `{place}` | {_shown(value)} |" for place, value in rest.items()]
        lines.append("")
    if origin.unknown:
        count = len(origin.unknown)
        lines += [f"The origin of {count:,} inputs is unknown: they have changed or no longer exist.", ""]
    return lines


def _outside(origin: Origin) -> dict[str, str]:
    """Files and folders from outside the graph that are not checkpoints."""
    checkpoints = {value for place, value in origin.parameters.items() if place.endswith(".checkpoint")}
    return {path: digest for path, digest in origin.sources.items() if path not in checkpoints}


def _shown(value: Any) -> str:
    """A value for a table's cell; only the last name of a path outside the project, which hides local folders."""
    if isinstance(value, list):
        return ", ".join(_shown(one) for one in value) or "none"
    if isinstance(value, str) and (PurePath(value).is_absolute() or value.startswith(("~", ".."))):
        value = PurePath(value).name
    return f"`{value if isinstance(value, str) else json.dumps(value)}`".replace("|", "\\|")


def _citation(name: str, origin: Origin) -> list[str]:
    method = f" The method is that of {origin.citation}" if origin.citation else ""
    return [
        "## Citation",
        "",
        f"Cite whatif, its version, and this set's name and seed.{method}",
        "",
        "```bibtex",
        "@software{whatif,",
        "  title = {whatif: counterfactual vision-language benchmarks},",
        "  author = {{The whatif developers}},",
        f"  version = {{{whatif.__version__}}},",
        f"  note = {{data set {name}}}",
        "}",
        "```",
        "",
    ]
