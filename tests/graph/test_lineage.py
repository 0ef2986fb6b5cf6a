"""Lineage: what the footers of artifacts, and of their inputs, say that they were made with."""

from __future__ import annotations

from pathlib import Path

import pytest

from whatif.artifacts.reader import footer_of
from whatif.artifacts.schemas import REJECTIONS, Table
from whatif.artifacts.writer import ArtifactWriter
from whatif.benchmarks.coco_counterfactuals.schemas import COUNTS
from whatif.errors import WhatifError
from whatif.graph.lineage import last_tables_of, lineage, tables_of


def write(path: str, table: Table, *, parameters: dict[str, object], inputs: tuple[str, ...] = ()) -> None:
    """An empty artifact that says what it was made from."""
    made_from = {
        "parameters": parameters,
        "inputs": {name: footer_of(Path(name)).content for name in inputs},
        "sources": {f"{Path(path).stem}.csv": "f00d"},
    }
    with ArtifactWriter(Path(path), table, role="r", fingerprint="f", made_from=made_from):
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
    write("data/extract/toy/rejections.parquet", REJECTIONS, parameters={})
    assert last_tables_of("toy", REJECTIONS) == filtered
    assert last_tables_of("none", REJECTIONS) == ()


def test_of_several_outputs_of_a_stage_the_one_with_the_name_of_the_table_counts() -> None:
    counted = "data/verify/toy/rejections/part-000-of-001.parquet"
    for path, role in ((counted, "rejections"), ("data/verify/toy/unchecked.parquet", "unchecked")):
        with ArtifactWriter(Path(path), REJECTIONS, role=role, fingerprint="f", made_from={}):
            pass
    assert last_tables_of("toy", REJECTIONS) == (Path(counted),)
