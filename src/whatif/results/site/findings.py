"""What the results say, in a few sentences at the top of the overview."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whatif.results.reporting.table import DROP
from whatif.results.site.paired_results import COUNTERFACTUAL, ORIGINAL, SystemResult

if TYPE_CHECKING:
    from whatif.results.site.overview import Summary

# The kinds of models that findings are about, the first of which there are results; never guesses, nor programs that no
# model wrote.
_ABOUT = (("own", "models"), ("embedded", "embedded models"))


@dataclass(frozen=True)
class Finding:
    """A sentence, and the page that shows where it comes from."""

    text: str
    path: str


def findings(summaries: Sequence[Summary]) -> list[Finding]:
    """Three sentences at most: how many drops are certain, the largest of them, and the best shortcut.

    Drops are those of models that answered all questions of a benchmark.
    """
    drops: list[Finding] = []
    for kind, words in _ABOUT:
        drops = drops or [*_drops(_asked_all(summaries, kind), words)]
    return [*drops, *_shortcut(summaries)]


def caution(summaries: Sequence[Summary]) -> str:
    """What the results of embedded checkpoints do not say; empty if there are none."""
    if not any(system.kind == "embedded" for one in summaries for system in measured(one)):
        return ""
    return (
        "The embedded models are tiny, and know drawn pictures only. Their rows show that the pipeline works, and say "
        "nothing about how models reason."
    )


def measured(one: Summary) -> list[SystemResult]:
    """Our systems with answers to pairs, each model with its first strategy."""
    return [system for system in (one.results.first_strategies if one.results else ()) if DROP in system.numbers]


def _asked_all(summaries: Sequence[Summary], kind: str) -> list[tuple[Summary, SystemResult]]:
    """The models of a kind whose drops have intervals, without those that were asked fewer pairs than others."""
    found = []
    for one in summaries:
        systems = measured(one)
        most = max((system.numbers[DROP].n or 0 for system in systems), default=0)
        found += [(one, system) for system in systems if system.kind == kind and system.numbers[DROP].n in (most, None)]
    return [(one, system) for one, system in found if system.numbers[DROP].low is not None]


def _drops(known: Sequence[tuple[Summary, SystemResult]], words: str) -> Iterator[Finding]:
    if not known:
        return
    certain = [(one, system) for one, system in known if (system.numbers[DROP].low or 0) > 0]
    verb = "is" if len(certain) == 1 else "are"
    yield Finding(
        f"{len(certain)} of {len(known)} results of {words} {verb} lower on counterfactual questions than on the "
        "original ones, beyond chance (the confidence interval of the drop is above 0).",
        "#results",
    )
    if certain:
        one, system = max(certain, key=lambda found: found[1].numbers[DROP].value)
        numbers = system.numbers
        prompt = f" (prompt {system.strategy})" if one.results and one.results.strategies else ""
        yield Finding(
            f"The largest drop: “{system.name}”{prompt} answers {numbers[ORIGINAL].text}% of the original and "
            f"{numbers[COUNTERFACTUAL].text}% of the counterfactual questions of {one.title} correctly.",
            f"{one.name}/index.html",
        )


def _shortcut(summaries: Sequence[Summary]) -> Iterator[Finding]:
    best = [(one, shortcut) for one in summaries for shortcut in one.shortcuts]
    if best:
        one, shortcut = max(best, key=lambda found: found[1].least)
        number, tried = shortcut.number, sum(found.tried for _, found in best)
        interval = f" ({number.range})" if number.range else ""
        of = "the questions" if number.n is None else f"{number.n:,} questions"
        yield Finding(
            f"Without any image, the best of {tried:,} rules, “{shortcut.shortcut}”, is right for "
            f"{number.text}%{interval} of {of} of {one.title} ({shortcut.questions}).",
            f"{one.name}/index.html",
        )
