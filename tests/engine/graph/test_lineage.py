"""Lineage: what the footers of artifacts, and of their inputs, say that they were made with."""

from __future__ import annotations

from pathlib import Path

import pytest

from whatif.benchmarks.coco_counterfactuals.schemas import COUNTS
from whatif.engine.artifacts.reader import footer_of
from whatif.engine.artifacts.schemas import REJECTIONS, Table
from whatif.engine.artifacts.writer import ArtifactWriter, write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.graph.lineage import lineage, tables_of


def write(path: str, table: Table, *, parameters: dict[str, object], inputs: tuple[str, ...] = ()) -> None:
    """An empty artifact that says what it was made from."""
    made_from = {
        "parameters": parameters,
        "inputs": {name: footer_of(Path(name)).content for name in inputs},
        "sources": {f"{Path(path).stem}.csv": "f00d"},
    }
    with ArtifactWriter(Path(path), table, role="r", made_from=made_from):
        pass


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("data/extract/toy/counts.parquet", COUNTS, parameters={"seed": 7, "extract.toy.side": 4})
    before = ("data/extract/toy/counts.parquet",)
    for part in ("a", "b"):
        write(f"data/filter/toy/{part}.parquet", REJECTIONS, parameters={"filter.toy.gap": 0.3}, inputs=before)


def test_parameters_and_sources_come_from_every_step_before() -> None:
    found = lineage([Path("data/filter/toy/a.parquet")])
    assert found.parameters == {"extract.toy.side": 4, "filter.toy.gap": 0.3, "seed": 7}
    assert found.sources == {"a.csv": "f00d", "counts.csv": "f00d"}
    assert found.unknown == ()


def test_an_input_that_changed_or_is_gone_is_not_followed() -> None:
    counts = Path("data/extract/toy/counts.parquet")
    write(str(counts), REJECTIONS, parameters={"seed": 8})
    for _ in range(2):
        found = lineage([Path("data/filter/toy/a.parquet"), Path("data/filter/toy/b.parquet")])
        assert (found.parameters, found.unknown) == ({"filter.toy.gap": 0.3}, (str(counts),))
        counts.unlink(missing_ok=True)
    with pytest.raises(WhatifError, match="no such artifact"):
        lineage([counts])


def test_tables_are_found_by_what_they_hold() -> None:
    filtered = (Path("data/filter/toy/a.parquet"), Path("data/filter/toy/b.parquet"))
    assert tables_of("toy", REJECTIONS, ("extract", "filter", "verify")) == filtered
    assert tables_of("toy", COUNTS, ("filter",)) == ()


def test_steps_are_in_the_order_of_the_stages_with_the_rows_that_count() -> None:
    made_from = {"step": "extract toy", "parameters": {"extract.toy.side": 4}, "inputs": {}}
    rows = [{"item_id": name, "reason": "r", "detail": "d"} for name in "ab"]
    for part in ("c", "d"):
        write_artifact(Path(f"data/extract/toy/{part}.parquet"), REJECTIONS, rows, role="lost", made_from=made_from)
    found = lineage([Path(f"data/extract/toy/{part}.parquet") for part in ("d", "c")])
    (step,) = found.steps
    assert (step.name, step.rows, step.parameters) == ("extract toy", {"lost": 4}, {"extract.toy.side": 4})


def test_checkpoints_are_no_sources_from_outside() -> None:
    write("data/filter/toy/z.parquet", REJECTIONS, parameters={"filter.toy.clip.checkpoint": "z.csv"})
    found = lineage([Path("data/filter/toy/z.parquet")])
    assert found.checkpoints == {"filter.toy.clip.checkpoint": "z.csv"} and found.outside == {}
