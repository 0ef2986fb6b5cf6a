"""Writes a published data set as tasks of other harnesses, into the folder `tasks` of the data set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.language.strategies import DIRECT
from whatif.formats.evaluation_tools import ChangedByReaderError, write_vlmevalkit
from whatif.results.harnesses.hub_tasks import write_eval
from whatif.results.harnesses.lmms_eval_task import write_lmms_eval_task
from whatif.results.harnesses.published_questions import PublishedQuestions

FOLDER = "tasks"
LMMS_EVAL, INSPECT_AI, VLMEVALKIT = "lmms-eval", "inspect_ai", "vlmevalkit"
_PLACEHOLDER = "whatif_benchmark"  # in the file for inspect_ai, where the name of the task belongs
_SPELLING = {"cvqa": "CVQA", "cfmm": "CFMM", "mucr": "MuCR", "coco": "COCO"}
# A file for VLMEvalKit or the hub repeats all images as text, and the tool reads it whole.
_MOST_QUESTIONS = 100_000
_Row = dict[str, Any]


def write_tasks(name: str, benchmark_folder: Path) -> list[str]:
    """Writes the tasks of a data set folder with questions in `questions/test-*.parquet`; returns lines about them.

    name: the benchmark, for example `cvqa-synthetic`. Written are `tasks/lmms-eval`, `tasks/inspect_ai` and
    `tasks/vlmevalkit`, which refer to the data by relative paths alone, and `eval.yaml` with its table in `eval/`. What
    a harness cannot express is left out, and so is what repeats the images of more than 100,000 questions; a line says
    so. The same folder gives the same bytes.

    Raises WhatifError when a file cannot be written.
    """
    if not (benchmark_folder / "questions").is_dir():
        return [
            f"{name}: no tasks: pairs of captions and images are scored by similarity, which the tasks of other "
            "harnesses do not compute"
        ]
    questions = PublishedQuestions(benchmark_folder)
    if not questions:
        return [f"{name}: no tasks: no question has images that may be published"]
    lines = []
    if questions.withheld:
        lines.append(f"{name}: {questions.withheld:,} questions whose images are not published are in no task")
    folder, task = benchmark_folder / FOLDER, task_name(name)
    files = [f"../../{file}" for file in questions.files]
    write_lmms_eval_task(task, questions, files, folder / LMMS_EVAL, on_hub=True)
    _write_inspect_ai(task, folder / INSPECT_AI)
    lines.append(f"{folder / LMMS_EVAL}: task {task}: {len(questions):,} questions")
    lines.append(f"{folder / INSPECT_AI}: task {task}: {len(questions):,} questions")
    if len(questions) > _MOST_QUESTIONS:
        return [
            *lines,
            f"{name}: no task for VLMEvalKit and no eval.yaml, which are for {_MOST_QUESTIONS:,} questions at most",
        ]
    rows = list(questions)
    for data_set, part in _vlmevalkit_sets(name, rows):
        path = folder / VLMEVALKIT / f"{data_set}.tsv"
        try:
            write_vlmevalkit(part, questions, path, strategy=DIRECT)
        except ChangedByReaderError as error:
            lines.append(f"not written: {error}")
        else:
            lines.append(f"{path}: {len(part):,} questions")
    return [*lines, *write_eval(name, rows, questions, benchmark_folder)]


def task_name(name: str) -> str:
    """The name of a benchmark's task: `whatif_cvqa_synthetic`. Raises WhatifError for a name without letters."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    if not words:
        raise WhatifError(f"benchmark {name!r}: has no letter or digit for the name of a task; rename it")
    return "_".join(["whatif", *words])


def vlmevalkit_name(name: str) -> str:
    """The name of a benchmark's data set in VLMEvalKit, which differs from all of its own: `WhatIf_CVQA_Synthetic`."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    return "_".join(["WhatIf", *(_SPELLING.get(word, word.capitalize()) for word in words)])


def _vlmevalkit_sets(name: str, rows: Sequence[_Row]) -> Iterator[tuple[str, list[_Row]]]:
    """The data sets that hold one kind of question each, since the tool asks a whole data set in one way.

    By the suffix `OpenEnded`, the tool knows that questions have no options. It asks questions without an image only in
    a data set without the column `image`.
    """
    for is_open in (False, True):
        for is_text in (False, True):
            part = [row for row in rows if (row["choices"] is None) == is_open and (not row["image_ids"]) == is_text]
            if part:
                suffixes = ["Text"] * is_text + ["OpenEnded"] * is_open
                yield "_".join([vlmevalkit_name(name), *suffixes]), part


def _write_inspect_ai(task: str, folder: Path) -> None:
    program = (resources.files("whatif.results.harnesses") / "inspect_ai_task.py").read_text(encoding="utf-8")
    write_whole(folder / f"{task}.py", program.replace(_PLACEHOLDER, task).encode())
