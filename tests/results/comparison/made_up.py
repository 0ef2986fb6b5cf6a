"""Runs made up for comparisons: questions, predictions and result tables in the folder of a project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from whatif.engine.artifacts.images import SortedImages, image_row
from whatif.engine.artifacts.schemas import (
    IMAGES,
    JUDGED,
    MATCHES,
    PAIRS,
    PREDICTIONS,
    QUESTIONS,
    RANKS,
    Table,
    schema_of,
)
from whatif.engine.artifacts.writer import ArtifactWriter
from whatif.results.comparison.report import Report, Selection, report
from whatif.results.comparison.runs import of_folder
from whatif.results.comparison.sides import Side

BENCHMARK = "toys"
QUESTIONS_PATH = f"data/verify/{BENCHMARK}/questions.parquet"
IMAGES_PATH = f"data/verify/{BENCHMARK}/images.parquet"
PAIRS_PATH = f"data/verify/{BENCHMARK}/pairs.parquet"
GROUPS_PATH = f"data/verify/{BENCHMARK}/question-groups.parquet"
GROUPS = Table(
    "question-groups", 1, ("question_id",), schema_of(("question_id", pa.string()), ("group_id", pa.string()))
)
TABLE = f"metrics/{BENCHMARK}/accuracy-table.csv"


@dataclass(frozen=True)
class Asked:
    """A question of a run; its right answer is always A."""

    pair: int
    variant: str = "original"
    text: str = "How many?"
    choices: tuple[str, ...] | None = ("one", "two")
    answer: str = "A"
    image: str = ""
    group: str = "count"

    @property
    def name(self) -> str:
        return f"pair-{self.pair:03d}-{self.variant}"


def asked(pairs: int, **fields: Any) -> list[Asked]:
    """An original and a counterfactual question of each pair."""
    return [Asked(pair, variant, **fields) for pair in range(pairs) for variant in ("original", "counterfactual")]


def write_run(
    root: Path,
    questions: Sequence[Asked],
    right: Mapping[str, Sequence[bool]],
    *,
    settings: str = "plain",
    parameters: Mapping[str, Any] | None = None,
    parts: int = 1,
    images: Mapping[str, bytes] | None = None,
    groups: Mapping[str, str] | None = None,
    table: str = "",
) -> Path:
    """Writes a run: `right` says for each model which of the questions, in their order, it answers correctly."""
    _write(root / QUESTIONS_PATH, QUESTIONS, [_question(one) for one in questions], {})
    inputs = {QUESTIONS_PATH: "content"}
    if groups:
        write_groups(root, groups)
        inputs[GROUPS_PATH] = "content"
    if images:
        inputs[IMAGES_PATH] = "content"
        with ArtifactWriter(root / IMAGES_PATH, IMAGES, role="images") as writer, SortedImages(writer) as sorted_images:
            for data in images.values():
                sorted_images.add(image_row(data, 8, 8, "drawn", "CC0-1.0"))
    made_from = {"step": f"evaluate {BENCHMARK}", "inputs": inputs, "parameters": dict(parameters or {"seed": 1})}
    for model, outcomes in right.items():
        rows = sorted(
            (_prediction(one, model, settings, good) for one, good in zip(questions, outcomes, strict=True)),
            key=lambda row: str(row["question_id"]),
        )
        for part in range(parts):
            place = f"data/evaluate/{model}/{BENCHMARK}/predictions/{settings}"
            file = f"{place}/part-{part:03d}-of-{parts:03d}.parquet" if parts > 1 else f"{place}.parquet"
            chosen = rows[len(rows) * part // parts : len(rows) * (part + 1) // parts]
            _write(root / file, PREDICTIONS, chosen, made_from)
    if table:
        (root / TABLE).parent.mkdir(parents=True, exist_ok=True)
        (root / TABLE).write_text(table, encoding="utf-8")
    return root


def write_matches(
    root: Path, model: str, scores: Sequence[Sequence[float | None]], made_from: Mapping[str, Any] | None = None
) -> None:
    """Writes matches: for each pair the four scores in the order of the columns of the table."""
    names = [field.name for field in MATCHES.schema][2:6]
    rows = []
    for number, values in enumerate(scores):
        status = "error" if None in values else "ok"
        row = {"pair_id": f"pair-{number:03d}", "model": model, **dict(zip(names, values, strict=True))}
        rows.append({**row, "status": status, "reason": None if status == "ok" else "broken"})
    _write(root / f"data/evaluate/{model}/{BENCHMARK}/matches.parquet", MATCHES, rows, made_from or {})


def write_ranks(
    root: Path,
    model: str,
    ranks: Sequence[int | None],
    made_from: Mapping[str, Any] | None = None,
    candidates: int = 100,
) -> None:
    """Writes ranks of queries in one set and one direction."""
    rows = [
        {
            "model": model,
            "subset": "originals",
            "direction": "image-retrieval",
            "query_id": f"pair-{number:03d}-0",
            "rank": rank,
            "candidates": candidates,
            "status": "ok" if rank is not None else "error",
            "reason": None if rank is not None else "broken",
        }
        for number, rank in enumerate(ranks)
    ]
    _write(root / f"data/evaluate/{model}/{BENCHMARK}/ranks.parquet", RANKS, rows, made_from or {})


def write_pairs(root: Path, captions: Sequence[str], image: str = "0") -> dict[str, Any]:
    """Writes pairs of images with these captions; returns what evaluations of them are made from."""
    blank = {field.name: None for field in PAIRS.schema if field.nullable}
    rows = [
        {
            **blank,
            "pair_id": f"pair-{number:03d}",
            "candidate": 0,
            **{"caption_0": text, "caption_1": "a cat", "subject_0": "dog", "subject_1": "cat"},
            **{"image_id_0": image * 64, "image_id_1": "1" * 64, "p": 0.5, "guidance": 7.5, "seed": 1},
            "provenance": "{}",
        }
        for number, text in enumerate(captions)
    ]
    _write(root / PAIRS_PATH, PAIRS, rows, {})
    return {"inputs": {PAIRS_PATH: "content"}}


def write_groups(root: Path, groups: Mapping[str, str]) -> None:
    """Writes a further table of the questions: the group of each."""
    rows = [{"question_id": name, "group_id": group} for name, group in groups.items()]
    _write(root / GROUPS_PATH, GROUPS, rows, {})


def write_judged(root: Path, model: str, right: Mapping[str, bool]) -> None:
    """Writes what a judge read in the responses to some questions of `write_run`, in which the rules read nothing."""
    blank = {field.name: None for field in JUDGED.schema if field.nullable}
    rows = [
        {
            **blank,
            **{"question_id": name, "model": model, "strategy": "plain", "judge": "referee", "prompt": "answer"},
            **{"by_rules": "none", "status": "ok", "answer": "A" if good else "B", "correct": good},
        }
        for name, good in right.items()
    ]
    predictions = f"data/evaluate/{model}/{BENCHMARK}/predictions/plain.parquet"
    made_from = {"inputs": {QUESTIONS_PATH: "content", predictions: "content"}}
    place = f"data/evaluate/{model}/{BENCHMARK}/judged/referee/answer/plain.parquet"
    _write(root / place, JUDGED, rows, made_from)


def compared(a: Path, b: Path, **selection: Any) -> Report:
    """The report of two folders."""
    return report(Side(of_folder(a, "before")), Side(of_folder(b, "after")), Selection(**selection))


def between(
    folder: Path, questions: Sequence[Asked], before: Mapping[str, Sequence[bool]], after: Mapping[str, Sequence[bool]]
) -> Report:
    """The report of two runs on the same questions, which are written into a folder as `a` and `b`."""
    for name, right in (("a", before), ("b", after)):
        write_run(folder / name, questions, right)
    return compared(folder / "a", folder / "b")


def _write(path: Path, table: Any, rows: Sequence[Mapping[str, Any]], made_from: Mapping[str, Any]) -> None:
    with ArtifactWriter(path, table, role=path.stem, made_from=made_from) as writer:
        key = list(table.key)
        writer.write(sorted(rows, key=lambda row: tuple(row[name] for name in key)))


def _question(one: Asked) -> dict[str, Any]:
    return {
        "question_id": one.name,
        "pair_id": f"pair-{one.pair:03d}",
        "group": one.group,
        "variant": one.variant,
        "question": one.text,
        "choices": None if one.choices is None else list(one.choices),
        "answer": one.answer,
        "answer_kind": "choice",
        "image_ids": [one.image] if one.image else [],
        "provenance": "{}",
    }


def _prediction(one: Asked, model: str, settings: str, right: bool) -> dict[str, Any]:
    blank = {field.name: None for field in PREDICTIONS.schema if field.nullable}
    answer = one.answer if right else "B"
    row = {"question_id": one.name, "model": model, "strategy": settings, "answer": answer}
    return {**blank, **row, "status": "ok", "correct": right}
