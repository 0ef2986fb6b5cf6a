"""Why results changed: the parameters, code and inputs of the artifacts that both runs have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from whatif.engine.artifacts.made_from import differences
from whatif.results.comparison.runs import Run

_CODE, _INPUT, _SOURCE, _TABLE = "code of ", "input ", "source ", "table "


@dataclass(frozen=True)
class Origin:
    """A parameter, code or input that changed.

    kind: `parameter`, `code`, `input`, `source`, `table` or `other`.
    text: what changed and how: `generate.scenes.pairs: 200 -> 300`.
    artifacts: how many artifacts were made from it; example: the first of them.
    """

    kind: str
    text: str
    artifacts: int
    example: str


def origins(a: Run, b: Run, benchmarks: Iterable[str] = (), models: Iterable[str] = ()) -> list[Origin]:
    """The differences of what the artifacts of two runs were made from: parameters first, most frequent first.

    Only artifacts of these benchmarks count, if any are given. If models are given, only their evaluations count, and
    artifacts that come before evaluations. Inputs that the runs made themselves are left out, because their own origins
    say why they changed.
    """
    only, asked = set(benchmarks), set(models)
    found: dict[str, list[str]] = {}
    for path in sorted(set(a.files) & set(b.files)):
        if (only and not only & set(path.split("/"))) or (asked and not _is_before(path, asked)):
            continue
        first, second = a.footer(path), b.footer(path)
        if first is None or second is None or first.fingerprint == second.fingerprint:
            continue
        for text in differences(first.made_from, second.made_from):
            if not text.startswith(f"{_INPUT}data/"):
                found.setdefault(text, []).append(path)
    every = [Origin(_kind(text), text, len(paths), paths[0]) for text, paths in found.items()]
    kinds = ("parameter", "source", "input", "table", "other", "code")
    return sorted(every, key=lambda one: (kinds.index(one.kind), -one.artifacts, one.text))


def _is_before(path: str, models: set[str]) -> bool:
    """Whether an artifact is an evaluation of one of these models, or made before all evaluations."""
    stage, model = [*path.split("/"), "", ""][1:3]
    return model in models if stage == "evaluate" else stage != "aggregate"


def _kind(text: str) -> str:
    for start, kind in ((_CODE, "code"), (_INPUT, "input"), (_SOURCE, "source"), (_TABLE, "table")):
        if text.startswith(start):
            return kind
    return "other" if text.startswith(("package files ", "format ", "step", "wildcards")) else "parameter"
