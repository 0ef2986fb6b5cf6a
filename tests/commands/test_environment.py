"""`whatif environment`: the libraries and fingerprints that the artifacts record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import whatif
from tests.pipeline.checkouts import Checkout
from whatif.engine.artifacts.reader import footer_of

pytestmark = pytest.mark.pipeline


def test_it_says_what_the_artifacts_record(finished_checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(finished_checkout.path)
    found = json.loads(whatif("environment", "cvqa-synthetic", "--json").stdout)
    assert found["commit"] == finished_checkout.run("git", "rev-parse", "HEAD").stdout.strip()
    assert (found["changed_files"], found["machine"]["cores"] > 0) == (0, True)
    questions = Path("data/verify/cvqa-synthetic/questions.parquet")
    footer = footer_of(questions)
    assert found["artifacts"][str(questions)] == {
        "fingerprint": footer.fingerprint,
        "content": footer.content,
        "rows": footer.rows,
    }
    recorded = footer_of(Path("data/aggregate/cvqa-synthetic/files.parquet")).libraries
    assert recorded and all(found["libraries"][name] == [version] for name, version in recorded.items())
    shown = whatif("environment").stdout
    assert f"| commit | {found['commit']} |" in shown and "| python | 3." in shown
    refused = whatif("environment", "cfmm")
    assert refused.exit_code == 2 and "whatif: cfmm: not among the benchmarks" in refused.stderr
