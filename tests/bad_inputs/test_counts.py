"""The number of cases in docs/reliability.md is that of the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad_inputs.count import KINDS, counts


def test_the_page_has_the_number_of_cases() -> None:
    pytest.importorskip("transformers")
    page = (Path(__file__).parents[2] / "docs/reliability.md").read_text(encoding="utf-8")
    cases = f"{sum(counts().values()):,} cases"
    assert f" {cases}" in " ".join(page.split()), f"docs/reliability.md must say {cases}"


def test_every_module_is_counted() -> None:
    here = {f"tests.bad_inputs.{path.stem}" for path in Path(__file__).parent.glob("test_*.py")}
    counted = {module for modules in KINDS.values() for module in modules}
    assert here - counted == {"tests.bad_inputs.test_counts"}
