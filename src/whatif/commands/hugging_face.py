"""`whatif export hugging-face`: a benchmark as a Hugging Face data set folder, with its data card."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from whatif.errors import WhatifError
from whatif.files.project_folder import display_path

Row = Mapping[str, Any]


@click.command("hugging-face")
@click.argument("benchmark")
@click.argument("folder", type=click.Path(path_type=Path))
def export_hugging_face(benchmark: str, folder: Path) -> None:
    """Write BENCHMARK as a Hugging Face data set: its questions, its image pairs, or both.

    The rows are those that models are evaluated on. `datasets.load_dataset(FOLDER, "questions")` loads them with their
    images. README.md is the data card, with the seed, checkpoints and parameters that the rows were made with.

    \b
    whatif export hugging-face cvqa-synthetic ours/
    """
    from whatif import artifacts
    from whatif.artifacts.schemas import PAIRS, QUESTIONS
    from whatif.graph.lineage import last_tables_of

    questions, pairs = (last_tables_of(benchmark, table) for table in (QUESTIONS, PAIRS))
    if not questions and not pairs:
        raise WhatifError(f"data: contains no questions and no pairs of {benchmark}; run `dvc repro` to make them")
    chosen, paired = list(artifacts.rows_of(questions, QUESTIONS)), list(artifacts.rows_of(pairs, PAIRS))
    if not chosen and not paired:
        raise WhatifError(
            f"data: the tables of {benchmark} have no questions and no pairs; export the benchmark that they are from"
        )
    images = pictures_of(benchmark)
    written = write_folder(
        benchmark,
        folder,
        questions=chosen,
        pairs=paired,
        images=images,
        tables=[*questions, *pairs],
    )
    click.echo(f"{display_path(folder)}: {written}")


def pictures_of(benchmark: str) -> tuple[Path, ...]:
    """The artifacts with a benchmark's images, sorted so that the images that models are shown come first."""
    from whatif.artifacts.schemas import IMAGES
    from whatif.graph.lineage import tables_of

    return tables_of(benchmark, IMAGES, ("verify", "filter", "generate", "extract"))


def write_folder(
    benchmark: str,
    folder: Path,
    *,
    questions: Sequence[Row] = (),
    pairs: Sequence[Row] = (),
    images: Sequence[Path],
    tables: Sequence[Path],
) -> str:
    """Writes a data set folder; returns a summary such as `6,000 questions`.

    `tables` are the artifacts that the rows were read from; the card lists what they were made with. Raises WhatifError
    when the folder already contains a data set, when an image is in none of `images`, and when it cannot be written.
    """
    from whatif.artifacts.images import ImageStore
    from whatif.files.atomic import write_whole
    from whatif.formats.hugging_face_card import Origin, data_card
    from whatif.formats.hugging_face_folder import CARD, refuse_used
    from whatif.formats.hugging_face_pairs import write_pairs
    from whatif.formats.hugging_face_questions import write_questions
    from whatif.graph.lineage import lineage

    refuse_used(folder)
    store = ImageStore(images)
    configurations = []
    if questions:
        configurations.append(write_questions(questions, store, folder))
    if pairs or not questions:
        configurations.append(write_pairs(pairs, store, folder))
    made = lineage(tables)
    shown = {image_id for row in questions for image_id in row["image_ids"]}
    shown |= {row[f"image_id_{side}"] for row in pairs for side in (0, 1)}
    origin = Origin(made.parameters, made.sources, made.unknown, _citation(benchmark))
    card = data_card(benchmark, configurations, origin, licences=_licences(shown, images))
    write_whole(folder / CARD, card.encode())  # last: where this file exists, the folder is complete
    return " and ".join(f"{configuration.rows:,} {configuration.name}" for configuration in configurations)


def _citation(name: str) -> str:
    from whatif import benchmarks

    return benchmarks.benchmark(name).citation if name in benchmarks.installed() else ""


def _licences(shown: Iterable[str], files: Sequence[Path]) -> list[str]:
    from whatif import artifacts
    from whatif.artifacts.schemas import IMAGES

    rows = artifacts.rows_of(files, IMAGES, ["image_id", "licence"], only={"image_id": shown})
    return sorted({row["licence"] for row in rows})
