"""`whatif export tasks`: what people judge in a benchmark, as tasks for an annotation tool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.project_folder import display_path

if TYPE_CHECKING:
    from whatif.engine.graph.people import PeoplesWork, Row
    from whatif.engine.graph.steps import Benchmark, OutputOf
    from whatif.people.imports.items import Items

ANSWER = "answer"  # the kind of work in which people answer questions, which many benchmarks have


@click.command("tasks")
@click.argument("benchmark")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--to", "tool", type=click.Choice(["label-studio", "csv", "mturk"]), required=True, help="The tool.")
@click.option("--of", "kind", help="The kind of work, where a benchmark has several, for example verify or answer.")
@click.option(
    "--annotators",
    type=click.IntRange(1, 1000),
    help="People who judge an item. Default: three, or as many as the benchmark says.",
)
@click.option("--people", type=click.IntRange(1, 1000), help="People who take part. Default: as many as --annotators.")
@click.option(
    "--share",
    type=click.FloatRange(0, 1),
    help="The share of the items that --annotators people judge; one person judges each other item. Default: 1; "
    "without --annotators, what params.yaml says.",
)
@click.option(
    "--gold",
    type=click.Path(path_type=Path),
    help="CSV or JSONL of items with a known decision (item_id, decision). Everybody judges them.",
)
@click.option(
    "--image-url",
    metavar="PREFIX",
    help="Where annotators' browsers find the images: PREFIX and the name of the file. Needed for mturk. Label Studio "
    "has the images in its tasks without it.",
)
@click.option("--table", type=click.Path(path_type=Path), multiple=True, help="Tables of items; default: the graph's.")
@click.option(
    "--images", type=click.Path(path_type=Path), multiple=True, help="Tables of the images instead of the graph's."
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    help="Seed of the tasks. Default: the seed in params.yaml, or 0 without that file.",
)
def export_people_tasks(
    benchmark: str,
    folder: Path,
    *,
    tool: str,
    kind: str | None,
    annotators: int | None,
    people: int | None,
    share: float | None,
    gold: Path | None,
    image_url: str | None,
    table: tuple[Path, ...],
    images: tuple[Path, ...],
    seed: int | None,
) -> None:
    """Write what people judge, or write, in BENCHMARK as annotation tasks into FOLDER.

    Name the labelled files under `labels` in params.yaml; docs/labels.md describes how.

    \b
    whatif export tasks coco-counterfactuals tasks/ --to label-studio --annotators 3
    whatif export tasks cvqa-real tasks/ --to csv --of verify --annotators 2 --people 5
    whatif export tasks cfmm tasks/ --to csv --of annotate
    """
    from whatif.commands.picture_pairs import seed_or_default
    from whatif.engine import artifacts
    from whatif.engine.artifacts.images import ImageStore
    from whatif.people.exports.folder import Address, write_tasks
    from whatif.people.exports.label_studio import label_studio_files
    from whatif.people.exports.mturk import mturk_files
    from whatif.people.exports.table import csv_files
    from whatif.people.exports.tasks import assigned

    found = _benchmark(benchmark)
    work = _work(found, kind)
    if tool == "mturk" and image_url is None:
        raise WhatifError("--image-url is missing; MTurk shows images from the web: give the address of a folder")
    if tool == "csv" and image_url is not None:
        raise WhatifError("--image-url: the CSV names the image files beside it; leave it out")
    rows: Sequence[Row] = list(artifacts.rows_of(table or _tables(found, work.rows), work.rows.table))
    if not rows:
        raise WhatifError(f"{folder}: there are no {work.rows.role} to judge; give a table that is not empty")
    rows = work.joined(rows, _further_rows(found, work))
    chosen_seed = seed_or_default(seed)
    number = annotators or work.annotators
    known = _gold_items(gold, work.items(rows, chosen_seed)) if gold else []
    tasks = assigned(
        work.tasks(rows, chosen_seed),
        annotators=number,
        people=people or number,
        share=_share(work, annotators) if share is None else share,
        by_everybody=known,
        seed=chosen_seed,
    )
    store = ImageStore(images or [path for output in work.images for path in _tables(found, output)])
    address = None if image_url is None else Address(image_url)
    if tool == "csv":
        files = csv_files(tasks, store)
    elif address is not None and tool == "mturk":
        files = mturk_files(tasks, store, address)
    else:
        files = label_studio_files(tasks, store, address)
    write_tasks(folder, files, tasks, store, with_images=tool == "csv" or address is not None)
    written = ", ".join(sorted(files))
    click.echo(f"{display_path(folder)}: {len(tasks.tasks):,} tasks, {tasks.labels:,} labels to give: {written}")


def _benchmark(name: str) -> Benchmark:
    from whatif import benchmarks

    if name not in benchmarks.installed():
        raise WhatifError(f"benchmark {name}: is unknown; use one of {', '.join(_judged())}")
    return benchmarks.benchmark(name)


def _work(benchmark: Benchmark, kind: str | None) -> PeoplesWork:
    """The work of this name, or the only one beside answering questions."""
    known = benchmark.people
    if not known:
        raise WhatifError(f"benchmark {benchmark.name}: people judge nothing in it; use one of {', '.join(_judged())}")
    usual = [one for one in known if one != ANSWER] or [ANSWER]
    if kind is None and len(usual) > 1:
        raise WhatifError(f"--of is missing; benchmark {benchmark.name} has several kinds of work: {', '.join(known)}")
    name = usual[0] if kind is None else kind
    if name not in known:
        raise WhatifError(f"--of {name}: is unknown; benchmark {benchmark.name} has {', '.join(known)}")
    return known[name]


def _judged() -> list[str]:
    from whatif import benchmarks
    from whatif.benchmarks.discovery import usable, yaml_files

    return [name for name in sorted([*usable(), *yaml_files()]) if benchmarks.benchmark(name).people]


def _tables(benchmark: Benchmark, output: OutputOf) -> tuple[Path, ...]:
    """The files of a table that the graph has made, as one file or in parts."""
    from whatif.commands.picture_pairs import made_files

    whole = Path(benchmark.step_of(output).paths[output.role].partition("/{")[0].removesuffix(".parquet"))
    found = made_files(whole.parent, whole.name)
    if not found:
        raise WhatifError(f"{whole}: there is no table of {output.role}; run `dvc repro` to make it")
    return found


def _further_rows(benchmark: Benchmark, work: PeoplesWork) -> dict[str, list[Row]]:
    from whatif.engine import artifacts

    return {
        role: [row for output in outputs for row in artifacts.rows_of(_tables(benchmark, output), output.table)]
        for role, outputs in work.further.items()
    }


def _share(work: PeoplesWork, annotators: int | None) -> float:
    """The share of the items that several people judge: all of them if the user says how many people do."""
    from whatif import benchmarks
    from whatif.engine.params.whole import PARAMS_FILE

    return work.share(benchmarks.load_params()) if annotators is None and Path(PARAMS_FILE).exists() else 1.0


def _gold_items(path: Path, items: Items) -> list[str]:
    """The items of a file with known decisions. Raises WhatifError when one of its rows cannot be used."""
    from whatif.people.imports.importer import import_labels
    from whatif.people.imports.settings import LabelFile

    settings: dict[str, Any] = {"path": str(path), "format": "long", "annotator": "gold"}
    known = import_labels([LabelFile.model_validate(settings)], items)
    if known.findings:
        first = known.findings[0]
        raise WhatifError(f"{path}: {first.place.row}: {first.detail} ({first.reason})")
    return sorted({row["item_id"] for row in known.judgements})
