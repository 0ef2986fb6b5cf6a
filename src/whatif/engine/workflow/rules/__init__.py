"""The rules of Snakemake, which the `Snakefile` of a project includes: `include: SNAKEFILE`."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote

HERE = Path(__file__).parent
SNAKEFILE = str(HERE / "main.smk")


def shell_prefix() -> str:
    """What a job's shell runs first, so that the job has the same code as the process that plans it.

    Empty for an installed whatif, which the job finds by itself.
    """
    source = HERE.parents[3]
    if source.name in ("site-packages", "dist-packages") and source.is_relative_to(sys.prefix):
        return ""
    before = "${PYTHONPATH:+:$PYTHONPATH}"
    return f"export PYTHONPATH={quote(str(source))}{before}; "
