"""Questions of MuCR and answers to them, as rows, and the tables that are made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa

from tests.choice_questions import choice_question
from whatif.benchmarks.mucr.asked_items import AskedItems
from whatif.benchmarks.mucr.report import Mucr, attempts_of
from whatif.benchmarks.mucr.schemas import CONTEXT, MAIN_FORM, SCORES, STYLES, TEXT, VISUAL_FORMS
from whatif.benchmarks.mucr.steps import TABLES, TITLE
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.looked_up import looked_up
from whatif.engine.params.model_entries import RankingRule
from whatif.results.reporting.answers import COLUMNS, Answers, System
from whatif.results.reporting.table import Table
from whatif.scoring.ranking_rules import STORED

Row = dict[str, Any]
SCHEMA = pa.schema([PREDICTIONS.schema.field(name) for name in COLUMNS])
CATEGORIES = ("human", "animal")
Right = Callable[[Row], bool]


@dataclass(frozen=True)
class Settings:
    confidence: float = 0.95
    resamples: int = 199


def item(pair: str, metric: str, form: str, style: str | None = None, **changes: Any) -> Row:
    """A row of `causal-items`; a pair is named `<group>-<number>`."""
    group = pair.rpartition("-")[0]
    row = {
        "pair_id": pair,
        "group_id": group,
        "category": CATEGORIES[int(group.removeprefix("g")) % 2],
        "metric": metric,
        "form": form,
        "style": style,
        "mixture": form != TEXT,
        "hints": False,
        "language": "en",
        "generator": None if form == TEXT else "scenes",
        "split": "test",
        **changes,
    }
    more = "hints" if row["hints"] else row["language"]
    variant = form if more == "en" else f"{form}-{more}"
    return {"question_id": "-".join([pair, metric.lower(), variant, *([style] if style else [])]), **row}


def items_of(pair: str, place: int) -> list[Row]:
    mixed = STYLES[place % len(STYLES)]
    found = []
    for metric in SCORES:
        found += [item(pair, metric, TEXT), *(item(pair, metric, form, mixed) for form in VISUAL_FORMS)]
        found.append(item(pair, metric, MAIN_FORM, mixed, hints=True))
    found += [item(pair, "C2E", TEXT, language="zh"), item(pair, "C2E", MAIN_FORM, mixed, language="zh")]
    found += [item(pair, "C2E", MAIN_FORM, style, mixture=False) for style in STYLES if style != mixed]
    return [*found, item(pair, CONTEXT, MAIN_FORM, mixed)]


def pairs_of(groups: int) -> list[str]:
    return [f"g{group}-{number}" for group in range(groups) for number in range(4)]


def items(groups: int = 6) -> list[Row]:
    return [row for place, pair in enumerate(pairs_of(groups)) for row in items_of(pair, place)]


def question(of: Mapping[str, Any]) -> Row:
    """The question of an item, whose right option is A."""
    names = (of["question_id"], of["pair_id"], of["metric"], of["form"])
    return choice_question(*names, "Which effect follows?", ["one", "two", "three", "four"])


def prediction(question_id: str, system: System, right: bool, **changes: Any) -> Row:
    return {
        "question_id": question_id,
        "model": system[0],
        "strategy": system[1],
        "choice_scores": None,
        "answer": "A" if right else "B",
        "status": "ok",
        "correct": right,
        **changes,
    }


def asked_with_others(row: Mapping[str, Any]) -> bool:
    """Whether strategies other than the first ask about an item."""
    return bool(row["form"] == MAIN_FORM and row["mixture"] and not row["hints"] and row["language"] == "en")


def answers(asked: Iterable[Row], system: System, right: Right) -> list[Row]:
    return [prediction(row["question_id"], system, right(row)) for row in asked]


def table(rows: Sequence[Row]) -> list[pa.Table]:
    """Rows as tables with the columns that reports read."""
    return [pa.Table.from_pylist(list(rows), schema=SCHEMA)]


def results(
    asked: Sequence[Row],
    systems: Mapping[System, list[Row]],
    names: Mapping[str, str],
    strategies: Sequence[str] = ("direct",),
    *,
    tuned: Mapping[str, Mapping[str, list[Row]]] | None = None,
    people: Sequence[Row] = (),
    rule: RankingRule = STORED,
) -> Mucr:
    """The results of some answers: of systems, of fine-tuned models by seed, and of people; `random` is a baseline."""
    rows = [question(of) for of in asked]
    questions = AskedItems.of(rows, asked)
    settings = SimpleNamespace(strategies=list(strategies))
    task: Any = SimpleNamespace(
        rows=lambda *_: iter(asked),
        settings=settings,
        shown_models=lambda _: {key: {"adapter": key} for key in (*names, "random")},
    )
    return Mucr(
        task=task,
        title=TITLE,
        settings=Settings(),
        dimension=CHOOSER,
        names=names,
        plain_names=names,
        questions=rows,
        answers=Answers(table([row for rows in systems.values() for row in rows]), questions, list(systems)),
        rule=rule,
        tuned={
            model: {
                seed: Answers(table(rows), questions, [(rows[0]["model"], rows[0]["strategy"])])
                for seed, rows in by_seed.items()
            }
            for model, by_seed in (tuned or {}).items()
        },
        attempts=attempts_of(people, questions),
    )


def declared(name: str, found: Mucr) -> Table:
    """The declared table of this name."""
    return cast("Table", looked_up(TABLES.tables[name]).table(name, found))
