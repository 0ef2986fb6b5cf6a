"""The chosen effect image found among three rejected siblings (MuCR 5.2, Figure 11, which alone has the values)."""

from __future__ import annotations

from collections.abc import Iterable

from whatif.benchmarks.mucr.asked_items import IN_IMAGES
from whatif.benchmarks.mucr.outcomes import Answerer, Row
from whatif.benchmarks.mucr.report import Mucr
from whatif.benchmarks.mucr.reported import in_text
from whatif.benchmarks.mucr.schemas import CONTEXT
from whatif.benchmarks.mucr.score_tables import C2E, IN_FIGURE, intervals_view, score_table

_METRICS = (CONTEXT, C2E)


def _rows(found: Mucr, who: Answerer) -> Iterable[Row]:
    answers = who.by_metric(IN_IMAGES, _METRICS)
    return found.scores(answers, who.place) if CONTEXT in answers else ()


TABLE = score_table(
    50,
    title="Contextual variation",
    rows=lambda found: found.beside((), lambda who: _rows(found, who), found.everyone),
    views=lambda found: (
        intervals_view(
            "Questions answered correctly in percent: which of four images of the same effect was chosen as the "
            f"sibling of the cause; beside C2E, with {found.level} intervals by group (MuCR Figure 11).",
            f"Chance is {in_text('accuracy')}%. The chosen image counts as right: of drawn scenes the one in which "
            "nothing but the event differs from the cause; where CLIP chose, a score says how far a model agrees with "
            f"CLIP. {IN_FIGURE.format('Figure 11')} Its text orders "
            f"{in_text('models_tested')} models, GPT-o1 first and Claude-3.0 last.",
            _METRICS,
        ),
    ),
)
