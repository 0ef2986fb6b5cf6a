# What can be asked for by name: `snakemake STAGE`, `snakemake evaluate-MODEL`, and every table when nothing is named.
for name, files in TARGETS.items():

    rule:
        name:
            name
        input:
            files,

    workflow.get_rule(name).docstring = f"all benchmarks: {STAGES.get(name, 'one model asked')}"
