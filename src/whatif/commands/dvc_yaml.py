"""`whatif dvc-yaml`: writes dvc.yaml and stages/ for the benchmarks and files that params.yaml selects."""

from __future__ import annotations

from pathlib import Path

import click

from whatif.engine.errors import WhatifError


@click.command("dvc-yaml")
@click.option("--check", is_flag=True, help="Write nothing; fail when a file is not what this command would write.")
def dvc_yaml(check: bool) -> None:
    """Write dvc.yaml (stages, metrics and plots) and stages/ (the rules of Snakemake) for what params.yaml selects.

    Run it after you select another benchmark, name another file of labels, questions or predictions, or set the first
    value of a stage. Then run `dvc repro`. In a folder without a Snakefile, it also writes the files that every project
    has, such as Snakefile, .dvc/config and profiles/.
    """
    from whatif import benchmarks
    from whatif.engine.files.atomic import write_whole
    from whatif.engine.params.files import read_yaml
    from whatif.engine.params.whole import PARAMS_FILE
    from whatif.engine.workflow.dvc_yaml import DVC_YAML
    from whatif.engine.workflow.dvc_yaml import dvc_yaml as text_of
    from whatif.engine.workflow.project_files import project_files
    from whatif.engine.workflow.stage_files import stage_files

    graph = benchmarks.graph(benchmarks.load_params())
    keys = read_yaml(Path(PARAMS_FILE))[0]
    texts = {DVC_YAML: text_of(graph, keys), **stage_files(graph)}
    due = [path for path, text in texts.items() if not path.is_file() or path.read_bytes() != text.encode()]
    if not due:
        click.echo(f"{DVC_YAML}, stages/: is up to date")
    elif check:
        raise WhatifError(f"{due[0]}: does not fit params.yaml; run `whatif dvc-yaml`")
    else:
        for path in due:
            write_whole(path, texts[path].encode())
        click.echo(f"{', '.join(map(str, due))}: written; `dvc repro` makes what is due")
    if not check and not Path("Snakefile").exists():
        missing = {Path(name): data for name, data in project_files().items() if not Path(name).exists()}
        for path, data in missing.items():
            write_whole(path, data, durable=False)
        in_git = any((folder / ".git").exists() for folder in (Path.cwd(), *Path.cwd().parents))
        first = "" if in_git else "; run `git init` before `dvc repro`"
        click.echo(f"Snakefile and {len(missing) - 1} other files of every project: written{first}")
