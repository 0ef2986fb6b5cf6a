"""What the benchmark of the embedded world ends in: metrics, tables, a report, and a gallery of pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from whatif import artifacts
from whatif.artifacts.images import ImageStore
from whatif.artifacts.schemas import MATCHES, PAIRS, PREDICTIONS, QUESTIONS, REJECTIONS
from whatif.benchmarks.scenes.tables import accuracy, matching
from whatif.benchmarks.shared.pair_panels import evenly, matching_stage, pair_panels
from whatif.benchmarks.shared.pilots import Pilot, asked, in_metrics, marked, pilots_of
from whatif.benchmarks.shared.tasks import (
    evaluation_stage,
    limits_of,
    names_of,
    publish_tables,
    report,
    rows_in,
    spending,
    with_predictions,
)
from whatif.graph.run import Task
from whatif.reporting.funnel import FunnelStage, funnel_table, reasons
from whatif.reporting.gallery import Asked, Panel, Picture, Reply, Section, gallery

NAME = "scenes"
FOLDER = f"metrics/{NAME}"
# File name -> heading in the report.
TABLES = {
    "accuracy": "Questions",
    "matching": "Matching",
    "costs": "Tokens, cost and errors",
    "funnel": "Funnel",
}
_MEANING = (
    "The models that ship with this package are tiny and know nothing but its drawings. Their numbers show that the "
    "pipeline works from end to end; they say nothing about larger models, and a question that a tiny model gets wrong "
    "may only hold words that it never saw."
)
Rows = Sequence[Mapping[str, Any]]


def publish_report(task: Task) -> None:
    """Publishes every text file of this benchmark's aggregation."""
    settings = task.parameters[f"aggregate.{NAME}"]
    questions = artifacts.read(task.inputs["questions"], QUESTIONS).to_pylist()
    pairs = artifacts.read(task.inputs["pairs"], PAIRS).to_pylist()
    predictions = list(artifacts.rows_of(task.inputs["predictions"], PREDICTIONS))
    matches = list(artifacts.rows_of(task.inputs["matches"], MATCHES))
    names, matcher_names = names_of(task, "predictions"), names_of(task, "matches")
    keys = with_predictions(task.inputs["predictions"], list(names))
    pilots = pilots_of(limits_of(task, keys), dict.fromkeys(keys, questions), task.parameters["seed"], NAME)
    names = marked({key: names[key] for key in keys}, pilots, unit="question")  # none has a twin
    answered = accuracy(
        predictions,
        questions,
        names=names,
        sampled=asked(questions, pilots, keys),
        confidence=settings.confidence,
    )
    matched = matching(matches, names=matcher_names, confidence=settings.confidence)
    funnel = funnel_table(_funnel(task, pilots))
    costs = spending(task, names)
    tables = {"accuracy": answered.table, "matching": matched.table, "costs": costs, "funnel": funnel}
    metrics = {"questions": in_metrics(answered.metrics, pilots), "matching": matched.metrics}
    sections = [
        Section(
            "Scenes",
            "Held-out scenes with their questions, and what models answered in their own words.",
            _scene_panels(questions, predictions, names, ImageStore(task.inputs["scenes"]), settings.shown_scenes),
        ),
        Section(
            "Counterfactual pairs",
            "Two captions that differ in one noun, and their pictures. A matcher finds what it scores higher.",
            pair_panels(pairs, matches, matcher_names, ImageStore(task.inputs["pictures"]), settings.shown_pairs),
        ),
    ]
    text = report("Scenes", tables, TABLES, {})
    publish = task.outputs.publish
    publish(f"metrics/{NAME}.json", (json.dumps(metrics, indent=2, sort_keys=True, allow_nan=False) + "\n").encode())
    publish(f"{FOLDER}/gallery.html", gallery("The embedded world", sections).encode())
    publish(f"{FOLDER}/report.md", f"{text}\n{_MEANING}\n\nPictures: [gallery.html](gallery.html)\n".encode())
    publish_tables(task, FOLDER, tables)


def _funnel(task: Task, pilots: Mapping[str, Pilot]) -> list[FunnelStage]:
    """Counts of every stage, each from its own artifacts; of pictures first candidates, then pairs."""
    unread, filtered = (reasons(artifacts.rows_of(task.inputs[role], REJECTIONS)) for role in ("unread", "filtered"))
    refused = list(artifacts.rows_of(task.inputs["refused"], REJECTIONS))
    unscorable = reasons(row for row in refused if row["reason"] == "cannot be scored")
    unlike = reasons(row for row in refused if row["reason"] != "cannot be scored")
    planned = task.parameters[f"generate.{NAME}.pairs"] * task.parameters[f"generate.{NAME}.candidates"]
    extracted, questions = rows_in(task.inputs["extracted"]), rows_in(task.inputs["questions"])
    candidates, best, pairs = (rows_in(task.inputs[role]) for role in ("candidates", "best", "pairs"))
    stages = [
        FunnelStage("extract", "questions", extracted + sum(unread.values()), extracted, unread),
        FunnelStage("generate", "candidates", planned, candidates),
        FunnelStage("filter", "candidates", candidates, best, filtered),
        FunnelStage("verify", "pairs", best, pairs, unlike),
        FunnelStage("verify", "questions", extracted, questions, unscorable),
    ]
    for path in task.inputs["predictions"]:
        pilot = pilots.get(path.parts[2])
        left_out = pilot.total - len(pilot.pairs) if pilot else 0
        stages.append(evaluation_stage([path], path.parts[2], questions, not_in_sample=left_out))
    return stages + [matching_stage(path, path.parts[2], pairs) for path in task.inputs["matches"]]


def _scene_panels(
    questions: Rows, predictions: Rows, names: Mapping[str, str], images: ImageStore, number: int
) -> tuple[Panel, ...]:
    """A scene each, evenly from all of them, with all its questions."""
    given = {(row["question_id"], row["model"]): row for row in predictions}
    by_picture: dict[str, list[Mapping[str, Any]]] = {}
    for question in questions:
        by_picture.setdefault(question["image_ids"][0], []).append(question)
    return tuple(
        Panel(
            (Picture(images.encoded(image_id)),),
            tuple(
                Asked(
                    row["question"],
                    row["answer"],
                    {
                        name: _reply(given[row["question_id"], key])
                        for key, name in names.items()
                        if (row["question_id"], key) in given
                    },
                )
                for row in by_picture[image_id]
            ),
        )
        for image_id in evenly(list(by_picture), number)
    )


def _reply(prediction: Mapping[str, Any]) -> Reply:
    said = prediction["answer"] if prediction["answer"] is not None else prediction["response"]
    return Reply(said, prediction["correct"])
