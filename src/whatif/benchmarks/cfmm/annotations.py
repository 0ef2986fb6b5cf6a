"""The questions of annotators as rows of `questions`: from label files, from finished items, or computed for scenes.

An annotator chooses a category for an image, or finds that none fits, and writes a basic question with two options and
a counterfactual question that changes its conditions (CFMM 3.3).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from whatif.benchmarks.cfmm.annotation_tasks import FIELDS, NO_CATEGORY, NONE, annotation_items
from whatif.benchmarks.cfmm.options import second_option
from whatif.benchmarks.cfmm.schemas import BASIC, COUNTERFACTUAL, VARIANTS
from whatif.benchmarks.cfmm.settings import SecondOption, WriteSettings
from whatif.benchmarks.shared.imported_labels import (
    CONTRADICTORY,
    MISSING,
    Labelled,
    LabelSettings,
    decided_rows,
    write_labelled,
)
from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.graph.task import Task
from whatif.engine.language.wording import same
from whatif.people.imports.importer import import_labels
from whatif.people.imports.settings import LabelFiles

NO_OPTION = "no second option"  # the reason of rejections
_OPTIONAL = "counterfactual_option"
_DIFFERENT = (  # fields that may not have the same text
    ("basic_answer", "basic_option"),
    ("basic_question", "counterfactual_question"),
    ("counterfactual_answer", "counterfactual_option"),
)

Row = Mapping[str, Any]
Written = tuple[str, str, str | None]  # question, right answer, wrong option


def write_annotated(task: Task[WriteSettings]) -> None:
    """Writes the questions, what people said, and the items and questions that cannot be used.

    Raises WhatifError as `annotated`, when no label is counted, and when no item is left.
    """
    candidates = list(task.rows("candidates"))
    found = annotated(candidates, task.settings, seed=task.seed)
    by = LabelSettings(task.settings.annotations, task.settings.resolution)
    write_labelled(task, found, "annotated", "annotations", "annotation-gold", "unannotated", by=by)
    items = {row["item_id"] for row in candidates}
    lost = [row for row in found.rejections if row["item_id"] in items]  # the others are of single questions
    task.check_losses("items", len({row["pair_id"] for row in found.rows}), lost)


def annotated(candidates: Sequence[Row], settings: WriteSettings, seed: int) -> Labelled:
    """The questions about the candidates, sorted by id: the right option is the first, so each answer is `A`.

    Every item has questions or a rejection; some rejections are of single questions, by their ids.

    `seed` is that of the exported tasks and of drawn scenes. A wrong option that nobody wrote is found by the rules
    of `second_option`.

    Raises WhatifError when photographs have no annotations, when finished items have some, and as `import_labels` and
    `resolve`.
    """
    if settings.extract.items is not None:
        if settings.annotations is not None:
            raise WhatifError(
                "generate.cfmm.annotations: the items of extract.cfmm.items have questions; set it to null"
            )
        found = _finished(candidates, settings.second_option)
    elif settings.annotations is not None:
        found = _of_people(candidates, settings.annotations, settings, seed)
    elif settings.extract.instances is not None:
        raise WhatifError(
            "generate.cfmm.annotations: is null, and photographs need questions by people; write the tasks with "
            "`whatif export tasks cfmm FOLDER --of annotate --to TOOL`, and name the labelled files"
        )
    else:
        found = _drawn(candidates, settings, seed)
    found.rows.sort(key=lambda row: str(row["question_id"]))
    found.rejections.sort(key=lambda row: row["item_id"])
    return found


def _drawn(candidates: Sequence[Row], settings: WriteSettings, seed: int) -> Labelled:
    from whatif.benchmarks.cfmm.drawn_items import drawn_items, question_rows

    images = {row["item_id"]: row["image_id"] for row in candidates}
    items = drawn_items(settings.extract.scenes, seed)
    return Labelled(
        [row for item_id, item in items if item_id in images for row in question_rows(item_id, item, images[item_id])]
    )


def _finished(candidates: Iterable[Row], rules: Sequence[SecondOption]) -> Labelled:
    """The questions of a file of items, which the provenance of the candidates has."""
    found = Labelled()
    for candidate in candidates:
        known = json.loads(candidate["provenance"])
        written = {
            variant: _written(known["questions"][variant]) for variant in VARIANTS if variant in known["questions"]
        }
        _add(found, candidate, known["category"], written, rules, origin="file")
    return found


def _written(question: Mapping[str, Any]) -> Written:
    return question["question"], question["answer"], question["option"]


def _of_people(candidates: Sequence[Row], files: LabelFiles, settings: WriteSettings, seed: int) -> Labelled:
    """Imports label files; the decision about an item is its category, its corrected fields are the questions."""
    found = Labelled.of(import_labels(files, annotation_items(candidates, seed)))
    for candidate, category, fields in decided_rows(candidates, "item_id", found, settings.resolution):
        fault = _fault(category, fields)
        if fault is not None:
            found.rejections.append(rejection(candidate["item_id"], *fault))
            continue
        written: dict[str, Written] = {
            variant: (fields[f"{variant}_question"], fields[f"{variant}_answer"], fields.get(f"{variant}_option"))
            for variant in (BASIC, COUNTERFACTUAL)
        }
        _add(found, candidate, category, written, settings.second_option, origin="annotator")
    return found


def _fault(category: str, fields: Mapping[str, str]) -> tuple[str, str] | None:
    """Why an annotation cannot be used, as a reason and its detail; None if it can."""
    if category == NONE:
        if fields:
            return CONTRADICTORY, f"{min(fields)}: has a text, but the category is {NONE}"
        return NO_CATEGORY, "the annotator finds no category that fits the image"
    for name in FIELDS:
        if name not in fields and name != _OPTIONAL:
            return MISSING, f"{name}: is empty, but the category is {category}"
    for one, other in _DIFFERENT:
        if other in fields and same(fields[one], fields[other]):
            return CONTRADICTORY, f"{other}: is the same as {one}: {fields[one][:80]}"
    return None


def _add(
    found: Labelled,
    candidate: Row,
    category: str,
    written: Mapping[str, Written],
    rules: Sequence[SecondOption],
    *,
    origin: str,
) -> None:
    """Adds the questions of an item, or the rejection of the item or of single questions of it."""
    item = candidate["item_id"]
    rows, lost = _question_rows(candidate, category, written, rules, origin=origin)
    if BASIC in lost or not rows:
        found.rejections.append(rejection(item, NO_OPTION, lost.get(BASIC) or lost[COUNTERFACTUAL]))
        return
    found.rows.extend(rows)
    found.rejections.extend(rejection(f"{item}-{variant}", NO_OPTION, detail) for variant, detail in lost.items())


def _question_rows(
    candidate: Row, category: str, written: Mapping[str, Written], rules: Sequence[SecondOption], *, origin: str
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The rows of an item, none if it has no counterfactual question; and the variants for which no rule has an option.

    For a basic question without an option, the rule `first-counterfactual` means the first counterfactual answer that
    differs from its own: in the paper, both questions have the same two options (CFMM Figure 2).
    """
    _, basic_answer, basic_option = written[BASIC]
    first = written[COUNTERFACTUAL][1]
    differing = next((answer for _, answer, _ in written.values() if not same(answer, basic_answer)), None)
    rows: dict[str, dict[str, Any]] = {}
    lost: dict[str, str] = {}
    for variant, (question, answer, option) in written.items():
        chosen: tuple[str, str] | None = (option, origin) if option else None
        chosen = chosen or second_option(
            rules,
            answer,
            basic_answer=basic_answer,
            basic_option=basic_option or "",
            first_counterfactual=differing if variant == BASIC else first,
        )
        if chosen is None:
            lost[variant] = f"{variant}_option: is empty, and none of {', '.join(rules)} differs from {answer[:80]!r}"
            continue
        provenance = {"origin": origin, "second_option": chosen[1], "same_as_basic": same(answer, basic_answer)}
        rows[variant] = {
            "question_id": f"{candidate['item_id']}-{variant}",
            "pair_id": candidate["item_id"],
            "group": category,
            "variant": variant,
            "question": question,
            "choices": [answer, chosen[0]],
            "answer": "A",
            "answer_kind": "choice",
            "image_ids": [candidate["image_id"]],
            "provenance": canonical_json(provenance),
        }
    complete = BASIC in rows and len(rows) > 1
    return (list(rows.values()) if complete else []), lost
