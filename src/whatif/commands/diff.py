"""`whatif diff`: what changed between two commits, two models, or two sets of parameters."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.files.project_folder import display_path
from whatif.engine.params.gates import Gate, gate

if TYPE_CHECKING:
    from whatif.results.comparison.flips import Flip
    from whatif.results.comparison.runs import Run

_TOGETHER = 1_000  # lines that are printed at once
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("a")
@click.argument("b", required=False)
@click.option("--benchmark", "benchmarks", multiple=True, help="Only this benchmark; repeat it for several.")
@click.option("--model", "models", multiple=True, help="Only this model; repeat it for several.")
@click.option("--groups", is_flag=True, help="Compare each group of questions by itself.")
@click.option("--all", "every", is_flag=True, help="Show every line; otherwise the most important of each kind.")
@click.option("--flips", is_flag=True, help="List the items whose answer is right on one side only.")
@click.option(
    "--fail-on",
    "rules",
    multiple=True,
    metavar="RULE",
    help='End with 1 where a rule about the change from A to B is broken, such as "drop > 2 points" or '
    '"cfmm: accuracy < -1 points, significant". Repeat it for several.',
)
@click.option("--gates", is_flag=True, help="Check the rules `gates` of params.yaml too.")
@click.option("--junit", type=_FILE, help="Write what was checked to this file, as JUnit XML.")
@click.option("--markdown", type=_FILE, help="Write what was checked to this file, for a pull request.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON (docs/diff.md).")
@click.option("--site", is_flag=True, help="Write pages of the flipped items with their pictures.")
@click.option("--name", help="The folder of these pages, below site/comparisons/; made of A and B by default.")
def diff(
    a: str,
    b: str | None,
    *,
    benchmarks: tuple[str, ...],
    models: tuple[str, ...],
    groups: bool,
    every: bool,
    flips: bool,
    rules: tuple[str, ...],
    gates: bool,
    junit: Path | None,
    markdown: Path | None,
    as_json: bool,
    site: bool,
    name: str | None,
) -> None:
    """Show what changed between two runs or two models: answers, numbers of tables, parameters, code and inputs.

    A and B are commits, models with results, folders of projects, or YAML files with parameters. B is the working tree
    if it is not given. Artifacts of a commit are read from DVC's cache; nothing is checked out.

    Each line about answers is of the questions that both sides asked: their number, the share of right answers of A
    and of B in percent, the difference with its interval, the p-value of a paired test after Holm's correction, and how
    many answers are right in A only (lost) and in B only (gained).

    \b
    whatif diff HEAD~1                            # a commit and the working tree
    whatif diff main~3 main --benchmark cfmm      # two commits
    whatif diff llava-original llava-counterfactual
    whatif diff first-option@direct first-option@one-shot
    whatif diff clip@HEAD~1                       # a model then and now
    whatif diff ../other-checkout                 # the folder of a project
    whatif diff old-params.yaml                   # what these parameters gave
    whatif diff main HEAD --fail-on "drop > 2 points, significant"   # for continuous integration

    With --fail-on or --gates it ends with 1 if a rule is broken, after one line for each number that breaks it.
    """
    from whatif.results.comparison import early

    early.begin()
    from whatif.results.comparison.flips import flips_of
    from whatif.results.comparison.gate_checks import checks_of, junit_of, line_of, summary_of
    from whatif.results.comparison.machine_readable import to_json
    from whatif.results.comparison.report import Selection, report
    from whatif.results.comparison.sides import sides
    from whatif.results.comparison.text import lines_of

    if name is not None and not site:
        raise WhatifError(f"--name {name}: names the pages that --site writes; give both")
    checked = _gates(rules, of_project=gates)
    for option, file in (("--junit", junit), ("--markdown", markdown)):
        if file is not None and not checked:
            raise WhatifError(f"{option} {file}: there is nothing to check; give --fail-on or --gates")
    first, second = sides(Path(), a, b, _of_parameters)
    found = report(first, second, Selection(benchmarks, models, groups, of_pairs=bool(checked)))
    checks = checks_of(found, checked)
    flipped = list(flips_of(found.compared)) if site or (flips and as_json) else []
    if as_json:
        click.echo(to_json(found, flipped if flips else None, checks if checked else None))
    else:
        shown: Iterable[Flip] = () if not flips else flipped if site else flips_of(found.compared)
        lines = lines_of(found, every=every, flips=shown)  # as they are found, unless the pages need all of them
        while some := list(itertools.islice(lines, _TOGETHER)):
            click.echo("\n".join(some))
    if site:
        from whatif.results.comparison.pages import write_pages

        pages = write_pages(Path("site"), found, flipped, name)
        click.echo(f"{len(flipped):,} flipped items: {display_path(pages)}", err=as_json)
    if junit is not None:
        write_whole(junit, junit_of(checks))
    if markdown is not None:
        write_whole(markdown, summary_of(checks, found).encode())
    failed = [check for check in checks if check.failed]
    for check in failed:
        click.echo(f"whatif: {line_of(check)}", err=True)
    if failed:
        sys.exit(1)


def _gates(rules: Sequence[str], *, of_project: bool) -> list[Gate]:
    """The gates of the command line, then those of the project. Raises WhatifError for a rule that is none."""
    try:
        given = [gate(rule) for rule in rules]
    except ValueError as error:
        raise WhatifError(f"--fail-on: {error}") from None
    if not of_project:
        return given
    from whatif import benchmarks
    from whatif.engine.params.whole import PARAMS_FILE

    found = benchmarks.load_params(Path(PARAMS_FILE)).gates
    if not found:
        raise WhatifError(f'{PARAMS_FILE}: gates: has no rule; one is `gates: ["drop > 2 points"]` (docs/diff.md)')
    return [*given, *found]


def _of_parameters(path: Path) -> Run:
    """The run of a file of parameters, which needs the whole graph."""
    from whatif import benchmarks
    from whatif.results.comparison.parameter_sets import of_graph

    return of_graph(benchmarks.graph(benchmarks.load_params(path)), str(path))
