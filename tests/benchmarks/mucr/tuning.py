"""A fine-tuning job on questions that only their images answer: which colour they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.mucr.evaluated import Collected
from tests.choice_questions import choice_question
from tests.pictures import png
from whatif.benchmarks.mucr.schemas import ITEMS
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.schemas import IMAGES, QUESTIONS, Table
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.task import Input, Task
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.engine.params.fine_tuning import FineTuning

Row = dict[str, Any]
COLOURS = {"yellow": (255, 255, 0), "blue": (0, 0, 255), "red": (255, 0, 0), "green": (0, 255, 0)}
_EXPLANATION = (
    "Cause: A balloon is over a striped {0} cat. Effect: The striped {0} cat hangs in the air on a string. The causal "
    "link between them is that the balloon rises and pulls it up."
)
RECIPE = {"trains": "all", "steps": 40, "batch_size": 8, "learning_rate": 3e-3, "held_out": 0.25}


@dataclass
class Asked:
    """Questions with the rows of `items` and images that belong to them.

    `long` makes the options of EXP as long as explanations are.
    """

    long: bool = False

    questions: list[Row] = field(default_factory=list)
    items: list[Row] = field(default_factory=list)
    images: list[Row] = field(default_factory=list)

    def add(self, group: str, pair: int, metric: str = "CP", *, split: str, name: str = "main", **more: Any) -> None:
        """A question about a patch of the colour of this pair's place in its group; `more` changes its item."""
        shade = 2 * (len(self.questions) % 40)
        colour = list(COLOURS)[pair]
        data = png(tuple(max(0, value - shade) for value in COLOURS[colour]), 28)  # type: ignore[arg-type]
        image = image_row(data, 28, 28, "drawn", "CC0-1.0")
        choices = list(COLOURS)[1:] + list(COLOURS)[:1]
        letter = "ABCD"[choices.index(colour)]
        if self.long and metric == "EXP":
            choices = [_EXPLANATION.format(name) for name in choices]
        question_id = f"{group}-{pair}-{metric.lower()}-{name}"
        names = (question_id, f"{group}-{pair}", metric, "composite")
        own = {"answer": letter, "image_ids": [image["image_id"]]}
        self.questions.append(choice_question(*names, "What colour is the picture?", choices, **own))
        item: Row = {"form": "composite", "style": "comic", "mixture": True, "hints": False, "language": "en"}
        self.items.append(
            {
                "question_id": question_id,
                "pair_id": f"{group}-{pair}",
                "group_id": group,
                "category": "object",
                "metric": metric,
                "generator": "scenes",
                "split": split,
                **item,
                **more,
            }
        )
        self.images.append(image)


def whole(split: str, groups: int, *, long: bool = False) -> Asked:
    """Groups of four pairs with one main question each."""
    asked = Asked(long)
    for group in range(groups):
        for pair in range(4):
            asked.add(f"{split}{group}", pair, ("C2E", "CP", "EXP", "CP")[pair], split=split)
    return asked


def task_of(
    folder: Path,
    checkpoint: Path,
    training: Asked,
    asked: Asked,
    *,
    seed: str = "seed-3",
    entry: Row | None = None,
    **recipe: Any,
) -> Task[FineTuning]:
    """A job of the step `fine-tune` whose inputs are written into `folder`."""

    def given(role: str, table: Table, rows: Sequence[Row]) -> Input:
        path = folder / f"{role}.parquet"
        write_artifact(path, table, list({row[table.key[0]]: row for row in rows}.values()))
        return Input(table, (path,), ({},))

    folder.mkdir(exist_ok=True)
    return Task(
        settings=FineTuning(**RECIPE | recipe),
        inputs={
            "questions": given("questions", QUESTIONS, asked.questions),
            "training": given("training", QUESTIONS, training.questions),
            "items": given("items", ITEMS, [*asked.items, *training.items]),
            "images": given("images", IMAGES, []),
            "drawn-images": given("drawn-images", IMAGES, []),
            "composites": given("composites", IMAGES, [*asked.images, *training.images]),
        },
        outputs=Collected(),  # type: ignore[arg-type]
        wildcards={"tuned": "tiny", "seed": seed},
        name="evaluate fine-tune",
        benchmark="mucr",
        say=print,
        given_seed=0,
        own_model=HuggingFaceChat(adapter="hf-chat", checkpoint=str(checkpoint), **entry or {}),
    )


def tuned(task: Task[FineTuning]) -> tuple[list[Row], list[Row]]:
    from whatif.benchmarks.mucr.fine_tuning import write_tuned

    write_tuned(task)
    rows: dict[str, list[Row]] = task.outputs.rows  # type: ignore[attr-defined]
    return rows["losses"], rows["tuned-predictions"]
