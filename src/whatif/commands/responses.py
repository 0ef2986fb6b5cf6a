"""`whatif responses`: what models answered so far, carried between machines."""

from __future__ import annotations

from pathlib import Path

import click

from whatif.errors import WhatifError


@click.group()
def responses() -> None:
    """Look at the stored answers of models, write them to a file, or take in those of another machine.

    The store is .whatif/responses.sqlite, or the file that the environment variable WHATIF_RESPONSES names.
    """


@responses.command()
def show() -> None:
    """Print how large the store is, the number of answers by model, and what the last run found in it."""
    from whatif.models.response_store import ResponseStore

    with ResponseStore(_existing()) as store:
        found = store.summary()
    click.echo(f"{store.path}: {found.size / 1e6:.1f} MB, {sum(found.answers.values()):,} answers")
    for model, number in found.answers.items():
        click.echo(f"  {number:>9,}  {model}")
    run = found.last_run
    if run is not None:
        asked = run.hits + run.misses
        click.echo(f"last run, {run.model}: {run.hits:,} of {asked:,} from the store ({100 * run.hits / asked:.1f}%)")


@responses.command()
@click.argument("file", type=click.Path(path_type=Path))
def export(file: Path) -> None:
    """Write all answers to FILE (.jsonl), a line each with key, request and answer."""
    from whatif.models.response_store import ResponseStore

    if file.suffix != ".jsonl":
        raise WhatifError(f"{file}: must end in .jsonl")
    with ResponseStore(_existing()) as store:
        number = store.export(file)
    click.echo(f"{file}: {number:,} answers")


@responses.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FILE...")
def merge(files: tuple[Path, ...]) -> None:
    """Take in the answers of each FILE: another store (.sqlite), or what `export` wrote (.jsonl).

    A request that was answered here keeps its answer.
    """
    from whatif.models.response_store import ResponseStore, store_path

    missing = [file for file in files if not file.is_file()]
    if missing:
        raise WhatifError(f"{missing[0]}: no such file")
    with ResponseStore(store_path()) as store:
        merged = store.merge(files)
    different = f", {merged.different:,} of them with another answer, which was not taken" if merged.different else ""
    click.echo(f"{store.path}: {merged.added:,} answers added, {merged.known:,} were there{different}")


def _existing() -> Path:
    from whatif.models.response_store import store_path

    path = store_path()
    if not path.is_file():
        raise WhatifError(f"{path}: no such file; it is made when a model is asked for the first time")
    return path
