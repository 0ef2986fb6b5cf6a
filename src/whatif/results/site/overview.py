"""The first page of the site, and the summary of each benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from whatif.results.reporting.table import DROP
from whatif.results.site.assets import render
from whatif.results.site.audits import (
    SHORTCUTS,
    BestShortcut,
    FunnelRow,
    best_shortcuts,
    caption_of,
    funnel_rows,
)
from whatif.results.site.examples import Example
from whatif.results.site.figures import Figure
from whatif.results.site.findings import caution, findings, measured
from whatif.results.site.layout import OVERVIEW, PARTS, page
from whatif.results.site.marks import axis
from whatif.results.site.paired_results import CHANCE, COUNTERFACTUAL, MEASURES, ORIGINAL, GroupResults, paired_results
from whatif.results.site.result_tables import MainTable, main_table
from whatif.results.site.sources import BenchmarkSource
from whatif.results.site.weaknesses import Worse


@dataclass(frozen=True)
class Summary:
    """What both pages show of one benchmark.

    facts: counts with what they count, as text. parts: stems of its pages. main: the table that stands for its results
    if it has no table of pairs.
    """

    name: str
    title: str
    about: str
    facts: Sequence[tuple[str, str]]
    groups: Sequence[GroupResults]
    shortcuts: Sequence[BestShortcut]
    caption: str
    funnel: Sequence[FunnelRow]
    parts: Sequence[str]
    main: MainTable | None

    @property
    def links(self) -> list[tuple[str, str]]:
        """Texts and paths of its pages."""
        return [(PARTS[stem], f"{stem}.html") for stem in self.parts]

    @property
    def results(self) -> GroupResults | None:
        """Our models on all pairs, or on the first group; None without paired results."""
        if not self.groups:
            return None
        first = self.groups[0]
        return GroupResults(first.group, [one for one in first.systems if not one.reported], first.measures)

    @property
    def best(self) -> str:
        """The best shortcut of all, in words."""
        one = max(self.shortcuts, key=lambda found: found.least)
        return f"up to {one.number.text}% ({one.questions}: {one.shortcut})"

    @property
    def building(self) -> list[FunnelRow]:
        """The rows of the funnel before the evaluation."""
        return list(takewhile(lambda row: not row.evaluation, self.funnel))

    @property
    def evaluation(self) -> list[FunnelRow]:
        """The rows of the funnel that count what models answered, or were trained to answer."""
        return list(self.funnel[len(self.building) :])

    @property
    def built(self) -> str:
        """What the last stage before the evaluation made, and how many rows of each unit all stages rejected."""
        stage = self.building[-1].stage
        made = [f"{row.went_on:,} {row.unit}" for row in self.building if row.stage == stage]
        rejected = Counter[str]()
        for row in self.building:
            rejected[row.unit] += row.rejected
        lost = [f"{count:,} {unit}" for unit, count in rejected.items() if count]
        return f"{', '.join(made)}; rejected: {', '.join(lost) or 'none'}"


def summary(source: BenchmarkSource, figures: Sequence[Figure]) -> Summary:
    """The summary of one benchmark; parts whose tables it lacks are empty."""
    groups = paired_results(source.frames, source.kinds)
    systems = {one.name for group in groups for one in group.systems if not one.reported}
    counts = [
        (len(source.items), "item", "items"),
        (len(systems), "model", "models"),
        (len(source.printed), "table", "tables"),
        (len(figures), "figure", "figures"),
    ]
    facts = [(f"{count:,}", one if count == 1 else several) for count, one, several in counts if count]
    if source.items_in_all > len(source.items):
        facts[0] = (f"{len(source.items):,}", f"of {source.items_in_all:,} items")
    if groups and groups[0].pairs:
        parts = [group for group in groups if group.group and group.pairs]
        # Groups that overlap, such as two kinds of questions about the same pairs, are no parts of the whole.
        adds_up = all(sum(end(group.sizes) for group in parts) == end(groups[0].sizes) for end in (min, max))
        sizes = ", ".join(f"{group.pairs} {group.group}" for group in parts) if adds_up and not groups[0].group else ""
        facts.append((groups[0].pairs, f"pairs: {sizes}" if sizes else "pairs"))
    return Summary(
        source.name,
        source.title,
        source.about,
        facts,
        groups,
        best_shortcuts(source.frames),
        caption_of(source.printed, SHORTCUTS),
        funnel_rows(source.frames),
        source.parts,
        None if groups else main_table(source),
    )


def overview_page(summaries: Sequence[Summary], examples: Mapping[str, Example] | None = None) -> str:
    """The first page of the site; `examples` are items by the name of their benchmark."""
    shown = examples or {}
    glance = [(one, systems) for one in summaries if (systems := measured(one))]
    body = render(
        "index.html",
        benchmarks=summaries,
        findings=findings(summaries),
        glance=glance,
        examples=[(one, shown[one.name]) for one in summaries if one.name in shown],
        has_chance=any(CHANCE in system.numbers for _, systems in glance for system in systems),
        caution=caution(summaries),
        axis=axis(),
        terms=_terms({ORIGINAL, COUNTERFACTUAL, DROP}) if glance else (),
    )
    return page("Overview", body, depth=0, active=OVERVIEW)


def benchmark_page(
    source: BenchmarkSource, found: Summary, figures: Sequence[Figure], worse: Sequence[Worse] | None
) -> str:
    """The summary of one benchmark as a page, with links to its tables, figures and views of items.

    `worse` says where systems do worse, which is left out if it is not known (None).
    """
    body = render(
        "benchmark.html",
        one=found,
        groups=found.groups,
        axis=axis(),
        has_chance=any(CHANCE in system.numbers for group in found.groups for system in group.systems),
        terms=_terms({measure for group in found.groups for measure in group.measures}),
        worse=worse,
        views=source.views,
        tables=source.printed,
        figures=figures,
    )
    return page(source.title, body, depth=1, active=source.name)


def _terms(used: set[str]) -> list[tuple[str, str]]:
    """Headings of measures with their explanations."""
    return [MEASURES[measure] for measure in MEASURES if measure in used]
