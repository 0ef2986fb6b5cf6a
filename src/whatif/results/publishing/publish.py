"""Publishes benchmarks: a Hugging Face data set folder for each, with its card, metadata, citation and tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import whatif
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.graph.environment import made_with
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.lineage import lineage
from whatif.formats.citation_file import CITATION, author_name
from whatif.formats.croissant import CROISSANT, Described, PublishedFile, RecordSet, croissant
from whatif.formats.hugging_face_folder import CARD
from whatif.formats.hugging_face_pairs import write_pairs
from whatif.formats.hugging_face_questions import write_questions
from whatif.formats.ro_crate import RO_CRATE, ro_crate
from whatif.results.harnesses.hub_tasks import CONFIGURATION, eval_splits
from whatif.results.harnesses.tasks import write_tasks
from whatif.results.publishing.card import Tasks, card
from whatif.results.publishing.citation import KEYWORDS, bibtex, citation
from whatif.results.publishing.contents import BEFORE_EVALUATION, contents, refuse_stale
from whatif.results.publishing.facts import (
    Facts,
    Kept,
    Publisher,
    data_version,
    publishable,
    shown_by,
    text_licence,
    text_sources,
)
from whatif.results.publishing.folders import digests, whole_folder
from whatif.results.publishing.licences import Terms, licence_url, terms
from whatif.results.publishing.measured import measured
from whatif.results.publishing.pictures import PublishedPictures
from whatif.results.publishing.private_text import pseudonyms
from whatif.results.publishing.responsible import responsible

ENVIRONMENT = "environment.json"  # what the set was made with
_WRITERS = {"questions": write_questions, "pairs": write_pairs}


def publish(
    graph: Graph,
    benchmarks: Sequence[str],
    folder: Path,
    publisher: Publisher,
    say: Callable[[str], None],
    *,
    as_crate: bool = False,
) -> int:
    """Writes `folder/whatif-BENCHMARK` for each benchmark; returns how many were written.

    `say` is called with a line about what was written and what was left out. `as_crate` adds the metadata of an
    RO-Crate, which needs the date. The same artifacts and publisher give the same bytes.

    Raises WhatifError, before anything is written, when an artifact or a table of the benchmarks is stale or missing,
    and when a private pair is in none of them; later when a folder holds something that whatif did not write, or when a
    file cannot be written.
    """
    refuse_stale(graph, benchmarks)
    known = {name: found for name in benchmarks if (found := _facts(graph, name, publisher, say)) is not None}
    _refuse_unknown_pairs(list(known.values()), publisher)
    for name, facts in known.items():
        with whole_folder(folder / facts.name) as staging:
            made = made_with(graph, [name], BEFORE_EVALUATION)
            write_whole(staging / ENVIRONMENT, _json(made))
            lines = write_benchmark(facts, staging, made if as_crate else None)
        for line in [*lines, *left_out(facts)]:
            say(f"{folder / facts.name}: {line}")
    return len(known)


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, sort_keys=True) + "\n").encode()


def _facts(graph: Graph, name: str, publisher: Publisher, say: Callable[[str], None]) -> Facts | None:
    """Everything about a benchmark; None, after a line that says why, if nothing of it may be published."""
    found = contents(graph, name)
    if not found.questions and not found.pairs:
        say(f"{name}: left out: has no questions and no pairs of its own; publish the benchmark that they are from")
        return None
    made = lineage(found.tables)
    licence = text_licence(name, made, publisher.text_licences)
    if not licence or terms(licence) is Terms.WITHHELD:
        why = f"is {licence}, which does not allow it" if licence else "is not known"
        origin = f" from {', '.join(text_sources(made))}" if text_sources(made) else ""
        say(
            f"{name}: left out: the licence of its texts{origin} {why}; if you may publish them, give "
            f"--text-licence {name}=LICENCE"
        )
        return None
    names = pseudonyms(found.people)
    rows = {
        table: publishable(rows_of_table, publisher.private, names)
        for table, rows_of_table in (("questions", found.questions), ("pairs", found.pairs))
        if rows_of_table
    }
    if not any(rows.values()):
        say(f"{name}: left out: all of its pairs are private")
        return None
    shown = {image_id for kept in rows.values() for row in kept for image_id in shown_by(row)}
    pictures = PublishedPictures(shown, found.images, publisher.photograph_licences)
    before = {"questions": len(found.questions), "pairs": len(found.pairs)}
    return Facts(
        benchmark=graph.benchmarks[name],
        publisher=publisher,
        contents=found,
        kept={
            table: Kept(
                kept,
                private=before[table] - len(kept),
                bare=sum(not all(map(pictures.is_published, shown_by(row))) for row in kept),
            )
            for table, kept in rows.items()
            if kept
        },
        pictures=pictures,
        made=made,
        measured=measured(Path("metrics") / name),
        text_licence=licence,
    )


def _refuse_unknown_pairs(found: Sequence[Facts], publisher: Publisher) -> None:
    if not publisher.private:
        return
    known = {
        row["pair_id"] for facts in found for rows in (facts.contents.questions, facts.contents.pairs) for row in rows
    }
    if found and (unknown := sorted(publisher.private - known)):
        raise WhatifError(
            f"--private: {unknown[0]} is the id of no pair of {', '.join(facts.benchmark.name for facts in found)}; "
            "give values of the column pair_id"
        )


def write_benchmark(facts: Facts, folder: Path, made: Mapping[str, Any] | None = None) -> list[str]:
    """Writes the files of a benchmark into a folder; returns lines about them.

    made: what the benchmark was made with (`made_with`), for the metadata of an RO-Crate; None: there is none.

    Raises WhatifError when a picture is in none of the artifacts, and when a file cannot be written.
    """
    with facts.pictures.gathered(folder):
        configurations = [_WRITERS[table](kept.rows, facts.pictures, folder) for table, kept in facts.kept.items()]
    version = data_version(_files(folder))
    tasks = _tasks(facts, folder)
    write_whole(folder / CITATION, citation(facts, version))
    write_whole(folder / CARD, card(facts, configurations, version, tasks).encode())
    described = _described(facts, version)
    tables = [RecordSet(one.name, one.description, one.columns, one.fields, one.key) for one in configurations]
    write_whole(folder / CROISSANT, croissant(described, _files(folder), tables))
    if made is not None:
        write_whole(folder / RO_CRATE, ro_crate(described, _files(folder), made, whatif.__version__))
    rows = " and ".join(f"{configuration.rows:,} {configuration.name}" for configuration in configurations)
    return [f"{rows}, version {version}", *tasks.lines]


def _tasks(facts: Facts, folder: Path) -> Tasks:
    """Writes the tasks for evaluation tools; their lines name files by their paths in the folder."""
    name = facts.benchmark.name
    lines = [line.removeprefix(f"{name}: ").replace(f"{folder}/", "") for line in write_tasks(name, folder)]
    splits = eval_splits(folder)
    return Tasks(lines, {CONFIGURATION: splits} if splits else {})


def _files(folder: Path) -> list[PublishedFile]:
    return [PublishedFile(name, digest, (folder / name).stat().st_size) for name, digest in digests(folder).items()]


def _described(facts: Facts, version: str) -> Described:
    return Described(
        name=facts.name,
        description=facts.benchmark.about or f"The benchmark {facts.benchmark.name}, made with whatif.",
        version=version,
        licences=[licence_url(licence) for licence in facts.licences],
        citation=bibtex(facts, version),
        creators=[author_name(author) for author in facts.publisher.authors],
        keywords=KEYWORDS,
        responsible=responsible(facts, version),
        date=facts.publisher.date,
        url=facts.url,
    )


def left_out(facts: Facts) -> list[str]:
    """Lines about what is not published, and about what the metadata lacks."""
    lines = [
        f"left out: {kept.private:,} of {kept.before:,} {table}, which are private"
        for table, kept in facts.kept.items()
        if kept.private
    ]
    for (licence, allowed), number in sorted(facts.pictures.counts().items()):
        if allowed is Terms.WITHHELD:
            lines.append(
                f"left out: {number:,} of {len(facts.pictures.of):,} pictures, whose licence ({licence or 'none'}) "
                "does not allow to publish them; their rows are there with id and source"
            )
    if not facts.publisher.date or not facts.publisher.owner:
        missing = " and ".join(
            option
            for option, value in (("--date", facts.publisher.date), ("--owner", facts.publisher.owner))
            if not value
        )
        lines.append(f"{CROISSANT} lacks what {missing} would give; a hub or a venue may ask for it")
    return lines
