"""Runs in the environment of inspect_ai: evaluates data set folders as the hub does, by their `eval.yaml` alone.

Arguments: each OWNER/NAME, a folder below the working directory that stands for the repository, and a folder for logs.
A model that always gives the right answer in the form that is asked for answers. Prints a JSON object for each task.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import huggingface_hub
from inspect_ai import eval
from inspect_ai._eval.task.hf import task_create_from_hf
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from tests.results.harnesses.run_inspect_ai import images_of


def evaluate(repository: str, logs: str) -> None:
    """Only the download of `eval.yaml` is replaced; the library that reads data sets takes the folder by its name."""
    huggingface_hub.hf_hub_download = lambda **_: str(Path(repository, "eval.yaml").resolve())
    tasks = task_create_from_hf(f"hf/{repository}")
    shown = [
        {
            "images": sorted({len(images_of(sample.input)) for sample in task.dataset}),
            "asked": [sample.input[0].text for sample in task.dataset],
        }
        for task in tasks
    ]
    right = {images_of(sample.input): sample.target for task in tasks for sample in task.dataset}

    def answer(messages: Any, *_: Any) -> ModelOutput:
        output = ModelOutput.from_content("stored", f"Let me see.\n\nANSWER: {right[images_of(messages)]}")
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/stored", custom_outputs=answer)
    for log, of_task in zip(eval(tasks, model=model, log_dir=logs, display="none", max_tasks=1), shown, strict=True):
        assert log.status == "success", log.error
        (score,) = log.results.scores
        found = {"samples": len(log.samples), **of_task, "accuracy": score.metrics["accuracy"].value}
        print(json.dumps({"task": log.eval.task, **found}))


if __name__ == "__main__":
    *repositories, logs = sys.argv[1:]
    for repository in repositories:
        evaluate(repository, logs)
