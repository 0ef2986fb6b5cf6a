"""The table `context` (MuCR 5.2, Figure 11): the chosen effect image found among three rejected siblings."""

from __future__ import annotations

from collections.abc import Iterable

from whatif.benchmarks.mucr import reported
from whatif.benchmarks.mucr.asked_items import IN_IMAGES
from whatif.benchmarks.mucr.results import Results, Row
from whatif.benchmarks.mucr.schemas import C2E, CONTEXT
from whatif.benchmarks.mucr.score_tables import intervals_view, score_table
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table


def _table(results: Results) -> Table:
    def rows() -> Iterable[Row]:
        for place, answers in results.answerers():
            found = answers(IN_IMAGES, (CONTEXT, C2E))
            if CONTEXT in found:
                yield from results.scores(found, place)

    view = intervals_view(
        "Questions answered correctly in percent: which of four images of the same effect was chosen as the sibling of "
        f"the cause; beside C2E, with {results.level} intervals by group (MuCR Figure 11).",
        f"Chance is {reported.in_text('accuracy')}%. The chosen image counts as right; where CLIP chose, a score says "
        f"how far a model agrees with CLIP. The paper's values are in its Figure 11 only. Its text orders "
        f"{reported.in_text('models_tested')} models, GPT-o1 first and Claude-3.0 last.",
        (CONTEXT, C2E),
    )
    return score_table("Contextual variation", rows(), (), (view,))


TABLE: Made[Results] = Made(26, _table)
