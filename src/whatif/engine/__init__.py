"""The graph and everything below it: how artifacts are declared, made, verified, stored and scheduled.

Begin with `graph/steps.py` (what a step declares), then `graph/graph.py` (the jobs that follow from it) and
`graph/freshness.py` (which of them are due). `params/` types the settings, `artifacts/` reads and writes Parquet with
hashes, `files/` all other files, `language/` the texts that models are sent, `workflow/` writes the files of DVC and
Snakemake, `cluster/` adds Slurm, `processes/` holds locks and ends what belongs together.

It imports no other package of whatif; every other one may import it.
"""
