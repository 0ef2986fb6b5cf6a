"""The data card of a published benchmark: what is in it, how it was made and checked, and under which terms."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import whatif
from whatif.formats.citation_file import CITATION
from whatif.formats.croissant import CROISSANT
from whatif.formats.hugging_face_card import Configuration, card_header, card_section
from whatif.formats.markdown import Markdown, code, fenced, interval, plain, table
from whatif.results.publishing.citation import bibtex
from whatif.results.publishing.facts import Facts
from whatif.results.publishing.licences import Terms, hub_licence
from whatif.results.publishing.private_text import without_folders

_HERE = "FOLDER_OR_REPOSITORY"


@dataclass(frozen=True)
class Tasks:
    """The tasks for evaluation tools: lines about them, and the tables that only they read, with splits and files."""

    lines: Sequence[str]
    tables: Mapping[str, Mapping[str, str]]


def card(facts: Facts, configurations: Sequence[Configuration], version: str, tasks: Tasks) -> str:
    """The text of README.md."""
    owner = facts.publisher.owner
    repository = f"{owner}/{facts.name}" if owner else _HERE
    title = facts.name.replace("-", " ", 1)
    header = card_header(title, configurations, map(hub_licence, facts.licences), facts.languages, tasks.tables)
    lines = [
        f"# {plain(title)}",
        "",
        plain(facts.benchmark.about),
        "",
        f"Version {plain(version)}, made with whatif {whatif.__version__}. [{CROISSANT}]({CROISSANT}) has the same "
        f"information for machines, [{CITATION}]({CITATION}) says how to cite it.",
        "",
        *_counts(facts),
        *(line for configuration in configurations for line in card_section(configuration, repository)),
        *_tasks(tasks.lines),
        *_funnel(facts),
        *_labels(facts),
        *_audit(facts),
        *_made_with(facts),
        *_licences(facts),
        *_citation(facts, version),
    ]
    return header + "\n".join(lines)


def _counts(facts: Facts) -> list[str]:
    """Rows of the artifacts = published rows + rows that are left out."""
    rows = [
        (name, kept.before, kept.private, len(kept.rows), kept.bare)
        for name, kept in sorted(facts.kept.items(), reverse=True)
    ]
    shown = len(facts.pictures.of)
    withheld = facts.pictures.withheld
    told = "all of them are here."
    if withheld:
        told = (
            f"{shown - withheld:,} are here, {withheld:,} are left out because of their licence. Their rows have the "
            "picture's id, source and licence, so that those who have the pictures can add them."
        )
    return [
        "## Counts",
        "",
        *table(("table", "rows made", "kept back", "rows here", "of these without a picture"), rows, " rrrr"),
        f"The rows show {shown:,} different pictures; {told}",
        "",
    ]


def _tasks(tasks: Sequence[str]) -> list[str]:
    if not tasks:
        return []
    return ["## Tasks for evaluation tools", "", *(f"- {plain(line)}" for line in tasks), ""]


def _funnel(facts: Facts) -> list[str]:
    passages = facts.measured.funnel
    if not passages:
        return []
    rows = [
        (
            passage.stage,
            passage.unit,
            *(passage.counts.get(measure, "") for measure in ("in", "out", "rejected")),
            "; ".join(f"{reason} ({number:,})" for reason, number in passage.reasons.items()),
        )
        for passage in passages
    ]
    return [
        "## Funnel",
        "",
        "What came into each stage, went on, and was rejected:",
        "",
        *table(("stage", "unit", "in", "out", "rejected", "rejected because"), rows, "  rrr"),
    ]


def _labels(facts: Facts) -> list[str]:
    lines = ["## Labels and their agreement", ""]
    checks = facts.checks
    if checks:
        lines += ["Automatic checks:", ""]
        lines += table(
            ("check", "items", "decisions"),
            [(name, sum(found.values()), _decisions(found)) for name, found in checks.items()],
            " r",
        )
    if not facts.contents.people:
        return [*lines, "No labels by people were given.", ""]
    per_item = ", ".join(f"{items:,} items by {people}" for people, items in sorted(facts.annotators_per_item.items()))
    lines += [
        f"{len(facts.contents.people):,} people labelled {sum(facts.annotators_per_item.values()):,} items"
        + (f" ({per_item})" if per_item else "")
        + ". Their names are not published.",
        "",
    ]
    if facts.measured.agreement:
        rows = [
            (one.measure, one.annotators, interval(one.value, one.low, one.high, 3), "" if one.n is None else one.n)
            for one in facts.measured.agreement
        ]
        lines += table(("measure", "annotators", "value (interval)", "items"), rows, "  rr")
    return lines


def _decisions(found: Counter[str]) -> str:
    return ", ".join(f"{decision} ({number:,})" for decision, number in sorted(found.items()))


def _audit(facts: Facts) -> list[str]:
    if not facts.measured.shortcuts:
        return []
    rows = [(one.variant, one.rule, one.n, interval(one.value, one.low, one.high)) for one in facts.measured.shortcuts]
    return [
        "## Shortcut audit",
        "",
        "Questions that are answered correctly without the picture, in percent, with intervals. The best letter, rank, "
        "length or most frequent answer is the best one in hindsight; models are cross-validated.",
        "",
        *table(("variant", "rule", "questions", "correct (%)"), rows, "  rr"),
    ]


def _made_with(facts: Facts) -> list[str]:
    """The seed, the checkpoints, the sources, the steps with their other parameters, and the artifacts."""
    made = facts.made
    lines = ["## How it was made", "", f"With whatif {whatif.__version__}, from these parameters alone.", ""]
    if "seed" in made.parameters:
        lines += [f"Seed: {plain(str(made.parameters['seed']))}.", ""]
    if checkpoints := made.checkpoints:
        rows = []
        for place, name in checkpoints.items():
            revision = made.parameters.get(place.removesuffix(".checkpoint") + ".revision")
            rows.append(
                (
                    code(place.removesuffix(".checkpoint")),
                    _value(name),
                    str(revision or made.sources.get(name, "")),
                )
            )
        lines += table(("checkpoint of", "name", "revision or digest of its files"), rows)
    if made.outside:
        lines += table(
            ("source", "SHA-256"),
            [(_value(PurePosixPath(path).name), digest) for path, digest in made.outside.items()],
        )
    steps = [
        (step.name, ", ".join(f"{role} ({rows:,})" for role, rows in sorted(step.rows.items()))) for step in made.steps
    ]
    lines += table(("step", "its outputs behind these rows (rows)"), steps)
    places = {place: value for place, value in made.parameters.items() if place not in ("seed", *made.checkpoints)}
    if places:
        lines += table(("parameter", "value"), [(code(place), _value(value)) for place, value in places.items()])
    lines += table(("artifact", "rows", "fingerprint"), facts.artifacts, " r")
    if made.unknown:
        lines += [f"The origin of {len(made.unknown):,} inputs is unknown: they have changed or no longer exist.", ""]
    return lines


def _licences(facts: Facts) -> list[str]:
    rows = [
        (licence or "none named", str(allowed), number)
        for (licence, allowed), number in sorted(facts.pictures.counts().items())
    ]
    lines = ["## Licence", "", f"Texts: {plain(facts.text_licence)}. Each row names the licence of its pictures:", ""]
    lines += table(("licence of pictures", "terms", "pictures"), rows, "  r")
    if any(allowed is Terms.NON_COMMERCIAL for _, allowed in facts.pictures.counts()):
        lines += ["Some pictures may not be used commercially; the column with their licence tells which.", ""]
    if facts.made.outside:
        lines += ["The sources listed above keep their own licences.", ""]
    return lines


def _citation(facts: Facts, version: str) -> list[str]:
    cited = plain(facts.benchmark.citation)
    return [
        "## Citation",
        "",
        "Cite this data set with its version, and whatif." + (f" The method is that of {cited}" if cited else ""),
        "",
        *fenced(bibtex(facts, version), "bibtex"),
    ]


def _value(value: Any) -> Markdown:
    """A parameter's value as code; only the last name of a path outside the project, which hides local folders."""
    if isinstance(value, list):
        return Markdown(", ".join(map(_value, value)) or "none")
    return code(without_folders(value) if isinstance(value, str) else json.dumps(value))
