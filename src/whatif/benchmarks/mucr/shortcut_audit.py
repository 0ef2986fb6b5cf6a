"""The shortcut audit: how many questions can be answered without the images, or without the cause.

| rule | chooses |
|---|---|
| `letter` | always the same letter |
| `length` | always the longest, or the shortest, option |
| `overlap` | the option that shares the most, or the fewest, words with the captions |
| `options` | the most probable option by a model of words that sees neither the question nor the images |

`letter`, `length` and `overlap` name their best choice, found in hindsight. Where the options are images, only `letter`
applies. `overlap` takes the cause's caption for C2E, and both captions for CP and EXP. In visual forms, where no
caption is shown, it says what knowing the captions would be worth. For C2E and EXP, `options` cannot be better than
chance where all pairs of a group are asked, because their options are the same and each is right once.

The set `released` has the cue phrases in the order of the file of the released form, in which the right one comes
first: `letter` is then always right. CP questions whose options are not shuffled measure nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from whatif.benchmarks.mucr.schemas import CONTEXT, MAIN_FORM, METRICS, TEXT
from whatif.engine.graph.task import Task
from whatif.engine.random_streams import stream
from whatif.scoring.shortcuts.audit import Shortcut, audit
from whatif.scoring.shortcuts.overlap import by_overlap
from whatif.scoring.shortcuts.word_model import right_by_words

Row = Mapping[str, Any]
RULES = ("letter", "length", "overlap", "options")
OURS, RELEASED = "ours", "released"


def write_shortcuts(task: Task[int]) -> None:
    """Writes the output `shortcuts`; its column `variant` is metric and variant, for example `C2E text`."""
    pairs = {str(row["pair_id"]): row for row in task.rows("pairs")}
    questions, items = list(task.rows("questions")), list(task.rows("items", ["question_id", "form"]))
    found = list(shortcuts(questions, items, pairs, folds=task.settings, seed=task.seed))
    rows = [{"set": OURS, **asdict(shortcut)} for shortcut in found]
    rows += [{"set": RELEASED, **asdict(shortcut)} for shortcut in as_stored(pairs.values(), task.seed)]
    task.outputs.write("shortcuts", rows)


def shortcuts(
    questions: Iterable[Row], items: Iterable[Row], pairs: Mapping[str, Row], *, folds: int, seed: int
) -> Iterator[Shortcut]:
    """The shortcuts of each metric and variant, text first, then `composite`.

    A variant whose questions have the same options and answers as those of an earlier one is left out.

    The model of the rule `options` is cross-validated; all questions of a group are in the same one of the `folds`,
    because they share their options. With fewer groups than folds, each group is its own fold; with one group, there is
    no model.
    """
    forms = {row["question_id"]: row["form"] for row in items}
    cells: dict[tuple[int, str], list[Row]] = {}
    for row in sorted(questions, key=lambda row: str(row["question_id"])):
        cells.setdefault((METRICS.index(row["group"]), row["variant"]), []).append(row)
    seen = set()
    order = (TEXT, MAIN_FORM)  # then by name
    for (metric, variant), rows in sorted(
        cells.items(), key=lambda cell: (cell[0][0], *(cell[0][1] != first for first in order), cell[0])
    ):
        same = metric, frozenset((row["pair_id"], tuple(row["choices"]), row["answer"]) for row in rows)
        if same in seen:
            continue
        seen.add(same)
        name = f"{METRICS[metric]} {variant}"
        named = [{**row, "variant": name} for row in rows]
        yield from audit(named, folds=folds, seed=seed, rules=("letter", "length"))
        if _has_words(METRICS[metric], forms[rows[0]["question_id"]]):
            yield from _overlap(rows, pairs, name)
            yield from _options_alone(rows, pairs, name, folds, seed)


def as_stored(pairs: Iterable[Row], seed: int) -> list[Shortcut]:
    """Always choosing the first cue phrase of pairs of the released form, in the order of the file."""
    rows = [
        {
            "question_id": pair["pair_id"],
            "pair_id": pair["pair_id"],
            "variant": f"CP {TEXT}",
            "choices": [pair["cue"], *pair["false_cues"]],
            "answer": "A",
        }
        for pair in pairs
        if pair["cue"] and pair["false_cues"] and json.loads(pair["provenance"]).get("origin") == RELEASED
    ]
    return audit(rows, folds=2, seed=seed, rules=("letter",))


def _has_words(metric: str, form: str) -> bool:
    """Whether the options are texts, not the names of images."""
    return metric != CONTEXT and (metric != "C2E" or form == TEXT)


def _overlap(rows: Sequence[Row], pairs: Mapping[str, Row], name: str) -> Iterator[Shortcut]:
    texts = {}
    for row in rows:
        pair = pairs[row["pair_id"]]
        both = f"{pair['cause_caption']} {pair['effect_caption']}"
        texts[str(row["question_id"])] = str(pair["cause_caption"]) if row["group"] == "C2E" else both
    counts = {choice: count for choice, count in by_overlap(rows, texts).items() if count.n}
    if counts:
        best = max(counts, key=lambda choice: counts[choice].right / counts[choice].n)
        yield Shortcut("overlap", name, best, counts[best].right, counts[best].n)


def _options_alone(
    rows: Sequence[Row], pairs: Mapping[str, Row], name: str, folds: int, seed: int
) -> Iterator[Shortcut]:
    groups = {str(pairs[row["pair_id"]]["group_id"]) for row in rows}
    if len(groups) < 2:
        return
    alone = [{**row, "question": "", "pair_id": str(pairs[row["pair_id"]]["group_id"])} for row in rows]
    random_state = int(stream(seed, "shortcut options", str(rows[0]["group"])).integers(2**31))  # for all variants
    right = right_by_words(alone, min(folds, len(groups)), random_state)
    yield Shortcut("options", name, "", right, len(rows))
