"""`whatif audit`: how well anybody's benchmark is answered without its images, and what it costs to repair it."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.files.project_folder import display_path, typed_path
from whatif.engine.files.well_formed import escaped

if TYPE_CHECKING:
    from whatif.results.auditing.audit import Audit, How
    from whatif.results.auditing.benchmark import Benchmark
    from whatif.results.auditing.prune import Pruned

_FILE = click.Path(path_type=Path)
_KINDS = ("choice", "yes-no", "number", "open")
_COLUMN = "COLUMN"
_WIDTH = 120  # characters of the printed table


@click.command()
@click.argument("benchmarks", nargs=-1, required=True, type=_FILE, metavar="BENCHMARK...")
@click.option(
    "--question", multiple=True, metavar=_COLUMN, help="The question; twice for an original and a counterfactual."
)
@click.option("--answer", multiple=True, metavar=_COLUMN, help="The right answer; once for each --question.")
@click.option(
    "--options",
    multiple=True,
    metavar="COLUMN[,COLUMN]",
    help="The options: one column with a list, or one column for each (A,B,C,D); `-` for options in the question.",
)
@click.option("--picture", metavar=_COLUMN, help="The picture (id, path or bytes); `-` for none.")
@click.option("--pair", metavar=_COLUMN, help="The id that an original and its counterfactual question share.")
@click.option("--group", metavar=_COLUMN, help="The group by which --prune counts what it drops.")
@click.option("--variant", metavar=_COLUMN, help="The variant; each is audited on its own.")
@click.option("--id", "item", metavar=_COLUMN, help="The item's id.")
@click.option(
    "--pairs", metavar="COLUMN,COLUMN", help="An original and a counterfactual caption, instead of questions."
)
@click.option(
    "--clusters",
    metavar=_COLUMN,
    help="Keep questions with the same value in one fold. By default, those about the same picture.",
)
@click.option("--kind", type=click.Choice(_KINDS), help="What answers are; recognised by default.")
@click.option("--config", help="The configuration of a Hugging Face folder.")
@click.option("--split", help="The split of a Hugging Face folder; by default `test`.")
@click.option(
    "--folds", default=5, type=click.IntRange(2, 1000), show_default=True, help="Folds of the cross-validation."
)
@click.option(
    "--seed", default=0, type=click.IntRange(0, 2**32 - 1), show_default=True, help="Seed of folds and models."
)
@click.option(
    "--confidence",
    default=0.95,
    type=click.FloatRange(0, 1, True, True),
    show_default=True,
    help="Level of the intervals.",
)
@click.option(
    "--language-model",
    metavar="CHECKPOINT",
    help="Fine-tune this encoder as well: a folder or a hub id with safetensors, or embedded:masked-language.",
)
@click.option("--scores", type=_FILE, help="Write a score for each item to this .csv or .parquet file.")
@click.option("--prune", "prune_to", type=_FILE, help="Drop what is guessable, and write the rest here.")
@click.option("--html", type=_FILE, help="Write one page with the rules and the most guessable items.")
def audit(benchmarks: Sequence[Path], prune_to: Path | None, html: Path | None, **options: Any) -> None:
    """Measure how well a benchmark can be answered without its images.

    BENCHMARK is a CSV, TSV, JSON, JSONL, Parquet or Excel file, a folder of the Hugging Face Hub or of `save_to_disk`,
    an lmms-eval log of samples, a VLMEvalKit file, or a questions table of the pipeline. Columns are recognised by
    their names, and a line says what was taken as what.

    \b
    whatif audit questions.csv
    whatif audit questions.csv --html audit.html --scores guessable.csv
    whatif audit questions.csv --prune kept.csv          # also writes kept.dropped.csv
    whatif audit data.jsonl --question prompt --options a,b,c,d --answer gold --picture file
    whatif audit captions.jsonl --pairs caption_0,caption_1

    Chance is one in the number of options, a half for yes or no, and the share of the most frequent answer otherwise. A
    rule whose whole interval is above chance, corrected for its choice or for cross-validation, is a shortcut. Nothing
    is sent anywhere.
    """
    _check(benchmarks, prune_to, html, options)
    from whatif.results.auditing.audit import audit, check_size
    from whatif.results.auditing.report import luck, table, verdict, write_scores
    from whatif.results.reporting.rendering import to_markdown

    how = _how(options)
    read = {_shown(path): _read(path, options) for path in benchmarks}
    for name, benchmark in read.items():
        check_size(benchmark.items, how.folds, name)
        click.echo(f"{name}: {benchmark.table.source}, {len(benchmark.items):,} questions: {benchmark.recognised}")
        for note in benchmark.notes:
            click.echo(f"  {note}")
    click.echo("")
    if prune_to is not None:
        [(name, benchmark)] = read.items()
        _prune(name, benchmark, how, prune_to, html=html, scores=options["scores"])
        return
    found: dict[str, Audit] = {name: audit(benchmark.items, how) for name, benchmark in read.items()}
    click.echo(to_markdown(table(found, how.confidence), width=_WIDTH))
    for name, one in found.items():
        for note in one.notes:
            click.echo(f"{name}: {note}")
        click.echo(f"{name}: {verdict(one)} {luck(one, how.confidence)}")
    if options["scores"] is not None:
        [one] = found.values()
        write_scores(one, options["scores"])
        click.echo(f"{_shown(options['scores'])}: a score for each item")
    if html is not None:
        [(name, benchmark)] = read.items()
        _write_page(html, name, benchmark, found[name], confidence=how.confidence)


def _shown(path: Path) -> str:
    """A path as the user would type it, in text that can be printed and written."""
    return escaped(display_path(path))


def _check(benchmarks: Sequence[Path], prune_to: Path | None, html: Path | None, options: dict[str, Any]) -> None:
    """Refuses at once what would fail after minutes."""
    from whatif.results.auditing.report import check_scores

    for option, path in (("--prune", prune_to), ("--html", html), ("--scores", options["scores"])):
        if path is None:
            continue
        if len(benchmarks) > 1:
            raise WhatifError(f"{option} {path}: is of one benchmark, but {len(benchmarks)} are given")
        try:
            same = path.samefile(benchmarks[0])
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise WhatifError(f"{option} {path}: leads through a link to itself; give another name") from error
            same = False  # one of them is not there
        if same:
            raise WhatifError(f"{option} {path}: is the benchmark itself; give another name")
    if html is not None and html.suffix.lower() not in (".html", ".htm"):
        raise WhatifError(f"--html {html}: must end in .html")
    if options["scores"] is not None:
        check_scores(options["scores"])
    if prune_to is not None:
        source = benchmarks[0]
        if source.is_dir():
            if prune_to.exists() and (not prune_to.is_dir() or any(prune_to.iterdir())):
                raise WhatifError(f"--prune {prune_to}: already exists; {source} is a folder, so give a new one")
        elif prune_to.suffix.lower() != source.suffix.lower():
            raise WhatifError(f"--prune {prune_to}: is written like {source}, so it must end in {source.suffix}")


def _how(options: dict[str, Any]) -> How:
    from whatif.results.auditing.audit import How

    model = None
    if options["language_model"]:
        from whatif.results.auditing.language_model import language_model

        folder = typed_path(options["language_model"])
        model = language_model(str(folder) if folder.is_dir() else options["language_model"])
    return How(options["folds"], options["seed"], options["confidence"], model)


def _read(path: Path, options: dict[str, Any]) -> Benchmark:
    from whatif.formats.benchmark_columns import Named
    from whatif.results.auditing.benchmark import read_benchmark

    captions = tuple(options["pairs"].split(",")) if options["pairs"] else ()
    if captions and len(captions) != 2:
        raise WhatifError(f"--pairs {options['pairs']}: needs two columns, as in --pairs caption_0,caption_1")
    named = Named(
        questions=options["question"],
        answers=options["answer"],
        options=options["options"],
        captions=captions,
        picture=options["picture"] or "",
        pair=options["pair"] or "",
        group=options["group"] or "",
        variant=options["variant"] or "",
        item=options["item"] or "",
    )
    return read_benchmark(
        path,
        named,
        kind=options["kind"],
        seed=options["seed"],
        clusters=options["clusters"] or "",
        config=options["config"],
        split=options["split"],
    )


def _prune(name: str, benchmark: Benchmark, how: How, out: Path, *, html: Path | None, scores: Path | None) -> None:
    from whatif.results.auditing.prune import prune
    from whatif.results.auditing.report import (
        dropped_rows,
        pruning_lines,
        pruning_rows,
        verdict,
        write_rows,
        write_scores,
    )

    pruned = prune(benchmark.items, how, tell=lambda line: click.echo(line, err=True))
    click.echo(f"{name}: {verdict(pruned.before)}")
    for line in pruning_lines(benchmark.items, pruned):
        click.echo(line)
    click.echo("")
    for row in pruning_rows(pruned):
        click.echo(f"{row['section']}, {row['rule']}: {row['before']}; after {row['after']}; fresh {row['fresh']}")
    benchmark.write(pruned.kept, out)
    dropped = out.with_name(f"{out.stem}.dropped.csv")
    write_rows(dropped_rows(pruned, benchmark.items), dropped)
    click.echo(f"{_shown(out)}: the kept items; {_shown(dropped)}: the dropped ones")
    if scores is not None:
        write_scores(pruned.before, scores)
        click.echo(f"{_shown(scores)}: a score for each item, before pruning")
    if html is not None:
        _write_page(html, name, benchmark, pruned.before, confidence=how.confidence, pruned=pruned)


def _write_page(
    path: Path, name: str, benchmark: Benchmark, found: Audit, *, confidence: float, pruned: Pruned | None = None
) -> None:
    from whatif.results.auditing.page import page

    text = page(
        name=Path(name).name,
        source=benchmark.table.source,
        columns=benchmark.recognised,
        notes=benchmark.notes,
        items=benchmark.items,
        found=found,
        confidence=confidence,
        pruned=pruned,
    )
    write_whole(path, text.encode())
    click.echo(f"{_shown(path)}: open it in a browser")
