"""`whatif import` and `whatif export` of image pairs: released data sets, annotation tasks and their labels."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.project_folder import display_path

if TYPE_CHECKING:
    from whatif.engine.artifacts.images import ImageStore
    from whatif.engine.params.resolution import Resolution

NAME = "coco-counterfactuals"
_FOLDER = Path(f"data/filter/{NAME}")

_PAIRS = click.option(
    "--pairs",
    type=click.Path(path_type=Path),
    multiple=True,
    help=f"A table of chosen pairs; may be given several times. Default: the tables in {_FOLDER}.",
)
_IMAGES = click.option(
    "--images",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A table of their images; may be given several times. Default: the images beside --pairs.",
)
_SEED = click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    help="Seed of the tasks. Default: the seed in params.yaml, or 0 without that file.",
)


@click.command(NAME)
@click.argument("source", type=click.Path(path_type=Path), metavar="FOLDER_OR_ZIP")
@click.argument("folder", type=click.Path(path_type=Path), metavar="OUT_FOLDER")
def import_pairs(source: Path, folder: Path) -> None:
    """Read the released COCO-Counterfactuals, a folder or a zip, into tables in OUT_FOLDER.

    Writes pairs.parquet, images.parquet and rejections.parquet. The last one has a row with the reason for each line of
    examples.jsonl that could not be used.
    """
    from whatif.engine.artifacts.images import SortedImages
    from whatif.engine.artifacts.schemas import IMAGES as IMAGES_TABLE
    from whatif.engine.artifacts.schemas import PAIRS as PAIRS_TABLE
    from whatif.engine.artifacts.schemas import REJECTIONS
    from whatif.engine.artifacts.writer import ArtifactWriter, write_artifact
    from whatif.formats.coco_counterfactuals import read_released_pairs

    if folder.suffix == ".parquet" or folder.is_file():
        raise WhatifError(f"{folder}: must be a folder, because several tables are written; give a folder, not a file")
    with _removed_when_empty(folder), ArtifactWriter(folder / "images.parquet", IMAGES_TABLE) as writer:
        with SortedImages(writer) as pictures:
            released = read_released_pairs(source, pictures.add)
        if not released.pairs:
            told = "; ".join(f"{reason}: {count}" for reason, count in released.reasons.items())
            raise WhatifError(f"{source}: has no complete pair ({told}; the first: {released.rejections[0]['detail']})")
    write_artifact(folder / "rejections.parquet", REJECTIONS, released.rejections)
    write_artifact(folder / "pairs.parquet", PAIRS_TABLE, released.pairs)
    click.echo(f"{display_path(folder / 'pairs.parquet')}: {len(released.pairs):,} pairs")
    for reason, count in released.reasons.items():
        click.echo(f"{display_path(folder / 'rejections.parquet')}: {reason}: {count:,}")


@contextlib.contextmanager
def _removed_when_empty(folder: Path) -> Iterator[None]:
    """Removes the folder if it is empty after its contents could not be written."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):  # it is not empty, or was never made
            folder.rmdir()
        raise


@click.command("picture-labels")
@click.argument("csv", type=click.Path(path_type=Path))
@click.argument("output", type=click.Path(path_type=Path))
@_PAIRS
@_SEED
def import_labels(csv: Path, output: Path, pairs: tuple[Path, ...], seed: int | None) -> None:
    """Read annotation tasks that people have labelled into a table of judgements.

    CSV is the labelled tasks.csv, OUTPUT the table to write (.parquet). Give the same pairs and seed as to `whatif
    export picture-tasks`. Rejected rows are listed with their line numbers.
    """
    from whatif.engine.artifacts.schemas import JUDGEMENTS
    from whatif.engine.artifacts.writer import write_artifact
    from whatif.people.picture_labels import read_picture_labels

    if output.suffix != ".parquet":
        raise WhatifError(f"{output}: must end in .parquet; give the CSV first, then the table to write")
    labels = read_picture_labels(csv, _rows(pairs), seed=seed_or_default(seed))
    write_artifact(output, JUDGEMENTS, labels.judgements)
    click.echo(
        f"{output}: {len(labels.judgements):,} labels; {labels.unlabelled:,} rows without a label, "
        f"{labels.pictures_without_label:,} images without a label"
    )
    for row in labels.rejections:
        click.echo(f"{display_path(csv)}: {row['detail']} ({row['reason']})", err=True)
    if labels.rejections:
        click.echo(f"{display_path(csv)}: {len(labels.rejections):,} rows were rejected", err=True)


@click.command(NAME)
@click.argument("folder", type=click.Path(path_type=Path))
@_PAIRS
@_IMAGES
def export_pairs(folder: Path, pairs: tuple[Path, ...], images: tuple[Path, ...]) -> None:
    """Write counterfactual pairs and their images in the released form: examples.jsonl and images in FOLDER.

    `whatif publish` writes Parquet with a data card.
    """
    from whatif.formats.coco_counterfactuals_folder import write_released_pairs

    written = write_released_pairs(_rows(pairs), _store(_picture_files(pairs, images)), folder)
    click.echo(f"{display_path(folder)}: {written:,} pairs")


