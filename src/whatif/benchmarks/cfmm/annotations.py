"""The questions of annotators as rows of `questions`: from label files, from finished items, or computed for scenes.

An annotator chooses a category for an image, or finds that none fits, and writes a basic question with two options and
a counterfactual question that changes its conditions (CFMM 3.3).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whatif.benchmarks.cfmm.annotation_tasks import FIELDS, NO_CATEGORY, NONE, annotation_items
from whatif.benchmarks.cfmm.schemas import BASIC, COUNTERFACTUAL, VARIANTS
from whatif.benchmarks.cfmm.second_option import second_option
from whatif.benchmarks.cfmm.settings import SecondOption, WriteSettings
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.language.wording import same
from whatif.engine.params.resolution import Resolution
from whatif.people.imports.settings import LabelFiles

NOT_ANNOTATED, NO_OPTION = "not annotated", "no second option"  # reasons of rejections
MISSING, CONTRADICTORY = "missing field", "contradictory field"
_OPTIONAL = "counterfactual_option"
_DIFFERENT = (  # fields that may not have the same text
    ("basic_answer", "basic_option"),
    ("basic_question", "counterfactual_question"),
    ("counterfactual_answer", "counterfactual_option"),
)

Row = Mapping[str, Any]
Written = tuple[str, str, str | None]  # question, right answer, wrong option


@dataclass(frozen=True)
class Annotated:
    """Rows of `questions` sorted by id, and what people said; every item has questions or a row in `rejections`."""

    questions: list[dict[str, Any]] = field(default_factory=list)
    judgements: list[dict[str, Any]] = field(default_factory=list)  # of annotators
    gold: list[dict[str, Any]] = field(default_factory=list)  # those that the annotation tool marks as ground truth
    rejections: list[dict[str, str]] = field(default_factory=list)  # of items, and of single questions by their ids
    refused_labels: list[dict[str, str]] = field(default_factory=list)  # rows of label files that are not counted


def annotated(candidates: Sequence[Row], settings: WriteSettings, seed: int) -> Annotated:
    """The questions about the candidates: the right option is the first, so each answer is `A`.

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
    found.questions.sort(key=lambda row: str(row["question_id"]))
    found.rejections.sort(key=lambda row: row["item_id"])
    return found


def _drawn(candidates: Sequence[Row], settings: WriteSettings, seed: int) -> Annotated:
    from whatif.benchmarks.cfmm.drawn_items import drawn_items, question_rows

    images = {row["item_id"]: row["image_id"] for row in candidates}
    items = drawn_items(settings.extract.scenes, seed)
    return Annotated(
        [row for item_id, item in items if item_id in images for row in question_rows(item_id, item, images[item_id])]
    )


def _finished(candidates: Iterable[Row], rules: Sequence[SecondOption]) -> Annotated:
    """The questions of a file of items, which the provenance of the candidates has."""
    found = Annotated()
    for candidate in candidates:
        known = json.loads(candidate["provenance"])
        written = {
            variant: _written(known["questions"][variant]) for variant in VARIANTS if variant in known["questions"]
        }
        _add(found, candidate, known["category"], written, rules, origin="file")
    return found


def _written(question: Mapping[str, Any]) -> Written:
    return question["question"], question["answer"], question["option"]


def _of_people(candidates: Sequence[Row], files: LabelFiles, settings: WriteSettings, seed: int) -> Annotated:
    """Imports label files; the decision about an item is its category, its corrected fields are the questions."""
    from whatif.people.imports.importer import import_labels

    read = import_labels(files, annotation_items(candidates, seed))
    found = Annotated([], read.judgements, read.gold, [], read.rejections)
    decided, undecided = _decided(read.judgements, settings.resolution)
    for candidate in candidates:
        item = candidate["item_id"]
        if item in undecided:
            found.rejections.append(undecided[item])
            continue
        if item not in decided:
            found.rejections.append(_rejection(item, NOT_ANNOTATED, "no label about it counts"))
            continue
        category, fields = decided[item]
        fault = _fault(category, fields)
        if fault is not None:
            found.rejections.append(_rejection(item, *fault))
            continue
        written: dict[str, Written] = {
            variant: (fields[f"{variant}_question"], fields[f"{variant}_answer"], fields.get(f"{variant}_option"))
            for variant in (BASIC, COUNTERFACTUAL)
        }
        _add(found, candidate, category, written, settings.second_option, origin="annotator")
    return found


def _decided(
    judgements: Iterable[Row], resolution: Resolution
) -> tuple[dict[str, tuple[str, dict[str, str]]], dict[str, dict[str, str]]]:
    """Item -> its category and what was written about it; and rejections of the items that are undecided."""
    from whatif.people.resolution import UNDECIDED, resolve

    resolved = resolve(judgements, resolution)
    decided = {}
    for item, decision in resolved.decisions.items():
        if decision != UNDECIDED:
            written = resolved.corrections.get(item, {})
            texts = {name: " ".join(str(json.loads(one.value)).split()) for name, one in written.items()}
            decided[item] = decision, {name: text for name, text in texts.items() if text}
    return decided, {row["item_id"]: row for row in resolved.undecided}


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
    found: Annotated,
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
        found.rejections.append(_rejection(item, NO_OPTION, lost.get(BASIC) or lost[COUNTERFACTUAL]))
        return
    found.questions.extend(rows)
    found.rejections.extend(_rejection(f"{item}-{variant}", NO_OPTION, detail) for variant, detail in lost.items())


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


def _rejection(item: str, reason: str, detail: str) -> dict[str, str]:
    return {"item_id": item, "reason": reason, "detail": detail}
