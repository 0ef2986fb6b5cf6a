"""The views of MuCR on the site: items of some pairs, as figures of the paper show them.

| view | shows | figures |
|---|---|---|
| `figures-7-and-23` | items of C2E in several styles | 7, 23 |
| `figure-10` | chosen images beside rejected ones (`chosen_images`) | 10 |
| `figures-9-and-24` | items of C2E as text and in the visual forms | 9, 24 |
| `figure-25` | the chosen effect among its rejected siblings | 25 |
| `figure-26` | items of C2E with every strategy | 26 |
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from whatif.benchmarks.mucr import chosen_images
from whatif.benchmarks.mucr.schemas import CONTEXT, MAIN_FORM, SCORES, TEXT
from whatif.benchmarks.shared.item_selection import evenly
from whatif.results.reporting.items import ItemView

Row: TypeAlias = Mapping[str, Any]

_METRIC = SCORES[0]  # the views show C2E, in which the options are images
STYLES_VIEW = ItemView(
    "figures-7-and-23", "Styles (Figures 7 and 23)", "One item in each style of image, among its other forms."
)
FORMS_VIEW = ItemView(
    "figures-9-and-24", "Forms (Figures 9 and 24)", "One item as text and in each visual form, in the same style."
)
CONTEXT_VIEW = ItemView(
    "figure-25",
    "Contextual variation (Figure 25)",
    "The effect image that was chosen, among three that were not (MuCR 5.2).",
)
STRATEGIES_VIEW = ItemView(
    "figure-26",
    "Strategies (Figure 26)",
    "One item with each strategy, and what the models wrote turn by turn (MuCR 5.3).",
)
VIEWS = (STYLES_VIEW, chosen_images.VIEW, FORMS_VIEW, CONTEXT_VIEW, STRATEGIES_VIEW)


def item_name(item: Row) -> str:
    """The id of an item of the site, which has all questions of a pair and metric; from a row of `causal-items`."""
    return f"{item['pair_id']}-{str(item['metric']).lower()}"


def views_of_items(asked: Iterable[Row], number: int) -> dict[str, list[str]]:
    """Item -> the names of its views, with `number` pairs in each view, evenly spaced over all that it can show.

    `asked` are the rows of `causal-items` of all questions. Shown are those in English without hints.
    """
    plain = [row for row in asked if row["language"] == "en" and not row["hints"]]
    mixed = [row for row in plain if row["mixture"] or row["form"] == TEXT]
    c2e = [row for row in mixed if row["metric"] == _METRIC]
    in_main_form = [row for row in plain if (row["metric"], row["form"]) == (_METRIC, MAIN_FORM)]
    context = [row for row in mixed if (row["metric"], row["form"]) == (CONTEXT, MAIN_FORM)]
    found: dict[str, list[str]] = defaultdict(list)
    for view, rows, least in (
        (STYLES_VIEW, in_main_form, 2),
        (FORMS_VIEW, c2e, 2),
        (CONTEXT_VIEW, context, 1),
        (STRATEGIES_VIEW, [row for row in c2e if row["form"] == MAIN_FORM], 1),
    ):
        for name in _of_some_pairs(rows, number, least):
            found[name].append(view.name)
    return found


def _of_some_pairs(rows: Sequence[Row], number: int, least: int) -> list[str]:
    """The items of at most `number` pairs, of those that have at least `least` of the rows."""
    pairs: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        pairs[row["pair_id"]].append(row)
    possible = sorted(pair for pair, of_pair in pairs.items() if len(of_pair) >= least)
    return [item_name(pairs[pair][0]) for pair in evenly(possible, number)]
