"""Leaves out pairs without image, and rejects written questions with a fault in themselves (C-VQA 3.1, 3.2)."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from whatif.benchmarks.cvqa_real.schemas import BOOLEAN, COUNTERFACTUAL, ORIGINAL, PEOPLE, SOURCE_GROUPS
from whatif.benchmarks.cvqa_real.settings import NAME, FilterCvqaReal, FilterSettings
from whatif.benchmarks.cvqa_real.shortcut_audit import audited, open_question
from whatif.benchmarks.cvqa_real.text_rules import Texts, doubts
from whatif.benchmarks.cvqa_real.written_rules import fault_of
from whatif.benchmarks.shared.tasks import by_pair
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.graph.task import Task
from whatif.engine.language.wording import plain
from whatif.engine.random_streams import stream

NO_IMAGE = "no picture"
NEAR_DUPLICATE = "near-duplicate"
BALANCE = "balance"
GIVEN_AWAY = "text gives the answer"
CHANGES, DOUBTS = "changes", "doubts"  # in the provenance of a counterfactual question
_FOLDERS = f"name the folders of COCO's photographs as extract.{NAME}.image_folders in params.yaml"
_LOOSEN = f"name other writers as generate.{NAME}.writers in params.yaml"

Row = Mapping[str, Any]


def write_filtered(task: Task[FilterSettings]) -> None:
    """Writes the pairs that are kept, and a rejection for each other pair.

    Raises WhatifError when no pair is left.
    """
    written = {row["written_id"]: row for row in task.rows("written")}
    kept, rejected = filtered(
        by_pair(task.rows("questions")), written, task.settings.filter, seed=task.seed, folds=task.settings.folds
    )
    task.outputs.write("questions", [row for rows in kept.values() for row in rows])
    task.outputs.write("rejections", rejected)
    if written:
        task.say(f"{task.name}: {_summary(kept.values())}")
    lacks_images = all(row["reason"] == NO_IMAGE for row in rejected)
    task.check_losses("pairs", len(kept), rejected, remedy=_FOLDERS if lacks_images else _LOOSEN)


def filtered(
    pairs: Mapping[str, Sequence[Row]],
    written: Mapping[str, Row],
    settings: FilterCvqaReal,
    *,
    seed: int,
    folds: int = 5,
) -> tuple[dict[str, list[dict[str, Any]]], list[dict[str, str]]]:
    """The pairs that are kept, by id in ascending order; and a rejection for each other pair.

    `pairs` are the rows of `questions` of each pair, `written` those of `written-questions` by id. A pair that was
    released is left out only if its image is missing (`no picture`), and its rows stay as they are; if all were
    released and none has an image, all are kept, for models that take no images. Of a written pair
    the first reason that applies is reported:

    - `no picture`;
    - those of `whatif.benchmarks.cvqa_real.written_rules`;
    - `near-duplicate`: a kept pair of the same group and image that comes before it has a counterfactual question that
      shares `near_duplicate` of the words of both (the Jaccard index of the sets of words). Questions by people come
      first, then all others in order of their ids;
    - `balance`: with `balance`, yes-or-no pairs are dropped in a random order by seed and id until as many
      counterfactual answers are yes as no;
    - `text gives the answer`: with `given_away: remove`, pairs whose counterfactual answers models of the text find are
      left out, until none finds more than the most frequent answer does (`whatif.scoring.shortcuts.open_filter`).
      People's stay.

    The counterfactual question of a written pair says in its provenance whether its answer differs from the original
    one (`changes`), and what is doubtful about it (`doubts`); neither rejects it.

    Raises WhatifError when a pair lacks its original or its counterfactual question.
    """
    kept: dict[str, list[dict[str, Any]]] = {}
    rejected: dict[str, tuple[str, str]] = {}
    words: dict[tuple[str, tuple[str, ...]], dict[str, frozenset[str]]] = defaultdict(dict)
    texts_only = not written and not any(rows[0]["image_ids"] for rows in pairs.values())
    for pair_id in sorted(pairs, key=lambda one: (_writer(written.get(one)) != PEOPLE, one)):
        rows = pairs[pair_id]
        fault = None if texts_only or rows[0]["image_ids"] else (NO_IMAGE, _missing_image(rows[0]))
        if fault is None and pair_id in written:
            original, new = _both_questions(pair_id, rows)
            group = (new["group"], tuple(new["image_ids"]))
            own = frozenset(plain(new["question"]).split())
            fault = fault_of(written[pair_id], original) or _near(own, words[group], settings.near_duplicate)
            if fault is None:
                words[group][pair_id] = own
                rows = [original, _with_notes(new, original)]
        if fault is None:
            kept[pair_id] = [dict(row) for row in rows]
        else:
            rejected[pair_id] = fault
    if settings.balance:
        for pair_id, detail in _unbalanced([pair_id for pair_id in kept if pair_id in written], kept, seed):
            del kept[pair_id]
            rejected[pair_id] = (BALANCE, detail)
    if settings.given_away == "remove":
        ids = [pair_id for pair_id in kept if _writer(written.get(pair_id)) not in ("", PEOPLE)]
        for pair_id, detail in _given_away(ids, kept, written, folds, seed).items():
            del kept[pair_id]
            rejected[pair_id] = (GIVEN_AWAY, detail)
    return dict(sorted(kept.items())), [
        {"item_id": pair_id, "reason": reason, "detail": detail}
        for pair_id, (reason, detail) in sorted(rejected.items())
    ]


def _writer(written: Row | None) -> str:
    return "" if written is None else str(written["writer"])


def _missing_image(row: Row) -> str:
    name = json.loads(row["provenance"]).get("img_path")
    return "its scene has no image" if name is None else f"{name} is in none of the folders, or cannot be decoded"


def _both_questions(pair_id: str, rows: Sequence[Row]) -> tuple[dict[str, Any], dict[str, Any]]:
    by_variant = {row["variant"]: dict(row) for row in rows}
    if len(rows) != len(by_variant) or set(by_variant) != {ORIGINAL, COUNTERFACTUAL}:
        raise WhatifError(f"pair {pair_id}: must have one original and one counterfactual question; run generate again")
    return by_variant[ORIGINAL], by_variant[COUNTERFACTUAL]


def _near(own: frozenset[str], others: Mapping[str, frozenset[str]], least: float) -> tuple[str, str] | None:
    """The first of the kept questions about the image that is nearly the same; None if there is none."""
    for pair_id, words in others.items():
        share = len(own & words) / max(len(own | words), 1)
        if share >= least:
            return NEAR_DUPLICATE, f"{share:.0%} of its words are those of {pair_id}"
    return None


def _with_notes(new: Row, original: Row) -> dict[str, Any]:
    found = doubts(Texts(new["group"], original["question"], original["answer"], new["question"], new["answer"]))
    notes = {**json.loads(new["provenance"]), CHANGES: new["answer"] != original["answer"], DOUBTS: found}
    return {**new, "provenance": canonical_json(notes)}


def _unbalanced(ids: Iterable[str], kept: Mapping[str, Sequence[Row]], seed: int) -> list[tuple[str, str]]:
    """The yes-or-no pairs that are too many of one answer, each with a detail."""
    by_answer: dict[str, list[str]] = {"yes": [], "no": []}
    for pair_id in ids:
        new = next(row for row in kept[pair_id] if row["variant"] == COUNTERFACTUAL)
        if new["group"] == BOOLEAN:
            by_answer[new["answer"]].append(pair_id)
    most, least = sorted(by_answer, key=lambda answer: -len(by_answer[answer]))
    numbers = f"{len(by_answer[most]):,} answers are {most}, {len(by_answer[least]):,} are {least}"
    drawn = sorted(by_answer[most], key=lambda pair_id: (stream(seed, "balance", pair_id).random(), pair_id))
    return [(pair_id, numbers) for pair_id in drawn[: len(by_answer[most]) - len(by_answer[least])]]


def _given_away(
    ids: Iterable[str], kept: Mapping[str, Sequence[Row]], written: Mapping[str, Row], folds: int, seed: int
) -> dict[str, str]:
    """The pairs whose counterfactual answer their text gives away, each with a detail.

    First among those of one writer, where the words that it always uses are plainest; then among all with the same kind
    of answer; last in each group, as it is audited.
    """
    from whatif.scoring.shortcuts.open_filter import given_away

    def group(pair_id: str) -> str:
        return str(kept[pair_id][0]["group"])

    left, found = sorted(ids), dict[str, str]()
    levels: tuple[Callable[[str], str], ...] = (
        lambda one: f"{group(one)} by {written[one]['writer']}",
        lambda one: SOURCE_GROUPS[group(one)],
        lambda one: audited(group(one), COUNTERFACTUAL),
    )
    for set_of in levels:
        sets: dict[str, list[str]] = defaultdict(list)
        for pair_id in left:
            sets[set_of(pair_id)].append(pair_id)
        for name, of_set in sorted(sets.items()):
            asked = [open_question({row["variant"]: row for row in kept[one]}, COUNTERFACTUAL) for one in of_set]
            for place, number in given_away(asked, variant=name, folds=folds, seed=seed).items():
                found[of_set[place]] = f"models of {name} answer it with {asked[place].answer}, in round {number}"
        left = [pair_id for pair_id in left if pair_id not in found]
    return found


def _summary(pairs: Iterable[Sequence[Row]]) -> str:
    """How many answers of written pairs do not change, and how many pairs have a doubt, by group."""
    same: Counter[str] = Counter()
    total: Counter[str] = Counter()
    doubtful: Counter[str] = Counter()
    for rows in pairs:
        for row in rows:
            known = json.loads(row["provenance"])
            if CHANGES in known:
                total[row["group"]] += 1
                same[row["group"]] += not known[CHANGES]
                doubtful.update(known[DOUBTS])
    kept = ", ".join(f"{group} {same[group]:,} of {number:,}" for group, number in sorted(total.items())) or "none"
    told = f"kept questions whose answer does not change: {kept}"
    if doubtful:
        told += f"; doubts: {', '.join(f'{name} {number:,}' for name, number in sorted(doubtful.items()))}"
    return told
