"""The standard measures of pairs for all strategies, beside the accuracies of Tables 3 to 5 and their drops."""

from __future__ import annotations

from whatif.benchmarks.cvqa_real.report import RealResults, images_of
from whatif.benchmarks.cvqa_real.settings import STEP_BY_STEP
from whatif.benchmarks.cvqa_real.tables.table3 import reported_accuracies, table_3_name
from whatif.engine.language.strategies import DIRECT
from whatif.results.reporting.declared import Made
from whatif.results.reporting.paired import PairedText, paired, paired_systems, reported_rows
from whatif.results.reporting.question_pairs import QuestionPairAnswers
from whatif.results.reporting.table import Table

# Table 5 is about a part of each group. Table 6 compares programs of other code models, which have no names here.
_STRATEGIES = {3: DIRECT, 4: STEP_BY_STEP, 5: DIRECT}
_ABOUT = (
    "Answers are read by the rules alone. Yes-or-no questions have two possible answers, so a "
    "wrong one always counts as ignored. Reported rows are of the released set, that of GPT-4V of a tenth of it."
)


def _table(found: RealResults) -> Table:
    asked, order = {(row["model"], row["strategy"]) for row in found.predictions}, list(found.names)
    systems = sorted(asked, key=lambda one: (order.index(one[0]), one[1] != found.main, one[1]))
    answers = QuestionPairAnswers(found.predictions, found.questions, systems)
    ours = paired_systems(answers, found.names, images_of(found.questions), found.groups)
    reported = [
        row
        for number, strategy in _STRATEGIES.items()
        for (system, group), texts in reported_accuracies(number).items()
        for row in reported_rows(
            table_3_name(system),
            {variant: float(text) for variant, text in texts.items()},
            group=group,
            strategy=strategy,
        )
    ]
    text = PairedText(found.title, found.level, "image", strategies=True, about=_ABOUT)
    return paired(ours, found.settings.confidence, text, reported)


TABLE = Made(20, _table)
