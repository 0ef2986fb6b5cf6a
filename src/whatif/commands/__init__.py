"""The command line, what Snakemake's rules call, and what `import whatif` offers.

Begin with `cli.py`, which names the module of each subcommand; `stages.py` has the six stages, `make.py` what DVC
calls, `snakemake.py` what Snakemake calls, `notebook.py` the functions for notebooks, `new_project/` what
`whatif new` writes. Modules here read options and print results; other packages do the work.

It may import every package; nothing imports it.
"""
