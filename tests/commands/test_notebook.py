"""The public face: results and artifacts as data frames."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import nbformat
import pandas as pd
import pytest
import yaml

import whatif
from tests.benchmarks.cvqa_synthetic.small import BEFORE_MODELS, NAME, small
from tests.projects import Project

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples" / "results.ipynb"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Six templates of four puzzles, answered by three baselines."""
    project = small(Project(tmp_path_factory.mktemp("project")))
    project.make(*BEFORE_MODELS, "evaluate", "aggregate")
    (project.folder / "params.yaml").write_text(yaml.safe_dump(project.values), encoding="utf-8")
    return project


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, whatif; dir(whatif); "
        "print(sorted({'pandas', 'pyarrow', 'numpy', 'torch', 'scipy', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there_and_documented() -> None:
    for name in whatif.__all__:
        assert getattr(whatif, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = whatif.no_such_name  # type: ignore[attr-defined]
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert [name for name in whatif.__all__ if name not in page and name not in ("Interval", "WhatifError")] == []


def test_tables_are_tidy_frames_of_the_numbers_that_were_published(made: Project) -> None:
    assert whatif.tables(NAME, made.folder) == [
        *("table7", "paired", "templates", "drops", "letters", "counted", "rules", "shortcuts", "reading", "costs"),
        *("programs", "funnel"),
    ]
    headline = json.loads((made.folder / f"metrics/{NAME}.json").read_text(encoding="utf-8"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", whatif.StaleNumbers)
        frame = whatif.load(NAME, "table7", made.folder)
    for model, numbers in headline.items():
        of_model = frame[frame["model"] == model]
        assert of_model[of_model["measure"] == "drop"]["value"].tolist() == [numbers["drop"]]
        accuracies = of_model[of_model["measure"] == "accuracy"].set_index("variant")["value"]
        assert accuracies.to_dict() == {v: numbers[v] for v in ("original", "counterfactual")}
    assert len(headline) == 3


def test_artifacts_are_those_of_the_last_stage_of_all_parts_and_models(made: Project) -> None:
    before = Path.cwd()
    questions = whatif.load(NAME, "questions", made.folder)
    predictions = whatif.load(NAME, "predictions", str(made.folder))
    images = whatif.load(NAME, "images", made.folder)
    assert Path.cwd() == before
    assert len(questions) == 48 and isinstance(questions["choices"][0], list)
    assert predictions.groupby("model").size().to_dict() == dict.fromkeys(("first-option", "majority", "random"), 48)
    assert set(predictions["question_id"]) == set(questions["question_id"])
    assert predictions["prompt_tokens"].isna().all() and str(predictions["prompt_tokens"].dtype) == "Int64"
    assert sorted({image for ids in questions["image_ids"] for image in ids}) == images["image_id"].tolist()
    assert images["image"][0]["bytes"].startswith(b"\x89PNG")
    right = predictions[predictions["model"] == "majority"].merge(questions, on="question_id")
    share = 100 * right[right["variant"] == "original"]["correct"].mean()
    table7 = whatif.load(NAME, "table7", made.folder)
    rows = table7[(table7["model"] == "majority") & (table7["measure"] == "accuracy")]
    assert rows[rows["variant"] == "original"]["value"].item() == pytest.approx(share, abs=1e-4)


def test_the_audit_of_a_frame_is_that_of_the_report(made: Project) -> None:
    questions = whatif.load(NAME, "questions", made.folder)
    found = whatif.audit_shortcuts(questions, folds=2, seed=made.values["seed"])
    reported = whatif.load(NAME, "shortcuts", made.folder)
    shared = found[found["rule"].isin(list(reported["rule"]))].reset_index(drop=True)
    assert set(found["rule"]) == {*reported["rule"], "length", "majority", "text"} and set(found["chance"]) == {25.0}
    pd.testing.assert_frame_equal(shared[list(reported.columns)].drop(columns="set"), reported.drop(columns="set"))
    with pytest.raises(whatif.WhatifError, match="questions: no column is recognised as an answer"):
        whatif.audit_shortcuts(questions.drop(columns="answer"))


@pytest.mark.parametrize(
    ("benchmark", "what", "message"),
    [
        (NAME, "table8", f"{NAME}: has no 'table8'; its tables are table7, paired, .*, its artifacts images, "),
        ("scenes", "table7", f"scenes: not among the benchmarks of params.yaml \\({NAME}\\)"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(made: Project, benchmark: str, what: str, message: str) -> None:
    with pytest.raises(whatif.WhatifError, match=message):
        whatif.load(benchmark, what, made.folder)


def test_before_anything_is_made_it_says_how_to_make_it(tmp_path: Path) -> None:
    project = small(Project(tmp_path))
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(project.values), encoding="utf-8")
    with pytest.raises(whatif.WhatifError, match=r"table7.csv: not made yet; `dvc repro`"):
        whatif.load(NAME, "table7", tmp_path)
    with pytest.raises(whatif.WhatifError, match="no such artifact"):
        whatif.load(NAME, "predictions", tmp_path)


def test_numbers_of_other_parameters_come_with_a_warning(made: Project, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(made.folder, folder)
    text = (folder / "params.yaml").read_text(encoding="utf-8").replace("image_size: 192", "image_size: 200")
    (folder / "params.yaml").write_text(text, encoding="utf-8")
    with pytest.warns(whatif.StaleNumbers, match=f"{NAME}.image_size: 192 -> 200") as caught:
        whatif.load(NAME, "table7", folder)
    assert caught[0].filename == __file__, "it points to the line that loads"


@pytest.mark.parametrize("where", ["a small project", "a fresh clone"])
def test_the_notebook_runs(made: Project, where: str, tmp_path: Path) -> None:
    """Its cells in a process of their own, in order; of a clone without artifacts it reads the tables alone."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.get("outputs") for cell in notebook.cells)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    script = tmp_path / "notebook.py"
    script.write_text("\n\n".join(cells), encoding="utf-8")
    root = made.folder
    if where == "a fresh clone":
        root = tmp_path / "clone"
        root.mkdir()
        for name in ("params.yaml", "metrics"):
            (root / name).symlink_to(made.folder / name)
    environment = {**os.environ, "WHATIF_ROOT": str(root), "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-W", "ignore", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert ("first-option" in done.stdout) == (where == "a small project")
    assert ("no such artifact" in done.stdout) == (where == "a fresh clone")
