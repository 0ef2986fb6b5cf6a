# What the rules of a project need. Its Snakefile includes this file, then the rules of each stage (`stages/`), and has the
# rule `all`, because Snakemake takes no default target from an included file.
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

min_version("9.0")

from whatif.engine.errors import WhatifError
from whatif.engine.params.files import read_yaml

# Before Snakemake reads it: Snakemake writes out all aliases, which may be more than memory holds.
try:
    read_yaml(Path("params.yaml"))
except WhatifError as error:
    raise WorkflowError(str(error)) from None


configfile: "params.yaml"


include: "common.smk"
include: "targets.smk"
