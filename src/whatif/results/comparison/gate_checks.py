"""Checks what changed between two runs against gates (`whatif diff --fail-on`), for people and for machines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import escaped
from whatif.engine.params.gates import ACCURACY, PAIR_ACCURACY, Gate
from whatif.results.comparison.report import ALPHA, Report
from whatif.results.comparison.text import evaluation_name, p_value
from whatif.results.reporting.rendering import markdown_text
from whatif.scoring.statistics.intervals import Interval
from whatif.scoring.statistics.multiple import holm


@dataclass(frozen=True)
class Change:
    """One number of both runs, in percent or, of metrics, in their own unit; `of`: what it is a number of.

    low, high: the interval of the difference; p_holm: of the paired test, corrected over all numbers of this measure
    that can differ. All None where there is no test: of metrics, and p_holm of a number no part of which changed.
    """

    benchmark: str
    of: str
    measure: str
    a: float
    b: float
    difference: float
    low: float | None = None
    high: float | None = None
    p_holm: float | None = None

    @property
    def significant(self) -> bool:
        """Whether the test finds a difference."""
        return self.p_holm is not None and self.p_holm <= ALPHA

    @property
    def shown(self) -> str:
        """The difference with its interval, if it has one."""
        interval = "" if self.low is None or self.high is None else f" [{self.low:+.1f}, {self.high:+.1f}]"
        return f"{self.difference:+.1f}{interval}"


@dataclass(frozen=True)
class Check:
    """A number that a gate is about, and whether its change is one that the gate stops."""

    gate: Gate
    change: Change
    failed: bool


def checks_of(report: Report, gates: Sequence[Gate]) -> list[Check]:
    """Every number that a gate is about, in the order of the gates; the report must have its measures of pairs.

    Evaluations whose rows are the same in both runs pass every gate and are not listed. Raises WhatifError for a gate
    that is about no number, so that a run without results does not pass.
    """
    answers, metrics = list(_of_answers(report)), list(_of_metrics(report))
    found = []
    for gate in gates:
        about = [one for one in (answers if gate.of_answers else metrics) if _covers(gate, one)]
        same = gate.of_answers and any(
            one.same and gate.benchmark in ("", one.a.key.benchmark) for one in report.compared
        )
        if not about and not same:
            raise WhatifError(_about_nothing(gate, report, metrics))
        for one in about:
            failed = gate.forbids(one.difference) and (one.significant or not gate.significant)
            found.append(Check(gate, one, failed))
    return found


def _covers(gate: Gate, change: Change) -> bool:
    if gate.benchmark not in ("", change.benchmark):
        return False
    if gate.variant == "":
        return change.measure.endswith(f" {ACCURACY}") and change.measure != PAIR_ACCURACY
    return change.measure == gate.measure


def _about_nothing(gate: Gate, report: Report, metrics: Sequence[Change]) -> str:
    where = f" of {gate.benchmark}" if gate.benchmark else ""
    line = f"{gate.text}: both sides have no {gate.measure}{where}, so nothing was checked"
    if report.notes:
        return f"{line}; {report.notes[0]}"
    if gate.of_answers:
        return line
    known = sorted({one.measure for one in metrics if gate.benchmark in ("", one.benchmark)})
    return f"{line}; the numbers of metrics/*.json are {', '.join(known) or 'none, or not of both sides'}"


def _of_answers(report: Report) -> Iterator[Change]:
    for one in report.comparisons:
        name = " ".join(filter(None, [evaluation_name(one.a, one.b), one.group]))
        rights = (one.right_a / one.n, one.right_b / one.n)
        yield _change(one.a.benchmark, name, f"{one.variant} {ACCURACY}", rights, one.difference, p_holm=one.p_holm)
    of_pairs = [(pair, change) for pair in report.compared for change in pair.of_pairs]
    for measure in dict.fromkeys(change.measure for _, change in of_pairs):
        family = [(pair, change) for pair, change in of_pairs if change.measure == measure]
        # A number no part of which changed cannot be significant, and does not count (as in `corrected`).
        corrected = holm([change.p if change.flips else None for _, change in family]).p_values
        for (pair, change), p_holm in zip(family, corrected, strict=True):
            name = evaluation_name(pair.a.key, pair.b.key)
            sides = (change.a, change.b)
            yield _change(pair.a.key.benchmark, name, measure, sides, change.difference, p_holm=p_holm)


def _change(
    benchmark: str, of: str, measure: str, sides: tuple[float, float], difference: Interval, *, p_holm: float | None
) -> Change:
    a, b, change, low, high = (100 * x for x in (*sides, difference.estimate, difference.low, difference.high))
    return Change(benchmark, of, measure, a, b, change, low, high, p_holm)


def _of_metrics(report: Report) -> Iterator[Change]:
    """The numbers of `metrics/BENCHMARK.json` that both runs have; of two models, there are none to pair."""
    if report.a.model:
        return
    only = report.selection
    for path in sorted(set(report.a.run.metrics) & set(report.b.run.metrics)):
        benchmark = path.split("/")[-1].removesuffix(".json")
        if only.benchmarks and benchmark not in only.benchmarks:
            continue
        before, after = (dict(_numbers(path, side.run.metrics[path])) for side in (report.a, report.b))
        for place in before:
            if place in after and (not only.models or set(place) & set(only.models)):
                a, b = before[place], after[place]
                yield Change(benchmark, " ".join(place[:-1]), place[-1], a, b, b - a)


def _numbers(path: str, data: bytes) -> Iterator[tuple[tuple[str, ...], float]]:
    try:
        yield from _leaves(json.loads(data), ())
    except (ValueError, RecursionError) as error:
        raise WhatifError(f"{path}: is not JSON ({error}); make it again") from None


def _leaves(value: Any, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], float]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, (*place, str(name)))
    elif isinstance(value, int | float) and place:
        yield place, float(value)


def line_of(check: Check) -> str:
    """What a gate found about one number, on one line."""
    one = check.change
    p = "" if one.p_holm is None else f", Holm p {p_value(one.p_holm)}"
    numbers = f"{one.a:.1f} -> {one.b:.1f}, {one.shown}{p}"
    return escaped(f"{check.gate.text}: {one.benchmark} {one.of}: {one.measure} {numbers}")


def summary_of(checks: Sequence[Check], report: Report) -> str:
    """The checks as Markdown, for a pull request: those that failed, then all of them, folded."""
    failed = [one for one in checks if one.failed]
    sides = " to ".join(markdown_text(escaped(side.name)) for side in (report.a, report.b))
    lines = [
        f"### whatif: {len(failed)} of {len(checks)} checks failed",
        "",
        f"From {sides}. {report.same} evaluations have the same bytes on both sides.",
    ]
    if failed:
        lines += ["", *_rows(failed)]
    if len(checks) > len(failed):
        lines += ["", "<details><summary>All checks</summary>", "", *_rows(checks), "", "</details>"]
    return "\n".join([*lines, ""])


def _rows(checks: Sequence[Check]) -> Iterator[str]:
    yield "| Gate | Benchmark | Evaluation | Number | A | B | Change (points) | Holm p |"
    yield "|---|---|---|---|--:|--:|--:|--:|"
    for check in checks:
        one = check.change
        texts = [markdown_text(escaped(text)) for text in (check.gate.text, one.benchmark, one.of, one.measure)]
        yield f"| {' | '.join([*texts, f'{one.a:.1f}', f'{one.b:.1f}', one.shown, p_value(one.p_holm)])} |"


def junit_of(checks: Sequence[Check]) -> bytes:
    """The checks as JUnit XML: a test case for each number, by benchmark."""
    root = Element("testsuites", name="whatif diff")
    for gate in dict.fromkeys(check.gate for check in checks):
        own = [check for check in checks if check.gate == gate]
        failures = str(sum(check.failed for check in own))
        suite = SubElement(root, "testsuite", name=gate.text, tests=str(len(own)), failures=failures)
        for check in own:
            one = check.change
            name = escaped(f"{one.of} {one.measure}")
            case = SubElement(suite, "testcase", classname=escaped(one.benchmark), name=name)
            if check.failed:
                SubElement(case, "failure", message=line_of(check))
    indent(root)
    return bytes(tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def values_of(checks: Sequence[Check]) -> list[dict[str, Any]]:
    """The checks for `--json`."""
    return [{"gate": check.gate.text, "failed": check.failed, **asdict(check.change)} for check in checks]
