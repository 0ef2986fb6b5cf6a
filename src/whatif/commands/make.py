"""`whatif make`: the command that the stages in dvc.yaml run; it calls Snakemake only when a job is due."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from whatif.engine.errors import WhatifError
from whatif.engine.extras import how_to_install
from whatif.engine.workflow import ahead, fresh_targets
from whatif.engine.workflow.dvc_files import check_cache
from whatif.engine.workflow.plot_scripts import provide_plot_scripts

if TYPE_CHECKING:
    from collections.abc import Callable

    from whatif.engine.graph.freshness import State
    from whatif.engine.graph.graph import Graph
    from whatif.engine.graph.jobs import Job

_SNAKEMAKE = ("--cores", "all")


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("target")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGUMENTS]...")
def make(target: str, arguments: tuple[str, ...]) -> None:
    """Make the files of TARGET: a stage, or evaluate-MODEL. The stages in dvc.yaml call this.

    Exits at once if all of them are fresh. Files that are in the stash are restored. If jobs are still due, the command
    runs `snakemake ARGUMENTS -- TARGET`, by default with `--cores all`.

    As part of a `dvc repro` of all stages, it also makes the files of the later stages in one run of Snakemake. DVC
    records them when it reaches their stages. A job that fails in this run fails its own stage.
    """
    _run_code_of_this_checkout()
    if "DVC_STAGE" in os.environ:
        check_cache()
        provide_plot_scripts()
    if fresh_targets.holds(target):
        return
    from whatif.engine.processes import owners

    repro = owners.whole_repro()
    before = ahead.earlier(repro)
    if _take_back(target, whole=repro is not None, as_it_is=before is not None):
        return
    if before is not None and before.failed:
        raise WhatifError(f"{target}: a job that it needs has failed; see the line `failed: ...` above, or logs/")
    if repro is None or before is not None or arguments:
        _become_snakemake([*(arguments or _SNAKEMAKE), "--", target])
    code = ahead.run(repro, [_snakemake(), *_SNAKEMAKE, "--keep-going", "--", *_all_stages()])
    if code > 1 or not _take_back(target, whole=True, as_it_is=True):
        sys.exit(code or 1)


def _take_back(target: str, *, whole: bool, as_it_is: bool) -> bool:
    """Restores files that are due from the stash, and returns whether all files of the target are fresh.

    whole: restore the files of all stages, not only those that the target needs.
    as_it_is: accept unfinished outputs, because a run has just asked their unanswered questions again.
    """
    from whatif import benchmarks
    from whatif.commands.snakemake import accepts, jobs_by_target
    from whatif.engine.graph import code_index
    from whatif.engine.graph.freshness import Condition
    from whatif.engine.graph.prologue import prepare
    from whatif.engine.params.whole import PARAMS_FILE

    graph = benchmarks.graph(benchmarks.load_params())
    known = jobs_by_target(graph)
    if target not in known:
        raise WhatifError(f"{target}: is neither a stage nor evaluate-MODEL; there are {', '.join(known)}")
    _compare_with_dvc_yaml(graph, target)
    decides = {source for job in graph.jobs for source in job.named_sources.values()}
    decides |= {Path(one.file) for one in graph.benchmarks.values() if one.file}
    decides |= {path for job in graph.jobs for path in job.package_files.values()}
    packages = code_index.package_folders({root for job in graph.jobs for root in job.code_roots})
    basis = fresh_targets.Basis.taken(packages, sorted({Path(PARAMS_FILE), *decides}))
    needed = set(graph.needed_for(known[target]))
    wanted = set(graph.jobs) if whole else needed
    accept: Callable[[Job], bool] = (lambda job: True) if as_it_is else accepts(graph, [target])
    said: list[str] = []
    prologue = prepare(graph, said.append, accept, wanted.__contains__, benchmarks.published_by_others)
    prologue.end()
    is_fresh = all(prologue.found[job].condition is Condition.FRESH for job in needed)
    # If Snakemake runs next, it reports itself what is not fresh.
    taken = {f"{job.name}: taken from the stash" for job in prologue.taken}
    for line in said if is_fresh else filter(taken.__contains__, said):
        click.echo(line, err=True)
    _note(graph, known, prologue.found, basis)
    return is_fresh


def _compare_with_dvc_yaml(graph: Graph, target: str) -> None:
    """Prints a warning, only in the first stage, for each metrics file or input that dvc.yaml does not declare.

    Raises WhatifError when it names a parameter that params.yaml no longer has, at which DVC would fail later; and when
    it lacks one, of which DVC would not see a change.
    """
    from whatif.engine.params.files import read_yaml
    from whatif.engine.params.whole import PARAMS_FILE
    from whatif.engine.workflow.dvc_yaml import DVC_YAML, gone_parameters, undeclared, undeclared_parameters

    if target != graph.jobs[0].step.stage or not DVC_YAML.is_file():
        return
    text = DVC_YAML.read_text(encoding="utf-8")
    values = read_yaml(Path(PARAMS_FILE))[0]
    if "DVC_STAGE" in os.environ:
        if gone := gone_parameters(text, values):
            named = ", ".join(gone)
            raise WhatifError(f"{DVC_YAML}: names {named}, which {PARAMS_FILE} does not have; run `whatif dvc-yaml`")
        if lacking := undeclared_parameters(graph, text, values):
            named = ", ".join(lacking)
            raise WhatifError(f"{DVC_YAML}: does not name {named}, which {PARAMS_FILE} has; run `whatif dvc-yaml`")
    for path in undeclared(graph, text):
        click.echo(f"warning: {DVC_YAML}: does not declare {path}; run `whatif dvc-yaml`", err=True)


def _note(graph: Graph, named: dict[str, list[Job]], found: dict[Job, State], basis: fresh_targets.Basis) -> None:
    """Records every target for which all needed files are fresh and none of its own files are unfinished."""
    from whatif.engine.graph.folders import text_paths
    from whatif.engine.graph.freshness import Condition

    for target, asked in named.items():
        needed = graph.needed_for(asked)
        if all(found[job].condition is Condition.FRESH for job in needed) and not any(
            found[job].unfinished for job in asked
        ):
            files = (path for job in needed for path in (*job.outputs.values(), *job.published, *text_paths(job)))
            with contextlib.suppress(WhatifError):  # the record only saves planning in the next stage
                fresh_targets.note(target, basis, files)


def _run_code_of_this_checkout() -> None:
    """Restarts with the code in ./src if other code is running, because code and artifacts belong together."""
    source = Path("src").resolve()
    before = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    here = source / "whatif"
    is_other = (here / "__main__.py").is_file() and here != Path(__file__).resolve().parents[1]
    if is_other and before[0] != str(source):
        os.environ["PYTHONPATH"] = os.pathsep.join([str(source), *filter(None, before)])
        os.execv(sys.executable, [sys.executable, "-m", "whatif", *sys.argv[1:]])


def _all_stages() -> tuple[str, ...]:
    from whatif.engine.params.base import STAGES

    return STAGES


def _become_snakemake(arguments: list[str]) -> NoReturn:
    program = _snakemake()
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(program, ["snakemake", *arguments])


def _snakemake() -> str:
    program = Path(sys.executable).with_name("snakemake")
    found = str(program) if program.is_file() else shutil.which("snakemake")
    if found is None:
        raise WhatifError(how_to_install("snakemake") or "snakemake: no such program")
    return found
