"""Results for the repositories of models on the Hugging Face hub: `.eval_results/NAME.yaml`.

The hub shows them on the page of the model and on the leaderboard of the data set, which `whatif publish` registers by
its `eval.yaml` (https://huggingface.co/docs/hub/eval-results).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from whatif import __version__
from whatif.engine.artifacts.variants import PAIR_VARIANTS
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.results.harnesses.hub_tasks import REGISTRATION
from whatif.results.publishing.facts import folder_name
from whatif.results.tracking.runs import TrackedRun

FOLDER = ".eval_results"
_HUB_ID = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")
_ADAPTERS = ("hf-chat", "hf-blip", "served")  # those that answer questions about images


def write_hub(runs: Iterable[TrackedRun], folder: Path, published: Path, owner: str) -> list[tuple[str, Path]]:
    """Writes `folder/OWNER/REPOSITORY/.eval_results/KEY.yaml` for each model that is on the hub, with no LoRA.

    published: the folder of `whatif publish`, whose data sets belong to `owner`. Returns the repository and the file of
    each model. Raises WhatifError when no data set there is registered with pairs of questions.
    """
    tasks = {path.parent.name: _tasks(path) for path in sorted(published.glob(f"*/{REGISTRATION}"))}
    if not any(set(PAIR_VARIANTS) <= found for found in tasks.values()):
        raise WhatifError(
            f"{published}: no data set with {REGISTRATION} and the tasks {' and '.join(PAIR_VARIANTS)}; "
            "`whatif publish FOLDER` writes it"
        )
    written = []
    for run in runs:
        repository = hub_repository(run)
        entries = list(_entries(run, tasks, owner)) if repository else []
        if entries:
            file = folder / repository / FOLDER / f"{run.name}.yaml"
            write_whole(file, yaml.safe_dump(entries, sort_keys=False, allow_unicode=True, width=110).encode())
            written.append((repository, file))
    return written


def hub_repository(run: TrackedRun) -> str:
    """The hub id of the checkpoint that answered; empty for other models, and for one that was changed by a LoRA."""
    checkpoint = str(getattr(run.settings, "checkpoint", None) or "")
    is_own = run.settings.adapter not in _ADAPTERS or getattr(run.settings, "lora", None)
    return "" if is_own or Path(checkpoint).exists() or not _HUB_ID.fullmatch(checkpoint) else checkpoint


def _entries(run: TrackedRun, tasks: dict[str, set[str]], owner: str) -> Iterator[dict[str, Any]]:
    for benchmark, system in run.paired.items():
        for task in PAIR_VARIANTS:
            if task not in tasks.get(folder_name(benchmark), ()) or task not in system.measures:
                continue
            measured = system.measures[task]
            notes = [f"accuracy in percent, answers extracted by whatif {__version__}"]
            notes += [f"strategy {system.strategy}"] if system.strategy else []
            notes += [f"{measured.n:,} questions"] if measured.n is not None else []
            if measured.low is not None and measured.high is not None:
                notes.append(f"interval {measured.low:.1f} to {measured.high:.1f}")
            notes += [f"{name} {run.params[name]}" for name in ("revision", "quantization") if name in run.params]
            notes += [f"{name} {run.tags[name]}" for name in ("commit", "artifacts") if name in run.tags]
            entry: dict[str, Any] = {
                "dataset": {"id": f"{owner}/{folder_name(benchmark)}", "task_id": task},
                "value": round(measured.value, 4),
            }
            if run.source.commit:
                entry["date"] = datetime.fromtimestamp(run.source.seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            if run.source.address:
                entry["source"] = {"url": run.source.address, "name": "whatif"}
            yield {**entry, "notes": "; ".join(notes)}


def _tasks(file: Path) -> set[str]:
    try:
        return {str(task["id"]) for task in yaml.safe_load(file.read_text(encoding="utf-8"))["tasks"]}
    except (yaml.YAMLError, UnicodeDecodeError, TypeError, KeyError) as error:
        raise WhatifError(f"{file}: lists no tasks ({type(error).__name__}); `whatif publish` writes it") from None
