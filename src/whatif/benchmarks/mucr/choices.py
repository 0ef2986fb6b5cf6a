"""The images of each pair of captions in each style: those of the source, people's choice, or CLIP's (MuCR 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whatif.benchmarks.mucr.choice_tasks import NONE, candidates_of, choice_items, choices_shown
from whatif.benchmarks.mucr.schemas import RELEASED
from whatif.benchmarks.mucr.settings import ChooseSettings
from whatif.engine.graph.task import Task

PEOPLE = "people"  # who chose
NO_PAIR, UNKNOWN_NUMBER = "no pair of images fits", "unknown number"  # reasons of rejections

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Chosen:
    """Rows of `siamese-choices`, one for each pair and style that has images, and what people said."""

    choices: list[dict[str, Any]] = field(default_factory=list)
    judgements: list[dict[str, Any]] = field(default_factory=list)
    gold: list[dict[str, Any]] = field(default_factory=list)  # those that the annotation tool marks as ground truth
    rejections: list[dict[str, str]] = field(default_factory=list)  # of a pair in a style: `12/comic`
    refused_labels: list[dict[str, str]] = field(default_factory=list)  # rows of label files that are not counted


def write_choices(task: Task[ChooseSettings]) -> None:
    """Writes `choices`, people's labels, and the pairs that have no images in a style.

    Raises WhatifError as `import_labels` and `resolve`, and when no label is counted. Nothing may be left: questions
    can be asked in text.
    """
    from whatif.benchmarks.shared.imported_labels import report_labels

    known = {row["pair_id"] for row in task.rows("pairs", ["pair_id"])}
    preselected = [row for row in task.rows("preselected") if row["pair_id"] in known]
    found = chosen(preselected, task.settings, seed=task.seed)
    if task.settings.choices is not None:
        report_labels(task, found.judgements, found.refused_labels, task.settings.resolution)
    task.outputs.write("choices", found.choices)
    task.outputs.write("judgements", found.judgements)
    task.outputs.write("gold", found.gold)
    task.outputs.write("rejections", [*found.rejections, *found.refused_labels])
    task.check_losses("pairs of images", len(found.choices), found.rejections, needed=False)


def chosen(preselected: Sequence[Row], settings: ChooseSettings, seed: int) -> Chosen:
    """One pair of images for each pair of captions and style; `seed` is that of the exported tasks.

    Images of the released form stay. Of the others, people's decision counts. Where they say `none`, or where they
    disagree, the pair has no images in this style. Where nobody decided, CLIP's best pair is taken. Rejected pairs of
    images stay in `preselected`.

    Raises WhatifError as `import_labels` and `resolve`.
    """
    shown = choices_shown(preselected)
    open_ = {item: rows for item, rows in shown.items() if all(row["chosen_by"] != RELEASED for row in rows)}
    found = Chosen()
    decisions: dict[str, str] = {}
    undecided: dict[str, dict[str, str]] = {}
    if settings.choices is not None:
        from whatif.people.imports.importer import import_labels
        from whatif.people.resolution import resolve

        numbers = {item: len(rows) for item, rows in open_.items()}
        candidates = {item: candidates_of(rows) for item, rows in open_.items()}
        read = import_labels(settings.choices, choice_items(candidates, seed))
        counted = [row for row in read.judgements if _is_shown(row, numbers)]
        refused = [
            *read.rejections,
            *(_refused(row, numbers) for row in read.judgements if not _is_shown(row, numbers)),
        ]
        gold = [row for row in read.gold if _is_shown(row, numbers)]
        found = Chosen([], counted, gold, [], refused)
        resolved = resolve(counted, settings.resolution)
        decisions, undecided = resolved.decisions, {row["item_id"]: row for row in resolved.undecided}
    for item, rows in shown.items():
        place = f"{rows[0]['pair_id']}/{rows[0]['style']}"
        if item not in open_:
            found.choices.append(dict(next(row for row in rows if row["chosen_by"] == RELEASED)))
        elif item in undecided:
            found.rejections.append({**undecided[item], "item_id": place})
        elif item not in decisions:
            found.choices.append(dict(rows[0]))
        elif decisions[item] == NONE:
            detail = f"people find that none of {len(rows)} pairs of images can be used"
            found.rejections.append({"item_id": place, "reason": NO_PAIR, "detail": detail})
        else:
            found.choices.append({**rows[int(decisions[item]) - 1], "chosen_by": PEOPLE})
    return found


def _is_shown(judgement: Row, numbers: Mapping[str, int]) -> bool:
    decision = judgement["decision"]
    return decision == NONE or int(decision) <= numbers[judgement["item_id"]]


def _refused(judgement: Row, numbers: Mapping[str, int]) -> dict[str, str]:
    item, by = judgement["item_id"], judgement["annotator"]
    detail = f"{by} chose {judgement['decision']} of {numbers[item]} pairs of images"
    return {"item_id": f"{item}, {by}", "reason": UNKNOWN_NUMBER, "detail": detail}
