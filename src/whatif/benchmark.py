"""Everything that a benchmark of one's own needs, under names that stay: `from whatif.benchmark import Task, StepsOf`.

A benchmark in a package of its own imports from here alone (docs/new-benchmark.md); what `whatif new` writes shows how.
Names of other modules may change with any version.
"""

from whatif.benchmarks.shared.dimensions import CHOOSER, SHOWN_CHOOSERS
from whatif.benchmarks.shared.evaluation import write_predictions
from whatif.benchmarks.shared.pilots import Pilot, marked, pilot_of, pilots_of
from whatif.benchmarks.shared.question_items import About, question_items, shown_systems, title_of
from whatif.benchmarks.shared.reports import audits_of, costs_of, publish
from whatif.benchmarks.shared.results import PairedResults
from whatif.benchmarks.shared.tables import shared_tables, without_empty_tables
from whatif.benchmarks.shared.tasks import (
    evaluation_stage,
    judgement,
    limits_of,
    names_of,
    pairs_of,
    with_predictions,
)
from whatif.benchmarks.trial import Trial
from whatif.engine.artifacts.images import SortedImages, image_row
from whatif.engine.artifacts.schemas import (
    IMAGES,
    JUDGEMENTS,
    PREDICTIONS,
    QUESTIONS,
    REJECTIONS,
    SHORTCUTS,
    schema_of,
)
from whatif.engine.artifacts.schemas import Table as ArtifactTable
from whatif.engine.artifacts.site_schemas import SITE_OUTPUTS
from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import UnreadableImageError, decode
from whatif.engine.files.inputs import user_path
from whatif.engine.graph.dimensions import Shown, part_dimension
from whatif.engine.graph.steps import Benchmark, StepsOf
from whatif.engine.graph.task import Task
from whatif.engine.language.options import LETTERS
from whatif.engine.language.strategies import DIRECT
from whatif.engine.params.base import BenchmarkSettings, Settings, SourcePath
from whatif.engine.random_streams import stream
from whatif.engine.workflow.rules import SNAKEFILE
from whatif.results.reporting.declared import Declared, Figure, Made, report_of
from whatif.results.reporting.funnel import FunnelStage, funnel, reasons
from whatif.results.reporting.items import ItemView
from whatif.results.reporting.pair_measures import (
    ACCURACIES,
    DROPPED,
    MCNEMAR,
    PAIR_MEASURES,
    PAIRS,
    Part,
    accuracy,
    drop,
    each_variant,
    letters,
    of_models,
    share_of,
    statuses,
)
from whatif.results.reporting.paired import PairedText, paired, paired_systems
from whatif.results.reporting.precision import in_percent
from whatif.results.reporting.report import Report
from whatif.results.reporting.shortcuts import shortcuts
from whatif.results.reporting.table import DROP, OURS, REPORTED, Column, Table, View, tidy
from whatif.results.reporting.table_modules import TableModules
from whatif.scoring.open_answers import open_predictions
from whatif.scoring.rank import majority_answers, predictions
from whatif.scoring.shortcuts.audit import audit
from whatif.scoring.statistics import clustered_share

__all__ = [
    "ACCURACIES",
    "CHOOSER",
    "DIRECT",
    "DROP",
    "DROPPED",
    "IMAGES",
    "JUDGEMENTS",
    "LETTERS",
    "MCNEMAR",
    "OURS",
    "PAIRS",
    "PAIR_MEASURES",
    "PREDICTIONS",
    "QUESTIONS",
    "REJECTIONS",
    "REPORTED",
    "SHORTCUTS",
    "SHOWN_CHOOSERS",
    "SITE_OUTPUTS",
    "SNAKEFILE",
    "About",
    "ArtifactTable",
    "Benchmark",
    "BenchmarkSettings",
    "Column",
    "Declared",
    "Figure",
    "FunnelStage",
    "ItemView",
    "Made",
    "PairedResults",
    "PairedText",
    "Part",
    "Pilot",
    "Report",
    "Settings",
    "Shown",
    "SortedImages",
    "SourcePath",
    "StepsOf",
    "Table",
    "TableModules",
    "Task",
    "Trial",
    "UnreadableImageError",
    "View",
    "WhatifError",
    "accuracy",
    "audit",
    "audits_of",
    "clustered_share",
    "costs_of",
    "decode",
    "drop",
    "each_variant",
    "evaluation_stage",
    "funnel",
    "image_row",
    "in_percent",
    "judgement",
    "letters",
    "limits_of",
    "majority_answers",
    "marked",
    "names_of",
    "of_models",
    "open_predictions",
    "paired",
    "paired_systems",
    "pairs_of",
    "part_dimension",
    "pilot_of",
    "pilots_of",
    "predictions",
    "publish",
    "question_items",
    "reasons",
    "report_of",
    "schema_of",
    "share_of",
    "shared_tables",
    "shortcuts",
    "shown_systems",
    "statuses",
    "stream",
    "tidy",
    "title_of",
    "user_path",
    "with_predictions",
    "without_empty_tables",
    "write_predictions",
]
