"""The probes of an evaluation: the step that asks a model the changed questions as it is asked the ordinary ones."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.schemas import PROBED, QUESTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.dimensions import PART_CODE, WHOLE, Dimension
from whatif.engine.graph.steps import Step
from whatif.engine.graph.task import Input, Outputs, Task
from whatif.engine.looked_up import looked_up

_ASKS = "asks"  # the declared text that names the step which asks the ordinary questions
_QUESTIONS = "questions"


def probe_step(ask: Step, probe: Dimension) -> Step:
    """The step that asks what `ask` asks, but the changed questions of each probe of a dimension.

    `ask` reads its questions as the input `questions` and writes `predictions`. There is one job for all of its parts,
    because the images of a question may belong to another one.
    """
    return replace(
        ask,
        function=write_probed,
        outputs={"probed": PROBED},
        name="probes",
        seed=True,
        divided_by=(*(one for one in ask.divided_by if one.name != "part"), probe),
        code=(*ask.code, ask.root, *PART_CODE),
        declared={**ask.declared, _ASKS: ask.root},
    )


def write_probed(task: Task[Any]) -> None:
    """Writes the predictions of the job's model to the changed questions of the job's probe.

    Says how many questions are left out because the probe does not apply to them. Raises as the step that asks.
    """
    from whatif.scoring.probes import probed

    probe = task.wildcards["probe"]
    questions = task.read(_QUESTIONS).to_pylist()
    changed = probed(probe, questions, task.seed)
    if len(changed) < len(questions) and task.stand_in is None:
        task.say(f"{probe}: does not apply to {len(questions) - len(changed):,} of {len(questions):,} questions")
    if not changed:
        if task.stand_in is None:
            task.outputs.write("probed", [])
        return
    # They become an artifact, so that the step that asks finds them however it reads its input.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "questions.parquet")
        write_artifact(path, QUESTIONS, changed)
        inputs = {**task.inputs, _QUESTIONS: Input(QUESTIONS, (path,), ({"part": WHOLE},))}
        wildcards = {"part": WHOLE, **task.wildcards}
        asked = replace(task, inputs=inputs, outputs=_Renamed(task.outputs), wildcards=wildcards)
        looked_up(task.declared[_ASKS]).function(asked)


class _Renamed:
    """The outputs of a task whose step writes `predictions`."""

    def __init__(self, outputs: Outputs) -> None:
        self._outputs = outputs

    def __getattr__(self, name: str) -> Any:
        return getattr(self._outputs, name)

    def writer(self, role: str) -> Any:
        """The writer of the output."""
        return self._outputs.writer(_renamed(role))

    def write(self, role: str, rows: Any) -> None:
        """Writes the output."""
        self._outputs.write(_renamed(role), rows)


def _renamed(role: str) -> str:
    return "probed" if role == "predictions" else role
