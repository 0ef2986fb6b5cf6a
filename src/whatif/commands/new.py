"""`whatif new`: writes a repository of one's own, with a benchmark that runs at once."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click


@click.command()
@click.argument("name")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
def new(name: str, folder: Path | None) -> None:
    """Write a project with a benchmark of your own, called NAME, into FOLDER (by default ./NAME).

    \b
    For example:
      whatif new my-benchmark
      cd my-benchmark
      pip install -e .
      dvc repro
      whatif show my-benchmark

    NAME is lower-case words joined by hyphens. FOLDER must be new or empty. The benchmark draws ten pictures, asks an
    original and a counterfactual question about each, and makes tables, a report and a site. It needs no download.
    Then replace its pictures and questions by yours: its README.md says where. FOLDER becomes a git repository;
    nothing is committed.
    """
    from whatif.benchmarks import discovery
    from whatif.commands.new_project import checked_names, make_project
    from whatif.engine.files.well_formed import escaped

    names = checked_names(name, {**discovery.modules(), **dict.fromkeys(discovery.released(), "whatif")})
    made = make_project(names, Path(names.benchmark) if folder is None else folder)
    git = "a git repository, nothing is committed yet" if made.in_git else "no git repository: git is not installed"
    steps = [
        *([f"cd {quote(str(made.folder))}"] if made.folder != Path() else []),
        "pip install -e .",
        "dvc repro",
        f"whatif show {names.benchmark}",
        "whatif site",
    ]
    lines = [
        f"{made.folder}: {made.files} files ({git})",
        "",
        "Next:",
        *(f"  {step}" for step in steps),
        "",
        f"Then replace its pictures and questions in src/{names.package}/ by yours; README.md says where.",
    ]
    for line in lines:
        click.echo(escaped(line))  # the name of a folder may contain any character
