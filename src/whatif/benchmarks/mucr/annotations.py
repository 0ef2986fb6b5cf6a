"""People's cue phrases and explanations, imported, checked, and added to the pairs that have none (MuCR 3.1)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from whatif.benchmarks.mucr.annotation_tasks import (
    CUE,
    EXPLANATION,
    FALSE_CUES,
    NOT_A_CAUSE,
    PARTS,
    UNFIT,
    annotation_items,
    without_annotation,
)
from whatif.benchmarks.mucr.sources import CAPTIONS
from whatif.benchmarks.shared.imported_labels import NOT_ANNOTATED, Decided, Labelled, LabelSettings, write_labelled
from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.graph.task import Task
from whatif.formats.mucr_pairs import EXPLANATION as BAD_EXPLANATION
from whatif.formats.mucr_texts import cue_fault, explanation_of
from whatif.people.imports.importer import import_labels

_REMEDY = "write the tasks with `whatif export tasks mucr FOLDER --of annotate --to TOOL`"

Row = Mapping[str, Any]


def write_annotated(task: Task[LabelSettings]) -> None:
    """Writes `pairs` with people's cue phrases and explanations, their labels, and what is not used.

    Raises WhatifError as `import_labels` and `resolve`, when no label is counted, and when no pair is left.
    """
    pairs = list(task.rows("pairs"))
    found = annotated(pairs, task.settings, seed=task.seed)
    write_labelled(task, found, "pairs", "annotations", "annotation-gold", "unannotated", by=task.settings)
    removed = [row for row in found.rejections if "/" not in row["item_id"]]
    task.check_losses("pairs", len(found.rows), removed)
    lacking = {row["item_id"].partition("/")[0]: row for row in reversed(found.rejections) if "/" in row["item_id"]}
    if lacking:
        whole, first = len(found.rows) - len(lacking), [lacking[name] for name in sorted(lacking)]
        task.check_losses("annotated pairs", whole, first, remedy=_REMEDY, needed=False)


def annotated(pairs: Sequence[Row], settings: LabelSettings, seed: int) -> Labelled:
    """All pairs that are left, sorted by id; `seed` is that of the exported tasks.

    What a pair has from its source stays. Without label files, pairs stay as they are. Rejections are of pairs that are
    removed (`12`), or of the cue phrases, the explanation or both (`12/cue`, `12/explanation`, `12/annotation`) that a
    pair goes without. Raises WhatifError as `import_labels` and `resolve`.
    """
    found, told = Labelled(), Decided()
    if settings.files is not None:
        found = Labelled.of(import_labels(settings.files, annotation_items(pairs, seed)))
        told = Decided.of(found.judgements, settings.resolution)
    for pair in sorted(pairs, key=lambda row: str(row["pair_id"])):
        name = pair["pair_id"]
        if not without_annotation(pair):
            found.rows.append(dict(pair))
        elif name in told.undecided:
            found.rejections.append({**told.undecided[name], "item_id": f"{name}/annotation"})
            found.rows.append(dict(pair))
        elif name not in told.decisions:
            if settings.files is not None or _origin(pair) == CAPTIONS:
                found.rejections.append(rejection(f"{name}/annotation", NOT_ANNOTATED, "no label about it counts"))
            found.rows.append(dict(pair))
        elif told.decisions[name][0] == UNFIT:
            found.rejections.append(rejection(name, NOT_A_CAUSE, "annotators find that the effect does not follow"))
        else:
            row, faults = _with_annotation(pair, told.decisions[name][1])
            found.rows.append(row)
            found.rejections.extend(faults)
    found.rejections.sort(key=lambda row: row["item_id"])
    return found


def _origin(pair: Row) -> str:
    return str(json.loads(pair["provenance"])["origin"])


def _with_annotation(pair: Row, written: Mapping[str, str]) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """The pair with what it lacked, and rejections of what cannot be used."""
    row, faults = dict(pair), []
    name, known = pair["pair_id"], json.loads(pair["provenance"])
    if pair["cue"] is None or pair["false_cues"] is None:
        false_cues = [written[one] for one in FALSE_CUES if one in written]
        fault = cue_fault([written[CUE]] if CUE in written else [], false_cues)
        if fault is None:
            row |= {"cue": written[CUE], "false_cues": false_cues}
            known["cue"] = "annotator"
        else:
            faults.append(rejection(f"{name}/cue", *fault))
    if pair["explanation"] is None:
        try:
            row["explanation"] = explanation_of(_parts(written))
            known["explanation"] = "annotator"
        except ValueError as error:
            faults.append(rejection(f"{name}/explanation", BAD_EXPLANATION, f"{EXPLANATION}: {error}"))
    row["provenance"] = canonical_json(known)
    return row, faults


def _parts(written: Mapping[str, str]) -> list[str]:
    """The whole explanation if the label has it, otherwise its three parts. Raises ValueError for both."""
    parts = [written.get(part, "") for part in PARTS]
    if EXPLANATION not in written:
        return parts if any(parts) else []
    if any(parts):
        raise ValueError(f"is given as a whole and in parts ({', '.join(PARTS)}); keep one")
    return [written[EXPLANATION]]
