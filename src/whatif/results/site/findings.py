"""What the results say, in a few sentences at the top of the overview, and as one figure of all systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whatif.results.reporting.table import DROP
from whatif.results.site.paired_results import COUNTERFACTUAL, ORIGINAL, SystemResult

if TYPE_CHECKING:
    from whatif.results.site.overview import Summary

_PILOT = "pilot sample"  # in the name of a system that was asked a part of the questions only
_EMBEDDED = "Embedded "  # the first word of the names of checkpoints that ship with whatif


@dataclass(frozen=True)
class Finding:
    """A sentence, and the page that shows where it comes from."""

    text: str
    path: str


def findings(summaries: Sequence[Summary]) -> list[Finding]:
    """Three sentences at most: how many drops are certain, the largest of them, and the best shortcut."""
    results = [(one, system) for one in summaries for system in measured(one)]
    return [*_drops(results), *_shortcut(summaries)]


def caution(summaries: Sequence[Summary]) -> str:
    """What the results of embedded checkpoints do not say; empty if there are none."""
    if not any(system.name.startswith(_EMBEDDED) for one in summaries for system in measured(one)):
        return ""
    return (
        "The embedded models are tiny, and know drawn pictures only. Their rows show that the pipeline works, and say "
        "nothing about how models reason."
    )


def measured(one: Summary) -> list[SystemResult]:
    """Our systems that were asked all questions of a benchmark, each model with its first strategy."""
    systems = one.results.first_strategies if one.results else ()
    return [system for system in systems if _PILOT not in system.name and DROP in system.numbers]


def _drops(results: Sequence[tuple[Summary, SystemResult]]) -> Iterator[Finding]:
    known = [(one, system) for one, system in results if system.numbers[DROP].low is not None]
    certain = [(one, system) for one, system in known if (system.numbers[DROP].low or 0) > 0]
    if not known:
        return
    verb = "is" if len(certain) == 1 else "are"
    yield Finding(
        f"{len(certain)} of {len(known)} results {verb} lower on counterfactual questions than on the original ones, "
        "beyond chance (95% interval of the drop above 0).",
        "#results",
    )
    if certain:
        one, system = max(certain, key=lambda found: found[1].numbers[DROP].value)
        numbers = system.numbers
        prompt = f" (prompt {system.strategy})" if one.results and one.results.strategies else ""
        yield Finding(
            f"The largest drop: {system.name}{prompt} answers {numbers[ORIGINAL].text}% of the original and "
            f"{numbers[COUNTERFACTUAL].text}% of the counterfactual questions of {one.title} correctly.",
            f"{one.name}/index.html",
        )


def _shortcut(summaries: Sequence[Summary]) -> Iterator[Finding]:
    best = [(one, shortcut) for one in summaries for shortcut in one.shortcuts]
    if best:
        one, shortcut = max(best, key=lambda found: found[1].number.value)
        yield Finding(
            f"Without any image, {shortcut.shortcut} is right for {shortcut.number.text}% of the questions of "
            f"{one.title} ({shortcut.questions}).",
            f"{one.name}/index.html",
        )
