# What can be asked for by name: `snakemake STAGE`, `snakemake evaluate-MODEL`, and every table when nothing is named.
for name in TARGETS:

    rule:
        name:
            name
        input:
            files_of(name),

    workflow.get_rule(name).docstring = f"all benchmarks: {DESCRIPTIONS.get(name, 'one model asked')}"
