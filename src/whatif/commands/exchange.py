"""`whatif import` and `whatif export`: questions from and to the formats of others."""

from __future__ import annotations

from pathlib import Path

import click

from whatif.errors import WhatifError

OURS = Path("data/verify/cvqa-synthetic/questions.parquet")


@click.group("import")
def import_() -> None:
    """Read a released data set into a questions table."""


@import_.command("c-vqa")
@click.argument("csv", type=click.Path(path_type=Path))
@click.argument("output", type=click.Path(path_type=Path))
def import_c_vqa(csv: Path, output: Path) -> None:
    """Read CSV, a released C-VQA file (Real or Synthetic), into the questions table OUTPUT (.parquet).

    \b
    whatif import c-vqa C-VQA-Synthetic_questions.csv released.parquet
    whatif audit released.parquet
    """
    from whatif.artifact_writer import write_artifact
    from whatif.schemas import QUESTIONS
    from whatif.sources.c_vqa import read_released

    if output.suffix != ".parquet":
        raise WhatifError(f"{output}: must end in .parquet; the CSV comes first, then the table to write")
    questions = read_released(csv)
    write_artifact(output, QUESTIONS, questions)
    click.echo(f"{output}: {len(questions):,} questions in {len(questions) // 2:,} pairs")


@click.group("export")
def export() -> None:
    """Write questions in the format of a released data set."""


@export.command("c-vqa-csv")
@click.argument("output", type=click.Path(path_type=Path))
@click.option(
    "--questions",
    type=click.Path(path_type=Path),
    default=OURS,
    show_default=True,
    help="The questions table to write.",
)
def export_c_vqa_csv(output: Path, questions: Path) -> None:
    """Write a questions table as OUTPUT, a CSV in the format of the released C-VQA files."""
    from whatif import artifacts
    from whatif.schemas import QUESTIONS
    from whatif.sources.c_vqa import write_released

    if output.suffix == ".parquet":
        raise WhatifError(f"{output}: is the name of an artifact; give the CSV to write, for example ours.csv")
    rows = artifacts.read(questions, QUESTIONS).to_pylist()
    write_released(rows, output)
    click.echo(f"{output}: {len(rows) // 2:,} pairs of questions")
