"""Why the answers of programs are wrong (C-VQA 4.1, 4.2, D): what the step `programs` of a benchmark does.

| category | the answer is wrong, and |
|---|---|
| `syntax`, `forbidden`, `time`, `memory`, `output`, `wrong type`, `error` | the program did not end with a result |
| `no program` | no program was written; another stood in for it, or the writer failed |
| `failing tool` | with tools that know the image, the same program is right: its own tools failed |
| `ignored presupposition` | so it gives the right answer of the original question, which is another |
| `wrong arithmetic` | a tool returned what the original question asks for, and the program made something else of it |
| `wrong tool` | none of these |
| `not classified` | nothing is known about the image, and nobody labelled the program |

The first two rows follow from the run of the program. The next four are decided by rules where an image is drawn, and
by labels elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from whatif import models
from whatif.benchmarks.shared.dimensions import PROGRAMMER
from whatif.engine.artifacts.schemas import NULLABLE, Table, schema_of
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.engine.graph.task import Task
from whatif.engine.language.options import LETTERS
from whatif.models import Model
from whatif.models.depicted import Depicted
from whatif.people.label_files import read_label_file
from whatif.results.reporting.program_categories import (
    CAUSES,
    FAILING_TOOL,
    IGNORED,
    NO_PROGRAM,
    NOT_CLASSIFIED,
    RIGHT,
    WRONG_ARITHMETIC,
    WRONG_TOOL,
)

PROGRAM_FINDINGS = Table(
    name="program-findings",
    version=1,
    key=("question_id", "model", "strategy"),
    schema=schema_of(
        ("question_id", pa.string()),
        ("model", pa.string()),  # key in params.yaml
        ("strategy", pa.string()),
        ("category", pa.string()),  # `right`, or why the answer is wrong (see the module)
        ("found_by", pa.string()),  # `run`, `rules`, or `label:FILE`
        ("fallback", pa.bool_()),  # whether a program stood in for a reply without one
        ("oracle_value", pa.string(), NULLABLE),  # what it gives with tools that know the image; null without a result
        ("program_right", pa.bool_(), NULLABLE),  # whether that is the right answer; null if the image is not drawn
    ),
)
RUN, RULES, LABEL = "run", "rules", "label"  # values of `found_by`; `label:` is followed by the name of the file
_PREDICTED = ("question_id", "model", "strategy", "response", "status", "correct", "program")
_COUNTED = re.compile(r"a list of (\d+)\b")  # how a list that is too long to be kept begins

Row = Mapping[str, Any]
Ask = Callable[[Sequence[Row], Model], Iterable[Row]]  # questions and a model -> rows of `predictions`
_LABEL_COLUMNS = ("question_id", "category")  # of a file of people's labels
_MODEL = "model"  # this column may be missing, or its fields empty: then the label is about the programs of all models


def write_program_findings(
    task: Task[Any],
    ask: Ask,
    *,
    depicted: Callable[[str], Depicted | None],
    labels: str | None,
    again: Callable[[Mapping[str, Any], Mapping[str, str]], Any] | None = None,
) -> None:
    """Writes the output `program-findings`: one row for each prediction of the job's model.

    The inputs are `questions` and `predictions`. `ask` puts questions to a model as the benchmark does. `depicted` is
    what a drawn image shows. `labels` is the path of the file of labels, if there is one. A program whose own tools
    know the image does not run again. `again` makes the model that answers by given programs; see `programs_again`.

    Raises WhatifError for a wrong file of labels, naming the line.
    """
    if task.stand_in is not None:
        return
    model = task.wildcards["model"]
    settings = task.shown_models(PROGRAMMER)[model]
    predictions = list(task.rows("predictions", _PREDICTED))
    if not predictions:
        task.outputs.write("program-findings", [])
        return
    everything = {row["question_id"]: row for row in task.rows("questions")}
    by_variant = {(row["pair_id"], row["variant"]): row for row in everything.values()}
    known = {} if labels is None else read_program_labels(user_path(labels), everything, model)
    drawn = {
        row["question_id"]
        for row in predictions
        if row["program"] is not None and _is_drawn(everything[row["question_id"]], depicted)
    }
    by_id = {row["question_id"]: row for row in predictions}
    with_oracle: dict[str, Row] = {}
    if settings["tools.kind"] == "oracle":
        with_oracle = {one: by_id[one] for one in drawn}
    else:
        codes = {one: by_id[one]["program"]["code"] for one in drawn}
        questions = [everything[one] for one in sorted(drawn)]
        if codes:
            loaded = (again or _programs_again)(settings, codes)
            loaded.depicted = depicted
            with models.closing(loaded):
                with_oracle = {row["question_id"]: row for row in ask(questions, loaded)}
    rows = []
    for row in predictions:
        question = everything[row["question_id"]]
        original = by_variant[question["pair_id"], "original"]
        found = with_oracle.get(row["question_id"])
        category, found_by = category_of(row, question, original, found)
        if category == NOT_CLASSIFIED and row["question_id"] in known:
            category, found_by = known[row["question_id"]], f"{LABEL}:{user_path(str(labels)).name}"
        rows.append(
            {
                **{name: row[name] for name in PROGRAM_FINDINGS.key},
                "category": category,
                "found_by": found_by,
                "fallback": bool(row["program"] and row["program"]["fallback"]),
                "oracle_value": None if found is None else found["response"],
                "program_right": None if found is None else found["correct"],
            }
        )
    task.outputs.write("program-findings", rows)


def category_of(prediction: Row, question: Row, original: Row, with_oracle: Row | None) -> tuple[str, str]:
    """The category of a prediction, and what it was found by.

    `original` is the original question of the pair; `with_oracle` is the prediction of the same program with tools that
    know the image, None where the image is not drawn.
    """
    by_run = RIGHT if prediction["correct"] else _failed_run(prediction["program"])
    if by_run is not None or with_oracle is None:
        return by_run or NOT_CLASSIFIED, RUN
    return _cause(question, original, with_oracle), RULES


def _failed_run(program: Row | None) -> str | None:
    """How a program failed to give an answer of its own; None if it gave one."""
    if program is None:
        return NO_PROGRAM
    if program["fallback"]:
        return "syntax" if str(program["reason"]).startswith("syntax") else NO_PROGRAM
    return None if program["outcome"] == "ok" else str(program["outcome"])


def _cause(question: Row, original: Row, with_oracle: Row) -> str:
    """Why the answer of a program that ended is wrong, by the rules of the module's table."""
    if with_oracle["correct"]:
        return FAILING_TOOL
    is_changed = question is not original and not _is_same(right_text(question), right_text(original))
    if is_changed and _is_same(with_oracle["response"], right_text(original)):
        return IGNORED
    values = _values(with_oracle["program"]["calls"] if with_oracle["program"] else ())
    return WRONG_ARITHMETIC if any(_is_same(one, right_text(original)) for one in values) else WRONG_TOOL


