"""`whatif audit`: what it prints and writes, outside any project, in the light installation."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.command_line import whatif
from tests.results.auditing.benchmarks import choices, pairs, write_csv, write_jsonl, yes_no

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_it_says_what_was_taken_as_what_and_writes_scores_and_a_page(tmp_path: Path) -> None:
    write_csv(tmp_path / "q.csv", choices(60, share=0.9))
    result = whatif("audit", "q.csv", "--folds", "3", "--scores", "s.csv", "--html", "page.html")
    assert result.exit_code == 0, result.stderr
    first = result.stdout.splitlines()[0]
    assert first == (
        "q.csv: CSV, 60 questions: question `question`, options `choices`, answer `answer`; picture `image_id`; "
        "group `category`; id `question_id`"
    )
    assert "| always option 4 from below " in result.stdout and "q.csv: " in result.stdout.splitlines()[-3]
    with (tmp_path / "s.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 60 and all(0 <= float(row["guessable"]) <= 1 for row in rows)
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    again = whatif("audit", "q.csv", "--folds", "3", "--scores", "s.parquet", "--html", "again.html")
    assert again.exit_code == 0 and pq.read_table(tmp_path / "s.parquet").num_rows == 60
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "page.html").read_bytes()


@pytest.mark.slow
def test_pruning_writes_what_is_kept_and_what_is_dropped(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "q.jsonl", pairs(80, share=0.7))
    result = whatif("audit", "q.jsonl", "--folds", "2", "--prune", "kept.jsonl", "--html", "page.html")
    assert result.exit_code == 0, result.stderr
    assert "round 1: " in result.stderr and "Pruning selects" in result.stdout
    kept = (tmp_path / "kept.jsonl").read_text().splitlines()
    with (tmp_path / "kept.dropped.csv").open() as file:
        dropped = list(csv.DictReader(file))
    assert len(kept) + len(dropped) == 160 and dropped and len(kept) % 2 == 0
    assert set(kept) < set((tmp_path / "q.jsonl").read_text().splitlines())
    assert "Fresh audit" in (tmp_path / "page.html").read_text()


def test_counterfactual_captions(tmp_path: Path) -> None:
    rows = [
        {"key": place, "one": "a dog on grass", "two": f"a {w} on grass"} for place, w in enumerate(["cat", "fox"] * 20)
    ]
    write_jsonl(tmp_path / "c.jsonl", rows)
    result = whatif("audit", "c.jsonl", "--pairs", "one,two", "--folds", "2")
    assert "captions `one` (original) and `two` (counterfactual)" in result.stdout
    line = next(line for line in result.stdout.splitlines() if "both captions" in line and "TF-IDF" in line)
    assert "100.0 (" in line


@pytest.mark.process
def test_the_light_installation_is_enough(tmp_path: Path) -> None:
    write_csv(tmp_path / "q.csv", yes_no(30, told=0.9))
    code = (
        "import sys; from whatif.commands.cli import main\n"
        "main(['audit', 'q.csv', '--folds', '2', '--html', 'p.html', '--scores', 's.csv'], standalone_mode=False)\n"
        "heavy = {'torch', 'transformers', 'dvc', 'snakemake', 'diffusers', 'nltk', 'openpyxl'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.slow
def test_a_language_model_is_fine_tuned_from_a_checkpoint(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    write_csv(tmp_path / "q.csv", yes_no(60, told=1.0))
    runs = [
        whatif("audit", "q.csv", "--folds", "2", "--language-model", "embedded:masked-language", "--scores", name)
        for name in ("a.csv", "b.csv")
    ]
    assert runs[0].exit_code == 0, runs[0].stderr
    assert "fine-tuned language model" in runs[0].stdout
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    with (tmp_path / "a.csv").open() as file:
        assert all(0 <= float(row["language_model"]) <= 1 for row in csv.DictReader(file))
