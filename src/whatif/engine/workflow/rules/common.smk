# The graph of params.yaml, put in order before Snakemake plans, and what the rules in stages/ ask of it.
import contextlib
import io

from snakemake.cli import parse_args

from whatif.engine.processes.ending import end_cleanly

# Snakemake keeps its targets and its executor to itself until this file is read. It has named its profiles already.
with contextlib.redirect_stderr(io.StringIO()):
    ASKED = parse_args(sys.argv[1:])[1] if "snakemake" in sys.argv[0] else None

RUNS_HERE = workflow.is_main_process and (ASKED is None or ASKED.executor in (None, "local"))
if workflow.is_main_process:  # before the imports that take time
    end_cleanly(ends_jobs=RUNS_HERE)

from whatif.engine.errors import WhatifError
from whatif.engine.cluster.gpus import visible
from whatif.engine.cluster.resources import group_of, load_resources, resources_of
from whatif.engine.cluster.faults import check_cluster, explain
from whatif.engine.graph.blocks import VARIABLE as PARTS_PER_JOB
from whatif.engine.workflow.dvc_files import check_cache
from whatif.engine.processes.locks import record_run
from whatif.engine.workflow.report_entries import report_entry
from whatif.engine.workflow.rules import shell_prefix
from whatif.engine.workflow.stage_files import DESCRIPTIONS
from whatif.commands.job_server import JobServer
from whatif.commands.snakemake import (
    inputs_from_others,
    open_graph,
    paths_of,
    refuse_options,
    targets,
    wildcard_patterns,
)

ON_SLURM = workflow.is_main_process and ASKED is not None and ASKED.executor == "slurm" and not ASKED.dryrun


def say(line):
    print(line, file=sys.stderr)


try:
    if "DVC_STAGE" in os.environ:
        check_cache()
    refuse_options(ASKED)
    GRAPH, TOGETHER = open_graph(
        config,
        schedules=workflow.is_main_process,
        asked_for=ASKED.targets if ASKED else (),
        dry_run=ASKED is not None and bool(ASKED.dryrun),
        say=say,
        executes=lambda: workflow.execution_settings is not None and not workflow.dryrun,
        most_jobs=load_resources().most_jobs,
    )
    if ON_SLURM:
        check_cluster(GRAPH, say, TOGETHER)
except WhatifError as error:
    say(f"whatif: {error}")  # a WorkflowError would add the file and the line of this code
    sys.exit(1)

# A prefix of our own takes the place of Snakemake's, which makes a failing command before a pipe count. It also tells
# the job whose it is: a job ends with its Snakemake (whatif.engine.processes.ending).
PREFIX = f"set -euo pipefail; {shell_prefix()}export WHATIF_PARENT={os.getpid()}; "
if TOGETHER > 1:
    PREFIX += f"export {PARTS_PER_JOB}={TOGETHER}; "
JOB_SERVER = JobServer() if RUNS_HERE else None
shell.prefix(f"{PREFIX}{JOB_SERVER.shell_function if JOB_SERVER else ''}".replace("{", "{{").replace("}", "}}"))

TARGETS = targets(GRAPH, TOGETHER)


def files_of(target):
    # A function, so that Snakemake prepares the files of the targets that are asked for and of no others.
    return lambda wildcards: TARGETS[target]


# The rules in stages/ name their steps; those of benchmarks that are not selected have no files and ask for nothing.
STEPS = {step.rule: step for stage in DESCRIPTIONS for step in GRAPH.steps(stage)}


def all_of(pattern, keep=""):
    return paths_of(GRAPH, pattern, keep.split(), TOGETHER)


def others(rule):
    return inputs_from_others(GRAPH, STEPS[rule], TOGETHER) if rule in STEPS else []


def published(rule):
    step = STEPS.get(rule)
    return [in_report(path, step) for path in step.published(GRAPH.params)] if step else []


# No more jobs that need a GPU run here at a time than there are (`whatif.engine.cluster.gpus`).
GPUS = visible() if RUNS_HERE else []
if GPUS:
    workflow.global_resources.setdefault("gpu", len(GPUS))

# Only a cluster, or whoever limits them here, needs resources; planning a job with them takes Snakemake twice as long.
USES_RESOURCES = GPUS or not RUNS_HERE or ASKED is None or ASKED.resources or ASKED.set_resources


def resources_for(rule):
    return resources_of(GRAPH, STEPS[rule], together=TOGETHER) if USES_RESOURCES and rule in STEPS else {}


def group_for(rule):
    # Only jobs that go to a cluster have groups: planning them takes Snakemake three times as long.
    return group_of(GRAPH, STEPS[rule]) if ON_SLURM and rule in STEPS else None


def in_report(path, step):
    # Marking tables and figures takes time only in the process that writes the report.
    entry = report_entry(path, step) if ASKED is not None and ASKED.report else None
    if entry is None:
        return path
    shown = {"category": entry.category, "subcategory": entry.subcategory, "labels": entry.labels}
    return report(path, caption=str(entry.caption), **shown)


wildcard_constraints:
    **wildcard_patterns(GRAPH),


onstart:
    if workflow.is_main_process:
        record_run()
        # With a limit on new jobs, each job that ends adds one more look at all ready jobs in every second of the rest of
        # the run, soon a third of a processor. The default, 100 a second, limits nothing here.
        limit = getattr(workflow.scheduler, "job_rate_limiter", None)
        if limit and (limit.max_jobs, limit.timespan) == (100, 1):
            workflow.scheduler.job_rate_limiter = None
    if JOB_SERVER:
        JOB_SERVER.start(PREFIX)


onerror:
    if ON_SLURM:
        for line in explain(GRAPH, log):
            say(line)
