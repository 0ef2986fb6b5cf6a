"""What is made again after which change, and that nothing else is."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.engine.graph import toy
from tests.engine.graph.conftest import ALL, PART, Project, conditions, reasons
from whatif.commands.snakemake import accepts
from whatif.engine import artifacts
from whatif.engine.artifacts import verified
from whatif.engine.artifacts.schemas import REJECTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import open_temporary
from whatif.engine.graph import code_index, freshness, stash
from whatif.engine.graph.freshness import Condition, states
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.prologue import prepare
from whatif.engine.graph.run import run
from whatif.engine.graph.steps import Step
from whatif.engine.graph.task import Task

pytestmark = pytest.mark.slow


def test_first_run_makes_everything_and_a_second_nothing(project: Project) -> None:
    assert set(conditions(project).values()) == {Condition.MISSING}
    assert project.run() == ALL
    assert set(conditions(project).values()) == {Condition.FRESH}
    assert project.run() == []
    assert json.loads(Path("metrics/toy.json").read_text()) == {"sum": 2 * 2 * (2024 + 4)}


def test_nothing_is_said_of_the_published_files_of_a_fresh_clone(project: Project) -> None:
    project.run()
    for folder in ("data", ".whatif"):
        shutil.rmtree(folder)
    project.messages.clear()
    assert project.run() == ALL
    assert [line for line in project.messages if line.startswith("not fresh")] == []


def test_a_parameter_edit_names_the_parameter_and_runs_what_depends_on_it(project: Project) -> None:
    project.run()
    project.values["generate"]["toy"]["image_size"] = 512
    assert "generate.toy.image_size: 448 -> 512" in reasons(project)
    assert conditions(project)["evaluate toy first"] is Condition.UNKNOWN
    assert project.run() == ALL[1:]
    assert json.loads(Path("metrics/toy.json").read_text()) == {"sum": 2 * 2 * (2024 + 5)}


def test_what_is_unfinished_is_asked_again_until_it_is_done(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    down = True

    def give_up(task: Task[Any]) -> None:
        if down and task.wildcards["model"] == "first":
            task.outputs.unfinished(12, "token budget reached")

    monkeypatch.setitem(toy.DURING, "evaluate", give_up)
    assert project.run() == ALL, "later steps are made from what there is"
    assert (conditions(project)["evaluate toy first"], conditions(project)["aggregate toy"]) == (
        Condition.STALE,
        Condition.UNKNOWN,
    )
    assert reasons(project)[0] == "12 questions given up: token budget reached"
    again = Path("data/evaluate/first/toy/rows.parquet").read_bytes()
    assert project.run() == ["evaluate first"], "neither the stash nor the file itself will do"
    assert Path("data/evaluate/first/toy/rows.parquet").read_bytes() == again
    accepted = states(project.graph, lambda job: job.name == "evaluate toy first")
    assert {state.condition for state in accepted.values()} == {Condition.FRESH}
    down = False
    assert project.run() == ["evaluate first"]
    assert set(conditions(project).values()) == {Condition.FRESH}
    assert project.run() == []


def test_a_run_that_fails_leaves_what_was_unfinished_as_it_was(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(toy.DURING, "evaluate", lambda task: task.outputs.unfinished(1, "no reply"))
    project.run()
    before = Path("data/evaluate/first/toy/rows.parquet").read_bytes()

    def fail(task: Task[Any]) -> None:
        raise WhatifError("the account has no credit left")

    monkeypatch.setitem(toy.DURING, "evaluate", fail)
    with pytest.raises(WhatifError, match="no credit"):
        project.run()
    assert Path("data/evaluate/first/toy/rows.parquet").read_bytes() == before
    assert Path("metrics/toy.json").exists()
    assert "1 question given up: no reply" in reasons(project)


@pytest.mark.parametrize(
    ("asked_for", "again"),
    [
        ((), True),
        (("all",), True),
        (("evaluate",), True),
        (("evaluate-first",), True),
        (("data/evaluate/first/toy/rows.parquet",), True),
        (("evaluate-second",), False),
        (("aggregate",), False),
        (("extract", "generate"), False),
    ],
)
def test_what_is_unfinished_is_asked_again_when_it_is_asked_for(
    project: Project, asked_for: tuple[str, ...], again: bool
) -> None:
    (job,) = [job for job in project.graph.jobs if job.name == "evaluate toy first"]
    assert accepts(project.graph, asked_for)(job) != again


def test_the_same_rows_again_stop_the_run_there(project: Project) -> None:
    project.run()
    # 449 // 100 is 448 // 100: the parts are made again with the same rows, and nothing after them.
    project.values["generate"]["toy"]["image_size"] = 449
    assert project.run() == ["generate part-000-of-002", "generate part-001-of-002"]
    assert set(conditions(project).values()) == {Condition.FRESH}


def test_an_added_model_is_evaluated_alone(project: Project) -> None:
    project.run()
    project.values["models"]["third"] = {"adapter": "first-option"}
    assert project.run() == ["evaluate third", "aggregate"]
    del project.values["models"]["third"]
    assert project.run() == []
    assert not Path("data/evaluate/third/toy/rows.parquet").exists()


def test_a_deleted_artifact_is_made_again_and_nothing_else(project: Project) -> None:
    project.run()
    before = PART.read_bytes()
    PART.unlink()
    assert conditions(project)["aggregate toy"] is Condition.UNKNOWN
    assert project.run() == ["generate part-001-of-002"]
    assert PART.read_bytes() == before


def test_an_artifact_edited_with_its_footer_kept_is_noticed(project: Project) -> None:
    project.run()
    before = PART.read_bytes()
    metadata = pq.read_metadata(PART).metadata
    rows = pq.read_table(PART).to_pylist()
    rows[0]["detail"] = "9999"
    with pq.ParquetWriter(PART, REJECTIONS.schema, compression="zstd", compression_level=3) as writer:
        writer.write_table(pa.Table.from_pylist(rows, schema=REJECTIONS.schema))
        writer.add_key_value_metadata({k: v for k, v in metadata.items() if k != b"ARROW:schema"})
    assert artifacts.footer_of(PART).table == REJECTIONS.label
    assert any("was edited" in reason for reason in reasons(project))
    assert project.run() == ["generate part-001-of-002"]
    assert PART.read_bytes() == before
    assert list(stash.SET_ASIDE.rglob("*.parquet"))


def with_footer(path: Path, changes: dict[bytes, bytes]) -> None:
    """Writes an artifact again with the same bytes of rows and other entries in its footer."""
    metadata = pq.read_metadata(path).metadata
    rows = pq.read_table(path)
    with pq.ParquetWriter(path, REJECTIONS.schema, compression="zstd", compression_level=3) as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata({**{k: v for k, v in metadata.items() if k != b"ARROW:schema"}, **changes})


@pytest.mark.parametrize("entry", [b"made_from", b"fingerprint"])
def test_an_altered_record_of_what_an_artifact_was_made_from_is_noticed_by_every_reader(
    project: Project, entry: bytes
) -> None:
    project.run()
    before = PART.read_bytes()
    with_footer(PART, {})
    made_from = json.loads(pq.read_metadata(PART).metadata[b"made_from"])
    made_from["parameters"]["seed"] = 1
    altered = artifacts.canonical_json(made_from) if entry == b"made_from" else "0" * 64
    with_footer(PART, {entry: altered.encode()})
    with pytest.raises(WhatifError, match=r"part-001-of-002\.parquet: was altered: what it says it was made from"):
        artifacts.footer_of(PART)
    assert [reason for reason in reasons(project) if "was altered" in reason]
    with pytest.raises(WhatifError, match="was altered"):
        next(artifacts.rows_of(PART, REJECTIONS))
    assert project.run() == ["generate part-001-of-002"]
    assert PART.read_bytes() == before


@pytest.mark.parametrize("damage", [b"", b"PAR1 cut off", b"\x00" * 4000])
def test_a_truncated_artifact_is_noticed(project: Project, damage: bytes) -> None:
    project.run()
    before = PART.read_bytes()
    PART.write_bytes(damage)
    assert project.run() == ["generate part-001-of-002"]
    assert PART.read_bytes() == before


@pytest.mark.parametrize("edit", [None, b'{"sum": 7}'])
def test_a_deleted_or_edited_text_file_is_written_again_without_computing(project: Project, edit: bytes | None) -> None:
    project.run()
    text = Path("metrics/toy.json")
    before = text.read_bytes()
    if edit is None:
        text.unlink()
    else:
        text.write_bytes(edit)
    assert conditions(project)["aggregate toy"] is not Condition.FRESH
    assert project.run() == []
    assert text.read_bytes() == before


def test_times_in_the_wrong_order_are_mended_not_recomputed(
    project: Project, shuffle_times: Callable[[], None]
) -> None:
    project.run()
    shuffle_times()
    assert project.run() == []
    graph = project.graph
    for job in graph.jobs:
        inputs = [path.stat().st_mtime_ns for path in job.input_paths]
        outputs = [path.stat().st_mtime_ns for path in (*job.outputs.values(), *job.published)]
        assert min(outputs) >= max(inputs, default=0)


def test_a_failing_step_leaves_no_output_and_says_where_it_failed(project: Project) -> None:
    project.values["models"]["second"]["name"] = "fails"
    with pytest.raises(RuntimeError, match="broke down"):
        project.run()
    assert Path("data/evaluate/first/toy/rows.parquet").exists()
    assert not [path for path in Path("data/evaluate/second").rglob("*") if path.is_file()]
    project.values["models"]["second"]["name"] = "works"
    assert project.run() == ["evaluate second", "aggregate"]


def test_changed_code_is_named_as_the_reason(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.run()
    version = code_index.code_version
    changed = {"tests.engine.graph.toy": "0123456789abcdef"}
    monkeypatch.setattr(freshness, "code_version", lambda roots: changed if "generate" in roots[0] else version(roots))
    assert any(reason.startswith("code of tests.engine.graph.toy: ") for reason in reasons(project))
    assert project.run() == ["generate part-000-of-002", "generate part-001-of-002"]


def test_a_second_run_in_one_checkout_is_told_who_holds_it(project: Project) -> None:
    project.run()
    project.values["seed"] = 1
    first = prepare(project.graph, project.messages.append)
    with pytest.raises(WhatifError, match=rf"in use: process {os.getpid()} on .* since \d{{4}}-"):
        prepare(project.graph, project.messages.append)
    first.end()
    assert project.run() == ALL


def test_outputs_put_in_each_others_place_are_noticed(project: Project) -> None:
    project.run()
    other = PART.with_name("part-000-of-002.parquet")
    first, second = other.read_bytes(), PART.read_bytes()
    other.write_bytes(second)
    PART.write_bytes(first)
    assert conditions(project)["generate toy part-000-of-002"] is Condition.STALE
    project.run()
    assert (other.read_bytes(), PART.read_bytes()) == (first, second)


def test_an_artifact_of_another_role_is_refused(project: Project) -> None:
    project.run()
    footer = artifacts.footer_of(PART)
    rows = artifacts.read(PART, REJECTIONS)
    write_artifact(PART, REJECTIONS, rows, role="other", made_from=footer.made_from)
    assert any("holds other (rejections/1), asked for are rows" in reason for reason in reasons(project))


def test_a_job_refuses_an_edited_input(project: Project) -> None:
    project.run()
    data = bytearray(PART.read_bytes())
    data[6] ^= 1
    PART.write_bytes(data)
    (job,) = [job for job in project.graph.jobs if job.name == "evaluate toy first"]
    job.outputs["rows"].unlink()
    with pytest.raises(WhatifError, match=r"part-001-of-002\.parquet: was edited"):
        run(job, project.messages.append)


def test_what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not(project: Project) -> None:
    project.run()
    orphan = PART.with_name(".part-009-of-010.parquet.1-abcd.tmp")
    orphan.write_bytes(b"half")
    file, living = open_temporary(PART)
    with file:
        project.run()
        assert living.exists()
    assert not orphan.exists()
    living.unlink()


def test_a_job_that_is_run_by_hand_removes_what_its_killed_predecessor_left(project: Project) -> None:
    project.run()
    (job,) = [job for job in project.graph.jobs if job.name == "evaluate toy first"]
    orphan = next(iter(job.outputs.values())).with_name(".rows.parquet.1-abcd.tmp")
    orphan.write_bytes(b"half")
    run(job, project.messages.append)
    assert not orphan.exists()


def test_a_time_in_the_future_is_mended(project: Project) -> None:
    project.run()
    os.utime("data/extract/toy/rows.parquet", (4_000_000_000, 4_000_000_000))
    assert project.run() == []
    assert Path("data/extract/toy/rows.parquet").stat().st_mtime < 4_000_000_000


def test_a_source_is_hashed_through_links_and_again_when_it_changes_meanwhile(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "one").write_text("1")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "linked").symlink_to(real)
    (real / "back").symlink_to(folder)
    before = verified.source_digest(folder)
    (real / "two").write_text("2")
    assert verified.source_digest(folder) != before
    file = tmp_path / "file"
    file.write_text("old")

    def slow() -> str:
        file.write_text("newer")
        return "hash of old"

    assert verified.digest(file, slow) == "hash of old"
    assert verified.digest(file, lambda: "hash of newer") == "hash of newer"


def test_status_of_a_hundred_artifacts_reads_no_rows(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.values["generate"]["toy"]["shards"] = 99
    project.run()
    monkeypatch.setattr(artifacts, "content_of", lambda path, table=None: pytest.fail(f"read the rows of {path}"))
    found = states(project.graph)
    assert len(found) == 99 + 4
    assert {state.condition for state in found.values()} == {Condition.FRESH}


def test_an_input_that_no_step_makes_is_refused(project: Project) -> None:
    from dataclasses import replace

    from tests.engine.graph.toy import TOY

    broken: Step = replace(TOY.steps[1], inputs={"rows": TOY.steps[2]["rows"]})
    with pytest.raises(ValueError, match=r"generate_toy: no earlier step makes its input rows"):
        Graph(project.graph.params, [replace(TOY, steps=(TOY.steps[0], broken))])


def test_fingerprints_do_not_depend_on_times(project: Project, shuffle_times: Callable[[], None]) -> None:
    project.run()
    before = {job.name: freshness.provenance(job).fingerprint for job in project.graph.jobs}
    shuffle_times()
    assert before == {job.name: freshness.provenance(job).fingerprint for job in project.graph.jobs}
