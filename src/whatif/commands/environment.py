"""`whatif environment`: what the results were made with, to go with a paper or a bug report."""

from __future__ import annotations

import json

import click


@click.command()
@click.argument("benchmarks", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="As JSON, with the fingerprint of every artifact.")
def environment(benchmarks: tuple[str, ...], *, as_json: bool) -> None:
    """Show what the results of BENCHMARKS (default: all) were made with: libraries, commit, fingerprints, machine.

    The versions of libraries are those that the artifacts record. The machine is the one of this command.

    \b
    whatif environment
    whatif environment cfmm --json > environment.json
    """
    from whatif import __version__
    from whatif import benchmarks as known
    from whatif.engine.errors import WhatifError
    from whatif.engine.graph.environment import machine, made_with

    graph = known.graph(known.load_params())
    if unknown := [name for name in benchmarks if name not in graph.benchmarks]:
        raise WhatifError(f"{unknown[0]}: not among the benchmarks of params.yaml ({', '.join(graph.benchmarks)})")
    found = {"whatif": __version__, "machine": machine(), **made_with(graph, benchmarks or graph.benchmarks)}
    if as_json:
        click.echo(json.dumps(found, indent=2, sort_keys=True))
        return
    changed = f", with {found['changed_files']} changed files" if found["changed_files"] else ""
    own = found["machine"]
    lines = [
        ("whatif", __version__),
        ("commit", f"{found['commit']}{changed}" if found["commit"] else "no git repository"),
        ("python", own["python"]),
        ("system", own["system"]),
        ("processor", f"{own['processor']}, {own['cores']} cores"),
        ("memory", f"{own['memory_gib']} GiB" if own["memory_gib"] else "unknown"),
        ("GPUs", ", ".join(own["gpus"]) or "none"),
        *((name, ", ".join(versions)) for name, versions in found["libraries"].items()),
        ("artifacts", f"{len(found['artifacts'])}; --json has their fingerprints"),
    ]
    click.echo("| made with | |\n|---|---|")
    for name, value in lines:
        click.echo(f"| {name} | {value} |")
