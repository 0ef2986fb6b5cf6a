"""Table 1 of MuCR (5.1): forms of visual input, and changes against all images on one composite."""

from __future__ import annotations

from whatif.benchmarks.mucr.asked_items import Way
from whatif.benchmarks.mucr.report import Mucr
from whatif.benchmarks.mucr.reported import reported, unlike_table_6
from whatif.benchmarks.mucr.schemas import MAIN_FORM, VISUAL_FORMS
from whatif.benchmarks.mucr.score_tables import MIXED, changes_view, intervals_view, score_table, scores_view
from whatif.results.reporting.table import PUBLISHED, View

_WAYS: dict[str, Way] = {form: Way(form) for form in VISUAL_FORMS}  # the main form first


def _views(found: Mucr) -> tuple[View, ...]:
    cells = {(row["name"], row["form"], row["metric"]): row["value"] for row in reported("1")}
    apart, two = (
        [value - cells[system, MAIN_FORM, metric] for (system, which, metric), value in cells.items() if which == form]
        for form in ("separate", "cause-and-composite")
    )
    unlike = ", ".join(
        f"{one[PUBLISHED]} for {one['name']} in {one['metric']}, where Table 6 has {other[PUBLISHED]}"
        for _, one, other in unlike_table_6()
    )
    form = {"form": "Form"}
    return (
        scores_view(
            "Questions answered correctly in percent by form of visual input (MuCR Table 1): composite is Form-1, "
            "cause-and-composite Form-2, separate Form-3; strip is ours.",
            f"{MIXED} Table 1 has {unlike}.",
            **form,
        ),
        intervals_view(f"Ours in percent, with {found.level} intervals by group.", **form),
        changes_view(
            f"Ours: score minus that with one composite in points, over the same pairs, with {found.level} intervals "
            "by group.",
            f"The paper calls the gains of Form-3 marked: they are {min(apart):+.2f} to {max(apart):+.2f} points. "
            f"Form-2 is above Form-1 in {sum(value > 0 for value in two)} of {len(two)} scores.",
            **form,
        ),
    )


TABLE = score_table(
    20,
    title="Forms of visual input",
    rows=lambda found: found.beside(reported("1"), lambda who: found.by_way(who, "form", _WAYS), found.main),
    views=_views,
    labels=["form"],
)
