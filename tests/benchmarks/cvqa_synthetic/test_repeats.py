"""C-VQA-Synthetic with a model that is asked each question several times, with several prompts."""

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


def test_the_tables_are_published_where_a_model_has_several_samples_or_prompts(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    made = small(project)
    made.generate["puzzles_per_template"] = 2
    drawn = {"temperature": 1.5, "samples": 3}
    checkpoint = {"adapter": "hf-chat", "checkpoint": str(tiny_llava(tmp_path / "llava")), "max_new_tokens": 3}
    words = {**checkpoint, "multiple_choice": "words", "decoding": drawn, "prompts": ["llava-1-5", "Q: {question}"]}
    models = {"random": {"adapter": "random"}, "words": words}
    made.values["models"] = models
    made.make(*STAGES)
    folder = made.folder / f"metrics/{NAME}"
    table = from_csv((folder / "repeats.csv").read_text(encoding="utf-8"))
    assert set(table["model"]) == {"words-llava-1-5", "words-text-1"}
    published = {path.name for path in folder.iterdir()}
    assert {"repeats.md", "repeats.tex", "prompt-sensitivity.md", "prompt-sensitivity.svg"} <= published
    table = table.query("model == 'words-text-1'")
    paths = [path for path in made.paths("evaluate", "predictions") if "/words-text-1/" in str(path)]
    answers = [row for path in paths for row in artifacts.rows_of(path, PREDICTIONS)]
    assert {len(row["samples"]) for row in answers} == {3}
    for variant in ("original", "counterfactual"):
        of_variant = [row for row in answers if row["question_id"].endswith(variant)]
        (majority,) = table.query("variant == @variant and measure == 'majority' and k == '3'")["value"]
        assert majority == pytest.approx(100 * sum(row["correct"] for row in of_variant) / len(of_variant), abs=1e-4)
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert "## Several samples" in text and "## Several prompts" in text
    by_prompt, paired = (
        from_csv((folder / f"{name}.csv").read_text(encoding="utf-8")) for name in ("prompt-sensitivity", "paired")
    )
    assert set(by_prompt["model"]) == {"words"} and set(by_prompt["prompt"]) == {"llava-1-5", "text-1", ""}
    for row in by_prompt.query("measure == 'drop'").to_dict("records"):
        of_model = paired[paired["model"] == f"words-{row['prompt']}"]
        (same,) = of_model.query("group == '' and measure == 'drop'").to_dict("records")
        assert [row[name] for name in ("value", "low", "high", "n")] == [
            same[name] for name in ("value", "low", "high", "n")
        ]

    del drawn["samples"], words["prompts"]
    made.run("evaluate", "aggregate")
    assert "## Several" not in (folder / "report.md").read_text(encoding="utf-8")
    assert not any(
        {"repeats.csv", "prompt-sensitivity.csv"} & {path.name} for job in made.graph.jobs for path in job.published
    )
