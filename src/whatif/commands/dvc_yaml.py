"""`whatif dvc-yaml`: writes dvc.yaml for the benchmarks and files that params.yaml selects."""

from __future__ import annotations

import click

from whatif.errors import WhatifError


@click.command("dvc-yaml")
@click.option("--check", is_flag=True, help="Write nothing; fail when dvc.yaml is not what this command would write.")
def dvc_yaml(check: bool) -> None:
    """Write dvc.yaml: the stages, and the metrics and plots of every benchmark that params.yaml selects.

    Run it after you select another benchmark, or name another file of labels, questions or predictions. Then run `dvc
    repro`.
    """
    from whatif import benchmarks
    from whatif.files.atomic import write_whole
    from whatif.workflow.dvc_yaml import DVC_YAML
    from whatif.workflow.dvc_yaml import dvc_yaml as text_of

    text = text_of(benchmarks.graph(benchmarks.load_params()))
    before = DVC_YAML.read_text(encoding="utf-8") if DVC_YAML.is_file() else None
    if text == before:
        click.echo(f"{DVC_YAML}: is up to date")
    elif check:
        raise WhatifError(f"{DVC_YAML}: does not fit params.yaml; run `whatif dvc-yaml`")
    else:
        write_whole(DVC_YAML, text.encode())
        click.echo(f"{DVC_YAML}: written; `dvc repro` makes what is due")
