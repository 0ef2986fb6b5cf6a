"""`whatif responses`: shows the stored answers of models and moves them between machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.project_folder import display_path

if TYPE_CHECKING:
    from whatif.engine.params.prices import Prices
    from whatif.models.responses.remote import SharedAnswers
    from whatif.models.responses.store import Merged, ResponseStore
    from whatif.models.responses.tallies import Tally


@click.group()
def responses() -> None:
    """Show the stored answers of models, and share them with other machines.

    The store is .whatif/responses.sqlite, or the file that the environment variable WHATIF_RESPONSES names.
    """


@responses.command()
def show() -> None:
    """Print the size of the store and each model's answers, tokens, cost and time.

    The cost is printed for models with prices in params.yaml. The time is the total time of the answers, on the machine
    that asked for them. Errors are not stored; the errors in data/evaluate are counted at the end.
    """
    from whatif.models.responses.store import ResponseStore
    from whatif.models.responses.tallies import tallies
    from whatif.results.reporting.costs import errors_text

    prices = _prices()
    with ResponseStore(_existing()) as store:
        found = store.summary()
    click.echo(f"{display_path(store.path)}: {found.size / 1e6:.1f} MB, {sum(found.answers.values()):,} answers")
    for tally in tallies(store.path):
        took = ", ".join(_took(tally, prices.get((tally.model, tally.base_url))))
        click.echo(f"  {tally.answers:>9,}  {tally.model}{took and ': '}{took}")
    run = found.last_run
    if run is not None:
        asked = run.hits + run.misses
        share = f"{100 * run.hits / asked:.1f}%"
        click.echo(f"last run, {run.model}: {run.hits:,} of {asked:,} answers came from the store ({share})")
    if errors := _errors():
        click.echo("errors in data/evaluate:")
    for model, of_model in errors.items():
        click.echo(f"  {sum(of_model.values()):>9,}  {model}: {errors_text(of_model)}")


def _took(tally: Tally, prices: Prices | None) -> Iterator[str]:
    """Tokens, cost, time and unanswered questions of a model, as far as they are known."""
    from datetime import timedelta

    from whatif.engine.params.prices import money
    from whatif.results.reporting.costs import error_kind, errors_text

    def of(number: int) -> str:
        return "" if number == tally.answers else f" (of {number:,} answers)"

    if tally.counted:
        tokens = f"{tally.prompt_tokens:,} prompt and {tally.response_tokens:,} response tokens"
        thoughts = f", {tally.reasoning_tokens:,} of them reasoning" if tally.reasoning_tokens else ""
        yield f"{tokens}{of(tally.counted)}{thoughts}"
        if prices is not None:
            yield f"cost {money(prices.cost(tally.prompt_tokens, tally.response_tokens))}"
    if tally.timed:
        yield f"{timedelta(seconds=round(tally.seconds))} h{of(tally.timed)}"
    kinds: Counter[str] = Counter()
    for reason, number in tally.unanswered.items():
        kinds[error_kind(reason)] += number
    if kinds:
        yield f"unanswered ({errors_text(kinds)})"


def _prices() -> dict[tuple[str, str | None], Prices]:
    """Prices in params.yaml by label and address of a model, without models that have two different prices there."""
    from whatif import benchmarks
    from whatif.engine.params.endpoints import ApiModel

    found: dict[tuple[str, str | None], set[Prices]] = {}
    try:
        models = benchmarks.load_params().models
    except WhatifError:  # the store may also be shown outside a project
        return {}
    for settings in models.values():
        if isinstance(settings, ApiModel) and settings.prices is not None:
            place = (f"{settings.adapter} {settings.model}", settings.base_url.rstrip("/"))
            found.setdefault(place, set()).add(settings.prices)
    return {place: of.pop() for place, of in found.items() if len(of) == 1}


def _errors() -> dict[str, Counter[str]]:
    """Errors in the predictions of this checkout, by model and kind."""
    from whatif.engine import artifacts
    from whatif.engine.artifacts.schemas import PREDICTIONS
    from whatif.engine.graph.freshness import DATA
    from whatif.results.reporting.costs import COLUMNS, spent_by_model

    evaluated = sorted(path for path in (DATA / "evaluate").rglob("*.parquet") if not path.name.startswith("."))
    paths = []
    for path in evaluated:
        with suppress(WhatifError):  # `whatif status` reports what is wrong with it
            if artifacts.footer_of(path).table == PREDICTIONS.label:
                paths.append(path)
    spent = spent_by_model(artifacts.batches(paths, PREDICTIONS, COLUMNS))
    return {model: of_model.errors for model, of_model in sorted(spent.items()) if of_model.errors}


@responses.command()
@click.argument("file", type=click.Path(path_type=Path))
def export(file: Path) -> None:
    """Write all answers to FILE (.jsonl), one line per answer with its key and request."""
    from whatif.models.responses.store import ResponseStore

    if file.suffix != ".jsonl":
        raise WhatifError(f"{file}: must end in .jsonl")
    with ResponseStore(_existing()) as store:
        number = store.export(file)
    click.echo(f"{display_path(file)}: {number:,} answers")


@responses.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FILE...")
def merge(files: tuple[Path, ...]) -> None:
    """Merge the answers of each FILE into the store: another store (.sqlite) or an export (.jsonl).

    A request that already has an answer in this store keeps it.
    """
    from whatif.models.responses.store import ResponseStore, store_path

    missing = [file for file in files if not file.is_file()]
    if missing:
        raise WhatifError(f"{missing[0]}: no such file")
    with ResponseStore(store_path()) as store:
        _say_merged(store, store.merge(files))


_REMOTE = click.option("--remote", "-r", metavar="NAME", help="A DVC remote. Default: the project's default remote.")


@responses.command()
@_REMOTE
def push(remote: str | None) -> None:
    """Send the answers that a DVC remote does not have, for `whatif responses pull` in another clone."""
    from whatif.models.responses.store import ResponseStore

    with ResponseStore(_existing()) as store:
        shared = _shared(store, remote)
        click.echo(f"{shared.url}: {shared.push(store):,} answers added")


@responses.command()
@_REMOTE
def pull(remote: str | None) -> None:
    """Merge the answers that other machines have sent to a DVC remote.

    A request that already has an answer in this store keeps it.
    """
    from whatif.models.responses.store import ResponseStore, store_path

    with ResponseStore(store_path()) as store:
        _say_merged(store, _shared(store, remote).pull(store))


def _shared(store: ResponseStore, remote: str | None) -> SharedAnswers:
    from whatif.models.responses.remote import SharedAnswers

    images = store.path.stem.endswith("-images")  # the store of images, which another machine may not want
    return SharedAnswers(remote, "responses-images" if images else "responses")


def _say_merged(store: ResponseStore, merged: Merged) -> None:
    different = f", {merged.different:,} of them with a different answer, which was ignored" if merged.different else ""
    click.echo(
        f"{display_path(store.path)}: {merged.added:,} answers added, {merged.known:,} already stored{different}"
    )


def _existing() -> Path:
    from whatif.models.responses.store import store_path

    path = store_path()
    if not path.is_file():
        raise WhatifError(f"{path}: no such file; it is created when a model is asked for the first time")
    return path
