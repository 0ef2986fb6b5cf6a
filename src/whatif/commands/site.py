"""`whatif site`: writes the site of all benchmarks from its artifacts, and says where it is and whether it is fresh."""

from __future__ import annotations

from pathlib import Path

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.project_folder import display_path


@click.command()
@click.option("--open", "opens", is_flag=True, help="Open the site in the browser.")
def site(opens: bool) -> None:
    """Write the site of all benchmarks, and say where it is.

    `dvc repro` and `snakemake` make the site. This command writes what is missing in the folder site/, for example
    after `dvc pull`, and computes nothing. A note reports if the site is stale or cannot be checked, and why.
    """
    from whatif import benchmarks
    from whatif.benchmarks.site import SITE
    from whatif.engine.artifacts.verified import verified_footer
    from whatif.engine.files.dvc_remote import fetches
    from whatif.engine.graph import folders
    from whatif.engine.graph.staleness import remarks
    from whatif.engine.processes import locks

    graph = benchmarks.graph(benchmarks.load_params())
    if SITE not in graph.benchmarks:
        raise WhatifError("no site: none of the benchmarks of params.yaml publishes results")
    (job,) = graph.jobs_of(graph.steps_of("aggregate", SITE)[0])
    if missing := [path for path in job.outputs.values() if not path.exists()]:
        raise WhatifError(f"{missing[0]}: not there yet; {fetches('it')}`dvc repro` or `snakemake --cores 2` makes it")
    for path in job.outputs.values():
        verified_footer(path)  # an edited artifact is no site
    with locks.try_job(job.name) as free:
        if not free:
            raise WhatifError("the site is being made by another process; run `whatif site` when it has ended")
        written = folders.publish(job, lambda line: click.echo(line, err=True))
    if notes := remarks(graph, SITE):
        click.echo("\n".join([*notes, ""]))
    index = Path(SITE) / "index.html"
    sizes = [file.stat().st_size for file in Path(SITE).rglob("*") if file.is_file()]
    changed = f" ({written:,} written now)" if written else ""
    click.echo(f"{display_path(index)}: {len(sizes):,} files, {sum(sizes) / 1e6:.1f} MB{changed}")
    if opens and click.launch(index.resolve().as_uri()):
        raise WhatifError(f"no browser could be started; open {index.resolve()}")
