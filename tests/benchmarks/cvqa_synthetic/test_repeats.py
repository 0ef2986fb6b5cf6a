"""C-VQA-Synthetic with a model that is asked each question several times."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.cvqa_synthetic.small import NAME, small
from tests.projects import Project
from tests.tiny_checkpoints import tiny_llava
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.params.base import STAGES
from whatif.results.reporting.table import from_csv

pytestmark = pytest.mark.slow


def test_the_table_is_published_where_a_model_has_several_samples(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    made = small(project)
    made.generate["puzzles_per_template"] = 2
    drawn = {"temperature": 1.5, "samples": 3}
    checkpoint = {"adapter": "hf-chat", "checkpoint": str(tiny_llava(tmp_path / "llava")), "max_new_tokens": 3}
    models = {"random": {"adapter": "random"}, "words": {**checkpoint, "multiple_choice": "words", "decoding": drawn}}
    made.values["models"] = models
    made.make(*STAGES)
    folder = made.folder / f"metrics/{NAME}"
    table = from_csv((folder / "repeats.csv").read_text(encoding="utf-8"))
    assert set(table["model"]) == {"words"} and {"repeats.md", "repeats.tex"} <= {
        path.name for path in folder.iterdir()
    }
    paths = [path for path in made.paths("evaluate", "predictions") if "/words/" in str(path)]
    answers = [row for path in paths for row in artifacts.rows_of(path, PREDICTIONS)]
    assert {len(row["samples"]) for row in answers} == {3}
    for variant in ("original", "counterfactual"):
        of_variant = [row for row in answers if row["question_id"].endswith(variant)]
        (majority,) = table.query("variant == @variant and measure == 'majority' and k == '3'")["value"]
        assert majority == pytest.approx(100 * sum(row["correct"] for row in of_variant) / len(of_variant), abs=1e-4)
    assert "## Several samples" in (folder / "report.md").read_text(encoding="utf-8")

    del drawn["samples"]
    made.run("evaluate", "aggregate")
    assert "## Several samples" not in (folder / "report.md").read_text(encoding="utf-8")
    assert not any("repeats" in str(path) for job in made.graph.jobs for path in job.published)
