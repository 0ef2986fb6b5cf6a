"""The counts in docs/reliability.md match the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad_inputs.count import KINDS, counts, table


def test_the_page_has_the_counts() -> None:
    pytest.importorskip("transformers")
    page = (Path(__file__).parents[2] / "docs/reliability.md").read_text(encoding="utf-8")
    assert table() in page, f"put this into docs/reliability.md:\n{table()}"
    assert sum(counts().values()) >= 200


def test_every_module_is_counted() -> None:
    here = {f"tests.bad_inputs.{path.stem}" for path in Path(__file__).parent.glob("test_*.py")}
    counted = {module for modules in KINDS.values() for module in modules}
    assert here - counted == {"tests.bad_inputs.test_counts"}