@click.command("picture-tasks")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--labelled-three-times",
    type=click.FloatRange(0, 1),
    help=f"The share of images that three annotators label. Default: the value of verify.{NAME} in params.yaml.",
)
@_PAIRS
@_IMAGES
@_SEED
def export_tasks(
    folder: Path,
    labelled_three_times: float | None,
    pairs: tuple[Path, ...],
    images: tuple[Path, ...],
    seed: int | None,
) -> None:
    """Write annotation tasks into FOLDER: tasks.csv, the images, and instructions for annotators.

    Annotators fill in the column `label`. Then set verify.coco-counterfactuals.labels in params.yaml to the labelled
    file, or read it with `whatif import picture-labels`.
    """
    from whatif import benchmarks
    from whatif.people.picture_tasks import FILE, picture_tasks, write_picture_tasks

    if labelled_three_times is None:
        labelled_three_times = benchmarks.load_params().lookup(f"verify.{NAME}.labelled_three_times")
    tasks = picture_tasks(_rows(pairs), seed=seed_or_default(seed), labelled_three_times=labelled_three_times)
    rows = write_picture_tasks(tasks, _store(_picture_files(pairs, images)), folder)
    click.echo(f"{display_path(folder / FILE)}: {rows:,} labels to give for {len(tasks):,} images")


@click.command("picture-errors")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--judgements",
    type=click.Path(path_type=Path),
    default=Path(f"data/verify/{NAME}/judgements.parquet"),
    show_default=True,
    help="The table of judgements of the images.",
)
@_PAIRS
@_IMAGES
@_SEED
def export_errors(
    folder: Path, judgements: Path, pairs: tuple[Path, ...], images: tuple[Path, ...], seed: int | None
) -> None:
    """Write a sample of 100 errors into FOLDER, to be sorted into the categories of Table 7.

    An error is an image whose own caption was not chosen. Annotators fill in the column `category` of errors.csv. Then
    set verify.coco-counterfactuals.error_categories in params.yaml to that file.
    """
    from whatif.engine import artifacts
    from whatif.engine.artifacts.schemas import JUDGEMENTS
    from whatif.people.consensus import consensus, errors
    from whatif.people.error_categories import FILE, sample_errors, write_error_sample

    judged = list(artifacts.rows_of(judgements, JUDGEMENTS))
    rule = _resolution(judgements)
    sample = sample_errors(errors(judged, rule), seed=seed_or_default(seed))
    write_error_sample(sample, _rows(pairs), consensus(judged, rule), _store(_picture_files(pairs, images)), folder)
    click.echo(f"{display_path(folder / FILE)}: {len(sample):,} errors")


def _resolution(judgements: Path) -> Resolution:
    """The rule by which the benchmark of a table of judgements decides; the default for tables outside the graph."""
    from whatif import benchmarks
    from whatif.engine.params.resolution import Resolution
    from whatif.engine.params.whole import PARAMS_FILE

    sections = benchmarks.load_params().sections if Path(PARAMS_FILE).exists() else {}
    verify = getattr(sections.get(judgements.parent.name), "verify", None)
    found = getattr(verify, "resolution", None)
    return found if isinstance(found, Resolution) else Resolution()


def _rows(pairs: tuple[Path, ...]) -> list[dict[str, Any]]:
    from whatif.engine import artifacts
    from whatif.engine.artifacts.schemas import PAIRS as PAIRS_TABLE

    return list(artifacts.rows_of(_tables(pairs), PAIRS_TABLE))


def _tables(pairs: tuple[Path, ...]) -> tuple[Path, ...]:
    found = pairs or made_files(_FOLDER, "pairs")
    if not found:
        raise WhatifError(
            f"{_FOLDER}: contains no table of pairs; run `dvc repro` to make it, or give one with --pairs"
        )
    return found


def _picture_files(pairs: tuple[Path, ...], images: tuple[Path, ...]) -> tuple[Path, ...]:
    """The tables of images: the ones given, otherwise those beside the tables of pairs."""
    beside = [path.with_name("images.parquet") for path in pairs]
    known = tuple(path for path in beside if path.exists()) if pairs else made_files(_FOLDER, "images")
    found = images or known
    if not found:
        where = ", ".join(map(str, pairs)) or str(_FOLDER)
        raise WhatifError(f"{where}: no table of images was found beside it; give tables of images with --images")
    return found


def made_files(folder: Path, role: str) -> tuple[Path, ...]:
    """The files of an output of the graph, as one file or in parts."""
    return tuple(sorted([*folder.glob(f"{role}.parquet"), *(folder / role).rglob("[!.]*.parquet")]))


def _store(files: tuple[Path, ...]) -> ImageStore:
    from whatif.engine.artifacts.images import ImageStore

    return ImageStore(files)


def seed_or_default(seed: int | None) -> int:
    """A seed of tasks as given; otherwise the seed in `params.yaml`, or 0 without that file."""
    from whatif import benchmarks
    from whatif.engine.params.whole import PARAMS_FILE

    if seed is not None:
        return seed
    return benchmarks.load_params().seed if Path(PARAMS_FILE).exists() else 0
