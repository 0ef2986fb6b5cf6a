"""`whatif import` and `whatif export`: questions, image pairs and results, read from and written to other formats."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatif.commands.export_results import export_results
from whatif.commands.people_tasks import export_people_tasks
from whatif.commands.picture_pairs import export_errors, export_pairs, export_tasks, import_labels, import_pairs
from whatif.engine.errors import WhatifError
from whatif.engine.files.project_folder import display_path

if TYPE_CHECKING:
    from whatif.engine.artifacts.images import ImageStore

OURS = Path("data/verify/cvqa-synthetic/questions.parquet")


@click.group("import", commands=[import_pairs, import_labels])
def import_() -> None:
    """Read a released data set or annotators' labels into tables (.parquet)."""


@import_.command("c-vqa")
@click.argument("csv", type=click.Path(path_type=Path))
@click.argument("output", type=click.Path(path_type=Path))
def import_c_vqa(csv: Path, output: Path) -> None:
    """Read a released C-VQA file (Real or Synthetic) into a questions table.

    CSV is the released file, OUTPUT the table to write (.parquet).

    \b
    whatif import c-vqa C-VQA-Synthetic_questions.csv released.parquet
    whatif audit released.parquet
    """
    from whatif.engine.artifacts.schemas import QUESTIONS
    from whatif.engine.artifacts.writer import write_artifact
    from whatif.formats.c_vqa import read_released

    if output.suffix != ".parquet":
        raise WhatifError(f"{output}: must end in .parquet; give the CSV first, then the table to write")
    questions = read_released(csv)
    write_artifact(output, QUESTIONS, questions)
    click.echo(f"{display_path(output)}: {len(questions):,} questions in {len(questions) // 2:,} pairs")


@click.group("export", commands=[export_pairs, export_tasks, export_errors, export_people_tasks, export_results])
def export() -> None:
    """Write questions or image pairs for other tools or as annotation tasks, or results for experiment trackers."""


_QUESTIONS = click.option(
    "--questions",
    type=click.Path(path_type=Path),
    default=OURS,
    show_default=True,
    help="The questions table to write.",
)
_IMAGES = click.option(
    "--images",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A table of their images; may be given several times. Default: the images of the questions' benchmark.",
)
_STRATEGY = click.option(
    "--strategy", default="direct", show_default=True, help="The prompting strategy, of one message."
)


@export.command("c-vqa-csv")
@click.argument("output", type=click.Path(path_type=Path))
@_QUESTIONS
@_IMAGES
@click.option("--no-pictures", is_flag=True, help="Write only the CSV, without the images.")
def export_c_vqa_csv(output: Path, questions: Path, images: tuple[Path, ...], no_pictures: bool) -> None:
    """Write a questions table and its images in the format of the released C-VQA files.

    OUTPUT is the CSV. The images go into a folder with the name of OUTPUT without its suffix, under the file names that
    the CSV gives.

    \b
    whatif export c-vqa-csv ours.csv            # ours.csv, ours/abs_counting_000001.png, ...
    """
    from whatif.engine import artifacts
    from whatif.engine.artifacts.images import ImageStore
    from whatif.engine.artifacts.schemas import QUESTIONS
    from whatif.formats.c_vqa import write_released
    from whatif.formats.c_vqa_folder import named_pictures, write_pictures

    if output.suffix == ".parquet":
        raise WhatifError(f"{output}: is the name of an artifact; give the name of a CSV, for example ours.csv")
    if not output.suffix and not no_pictures:
        raise WhatifError(f"{output}: needs a suffix, for example {output}.csv; the folder {output} is for the images")
    rows = artifacts.read(questions, QUESTIONS).to_pylist()
    folder = output.with_suffix("")
    named = {} if no_pictures else named_pictures(rows, folder)
    write_released(rows, output)
    click.echo(f"{display_path(output)}: {len(rows) // 2:,} pairs of questions")
    if written := write_pictures(named, ImageStore(images or pictures_of(questions.parent.name)), folder):
        click.echo(f"{display_path(folder)}: {written:,} images")
    if absent := len(named) - written:
        click.echo(
            f"{display_path(output)}: names {absent:,} images that were not found; give their tables with --images"
        )


@export.command("vlmevalkit")
@click.argument("output", type=click.Path(path_type=Path))
@_QUESTIONS
@_IMAGES
@_STRATEGY
def export_vlmevalkit(output: Path, questions: Path, images: tuple[Path, ...], strategy: str) -> None:
    """Write a questions table and its images as a data set of VLMEvalKit.

    OUTPUT is a TSV. Put it into the folder that LMUData names; the data set has the name of the file. To score the
    tool's predictions, add a model with `adapter: replay` to params.yaml.
    """
    from whatif.formats.evaluation_tools import write_vlmevalkit

    if output.suffix != ".tsv":
        raise WhatifError(f"{output}: must end in .tsv, for example WhatIf.tsv")
    rows, pictures = _with_pictures(questions, images)
    write_vlmevalkit(rows, pictures, output, strategy=strategy)
    click.echo(f"{display_path(output)}: {len(rows):,} questions")


@export.command("lmms-eval")
@click.argument("folder", type=click.Path(path_type=Path))
@_QUESTIONS
@_IMAGES
@_STRATEGY
@click.option("--name", help="Name of the task, without the prefix `whatif_`. Default: the benchmark of --questions.")
def export_lmms_eval(folder: Path, questions: Path, images: tuple[Path, ...], strategy: str, name: str | None) -> None:
    """Write a questions table and its images as a task of lmms-eval.

    The task is named `whatif_` plus the benchmark and does not depend on the name of FOLDER; FOLDER may be moved. Run
    it with --include_path FOLDER where whatif is installed as well (`pip install whatif-bench`): its functions word the
    questions, extract answers and score them as whatif does. The logged samples (--log_samples) can also be scored with
    `adapter: replay` in params.yaml.

    \b
    whatif export lmms-eval task/
    lmms-eval --model MODEL --include_path task/ --tasks whatif_cvqa_synthetic --log_samples --output_path out
    """
    import shlex

    from whatif.results.harnesses.exported_task import write_exported_task

    rows, pictures = _with_pictures(questions, images)
    file = write_exported_task(rows, pictures, folder, name=name or _name_of(questions), strategy=strategy)
    options = f"--include_path {shlex.quote(display_path(folder))} --tasks {file.stem} --log_samples"
    click.echo(f"{display_path(file)}: {len(rows):,} questions; run lmms-eval with {options}")


def _with_pictures(questions: Path, images: tuple[Path, ...]) -> tuple[list[dict[str, Any]], ImageStore]:
    """The rows of a questions table, and the store of their images."""
    from whatif.engine import artifacts
    from whatif.engine.artifacts.images import ImageStore
    from whatif.engine.artifacts.schemas import QUESTIONS

    rows = artifacts.read(questions, QUESTIONS).to_pylist()
    found = images or pictures_of(questions.parent.name)
    if not found:
        raise WhatifError(f"{questions}: no tables of its images were found; give them with --images")
    return rows, ImageStore(found)


def pictures_of(benchmark: str) -> tuple[Path, ...]:
    """The artifacts with a benchmark's images, sorted so that the images that models are shown come first."""
    from whatif.engine.artifacts.schemas import IMAGES
    from whatif.engine.graph.lineage import tables_of

    return tables_of(benchmark, IMAGES, ("verify", "filter", "generate", "extract"))


def _name_of(questions: Path) -> str:
    """The benchmark of a questions table made by the graph; otherwise the name of the file without its suffix."""
    return questions.parent.name if questions.parts[:1] == ("data",) else questions.stem
