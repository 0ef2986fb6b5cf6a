"""`whatif resume`: continues a run after a power cut or a kill."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from whatif.errors import WhatifError

_SETS_CORES = ("-c", "--cores", "-j", "--jobs", "--profile", "--workflow-profile")


@click.command()
@click.option(
    "--door",
    type=click.Choice(["dvc", "snakemake"]),
    help="How to go on; as the run that was cut off when not given.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGUMENTS]...")
def resume(door: str | None, arguments: tuple[str, ...]) -> None:
    """Go on after a power cut or a kill, with the same results as an uninterrupted run.

    Makes sure that nobody is at work in this checkout, removes what the killed run left behind (locks of Snakemake and
    DVC, marks of jobs that were cut off, temporary files), says so, and calls `dvc repro` or `snakemake`, with
    ARGUMENTS if there are some: `whatif resume --door snakemake -- --cores 8 --profile slurm`.

    Ends with exit code 1, and changes nothing, when a process of a run lives, also one that a kill left behind, or when
    jobs that the run handed in to Slurm wait or run; the line says which. Ends with exit code 2 when DVC is to go on
    and one of its files is damaged; the line says how to restore it.
    """
    from whatif.cluster import faults as cluster_faults
    from whatif.processes import locks, owners
    from whatif.workflow import dvc_files, recovery

    if not Path("params.yaml").is_file():
        raise WhatifError("params.yaml: no such file; call this in the folder of the project")
    owners.check_free(Path.cwd())
    last = locks.last_run()
    if any("slurm" in word for word in last):
        cluster_faults.check_no_jobs(Path.cwd())
    command = next_command(door, arguments, last)
    if command[0] == "dvc":
        dvc_files.check_dvc()
    with locks.hold_checkout():
        done = recovery.clear()
        locks.record_run(command)
    for line in done or ["nothing was left behind"]:
        click.echo(line, err=True)
    click.echo(f"goes on: {' '.join(command)}", err=True)
    program = Path(sys.executable).with_name(command[0])
    found = str(program) if program.is_file() else shutil.which(command[0])
    if found is None:
        raise WhatifError(f"{command[0]}: no such program; install it, or give the other --door")
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(found, command)


def next_command(door: str | None, arguments: tuple[str, ...], last: list[str]) -> list[str]:
    """The command that goes on: by `door` with `arguments`, by default the one that the last run was started with.

    Without a last run it is `dvc repro` where DVC is set up, else `snakemake --cores all`.
    """
    known = last[0] if last[:1] in (["dvc"], ["snakemake"]) else None
    if door is None:
        door = known or ("dvc" if Path(".dvc").is_dir() else "snakemake")
    if not arguments and door == known:
        return last
    if door == "dvc":
        return ["dvc", "repro", *arguments]
    cores = any(word.startswith(_SETS_CORES) for word in arguments)
    return ["snakemake", *([] if cores else ["--cores", "all"]), *arguments]
