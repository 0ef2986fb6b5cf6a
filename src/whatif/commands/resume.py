"""`whatif resume`: continues a run after an interruption."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from whatif.engine.errors import WhatifError
from whatif.engine.extras import how_to_install
from whatif.engine.files.project_folder import check_project

_SETS_CORES = ("-c", "--cores", "-j", "--jobs", "--profile", "--workflow-profile")


@click.command()
@click.option(
    "--entry-point",
    type=click.Choice(["dvc", "snakemake"]),
    help="How to continue the run. Default: as the interrupted run was started.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGUMENTS]...")
def resume(entry_point: str | None, arguments: tuple[str, ...]) -> None:
    """Continue a run after an interruption, with the same results as an uninterrupted run.

    Checks that no run is active in this checkout, removes what the interrupted run left behind (locks of Snakemake and
    DVC, markers of unfinished jobs, temporary files), and lists it. Then calls `dvc repro` or `snakemake`, with
    ARGUMENTS if given: `whatif resume --entry-point snakemake -- --cores 8 --profile slurm`.

    Ends with exit code 1, without changing anything, if a process of a run is still alive or a job that the run
    submitted to Slurm is pending or running; the message names it. Ends with exit code 2 if DVC is to continue and one
    of its files is damaged; the message says how to restore it.
    """
    from whatif.commands import recovery
    from whatif.engine.cluster import faults as cluster_faults
    from whatif.engine.processes import locks, owners
    from whatif.engine.workflow import dvc_files

    check_project()
    owners.check_free(Path.cwd())
    last = locks.last_run()
    if any("slurm" in word for word in last):
        cluster_faults.check_no_jobs(Path.cwd())
    command = next_command(entry_point, arguments, last)
    if command[0] == "dvc":
        dvc_files.check_dvc()
    with locks.hold_checkout():
        done = recovery.clear()
        locks.record_run(command)
    for line in done or ["nothing to clean up"]:
        click.echo(line, err=True)
    click.echo(f"continuing: {' '.join(command)}", err=True)
    program = Path(sys.executable).with_name(command[0])
    found = str(program) if program.is_file() else shutil.which(command[0])
    if found is None:
        raise WhatifError(how_to_install(command[0]) or f"{command[0]}: no such program")
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(found, command)


def next_command(entry_point: str | None, arguments: tuple[str, ...], last: list[str]) -> list[str]:
    """The command that continues a run, through `entry_point` with `arguments`; by default the command of the last run.

    Without a last run, it is `dvc repro` if DVC is set up, and `snakemake --cores all` otherwise.
    """
    known = last[0] if last[:1] in (["dvc"], ["snakemake"]) else None
    if entry_point is None:
        entry_point = known or ("dvc" if Path(".dvc").is_dir() else "snakemake")
    if not arguments and entry_point == known:
        return last
    if entry_point == "dvc":
        return ["dvc", "repro", *arguments]
    cores = any(word.startswith(_SETS_CORES) for word in arguments)
    return ["snakemake", *([] if cores else ["--cores", "all"]), *arguments]
