"""Runs in the environment of inspect_ai: evaluates task files with stored responses; prints scores as JSON.

Arguments: a JSON file with {question_id: response} for each task file, then a folder for logs.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model


def key_of(messages: Any) -> str:
    """What a model sees: texts and images."""
    parts = [
        part
        for message in messages
        for part in ([message.content] if isinstance(message.content, str) else message.content)
    ]
    return json.dumps([part if isinstance(part, str) else getattr(part, "image", None) or part.text for part in parts])


def images_of(messages: Any) -> tuple[str, ...]:
    """The images that a model sees."""
    parts = [] if isinstance(messages, str) else json.loads(key_of(messages))
    return tuple(part for part in parts if part.startswith("data:"))


def tasks_of(file: Path) -> Task:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    task: Task = getattr(module, file.stem)()
    return task


def main(stored: str, logs: str) -> None:
    """Every task file is run by inspect_ai's own loader; its samples tell which response belongs to what is shown."""
    responses: dict[str, str] = {}
    files = json.loads(Path(stored).read_text(encoding="utf-8"))
    for file, of_file in files.items():
        for sample in tasks_of(Path(file)).dataset:
            key = key_of(sample.input)
            assert responses.setdefault(key, of_file[sample.id]) == of_file[sample.id], sample.id

    def answer(messages: Any, *_: Any) -> ModelOutput:
        output = ModelOutput.from_content("stored", responses[key_of(messages)])
        output.usage = ModelUsage()  # otherwise the tool counts tokens with a vocabulary that it downloads
        return output

    model = get_model("mockllm/stored", custom_outputs=answer)
    found = {}
    for log in eval(list(files), model=model, log_dir=logs, display="none", max_tasks=1):
        assert log.status == "success", log.error
        (score,) = log.results.scores
        samples = {sample.id: next(iter(sample.scores.values())) for sample in log.samples}
        found[log.eval.task.rpartition("/")[2]] = {
            "metrics": {name: metric.value for name, metric in score.metrics.items()},
            "correct": {name: one.value == "C" for name, one in samples.items()},
            "answer": {name: one.answer for name, one in samples.items()},
            "asked": {sample.id: sample.input[0].text for sample in log.samples},
            "images": {
                sample.id: sum(part.type == "image" for part in sample.input[0].content) for sample in log.samples
            },
        }
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