def right_text(question: Row) -> str:
    """The right answer of a question in words or figures, also where it is the letter of an option."""
    if question["choices"]:
        return str(question["choices"][LETTERS.index(question["answer"])])
    return str(question["answer"])


def _is_drawn(question: Row, depicted: Callable[[str], Depicted | None]) -> bool:
    return any(depicted(image_id) is not None for image_id in question["image_ids"])


def _programs_again(settings: Mapping[str, Any], codes: Mapping[str, str]) -> Any:
    from whatif.models.programs.again import programs_again

    return programs_again(settings["adapter"], settings["sandbox"], settings["limits"], codes)


def _is_same(value: str | None, right: str) -> bool:
    """Whether a value is an answer: the same number, or the same words."""
    if value is None:
        return False
    # Every job imports this module for its table, and few need the rules of extraction, which take 0.2 s to import.
    from whatif.scoring.extraction.answer import Kind, normalise

    kinds: tuple[Kind, ...] = ("number", "boolean")
    return any(normalise(value, kind) == normalise(right, kind) for kind in kinds)


def _values(calls: Sequence[Row]) -> Iterator[str]:
    """What tools returned, as answers: `yes` and `no`, figures, texts, and the number of things in a list."""
    for call in calls:
        counted = _COUNTED.match(call["value"])
        if counted:
            yield counted[1]
            continue
        try:
            value = json.loads(call["value"])
        except ValueError:  # shortened
            continue
        if isinstance(value, bool):
            yield "yes" if value else "no"
        elif isinstance(value, list):
            yield str(len(value))
        elif isinstance(value, int | float | str):
            yield f"{value:g}" if isinstance(value, float) else str(value)


def read_program_labels(path: Path, question_ids: Collection[str], model: str) -> dict[str, str]:
    """The category of each labelled program of a model, by the id of its question.

    The CSV has the columns `question_id` and `category`, and may have `model`, a key of params.yaml: a label about one
    model counts for it alone, and before a label about all models. Labels about other models are left out.

    Raises WhatifError naming the line for an unknown question, an unknown category, and a program that is labelled
    twice.
    """
    labels: dict[tuple[str, str], str] = {}
    lines: dict[tuple[str, str], int] = {}
    for row in read_label_file(path, _LABEL_COLUMNS, file="labels", kind="causes of wrong programs"):
        where = f"{path}: line {row.line}"
        question_id, category = (row.fields[name] for name in _LABEL_COLUMNS)
        of_model = row.fields.get(_MODEL, "")
        if question_id not in question_ids:
            raise WhatifError(f"{where}: question_id {question_id[:60]!r} is not among the questions that are asked")
        if category not in CAUSES:
            raise WhatifError(f"{where}: category is {category[:60]!r}; it must be one of {', '.join(CAUSES)}")
        if (question_id, of_model) in lines:
            first = lines[question_id, of_model]
            raise WhatifError(f"{where}: labels the same program as line {first}; keep one")
        lines[question_id, of_model] = row.line
        labels[question_id, of_model] = category
    of_all = {question_id: category for (question_id, of_model), category in labels.items() if not of_model}
    own = {question_id: category for (question_id, of_model), category in labels.items() if of_model == model}
    return {**of_all, **own}
