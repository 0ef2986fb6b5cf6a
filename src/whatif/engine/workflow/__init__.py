"""The connection between the graph and its two entry points, DVC and Snakemake."""
