"""C-VQA-Real with several strategies, and with files of responses to one of them: what each table shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.small import LINES, funnel, ours, small, table
from tests.projects import Project

pytestmark = pytest.mark.slow


@pytest.fixture
def project(project: Project) -> Project:
    return small(project)


def theirs(path: Path, response: str, name: str, **more: str) -> dict[str, Any]:
    """A model whose predictions are a file in the authors' format, with the same responses in every row."""
    header, *rows = LINES.splitlines()
    lines = [f"{header},response,new_response", *(f"{row},{response},{response}" for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {"adapter": "replay", "predictions": str(path), "name": name, **more}


def test_each_table_shows_the_answers_to_its_own_strategy(project: Project, tmp_path: Path) -> None:
    direct = theirs(tmp_path / "direct.csv", "2 or yes", "CogVLM-Chat")
    step_by_step = theirs(tmp_path / "cot.csv", "2 or yes", "LLaVA-1.5-13B (Vicuna-13B)", strategy="cot")
    project.values["models"] = {"direct-file": direct, "cot-file": step_by_step, "random": {"adapter": "random"}}
    project.values["evaluate"]["cvqa-real"].update(strategies=["cot", "direct"], sampled_models=["random"])
    project.run()
    metrics = project.metrics
    assert {table: set(metrics[table]) for table in ("table3", "table4", "table5")} == {
        "table3": {"direct-file"},
        "table4": {"cot-file", "random"},
        "table5": {"random"},
    }
    assert ours("table4", "accuracy")["name"].iloc[-1] == "random (a part)"
    assert "marked (a part), 10% of each group" in Path("metrics/cvqa-real/table4.md").read_text()
    for name, system in (("table3", "CogVLM-Chat"), ("table4", "LLaVA-1.5-13B")):
        frame = table(name)
        order = list(dict.fromkeys(frame[["source", "name", "group"]].itertuples(index=False, name=None)))
        places = [place for place, row in enumerate(order) if row[:2] == ("reported", system)]
        assert len(places) == 3
        assert all((order[place + 1][0], order[place + 1][2]) == ("ours", order[place][2]) for place in places)


def test_a_file_that_names_no_strategy_answers_the_one_that_is_asked(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project.values["models"] = {"theirs": theirs(tmp_path / "theirs.csv", "2 or yes", "Theirs")}
    project.values["evaluate"]["cvqa-real"]["strategies"] = ["plain"]
    project.run("extract", "generate", "filter", "verify", "evaluate")
    assert "theirs.csv: has responses to 6 of 6 questions" in capsys.readouterr().err
    assert len(project.rows("evaluate", "predictions")) == 6


@pytest.mark.parametrize("asked", [["cot", "direct"], ["direct", "cot"]])
def test_a_file_that_names_no_strategy_answers_direct_where_it_is_one_of_several(
    project: Project, tmp_path: Path, asked: list[str]
) -> None:
    project.values["models"] = {"theirs": theirs(tmp_path / "theirs.csv", "2 or yes", "Theirs")}
    project.values["evaluate"]["cvqa-real"]["strategies"] = asked
    assert [job.wildcards["strategy"] for job in project.jobs("evaluate")] == ["direct"]


def test_tables_show_another_strategy_where_direct_is_not_asked_and_no_file_that_answers_nothing(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "genders.csv").write_text("id,bb_gender\n1,Male\n2,Female\n", encoding="utf-8")
    (tmp_path / "elsewhere.csv").write_text("question_id,response\nmmbench-1,A\n", encoding="utf-8")
    project.values["extract"]["cvqa-real"]["gender_annotations"] = str(tmp_path / "genders.csv")
    project.values["models"] |= {
        "theirs": theirs(tmp_path / "theirs.csv", "2 or yes", "Theirs", strategy="ccot"),
        "elsewhere": {"adapter": "replay", "predictions": str(tmp_path / "elsewhere.csv")},
        "first-option": {"adapter": "first-option"},
    }
    asked = {"strategies": ["cot", "plain"], "sampled_models": ["random"], "sample_share": 0.4}
    project.values["evaluate"]["cvqa-real"].update(asked)
    project.run()
    for name in ("table3", "table5", "drops", "gender"):
        text = Path(f"metrics/cvqa-real/{name}.md").read_text().replace("\n", " ")
        assert "Our rows are answers to the strategy plain; the strategy direct was not asked." in text
        assert "our own questions" not in text  # they are the released ones
        assert "No annotations were given" not in text
    metrics = project.metrics
    assert {table: set(metrics[table]) for table in metrics} == {
        "table3": {"majority"},
        "table4": {"majority", "random"},
        "table5": {"random"},
    }
    assert metrics["table3"]["majority"]["direct"]["pairs"] == 1
    assert [metrics["table5"]["random"][group]["pairs"] for group in ("direct", "indirect", "boolean")] == [1, 1, 1]
    assert "Our rows" not in Path("metrics/cvqa-real/table4.md").read_text()
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("whatif: theirs: ")]
    assert told[0] == (
        "whatif: theirs: not evaluated on cvqa-real: its file has responses to the strategy ccot, which is not asked; "
        "correct `strategy` of the model, or leave it out"
    )
    for model in ("theirs", "elsewhere"):
        of_model = [row[1:] for row in funnel() if row[0] == f"evaluate {model} cot"]
        assert of_model[-1] == ("rejected because", "no response in its file", 6)
        assert [row[2] for row in of_model] == [6, 0, 6, 6]
    assert not any("first-option" in row[0] for row in funnel())


def test_tables_3_and_5_say_so_when_only_step_by_step_was_asked(project: Project, tmp_path: Path) -> None:
    (tmp_path / "genders.csv").write_text("id,bb_gender\n1,Male\n2,Female\n", encoding="utf-8")
    project.values["extract"]["cvqa-real"]["gender_annotations"] = str(tmp_path / "genders.csv")
    project.values["evaluate"]["cvqa-real"]["strategies"] = ["cot"]
    project.run()
    for name in ("table3", "table5", "drops", "gender"):
        text = Path(f"metrics/cvqa-real/{name}.md").read_text().replace("\n", " ")
        assert "It shows answers to the strategy direct alone; asked was only cot." in text
        frame = table(name)
        assert not len(frame if name == "drops" else frame[frame["source"] == "ours"])
    assert set(project.metrics) == {"table4"}
