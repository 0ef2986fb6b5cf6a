"""C2E by style of the images (MuCR 5.1, Figure 8, which alone has the paper's values)."""

from __future__ import annotations

from whatif.benchmarks.mucr.asked_items import Way
from whatif.benchmarks.mucr.schemas import MAIN_FORM, STYLES
from whatif.benchmarks.mucr.score_tables import C2E, IN_FIGURE, changes_view, intervals_view, score_table

_WAYS: dict[str, Way] = {style: Way(MAIN_FORM, style) for style in STYLES}  # photographs first
_STYLE = {"style": "Style"}

TABLE = score_table(
    45,
    title="Styles",
    rows=lambda found: found.beside((), lambda who: found.by_way(who, "style", _WAYS, (C2E,)), found.everyone),
    views=lambda found: (
        intervals_view(
            f"C2E in percent by style of the images, with {found.level} intervals by group (MuCR Figure 8).",
            f"{IN_FIGURE.format('Figure 8')} Its text finds a slight drop for black-white images.",
            (C2E,),
            **_STYLE,
        ),
        changes_view(
            f"C2E minus that with photographs in points, over the same pairs, with {found.level} intervals by group.",
            metric="",
            **_STYLE,
        ),
    ),
    labels=["style"],
)
