"""The images of each pair of captions in each style: those of the source, people's choice, or CLIP's (MuCR 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from whatif.benchmarks.mucr.choice_tasks import NONE, candidates_of, choice_items, choices_shown
from whatif.benchmarks.mucr.schemas import RELEASED
from whatif.benchmarks.shared.imported_labels import Decided, Labelled, LabelSettings, write_labelled
from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.graph.task import Task
from whatif.people.imports.importer import import_labels

PEOPLE = "people"  # who chose
NO_PAIR, UNKNOWN_NUMBER = "no pair of images fits", "unknown number"  # reasons of rejections

Row = Mapping[str, Any]


def write_choices(task: Task[LabelSettings]) -> None:
    """Writes `choices`, people's labels, and the pairs that have no images in a style.

    Raises WhatifError as `import_labels` and `resolve`, and when no label is counted. Nothing may be left: questions
    can be asked in text.
    """
    known = {row["pair_id"] for row in task.rows("pairs", ["pair_id"])}
    preselected = [row for row in task.rows("preselected") if row["pair_id"] in known]
    found = chosen(preselected, task.settings, seed=task.seed)
    write_labelled(task, found, "choices", "judgements", "gold", "rejections", by=task.settings)
    task.check_losses("pairs of images", len(found.rows), found.rejections, needed=False)


def chosen(preselected: Sequence[Row], settings: LabelSettings, seed: int) -> Labelled:
    """One pair of images for each pair of captions and style; `seed` is that of the exported tasks.

    Images of the released form stay. Of the others, people's decision counts. Where they say `none`, or where they
    disagree, the pair has no images in this style. Where nobody decided, CLIP's best pair is taken. Rejected pairs of
    images stay in `preselected`. Rejections are of a pair in a style: `12/comic`.

    Raises WhatifError as `import_labels` and `resolve`.
    """
    shown = choices_shown(preselected)
    open_ = {item: rows for item, rows in shown.items() if all(row["chosen_by"] != RELEASED for row in rows)}
    found, told = Labelled(), Decided()
    if settings.files is not None:
        numbers = {item: len(rows) for item, rows in open_.items()}
        candidates = {item: candidates_of(rows) for item, rows in open_.items()}
        read = import_labels(settings.files, choice_items(candidates, seed))
        counted = [row for row in read.judgements if _is_shown(row, numbers)]
        refused = [
            *read.rejections,
            *(_refused(row, numbers) for row in read.judgements if not _is_shown(row, numbers)),
        ]
        gold = [row for row in read.gold if _is_shown(row, numbers)]
        found = Labelled([], [], counted, gold, refused)
        told = Decided.of(counted, settings.resolution)
    for item, rows in shown.items():
        place = f"{rows[0]['pair_id']}/{rows[0]['style']}"
        if item not in open_:
            found.rows.append(dict(next(row for row in rows if row["chosen_by"] == RELEASED)))
        elif item in told.undecided:
            found.rejections.append({**told.undecided[item], "item_id": place})
        elif item not in told.decisions:
            found.rows.append(dict(rows[0]))
        elif (decision := told.decisions[item][0]) == NONE:
            detail = f"people find that none of {len(rows)} pairs of images can be used"
            found.rejections.append(rejection(place, NO_PAIR, detail))
        else:
            found.rows.append({**rows[int(decision) - 1], "chosen_by": PEOPLE})
    return found


def _is_shown(judgement: Row, numbers: Mapping[str, int]) -> bool:
    decision = judgement["decision"]
    return decision == NONE or int(decision) <= numbers[judgement["item_id"]]


def _refused(judgement: Row, numbers: Mapping[str, int]) -> dict[str, str]:
    item, by = judgement["item_id"], judgement["annotator"]
    detail = f"{by} chose {judgement['decision']} of {numbers[item]} pairs of images"
    return rejection(f"{item}, {by}", UNKNOWN_NUMBER, detail)
