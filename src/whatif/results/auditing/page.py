"""The audit as one HTML page that needs no network: rules beside chance, the most guessable items, and pruning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from whatif.engine.files.page_policy import policy_of
from whatif.results.auditing.audit import Audit, Finding, Section, section_name
from whatif.results.auditing.items import CHOICE, Item
from whatif.results.auditing.page_text import PAGE, STYLE
from whatif.results.auditing.prune import Pruned
from whatif.results.auditing.report import METHOD, luck, pruning_lines, pruning_rows, rule_name, verdict

_MOST_ITEMS = 10  # most guessable items of a section
_LONGEST = 600  # characters of a text on the page


def page(
    *,
    name: str,
    source: str,
    columns: str,
    notes: Sequence[str],
    items: Sequence[Item],
    found: Audit,
    confidence: float,
    pruned: Pruned | None = None,
) -> str:
    """The page; every text of the benchmark is escaped. The same audit gives the same page."""
    from jinja2 import Environment
    from markupsafe import Markup

    template = Environment(autoescape=True, trim_blocks=True, keep_trailing_newline=True).from_string(PAGE)
    pruning = {"lines": list(pruning_lines(items, pruned)), "rows": pruning_rows(pruned)} if pruned else None
    return template.render(
        name=name,
        style=Markup(STYLE),  # ours, without text of the benchmark
        policy=policy_of(STYLE),
        verdict=verdict(found),
        luck=luck(found, confidence),
        source=source,
        counts=f"{len(items):,} questions, {len({item.cluster for item in items}):,} pictures or pairs",
        columns=columns,
        notes=[*notes, *found.notes],
        sections=[_section(section) for section in found.sections],
        confidence=f"{100 * confidence:g}",
        pruning=pruning,
        method=METHOD,
    )


def _section(section: Section) -> Mapping[str, Any]:
    most = np.argsort(-section.guessable, kind="stable")[:_MOST_ITEMS]
    return {
        "title": (section_name(section.variant, section.kind) + " questions").capitalize(),
        "size": f"{len(section.items):,} questions about {section.clusters:,} pictures or pairs",
        "rules": [_rule(one) for one in section.findings],
        "guessable": [_item(section, int(place)) for place in most],
    }


def _rule(one: Finding) -> Mapping[str, Any]:
    value, low, high, chance = (
        f"{100 * number:.1f}" for number in (one.accuracy.estimate, one.accuracy.low, one.accuracy.high, one.chance)
    )
    text = f"{value}% ({low} to {high})"
    return {
        "name": rule_name(one),
        "value": value,
        "low": low,
        "high": high,
        "chance": chance,
        "n": f"{one.n:,}",
        "text": text,
        "above": one.above_chance,
        "label": f"{rule_name(one)}: {text}, chance {chance}%",
    }


def _item(section: Section, place: int) -> Mapping[str, Any]:
    item = section.items[place]
    options = [{"text": _short(text), "right": number == item.right} for number, text in enumerate(item.options)]
    return {
        "id": _short(item.item_id),
        "question": _short(item.question) or "Which one is the counterfactual?",
        "options": options if item.kind == CHOICE else [],
        "answer": _short(item.answer),
        "guessable": f"{100 * section.guessable[place]:.0f}%",
        "why": _why(section, place),
    }


def _why(section: Section, place: int) -> str:
    """Which rules answer it, and the words that the text model goes by."""
    parts = []
    for guesses, finding in zip(section.guesses, section.findings, strict=True):
        if not guesses.right[place] or finding.baseline:
            continue
        sure = "" if np.isnan(guesses.probability[place]) else f" ({100 * guesses.probability[place]:.0f}%)"
        parts.append(f"{rule_name(finding)}{sure}")
    words = next((one.reasons[place] for one in section.guesses if one.reasons and one.reasons[place]), "")
    text = f"Right by: {', '.join(parts)}." if parts else "No rule is right."
    return text + (f" Words that speak for the answer: {_short(words)}." if words else "")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
