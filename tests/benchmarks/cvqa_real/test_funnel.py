"""The funnel of C-VQA-Real and the work of its writers: counts in are counts out plus counts rejected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.made_tables import declared, judged, pairs, rejected, report_task, source, written
from tests.frames import check, printed, value
from whatif.benchmarks.cvqa_real.funnel_stages import stages_of
from whatif.benchmarks.cvqa_real.settings import Writers
from whatif.benchmarks.cvqa_real.written_by import written_by
from whatif.people.imports.labels import REJECTED_LABEL
from whatif.results.reporting.funnel import funnel
from whatif.results.reporting.rendering import to_markdown

LABEL = f"{REJECTED_LABEL}000002"
WRITERS = Writers(direct=["rules", "a-chat"], indirect=["scenes"], boolean=["rules", "chat"])
SOURCES = [
    source("s1", "numerical", "3"),
    source("s2", "numerical", "2"),
    source("s3", "numerical", "1", image=2),
    source("s4", "boolean", "yes", image=2),
    source("s5", "boolean", "no", image=3),
]
BY_RULES = [
    written("s1", "direct", "rules", "5"),
    written("s2", "direct", "rules", "2"),
    written("s1", "indirect", "scenes", "0"),
    written("s4", "boolean", "rules", "no"),
]
UNCHANGED = {
    "s3-direct-rules": "compares two things",
    "s2-indirect-scenes": "no margin",
    "s3-indirect-scenes": "no margin",
    "s5-boolean-rules": "no subject",
}
BY_CHAT = [written("s2", "direct", "a-chat", "4"), written("s5", "boolean", "chat", "yes")]
UNWRITTEN = {"s1-direct-a-chat": "no reply", "s3-direct-a-chat": "reply refused", "s4-boolean-chat": "reply refused"}
BY_PEOPLE = [written("s3", "indirect", "people", "1")]
EVERYTHING = [*BY_RULES, *BY_CHAT, *BY_PEOPLE]


def tables_of(**more: Any) -> dict[str, Any]:
    """The inputs of the report for these sources, in which nothing is lost after generate."""
    made = pairs(SOURCES, EVERYTHING)
    stages = ("generated", "filtered questions", "checked", "questions")
    return {
        "source": SOURCES,
        "unusable": rejected({"s6": 'not "how many"', "s7": "no majority", "s8": "no majority"}),
        "missing": rejected({"4.png": "picture missing"}),
        "annotated": BY_PEOPLE,
        "annotations": [judged("s3", decision="indirect"), judged("s1", decision="none")],
        "unannotated": rejected(
            {"s1": "no counterfactual question", "s2": "not annotated", "s4": "not annotated", "s5": "not annotated"}
            | {LABEL: "unknown item"}
        ),
        "by-rules": BY_RULES,
        "unchanged": rejected(UNCHANGED),
        "by-model": BY_CHAT,
        "unwritten": rejected(UNWRITTEN),
        "written": EVERYTHING,
        **dict.fromkeys(stages, made),
        **more,
    }


def stages(folder: Path, tables: dict[str, Any], **more: Any) -> dict[tuple[str, str], tuple[int, int, dict[str, int]]]:
    """Stage and unit -> in, out, reasons."""
    task = report_task(folder, tables, WRITERS, **more)
    found = stages_of(task, written_by(task), {}, {})
    check(funnel(found))  # raises if counts do not add up
    assert len({(one.stage, one.unit) for one in found}) == len(found)
    return {(one.stage, one.unit): (one.came_in, one.went_on, dict(one.rejected)) for one in found}


def test_every_stage_of_a_set_with_all_kinds_of_writers(tmp_path: Path) -> None:
    found = stages(tmp_path, tables_of())
    assert found == {
        ("extract", "images"): (1, 0, {"picture missing": 1}),
        ("extract", "questions"): (8, 5, {'not "how many"': 1, "no majority": 2}),
        ("annotate", "labels"): (3, 2, {"unknown item": 1}),
        ("annotate", "questions"): (5, 1, {"no counterfactual question": 1, "not annotated": 3}),
        ("write direct by rules", "questions"): (3, 2, {"compares two things": 1}),
        ("write direct by a-chat", "questions"): (3, 1, {"no reply": 1, "reply refused": 1}),
        ("write indirect by scenes", "questions"): (3, 1, {"no margin": 2}),
        ("write boolean by rules", "questions"): (2, 1, {"no subject": 1}),
        ("write boolean by chat", "questions"): (2, 1, {"reply refused": 1}),
        ("generate", "pairs"): (7, 7, {}),
        ("filter", "pairs"): (7, 7, {}),
        ("check", "pairs"): (7, 7, {}),
        ("verify", "pairs"): (7, 7, {}),
    }


def test_losses_after_generate_with_labels_and_refused_edits(tmp_path: Path) -> None:
    made = pairs(SOURCES, EVERYTHING)
    ids = sorted({row["pair_id"] for row in made})
    filtered, checked, verified = (
        [row for row in made if row["pair_id"] not in lost] for lost in (ids[:1], ids[:3], ids[:4])
    )
    edited = [row["question_id"] for row in checked if row["variant"] == "counterfactual"]
    polished = [
        {"question_id": one, "before": "a", "after": "b", "polisher": "chat", "request_key": None} for one in edited[1:]
    ]
    found = stages(
        tmp_path,
        tables_of(
            **{
                "filtered questions": filtered,
                "filtered": rejected({ids[0]: "wrong arithmetic"}),
                "checked": checked,
                "judgements": [judged(one) for one in ids[1:]],
                "unchecked": rejected({ids[1]: "unrelated", ids[2]: "not judged", LABEL: "unknown item"}),
                "polished": polished,
                "unpolished": rejected({edited[0]: "number changed"}),
                "questions": verified,
                "refused": rejected({ids[3]: "cannot be scored"}),
            }
        ),
    )
    assert {key: found[key] for key in list(found)[-6:]} == {
        ("generate", "pairs"): (7, 7, {}),
        ("filter", "pairs"): (7, 6, {"wrong arithmetic": 1}),
        ("check", "labels"): (7, 6, {"unknown item": 1}),
        ("check", "pairs"): (6, 4, {"not judged": 1, "unrelated": 1}),
        ("polish", "questions"): (4, 3, {"number changed": 1}),
        ("verify", "pairs"): (4, 3, {"cannot be scored": 1}),
    }


@pytest.mark.parametrize(
    ("role", "stage"),
    [("unchanged", ("write direct by rules", "questions")), ("unwritten", ("write boolean by chat", "questions"))],
)
def test_a_question_that_no_step_mentions_is_visible(tmp_path: Path, role: str, stage: tuple[str, str]) -> None:
    came_in, _, lost = stages(tmp_path, tables_of(**{role: []}))[stage]
    assert lost == {"without a reason": came_in - 1 if stage[0].endswith("chat") else 1}


def test_pairs_that_disappear_are_visible(tmp_path: Path) -> None:
    found = stages(
        tmp_path, tables_of(checked=pairs(SOURCES, EVERYTHING[:5]), questions=pairs(SOURCES, EVERYTHING[:5]))
    )
    assert found["check", "pairs"] == (7, 5, {"without a reason": 2})


def test_the_released_set_has_pairs_and_no_writers(tmp_path: Path) -> None:
    made = pairs(SOURCES, BY_RULES)
    kept = [row for row in made if row["pair_id"] != "s1-direct-rules"]
    given = {"source": made, "generated": made, "filtered questions": kept, "checked": kept, "questions": kept}
    found = stages(
        tmp_path, {**given, "filtered": rejected({"s1-direct-rules": "no picture"})}, released="released.csv"
    )
    assert found == {
        ("extract", "images"): (0, 0, {}),
        ("extract", "pairs"): (4, 4, {}),
        ("generate", "pairs"): (4, 4, {}),
        ("filter", "pairs"): (4, 3, {"no picture": 1}),
        ("check", "pairs"): (3, 3, {}),
        ("verify", "pairs"): (3, 3, {}),
    }


def test_the_table_of_writers(tmp_path: Path) -> None:
    made = pairs(SOURCES, EVERYTHING)
    doubtful = [
        {**row, "provenance": row["provenance"].replace('"source_id"', '"doubts":["another noun"],"source_id"')}
        for row in made
        if row["pair_id"] != "s4-boolean-rules"
    ]
    verified = [row for row in doubtful if row["pair_id"] != "s1-direct-rules"]
    given = tables_of(
        **{
            "filtered questions": doubtful,
            "filtered": rejected({"s4-boolean-rules": "near-duplicate"}),
            "checked": verified,
            "unchecked": rejected({"s1-direct-rules": "ambiguous"}),
            "questions": verified,
        }
    )
    table = declared("writers", work=written_by(report_task(tmp_path, given, WRITERS)))
    check(table)
    assert [list(row.values()) for row in printed(table)] == [
        ["people", "all", "5", "1", "4", "1", "1", "1", "0.0"],
        ["rules", "direct", "3", "2", "1", "2", "1", "1", "50.0"],
        ["a-chat", "direct", "3", "1", "2", "1", "1", "1", "100.0"],
        ["scenes", "indirect", "3", "1", "2", "1", "1", "1", "100.0"],
        ["rules", "boolean", "2", "1", "1", "0", "0", "0", ""],
        ["chat", "boolean", "2", "1", "1", "1", "1", "1", "100.0"],
    ]
    of_rules = {"writer": "rules", "measure": "lost"}
    assert value(table, group="direct", stage="check", reason="ambiguous", **of_rules) == 1
    assert value(table, group="boolean", stage="filter", reason="near-duplicate", **of_rules) == 1
    assert value(table, group="direct", stage="write", reason="compares two things", **of_rules) == 1
    assert value(table, group="direct", writer="rules", measure="doubts", reason="another noun") == 2


def test_without_writers_the_table_of_writers_is_empty() -> None:
    table = declared("writers", work=[])
    assert not len(table.frame)
    assert "A released set has no writers." in to_markdown(table).replace("\n", " ")
