"""One graph, second entry point: `snakemake --cores N`. The first is `dvc repro`."""

import sys
from pathlib import Path

# The code of this checkout, whatever version is installed: code and artifacts belong together.
sys.path.insert(0, str(Path(workflow.basedir) / "src"))

from whatif.benchmark import SNAKEFILE


include: SNAKEFILE
include: "stages/extract.smk"
include: "stages/generate.smk"
include: "stages/filter.smk"
include: "stages/verify.smk"
include: "stages/evaluate.smk"
include: "stages/aggregate.smk"


rule all:
    """all benchmarks: every number and table"""
    default_target: True
    input:
        files_of("aggregate"),
