"""One graph, second entry point: `snakemake --cores N`. The first is `dvc repro`."""

import os
import sys
from pathlib import Path
from shlex import quote

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

# The code of this checkout, whatever version is installed: code and artifacts belong together.
SOURCE = str(Path(workflow.basedir) / "src")
sys.path.insert(0, SOURCE)
IMPORT = (f"export PYTHONPATH={quote(SOURCE)}" + "${PYTHONPATH:+:$PYTHONPATH}").replace("{", "{{").replace("}", "}}")
# A prefix of our own takes the place of Snakemake's, which makes a failing command before a pipe count. It also tells
# the job whose it is: a job ends with its Snakemake (whatif.processes.ending).
shell.prefix(f"set -euo pipefail; {IMPORT}; export WHATIF_PARENT={os.getpid()}; ")

min_version("9.0")

from whatif.errors import WhatifError
from whatif.params.files import read_yaml

# Before Snakemake reads it: Snakemake writes out all aliases, which may be more than memory holds.
try:
    read_yaml(Path("params.yaml"))
except WhatifError as error:
    raise WorkflowError(str(error)) from None


configfile: "params.yaml"


include: "stages/common.smk"
include: "stages/rules.smk"
include: "stages/targets.smk"


rule all:
    """all benchmarks: every number and table"""
    default_target: True
    input:
        files_of("aggregate"),
