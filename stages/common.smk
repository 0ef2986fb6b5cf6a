# The graph that all stages share, and a target for each stage and each model: `snakemake generate`.
from snakemake.cli import parse_args
from snakemake.exceptions import WorkflowError

from whatif.errors import WhatifError
from whatif.graph.workflow import job_of, inputs_of, log_of, open_graph, outputs_of, targets

try:
    GRAPH = open_graph(
        config,
        schedules=workflow.is_main_process,
        # Snakemake keeps its targets to itself until this file is read.
        asked_for=parse_args(sys.argv[1:])[1].targets if "snakemake" in sys.argv[0] else (),
        say=lambda line: print(line, file=sys.stderr),
    )
except WhatifError as error:
    raise WorkflowError(str(error)) from None

TARGETS = targets(GRAPH)


wildcard_constraints:
    part=r"part-\d{3}-of-\d{3}",
    model=r"[a-z0-9-]+",
    matcher=r"[a-z0-9-]+",
    encoder=r"[a-z0-9-]+",
    strategy=r"[a-z0-9-]+",


for name in TARGETS:

    rule:
        name:
            name
        input:
            TARGETS[name],
