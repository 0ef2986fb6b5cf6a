"""Writes `dvc.yaml` from the graph: its stages, and the metrics and plots of every selected benchmark.

The dependencies of a stage include the YAML files that declare benchmarks, and the files and folders outside the graph
that its settings name: label files, released files, predictions. DVC then notices that one was edited in place. All
models share the dependencies of the stage `evaluate`, because DVC's `foreach` cannot vary them; `whatif make` returns
at once for a model that does not read the changed file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from whatif.engine.files.named_folders import EMBEDDED, PACKAGE
from whatif.engine.graph.code_index import package_folders
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.reading import places
from whatif.engine.graph.steps import Benchmark, Step
from whatif.engine.params.base import STAGES
from whatif.engine.params.several_prompts import without_prompt

DVC_YAML = Path("dvc.yaml")
_HEADER = """\
# First entry point: `dvc repro`. Written by `whatif dvc-yaml`: run it again after you select other benchmarks or files.
# `whatif make` returns at once when the files of a stage are fresh. Otherwise it calls Snakemake, which runs the jobs
# that are due in parallel. Outputs persist, so that a job can see which of them are still good.
"""
_DESCRIPTIONS = {
    "extract": "Sources.",
    "generate": "Counterfactual questions and images.",
    "filter": "Automatic filters.",
    "verify": "Checks by people or by recounting.",
    "evaluate": "One model, every benchmark.",
    "aggregate": "Numbers and tables.",
}
_CHECKOUT = Path("src/whatif")
_FOR_ALL = ("judge", "probes")  # what is set once for the evaluations of all benchmarks
_CHECKS = " Depends on all of params.yaml, so that any edit is checked before anything runs."
# Table -> how `dvc plots` shows it; the templates are in `.dvc/plots`.
_PLOTS: Mapping[str, Mapping[str, str]] = {
    "paired": {
        "template": "drops",
        "x": "value",
        "y": "name",
        "x_label": "Drop from original to counterfactual (percentage points)",
        "title": "drops",
    },
    "letters": {
        "template": "letters",
        "x": "value",
        "y": "name",
        "x_label": "Share of answers (%)",
        "title": "chosen letters",
    },
    "funnel": {
        "template": "funnel",
        "x": "value",
        "y": "stage",
        "x_label": "Went on (% of what came in)",
        "title": "funnel",
    },
}


def dvc_yaml(graph: Graph, keys: Collection[str]) -> str:
    """The text of `dvc.yaml` for the selected benchmarks; `keys` are those of `params.yaml`."""
    used = [stage for stage in STAGES if graph.steps(stage)]
    stages = {stage: _stage(graph, stage, keys, is_first=stage == used[0]) for stage in used}
    if "evaluate" in stages:
        stages["evaluate"] = {"foreach": _evaluated(graph), "do": stages["evaluate"]}
    plots = [
        {f"metrics/{name}/{plot['file']}": {key: value for key, value in plot.items() if key != "file"}}
        for name, benchmark in graph.benchmarks.items()
        for plot in (*benchmark.plots, *_standard_plots(benchmark))
    ]
    parts = [_dump({"stages": stages}, None), _dump({"metrics": _metrics(graph)}, False)]
    if plots:
        parts.append(_dump({"plots": plots}, False))
    return _HEADER + "\n".join(parts)


def _metrics(graph: Graph) -> list[str]:
    """What `dvc metrics` shows of each benchmark: the folder with a file for each model, or all numbers in one file.

    DVC makes a row of each file, and a column of each key, so all numbers of all benchmarks would be one wide table.
    """
    steps = (step for benchmark in graph.benchmarks.values() for step in benchmark.steps)
    return [step.summary or step.text_files[0] for step in steps if step.text_files]


def _evaluated(graph: Graph) -> str | dict[str, str]:
    """The models of `evaluate`: those of `params.yaml`; if some have several prompts, each entry with its key there."""
    keys = {made: without_prompt(made, entry) for made, entry in graph.params.models.items()}
    return keys if any(made != key for made, key in keys.items()) else "${models}"


def _standard_plots(benchmark: Benchmark) -> Iterator[Mapping[str, Any]]:
    """The plots of the tables that have the same name and columns in every benchmark (`standard_figures`)."""
    for name, declared in _PLOTS.items():
        if f"metrics/{benchmark.name}/{name}.csv" in benchmark.text_files:
            title = f"{benchmark.name}: {declared['title']}"
            yield {"file": f"{name}.csv", **declared, "title": title}


def undeclared(graph: Graph, text: str) -> list[str]:
    """What a `dvc.yaml` does not declare: metrics of selected benchmarks, their code, and what settings name."""
    found = yaml.safe_load(text) or {}
    declared = {next(iter(one)) if isinstance(one, dict) else one for one in found.get("metrics") or ()}
    missing = [path for path in _metrics(graph) if path not in declared]
    for stage, written in (found.get("stages") or {}).items():
        deps = written.get("do", written).get("deps") or ()
        read = (*_code(graph), *_declarations(graph, stage), *_sources(graph, stage))
        missing += [path for path in read if path not in deps]
    return list(dict.fromkeys(missing))


def undeclared_parameters(graph: Graph, text: str, keys: Collection[str]) -> list[str]:
    """Those of the keys of `params.yaml`, and of the models with each prompt, that a `dvc.yaml` does not name."""
    missing = []
    for stage, written in ((yaml.safe_load(text) or {}).get("stages") or {}).items():
        if models := _unnamed_models(graph, written["foreach"]) if "foreach" in written else []:
            missing += models
            continue
        named = written.get("do", written).get("params") or ()
        if named and all(isinstance(place, str) for place in named):  # otherwise all of params.yaml
            missing += [key for key in _params(graph, stage, keys) if not _covers(named, key)]
    return list(dict.fromkeys(missing))


def _unnamed_models(graph: Graph, declared: Any) -> list[str]:
    """The models that `foreach` of `evaluate` lacks; all of them if it names others."""
    wanted = _evaluated(graph)
    if declared == wanted:
        return []
    before = declared if isinstance(declared, Mapping) else {key: key for key in graph.params.models}
    keys = wanted.items() if isinstance(wanted, Mapping) else ()
    return [f"models.{made}" for made, key in keys if before.get(made) != key] or ["models"]


def _covers(named: Iterable[str], place: str) -> bool:
    return any(f"{place}.".startswith(f"{one}.") for one in named)


def gone_parameters(text: str, values: Mapping[str, Any]) -> list[str]:
    """The parameters that a `dvc.yaml` names but `params.yaml`, with these values, no longer has: DVC fails at them."""
    found = yaml.safe_load(text) or {}
    stages = (found.get("stages") or {}).values()
    named = [place for one in stages for place in one.get("do", one).get("params") or ()]
    places = dict.fromkeys(place for place in named if isinstance(place, str))
    return [place for place in places if not _has(values, place.split("."))]


def _has(values: Any, keys: list[str]) -> bool:
    """Whether nested values have a place; the key of a model in `foreach` always is one."""
    for key in keys:
        if key in ("${key}", "${item}"):
            return True
        if not isinstance(values, Mapping) or key not in values:
            return False
        values = values[key]
    return True


def _dump(part: Mapping[str, Any], flow: bool | None) -> str:
    return str(yaml.safe_dump(part, sort_keys=False, default_flow_style=flow, width=120, allow_unicode=True))


def _stage(graph: Graph, stage: str, keys: Collection[str], *, is_first: bool) -> dict[str, Any]:
    steps = graph.steps(stage)
    target = f"{stage}-${{key}}" if stage == "evaluate" else stage
    folder = f"data/{stage}/${{key}}" if stage == "evaluate" else f"data/{stage}"
    # A model that no benchmark evaluates, such as a matcher without pairs, has an empty folder.
    command = f"whatif make {target}" if stage != "evaluate" else f"mkdir -p {folder} && whatif make {target}"
    earlier = [f"data/{before}" for before in STAGES if before in _stages_before(graph, steps)]
    outputs: list[Any] = [{folder: {"persist": True}}]
    if stage == "aggregate":
        outputs.append({"metrics": {"cache": False, "persist": True}})
    return {
        "desc": _DESCRIPTIONS[stage] + (_CHECKS if is_first else ""),
        "cmd": command,
        "deps": [*_code(graph), *earlier, *_declarations(graph, stage), *_sources(graph, stage)],
        "params": [{"params.yaml": None}] if is_first else _params(graph, stage, keys),
        "outs": outputs,
    }


def _code(graph: Graph) -> list[str]:
    """The folders of code that the project contains: whatif's own in its checkout, and the packages of benchmarks.

    Installed packages are not dependencies for DVC, even if their environment is in the project.
    """
    root = Path.cwd().resolve()
    folders = [folder.resolve() for folder in package_folders({name for job in graph.jobs for name in job.code_roots})]
    inside = [folder.relative_to(root) for folder in folders if folder != root and folder.is_relative_to(root)]
    own = {path.as_posix() for path in inside if "site-packages" not in path.parts}
    return sorted(own | ({_CHECKOUT.as_posix()} if (_CHECKOUT / "__main__.py").is_file() else set()))


def _declarations(graph: Graph, stage: str) -> list[str]:
    """The YAML files of the benchmarks that have steps in a stage."""
    return sorted({one.file for one in graph.benchmarks.values() if one.file and one.steps_of(stage)})


def _sources(graph: Graph, stage: str) -> list[str]:
    """The files and folders outside the graph that the settings of a stage name, in ascending order.

    A name may also be that of a checkpoint on the hub, or `installed`. A relative path is therefore one only if it
    exists or is tracked by DVC. Checkpoints that ship with a package belong to the code.
    """
    named = {
        name: path
        for job in graph.jobs
        if job.step.stage == stage
        for name, path in job.named_sources.items()
        if not name.startswith((EMBEDDED, PACKAGE))
    }
    paths = {str(path) for name, path in named.items() if path.is_absolute() or path.exists() or _is_tracked(path)}
    return sorted(path.replace("${", "\\${") for path in paths)  # DVC would insert a parameter


def _is_tracked(path: Path) -> bool:
    """Whether `dvc add` or `dvc import` tracks a file, or a folder above it, which may not have been pulled yet."""
    return any(Path(f"{one}.dvc").is_file() for one in (path, *path.parents) if one.name)


def _stages_before(graph: Graph, steps: Iterable[Step]) -> set[str]:
    makers = (graph.maker(step, given) for step in steps for given in step.inputs.values())
    return {maker.stage for maker in makers if maker is not None} - {step.stage for step in steps}


def _params(graph: Graph, stage: str, keys: Collection[str]) -> list[str]:
    """The keys of `params.yaml` that decide which jobs a stage has and what they read.

    DVC fails at a key that the file does not have, so they are its own keys: `extract` and not a single setting, which
    may have its default. `whatif make` finds out which jobs a change concerns.
    """
    steps = graph.steps(stage)
    found = {"seed": None} if any(step.seed for step in steps) else {}
    found |= {"benchmarks": None, stage: None}
    if stage in ("evaluate", "aggregate"):
        found.update(dict.fromkeys(_FOR_ALL))
    for step in steps:
        kind = graph.benchmarks[step.benchmark].settings
        read = places(step.reads, step.benchmark, kind) if step.reads is not None else ()
        found.update(dict.fromkeys(place.split(".")[0] for place in read))
        if any(one.dimension not in step.divided_by for one in step.shown):
            found["models"] = None  # a table of all models; another step reads only that of its job
        if stage == "evaluate" and any(dimension.is_model for dimension in step.divided_by):
            found["models.${key}" if _evaluated(graph) == "${models}" else "models.${item}"] = None
        # A judge, asked for every model; or a model that writes questions.
        if step.asks is not None and (stage != "evaluate" or step.asks is not step.divided_by[0]):
            entries = {key: graph.params.models[key] for key in graph.values(step)[step.asks.name]}
            found.update(dict.fromkeys(f"models.{without_prompt(key, one)}" for key, one in entries.items()))
    return [key for key in found if key.split(".")[0] in keys and not ("models" in found and key.startswith("models."))]
