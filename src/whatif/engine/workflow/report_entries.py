"""What `snakemake --report` shows: the tables and figures of every benchmark, with captions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from whatif.engine.graph.steps import Step
from whatif.engine.workflow import rules

_KINDS = {".svg": ("figure", "Figures"), ".csv": ("table", "Tables"), ".md": ("report", "Report")}
_REPORT = "report.md"  # of the Markdown files the only one in the report: it holds all the others


@dataclass(frozen=True)
class ReportEntry:
    """A text file of a step in Snakemake's report.

    caption: the file with its caption; category: the benchmark; subcategory: what it is.
    """

    path: str
    caption: Path
    category: str
    subcategory: str

    @property
    def labels(self) -> dict[str, str]:
        """How the report lists the file."""
        return {"name": PurePosixPath(self.path).stem}


def report_entry(path: str, step: Step) -> ReportEntry | None:
    """The entry of an output of a step; None for artifacts and for files that repeat another one."""
    file = PurePosixPath(path)
    if path not in step.text_files or file.suffix not in _KINDS or (file.suffix == ".md" and file.name != _REPORT):
        return None
    kind, subcategory = _KINDS[file.suffix]
    return ReportEntry(path, rules.HERE / "captions" / f"{kind}.rst", step.benchmark, subcategory)
