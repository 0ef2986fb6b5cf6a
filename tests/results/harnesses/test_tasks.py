"""The tasks that are written into a published data set, as files; `test_same_scores.py` runs them."""

from __future__ import annotations

import ast
import base64
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import datasets
import pandas as pd
import pytest
import yaml

from tests.results.harnesses.environments import INSPECT_AI, needs, python
from tests.results.harnesses.published import NEVER_FOUND, awkward, labelled, publish, row, several
from whatif.engine.errors import WhatifError
from whatif.engine.language.options import printed_question
from whatif.results.harnesses import scores
from whatif.results.harnesses.hub_tasks import eval_splits
from whatif.results.harnesses.published_questions import PublishedQuestions
from whatif.results.harnesses.tasks import task_name, vlmevalkit_name, write_tasks

CHOICES = ["red", "blue"]


def item(name: str, variant: str, **more: Any) -> dict[str, Any]:
    about = {"question_id": f"{name}-{variant}", "pair_id": name, "variant": variant}
    return row(0, "choice", "What colour is it?", CHOICES, "A", **{**about, **more})


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set whose questions have two images, one or none, with its tasks."""
    folder = publish(tmp_path_factory.mktemp("ways") / "mucr", several()[0], single=False)
    write_tasks("mucr", folder)
    return folder


def utils_of(folder: Path) -> ModuleType:
    """The functions that lmms-eval calls, from the exported file."""
    spec = importlib.util.spec_from_file_location("exported_utils", folder / "tasks/lmms-eval/utils.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_written_and_said(tmp_path: Path) -> None:
    folder = publish(tmp_path / "cvqa-real", labelled("open")[0], single=True)
    told = write_tasks("cvqa-real", folder)
    assert [line.removeprefix(f"{folder}/") for line in told] == [
        "tasks/lmms-eval: task whatif_cvqa_real: 212 questions",
        "tasks/inspect_ai: task whatif_cvqa_real: 212 questions",
        "tasks/vlmevalkit/WhatIf_CVQA_Real_OpenEnded.tsv: 212 questions",
        "eval.yaml: tasks original, counterfactual: 212 questions",
    ]
    before = files_of(folder)
    assert set(before) - {"README.md"} == {
        *(f"questions/test-0000{number}-of-00002.parquet" for number in (0, 1)),
        *("eval.yaml", "eval/original-00000-of-00001.parquet", "eval/counterfactual-00000-of-00001.parquet"),
        *("tasks/lmms-eval/utils.py", "tasks/lmms-eval/whatif_cvqa_real.yaml"),
        *("tasks/inspect_ai/whatif_cvqa_real.py", "tasks/vlmevalkit/WhatIf_CVQA_Real_OpenEnded.tsv"),
    }
    assert write_tasks("cvqa-real", folder) == told and files_of(folder) == before
    texts = [data for name, data in before.items() if not name.endswith(".parquet")]
    assert not any(str(tmp_path).encode() in data or b"/root" in data or b"/home" in data for data in texts)
    assert eval_splits(folder) == {
        "original": "eval/original-*.parquet",
        "counterfactual": "eval/counterfactual-*.parquet",
    }


def test_a_folder_that_was_moved_still_works(ways: Path, tmp_path: Path) -> None:
    moved = ways.rename(tmp_path / "moved")
    try:
        text = (moved / "tasks/lmms-eval/whatif_mucr.yaml").read_text(encoding="utf-8").replace("!function", "!!str")
        files = yaml.safe_load(text)["dataset_kwargs"]["data_files"]["test"]
        assert len(files) == 2
        assert all((moved / "tasks/lmms-eval" / file).resolve().is_file() for file in files)
        tree = ast.parse((moved / "tasks/inspect_ai/whatif_mucr.py").read_text(encoding="utf-8"))
        functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        assert "whatif_mucr" in functions and "whatif_benchmark" not in functions
    finally:
        moved.rename(ways)


def test_questions_with_two_images_one_and_none(ways: Path) -> None:
    utils = utils_of(ways)
    read = datasets.load_dataset("parquet", data_files={"test": str(ways / "questions/*.parquet")}, split="test")
    kept = utils.process_docs(read)
    assert len(kept) == 12
    assert {one["variant"]: len(utils.doc_to_visual(one)) for one in kept} == {"separate": 2, "composite": 1, "text": 0}
    assert all(image.mode == "RGB" for one in kept for image in utils.doc_to_visual(one))
    text = utils.doc_to_text(kept[0], {"pre_prompt": "<", "post_prompt": ">"})
    assert text == f"<{printed_question(kept[0]['question'], kept[0]['choices'])}\nAnswer with one letter.>"
    assert utils.doc_to_text({**kept[0], "prompt": "As published."}) == "As published."
    assert utils.process_results_of_groups(kept[0], ["The answer is A. Wait, B."]) == {
        "accuracy_first_separate": {
            **{name: kept[0][name] for name in ("question_id", "pair_id", "group", "variant")},
            **{"score": 1.0, "answer": "B", "status": "ok", "reason": None},
        }
    }
    assert utils.process_results_of_groups(kept[0], [["A"]])["accuracy_first_separate"]["score"] == 0.0
    assert utils.process_results_of_groups(kept[0], [])["accuracy_first_separate"]["status"] == "none"


def test_vlmevalkit_gets_questions_in_text_apart(ways: Path) -> None:
    folder = ways / "tasks/vlmevalkit"
    assert sorted(path.name for path in folder.iterdir()) == ["WhatIf_MuCR.tsv", "WhatIf_MuCR_Text.tsv"]
    shown, text = (pd.read_csv(folder / f"WhatIf_MuCR{suffix}.tsv", sep="\t") for suffix in ("", "_Text"))
    assert "image" not in text.columns and list(text["variant"]) == ["text"] * 4
    by_id = {one["question_id"]: one["images"] for one in several()[0]}
    cells = dict(zip(map(str, shown["index"]), shown["image"], strict=True))
    for line in shown.to_dict("records"):
        cell = line["image"] if len(line["image"]) > 64 else cells[line["image"]]  # the tool's rule
        images = [base64.b64decode(one) for one in (json.loads(cell) if cell[0] == "[" else [cell])]
        assert images == by_id[line["question_id"]]
        names = json.loads(line["image_path"]) if line["image_path"][0] == "[" else [line["image_path"]]
        assert len(names) == len(images) and not any("/" in name for name in names)


def test_the_hub_gets_what_its_format_can_express(ways: Path) -> None:
    read = yaml.safe_load((ways / "eval.yaml").read_text(encoding="utf-8"))
    assert read["name"] == "whatif mucr" and read["evaluation_framework"] == "inspect-ai"
    assert [task["split"] for task in read["tasks"]] == ["composite", "text"]
    table = pd.read_parquet(ways / "eval/composite-00000-of-00001.parquet")
    assert all(image.startswith("data:image/png;base64,") for image in table["image"])
    assert set(pd.read_parquet(ways / "eval/text-00000-of-00001.parquet")["image"]) == {""}


@pytest.mark.parametrize("kind", ["choice", "open"])
def test_awkward_texts_are_read_as_they_are_or_left_out_with_a_line(kind: str, tmp_path: Path) -> None:
    rows, _ = awkward(kind)
    folder = publish(tmp_path / kind, rows, single=True)
    told = write_tasks(kind, folder)
    asked = {one["question_id"]: {name: one[name] for name in ("question", "choices", "answer")} for one in rows}
    read = datasets.load_dataset("parquet", data_files=str(folder / "questions/*.parquet"), cache_dir=str(tmp_path))
    documents = utils_of(folder).process_docs(read["train"])
    assert {one["question_id"]: {name: one[name] for name in asked[one["question_id"]]} for one in documents} == asked
    assert [utils_of(folder).doc_to_text(one) for one in documents] == [scores.asked(one) for one in documents]
    registered = datasets.load_dataset("parquet", data_files=str(folder / "eval/*.parquet"), cache_dir=str(tmp_path))
    found = {one["question_id"]: {name: one[name] for name in asked[one["question_id"]]} for one in registered["train"]}
    left_out = {key: one for key, one in asked.items() if one["answer"] in NEVER_FOUND}
    assert found == {key: one for key, one in asked.items() if key not in left_out}
    assert [line.partition(": ")[2] for line in told if "whose answer is empty" in line] == [
        f"{number} questions whose answer is empty, in several lines, or between spaces are not in eval.yaml"
        for number in [len(left_out)]
        if number
    ]


def test_images_that_are_not_published(tmp_path: Path) -> None:
    rows = [item("a", "original"), item("a", "counterfactual"), item("b", "original", images=[None])]
    folder = publish(tmp_path / "ours", rows, single=True, shards=1)
    told = write_tasks("ours", folder)
    assert told[0] == "ours: 1 questions whose images are not published are in no task"
    assert all(line.endswith(": 2 questions") for line in told[1:])
    read = datasets.load_dataset("parquet", data_files={"test": str(folder / "questions/*.parquet")}, split="test")
    assert [one["question_id"] for one in utils_of(folder).process_docs(read)] == ["a-counterfactual", "a-original"]
    nothing = publish(tmp_path / "nothing", rows[2:], single=True, shards=1)
    assert write_tasks("nothing", nothing) == ["nothing: no tasks: no question has images that may be published"]
    assert not (nothing / "tasks").exists()


def test_sets_without_questions_or_with_two_kinds(tmp_path: Path) -> None:
    (told,) = write_tasks("coco-counterfactuals", tmp_path)
    assert told.startswith("coco-counterfactuals: no tasks: pairs of captions and images are scored by similarity")
    rows = [item("a", "original"), row(3, "number", "How many?", None, "3")]
    folder = publish(tmp_path / "mixed", rows, single=True, shards=1)
    told = write_tasks("mixed", folder)
    assert [path.name for path in sorted((folder / "tasks/vlmevalkit").iterdir())] == [
        "WhatIf_Mixed.tsv",
        "WhatIf_Mixed_OpenEnded.tsv",
    ]
    assert told[-1] == "mixed: no eval.yaml: the hub's format has one image and one kind of question"
    (tmp_path / "empty" / "questions").mkdir(parents=True)
    with pytest.raises(WhatifError, match="has no test-"):
        write_tasks("empty", tmp_path / "empty")


def test_memory_holds_one_row_group(ways: Path) -> None:
    questions = PublishedQuestions(ways)
    known = {one["question_id"]: one["images"] for one in several()[0]}
    for one in reversed(list(questions)):
        assert [questions.encoded(image) for image in one["image_ids"]] == known[one["question_id"]]


def test_accuracies_of_pairs_and_of_items_with_several_counterfactual_questions() -> None:
    def outcomes(**right: dict[str, float]) -> list[dict[str, Any]]:
        return [scores.outcome(item(name, way), value) for name, ways in right.items() for way, value in ways.items()]

    pairs = outcomes(a={"original": 1, "counterfactual": 1}, b={"original": 1, "counterfactual": 0}, c={"original": 0})
    assert scores.accuracies(pairs) == {
        "accuracy_original": 2 / 3,
        "accuracy_counterfactual": 0.5,
        "pair_accuracy": 0.5,  # a question without its partner is in no pair
    }
    items = outcomes(a={"basic": 1, "counterfactual": 1, "counterfactual1": 0}, b={"basic": 0, "counterfactual": 1})
    assert scores.accuracies(items)["pair_accuracy"] == 1 / 3  # acc_plus of CFMM: over pairs with the basic question
    assert scores.accuracies(items)["accuracy_counterfactual"] == 2 / 3
    assert scores.accuracies([]) == {}
    assert scores.accuracy([]) == scores.pair_accuracy([]) == 0.0


def test_groups_in_any_alphabet_have_names_of_their_own(tmp_path: Path) -> None:
    rows = [item(name, "text", group=name) for name in ("猫", "犬", "A b")]
    assert scores.measures(rows) == ["accuracy_a_b_text", "accuracy_犬_text", "accuracy_猫_text"]
    assert set(scores.accuracies([scores.outcome(one, 1.0) for one in rows])) == set(scores.measures(rows))
    with pytest.raises(WhatifError, match="group a-b, variant text: has the name of group A b, variant text, in the"):
        scores.measures([*rows, item("x", "text", group="a-b")])
    folder = publish(tmp_path / "ours", [item("a", "no"), item("b", "否")], single=True, shards=1)
    write_tasks("ours", folder)
    assert {task["split"] for task in yaml.safe_load((folder / "eval.yaml").read_bytes())["tasks"]} == {"no", "否"}
    assert set(eval_splits(folder)) == {"no", "否"}


def test_a_response_that_was_cut_off_has_no_answer() -> None:
    asked = item("a", "original")
    assert scores.score(asked, "I think that it is A").correct
    assert scores.score(asked, "I think that it is A", cut_off=True).status == "none"


def test_what_a_tool_gives_in_place_of_a_response_is_an_error(ways: Path) -> None:
    asked = {**item("a", "original"), "choices": [], "answer": "429", "answer_kind": "number"}
    said = "The maximum context length is 429 tokens."
    assert scores.score(asked, said).correct
    failed = scores.score(asked, said, failure="model_length")
    assert (failed.status, failed.reason, failed.correct) == ("error", "model_length", False)
    assert scores.score(asked, "[LMMS_EVAL_REQUEST_FAILED after 5 retries] Error code: 429").status == "error"
    # lmms-eval scores what its filters return; without any, that is the response itself.
    text = (ways / "tasks/lmms-eval/whatif_mucr.yaml").read_text(encoding="utf-8")
    assert "filter_list" not in yaml.safe_load(text.replace("!function", "!!str"))
    (outcome,) = utils_of(ways).process_results_of_groups({**asked, "answer": "0"}, [None]).values()
    assert (outcome["status"], outcome["score"]) == ("none", 0.0)


SCORED = """
import asyncio, json
from inspect_ai.model import ModelOutput
from inspect_ai.model._model_output import as_stop_reason
from inspect_ai.scorer import Target
from types import SimpleNamespace
from whatif.results.harnesses.inspect_ai_task import whatif_extraction
row = {"question": "How many?", "choices": [], "answer": "8192", "answer_kind": "number"}
said = "This model's maximum context length is 8192 tokens."
ends = [("stop", None), ("content_filter", None), ("model_length", None), ("stop", "bad gateway")]
for reason, error in (*ends, (as_stop_reason("network_error"), None)):
    output = ModelOutput.from_content("m", said, stop_reason=reason, error=error)
    print(asyncio.run(whatif_extraction()(SimpleNamespace(output=output, metadata=row), Target(""))).explanation)
"""


@needs(INSPECT_AI)
@pytest.mark.process
def test_inspect_ai_gives_an_endpoints_message_as_a_response(tmp_path: Path) -> None:
    printed = python(INSPECT_AI, "-c", SCORED, folder=tmp_path)
    withheld = "none: refused: finish reason content_filter"
    reasons = ("model_length", "bad gateway", "unknown")
    assert printed.splitlines() == ["ok", withheld, *(f"error: {reason}" for reason in reasons)]


@pytest.mark.parametrize(
    ("name", "task", "data_set"),
    [
        ("cvqa-synthetic", "whatif_cvqa_synthetic", "WhatIf_CVQA_Synthetic"),
        ("My.Set 2", "whatif_my_set_2", "WhatIf_My_Set_2"),
    ],
)
def test_names(name: str, task: str, data_set: str) -> None:
    assert (task_name(name), vlmevalkit_name(name)) == (task, data_set)
    with pytest.raises(WhatifError, match="no letter or digit"):
        task_name("--")
