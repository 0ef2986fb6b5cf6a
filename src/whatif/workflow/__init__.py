"""What both entry points, DVC and Snakemake, ask of the graph."""
