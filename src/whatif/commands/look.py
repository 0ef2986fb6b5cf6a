"""`whatif show` and `compare`: display numbers, artifacts and images."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.files.project_folder import display_path, typed_path

if TYPE_CHECKING:
    from whatif.world.drawing.contact_sheet import Panel

QUESTIONS_FILE = click.Path(path_type=Path)
_LONGEST_CELL = 60


@click.command()
@click.argument("what")
@click.option(
    "--rows",
    default=5,
    type=click.IntRange(0, 1_000_000),
    show_default=True,
    help="How many rows of an artifact to print.",
)
@click.option("--picture", type=click.Path(path_type=Path), help="Write a contact sheet of questions as this PNG.")
@click.option(
    "--pairs",
    default=6,
    type=click.IntRange(min=1),
    show_default=True,
    help="Pairs of questions on the contact sheet.",
)
def show(what: str, rows: int, picture: Path | None, pairs: int) -> None:
    """Show a benchmark's results and its main table, or the rows and provenance of an artifact.

    The results are those of `whatif summary`: models of your own come first. A note above them reports if the numbers
    are stale, unfinished or cannot be checked, and why.

    \b
    whatif show cvqa-synthetic
    whatif show cvqa-synthetic --picture puzzles.png
    whatif show data/verify/cvqa-synthetic/questions.parquet --rows 3
    """
    if what.endswith(".parquet"):
        _show_artifact(typed_path(what), rows)
    elif picture is not None:
        shown, sheet = _sheet(what, pairs)
        write_whole(picture, sheet)
        click.echo(f"{display_path(picture)}: {shown} pairs of {what}")
    else:
        _show_results(what)


def _show_results(name: str) -> None:
    from whatif import benchmarks
    from whatif.benchmarks.site import SITE
    from whatif.commands.summary import lines_of, own_first
    from whatif.engine.graph.staleness import remarks

    graph = benchmarks.graph(benchmarks.load_params())
    if name == SITE:
        raise WhatifError(f"{name}: is the site of all benchmarks; `whatif site` writes it and says where it is")
    steps = graph.steps_of("aggregate", name)
    published = [Path(path) for step in steps for path in step.published(graph.params)]
    tables = [path for path in published if path.suffix == ".md"]
    if not tables:
        raise WhatifError(f"{name}: publishes no table; see {', '.join(map(str, published)) or 'its artifacts'}")
    headline = next((path for path in tables if path.name != "report.md"), tables[0])
    if not headline.exists():
        raise WhatifError(f"{headline}: not there yet; `dvc repro` or `snakemake --cores 2` makes it")
    if notes := remarks(graph, name):
        click.echo("\n".join([*notes, ""]))
    click.echo("\n".join([*lines_of(name, graph.benchmarks[name].headline, own_first(graph.params)), ""]))
    click.echo(headline.read_text(encoding="utf-8"))
    click.echo("All numbers and tables:")
    for path in published:
        click.echo(f"  {display_path(path)}")
    folders = {
        f"data/{each.stage}/{'MODEL/' if each.stage == 'evaluate' else ''}{name}": None
        for each in graph.benchmarks[name].steps
    }
    click.echo(f"Artifacts: {', '.join(folders)}")
    click.echo("What is fresh and why: whatif status")


def _show_artifact(path: Path, rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from whatif.engine import artifacts

    footer = artifacts.footer_of(path)
    click.echo(f"{display_path(path)}: {footer.rows:,} rows of {footer.table}, fingerprint {footer.fingerprint[:12]}")
    for place, value in footer.made_from.get("parameters", {}).items():
        click.echo(f"  {place}: {value}")
    try:
        with pq.ParquetFile(path) as file:
            first = [batch.to_pylist() for batch in itertools.islice(file.iter_batches(max(rows, 1)), 1)]
    except (pa.ArrowException, OSError) as error:
        raise WhatifError(f"{path}: unreadable ({artifacts.first_line(error)}){artifacts.remedy(path)}") from error
    for row in (row for batch in first for row in batch[:rows]):
        click.echo("")
        for column, value in row.items():
            click.echo(f"  {column}: {_cell(value)}")


def _cell(value: Any) -> str:
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_cell(inner)}" for key, inner in value.items()) + "}"
    text = str(value)
    return text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}..."


def _sheet(name: str, pairs: int) -> tuple[int, bytes]:
    """The number of pairs shown, and the contact sheet as PNG.

    The pairs are taken at even intervals from the whole set, so that different groups are represented.
    """
    from whatif import benchmarks
    from whatif.benchmarks.shared.tasks import by_pair
    from whatif.engine import artifacts
    from whatif.engine.artifacts.images import ImageStore
    from whatif.engine.artifacts.schemas import QUESTIONS
    from whatif.world.drawing.contact_sheet import contact_sheet

    graph = benchmarks.graph(benchmarks.load_params())
    asking = next((step for step in graph.steps_of("evaluate", name) if "questions" in step.inputs), None)
    if asking is None:
        raise WhatifError(f"{name}: has no questions to show; its pairs are in site/{name}/items.html")
    jobs = graph.jobs_of(asking)
    questions = artifacts.read(jobs[0].inputs["questions"].paths, QUESTIONS).to_pylist()
    images = ImageStore(sorted({path for job in jobs for path in job.inputs["images"].paths}))
    related = list(by_pair(questions).values())
    if not related:
        raise WhatifError(f"{name}: has no questions to show; `whatif show {jobs[0].inputs['questions'].paths[0]}`")
    shown = min(pairs, len(related))
    chosen = [related[(2 * number + 1) * len(related) // (2 * shown)] for number in range(shown)]
    return shown, contact_sheet([_panel(pair, images) for pair in chosen])


def _panel(pair: Sequence[dict[str, Any]], images: Any) -> Panel:
    from whatif.engine.artifacts.variants import variant_order
    from whatif.engine.language.options import LETTERS
    from whatif.world.drawing.contact_sheet import Panel

    paragraphs = []
    for row in sorted(pair, key=lambda row: variant_order(row["variant"])):
        options = [f"{letter}: {choice}" for letter, choice in zip(LETTERS, row["choices"] or [], strict=False)]
        paragraphs += [row["question"], "   ".join([*options, f"answer {row['answer']}"]), ""]
    return Panel(images.get(pair[0]["image_ids"][0]), tuple(paragraphs))


@click.command()
@click.argument("ours", type=QUESTIONS_FILE)
@click.argument("released", type=QUESTIONS_FILE)
def compare(ours: Path, released: Path) -> None:
    """Compare two questions tables: numbers, lengths, answers, letters and ranks, group by group."""
    from whatif.engine import artifacts
    from whatif.engine.artifacts.schemas import QUESTIONS as TABLE
    from whatif.scoring.statistics.question_sets import compare_markdown, summary

    click.echo(compare_markdown(*(summary(artifacts.rows_of(path, TABLE)) for path in (ours, released))))
