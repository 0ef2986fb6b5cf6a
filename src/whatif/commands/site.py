"""`whatif site`: writes the site of all benchmarks from its artifacts, says where it is, or shows it with a server."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.project_folder import display_path

if TYPE_CHECKING:
    from whatif.engine.graph.jobs import Job
    from whatif.results.site.server import SiteServer

_MANY_BYTES = 1_000_000_000  # of a folder of which most are pictures


@click.command()
@click.option("--open", "opens", is_flag=True, help="Open the site in the browser.")
@click.option(
    "--serve",
    "serves",
    is_flag=True,
    help="Serve the site to the browsers of this machine until Ctrl-C. Pictures are read out of the artifacts, "
    "and not copied to site/.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port for --serve; 0 takes any free port.",
)
def site(port: int, *, opens: bool, serves: bool) -> None:
    """Write the site of all benchmarks, and say where it is.

    `dvc repro` and `snakemake` make the site. This command writes what is missing in the folder site/, for example
    after `dvc pull`, and computes nothing. A note reports if the site is stale or cannot be checked, and why.

    Images take 2.1 times their bytes on disk, because site/ has copies of the pictures. `whatif site --serve` needs
    none: it removes them, and runs make none until `whatif site` is called without --serve; so images take 1.1 times
    their bytes. Before the first run it only keeps this choice.
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
        folders.choose_pictures(job, copied=not serves)
        raise WhatifError(f"{missing[0]}: not there yet; {fetches('it')}`dvc repro` or `snakemake --cores 2` makes it")
    for path in job.outputs.values():
        verified_footer(path)  # an edited artifact is no site
    with contextlib.ExitStack() as opened:
        # What keeps it from serving is known before any copy is removed.
        server = opened.enter_context(_server(job, port)) if serves else None
        with locks.try_job(job.name) as free:
            if not free:
                raise WhatifError("the site is being made by another process; run `whatif site` when it has ended")
            folders.choose_pictures(job, copied=server is None)
            written = folders.publish(job, lambda line: click.echo(line, err=True))
        if notes := remarks(graph, SITE):
            click.echo("\n".join([*notes, ""]))
        index = Path(SITE) / "index.html"
        sizes = [file.stat().st_size for file in Path(SITE).rglob("*") if file.is_file()]
        changed = f" ({written:,} written now)" if written else ""
        click.echo(f"{display_path(index)}: {len(sizes):,} files, {sum(sizes) / 1e6:.1f} MB{changed}")
        if server is not None:
            _serve(server, opens=opens)
        elif sum(sizes) > _MANY_BYTES:
            click.echo("`whatif site --serve` shows the same without copies of the pictures.")
    if opens and not serves and click.launch(index.resolve().as_uri()):
        raise WhatifError(f"no browser could be started; open {index.resolve()}")


def _server(job: Job, port: int) -> SiteServer:
    """A server of the site, which has its port. Raises WhatifError when there is an artifact of images missing."""
    from whatif.engine.artifacts.stored_pictures import StoredPictures
    from whatif.engine.files.dvc_remote import fetches
    from whatif.engine.graph.folders import image_paths
    from whatif.engine.graph.steps import PICTURES
    from whatif.results.site.server import SiteServer

    images = image_paths(job)
    for path in images:
        if not path.exists():
            raise WhatifError(f"{path}: not there, and --serve reads pictures out of it; {fetches('it')}a run makes it")
    return SiteServer(Path(job.step.folder), StoredPictures(job.outputs[PICTURES], images), port)


def _serve(server: SiteServer, *, opens: bool) -> None:
    """Serves the site until Ctrl-C."""
    click.echo(f"{server.address} (Ctrl-C ends it)")
    if opens:  # a browser in this terminal ends when its user leaves it
        threading.Thread(target=click.launch, args=(server.address,), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):  # the way to end it
        server.serve_forever()
    click.echo("")
