"""Coins on a table: how many show heads, and how many would if one were turned over?

Everything that whatif needs is in this file: settings, steps, and the report.
"""

from __future__ import annotations

import io
import json
from typing import Any

from pydantic import Field

from whatif.benchmark import (
    CHOOSER,
    IMAGES,
    LETTERS,
    PREDICTIONS,
    QUESTIONS,
    REJECTIONS,
    Benchmark,
    BenchmarkSettings,
    Settings,
    Shown,
    SortedImages,
    StepsOf,
    Task,
    image_row,
    part_dimension,
    predictions,
    stream,
    write_predictions,
)

_RADIUS = 10  # pixels


class GenerateCoins(Settings):
    """How many tables of coins there are, and in how many parts they are made."""

    tables: int = Field(ge=1, le=10_000)
    shards: int = Field(ge=1, le=999)


class FilterCoins(Settings):
    """How many heads a table must show."""

    fewest_heads: int = Field(ge=0, le=2)


class CoinsSettings(BenchmarkSettings):
    """The sections of this benchmark in params.yaml."""

    generate: GenerateCoins
    filter: FilterCoins


step = StepsOf(CoinsSettings)
PART = part_dimension(lambda params, benchmark: params.section(benchmark, CoinsSettings).generate.shards)


@step(
    "generate",
    reads=lambda s: s.generate,
    seed=True,
    divided_by=(PART,),
    outputs={"images": IMAGES, "questions": QUESTIONS},
)
def generate(task: Task[GenerateCoins]) -> None:
    """Draws the tables of one part, each with an original and a counterfactual question."""
    with SortedImages(task.outputs.writer("images")) as images:
        for number in task.part_of(task.settings.tables):
            heads = int(stream(task.seed, "coins", number).integers(0, 4))
            image = draw(number, heads)
            images.add(image)
            task.outputs.writer("questions").write(questions(number, heads, image["image_id"]))


def draw(number: int, heads: int) -> dict[str, Any]:
    """A row of `images`: three coins, of which those that show heads are light."""
    from PIL import Image, ImageDraw

    table = Image.new("RGB", (96, 32), (40, 60 + number % 100, 40))
    pen = ImageDraw.Draw(table)
    for place in range(3):
        middle = 16 + 32 * place
        box = (middle - _RADIUS, 16 - _RADIUS, middle + _RADIUS, 16 + _RADIUS)
        pen.ellipse(box, fill=(230, 220, 160) if place < heads else (90, 80, 60))
    data = io.BytesIO()
    table.save(data, "PNG")
    return image_row(data.getvalue(), *table.size, f"coins:{number}", "CC0-1.0")


def questions(number: int, heads: int, image_id: str) -> list[dict[str, Any]]:
    """Two rows of `questions` about one table, in order of their ids."""
    asked = {
        "counterfactual": ("How many coins would show heads if every coin were turned over?", 3 - heads),
        "original": ("How many coins show heads?", heads),
    }
    return [
        {
            "question_id": f"coins_{number:05d}-{variant}",
            "pair_id": f"coins_{number:05d}",
            "group": "heads",
            "variant": variant,
            "question": text,
            "choices": ["0", "1", "2", "3"],
            "answer": LETTERS[answer],
            "answer_kind": "choice",
            "image_ids": [image_id],
            "provenance": "{}",
        }
        for variant, (text, answer) in asked.items()
    ]


@step(
    "filter",
    reads=lambda s: s.filter,
    inputs={"questions": generate["questions"]},
    outputs={"questions": QUESTIONS, "rejections": REJECTIONS},
)
def filter_(task: Task[FilterCoins]) -> None:
    """Rejects tables that show too few heads."""
    rows = list(task.rows("questions"))
    heads = {row["pair_id"]: LETTERS.index(row["answer"]) for row in rows if row["variant"] == "original"}
    few = {pair for pair, number in heads.items() if number < task.settings.fewest_heads}
    task.outputs.write("questions", [row for row in rows if row["pair_id"] not in few])
    rejected = [{"item_id": pair, "reason": "few heads", "detail": f"{heads[pair]} show heads"} for pair in few]
    task.outputs.write("rejections", rejected)
    task.check_losses("pairs", len(heads) - len(few), rejected)


@step(
    "evaluate",
    seed=True,
    divided_by=(CHOOSER,),
    inputs={"questions": filter_["questions"], "images": generate["images"]},
    outputs={"predictions": PREDICTIONS},
)
def evaluate(task: Task[None]) -> None:
    """Asks one model every question."""
    rows = task.read("questions").to_pylist()
    form = task.model.multiple_choice
    write_predictions(
        task, lambda model, images: predictions(rows, images, task.wildcards["model"], model, form=form), questions=rows
    )


@step(
    "aggregate",
    shown=(Shown(CHOOSER, ("name",)),),
    inputs={"predictions": evaluate["predictions"]},
    publishes=("report.md",),
)
def aggregate(task: Task[None]) -> None:
    """The share of right answers of each model."""
    right: dict[str, list[bool]] = {}
    for row in task.rows("predictions", ["model", "correct"]):
        right.setdefault(row["model"], []).append(row["correct"])
    accuracy = {model: round(100 * sum(found) / len(found), 3) for model, found in sorted(right.items())}
    names = {key: fields["name"] or key for key, fields in task.shown_models(CHOOSER).items()}
    lines = [f"- {names[model]}: {value:.1f}%" for model, value in accuracy.items()]
    metrics = {model: {"accuracy": value} for model, value in accuracy.items()}
    task.outputs.publish("metrics/coins.json", json.dumps(metrics, sort_keys=True).encode())
    task.outputs.publish("metrics/coins/report.md", "\n".join(["# Coins", "", *lines, ""]).encode())


BENCHMARK = Benchmark("coins", CoinsSettings, steps=(generate, filter_, evaluate, aggregate))
