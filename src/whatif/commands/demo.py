"""`whatif demo`: opens the site of bundled results in the browser, and says what to type next."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

_NEXT = (
    ("new", "whatif new my-benchmark", "start a benchmark of your own in a folder"),
    ("audit", "whatif audit FILE", "how much of a benchmark can be answered without its pictures"),
    ("contradictions", "whatif contradictions", "what follows from the numbers that four papers report"),
    ("publish", "whatif publish FOLDER", "a data set for the hub, with its card and metadata"),
)


@click.command()
@click.option("--folder", type=click.Path(path_type=Path), help="Where the pages are written. Default: your cache.")
@click.option("--open/--no-open", "opens", default=True, help="Whether to start the browser. Default: open.")
def demo(folder: Path | None, opens: bool) -> None:
    """Open the site of bundled results, and say what to type next.

    The results are those of the default run: all tables and figures, and a sample of the items with the answers of all
    models. Nothing is computed, and no model is needed.

    \b
    whatif demo
    whatif demo --folder pages --no-open
    """
    from whatif import __version__
    from whatif.commands.cli import COMMANDS
    from whatif.results.demo.bundle import INDEX, bundle, unpack

    place = folder if folder is not None else _cache() / "whatif" / f"demo-{__version__}"
    unpack(bundle(), place)
    index = (place / INDEX).resolve()
    click.echo(f"whatif {__version__}: a sample of the results of the default run, with all tables and figures")
    shown = opens and _has_screen() and not click.launch(index.as_uri())
    click.echo(f"{'Opened' if shown else 'Open in your browser:'} {index}")
    click.echo("\nWhat to type next:")
    known = [(line, what) for name, line, what in _NEXT if name in COMMANDS]
    known.append(("whatif --help", "all commands"))
    width = max(len(line) for line, _ in known)
    for line, what in known:
        click.echo(f"  {line:<{width}}  {what}")


def _cache() -> Path:
    """The user's folder for files that can be made again (XDG base directories)."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    return Path(named) if Path(named).is_absolute() else Path.home() / ".cache"


def _has_screen() -> bool:
    """Whether a browser has somewhere to open; without a screen, a text browser would take the terminal."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
