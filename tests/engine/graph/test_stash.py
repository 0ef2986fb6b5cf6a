"""What is out of the way is kept: the stash, what is set aside, and what comes back from there."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from pathlib import Path

import pytest

from tests.engine.graph.conftest import ALL, PART, Project, conditions
from whatif.engine.artifacts.schemas import FILES, REJECTIONS
from whatif.engine.artifacts.writer import ArtifactWriter, write_artifact
from whatif.engine.graph import stash
from whatif.engine.graph.freshness import Condition, by_step, leftovers
from whatif.engine.graph.prologue import prepare
from whatif.engine.graph.run import run

pytestmark = pytest.mark.slow


def test_going_back_to_an_earlier_value_computes_nothing(project: Project) -> None:
    project.run()
    before = PART.read_bytes()
    project.values["generate"]["toy"]["image_size"] = 512
    project.run()
    assert PART.read_bytes() != before
    project.values["generate"]["toy"]["image_size"] = 448
    assert project.run() == []
    assert PART.read_bytes() == before
    assert json.loads(Path("metrics/toy.json").read_text()) == {"sum": 2 * 2 * (2024 + 4)}


def test_another_number_of_parts_leaves_no_old_part_behind_and_the_way_back_computes_nothing(project: Project) -> None:
    project.run()
    project.values["generate"]["toy"]["shards"] = 3
    project.run()
    assert sorted(path.name for path in PART.parent.iterdir()) == [f"part-00{n}-of-003.parquet" for n in range(3)]
    project.values["generate"]["toy"]["shards"] = 2
    assert project.run() == []


def test_the_stash_is_cut_down_to_size_oldest_first(project: Project) -> None:
    for size in (448, 512, 612):
        project.values["generate"]["toy"]["image_size"] = size
        project.run()
    kept = sum(path.stat().st_size for path in stash.STASH.rglob("*.parquet"))
    deleted, left = stash.collect(keep_bytes=kept // 2)
    assert left <= kept // 2
    assert deleted + left == kept
    project.values["generate"]["toy"]["image_size"] = 512
    assert project.run() == []  # put there last, so still kept
    project.values["generate"]["toy"]["image_size"] = 448
    assert project.run() != []


def test_a_damaged_stash_is_not_taken_from(project: Project) -> None:
    project.run()
    project.values["seed"] = 1
    project.run()
    for path in stash.STASH.rglob("*.parquet"):
        data = bytearray(path.read_bytes())
        data[10] ^= 0xFF
        path.write_bytes(data)
    project.values["seed"] = 2024
    assert project.run() == ALL
    assert json.loads(Path("metrics/toy.json").read_text()) == {"sum": 2 * 2 * (2024 + 4)}


def test_what_was_moved_and_not_made_anew_is_put_back(project: Project) -> None:
    project.run()
    files = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in everything()}
    project.values["seed"] = 1
    project.values["models"]["third"] = {"adapter": "random"}
    prologue = prepare(project.graph, project.messages.append)
    assert everything() == []
    prologue.end()
    assert {path: path.read_bytes() for path in everything()} == {path: data for path, (data, _) in files.items()}
    artifacts_only = [path for path in files if path.suffix == ".parquet"]
    assert all(path.stat().st_mtime_ns == files[path][1] for path in artifacts_only)


def test_a_failed_run_keeps_what_it_did_not_come_to(project: Project) -> None:
    project.run()
    text = Path("metrics/toy.json").read_bytes()
    project.values["models"]["second"]["name"] = "fails"
    with pytest.raises(RuntimeError):
        project.run()
    assert Path("metrics/toy.json").read_bytes() == text
    assert conditions(project)["evaluate toy second"] is Condition.STALE


def test_a_job_run_by_hand_keeps_what_was_there_in_the_stash(project: Project) -> None:
    project.run()
    before = PART.read_bytes()
    project.values["generate"]["toy"]["image_size"] = 512
    (job,) = [job for job in project.graph.jobs if job.outputs.get("rows") == PART]
    assert run(job, project.messages.append) == "computed"
    project.values["generate"]["toy"]["image_size"] = 448
    assert project.run() == []
    assert PART.read_bytes() == before


def test_a_stash_on_another_file_system(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.run()
    before = PART.read_bytes()
    rename = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if not self.name.endswith(".tmp"):  # within a folder a rename always works
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    project.values["seed"] = 1
    assert project.run() == ALL
    project.values["seed"] = 2024
    assert project.run() == []
    assert PART.read_bytes() == before


def test_a_file_that_is_no_artifact_of_ours_is_set_aside_not_stashed(project: Project) -> None:
    project.run()
    stranger = Path("data/generate/toy/notes.parquet")
    write_artifact(stranger, REJECTIONS, [])
    project.run()
    assert not stranger.exists()
    assert (stash.SET_ASIDE / stranger).exists()
    deleted, left = stash.collect(keep_bytes=0)
    assert deleted > 0
    assert left == 0


def test_hand_written_notes_in_a_published_file_are_set_aside(project: Project) -> None:
    project.run()
    notes = Path("metrics/toy.json")
    notes.write_text("my notes")
    Path("data/aggregate/toy/files.parquet").unlink()
    project.run()
    assert json.loads(notes.read_text()) == {"sum": 2 * 2 * (2024 + 4)}
    assert (stash.SET_ASIDE / notes).read_text() == "my notes"


def everything() -> list[Path]:
    return sorted([*Path("data").rglob("*.parquet"), *Path("metrics").rglob("*.json")])


def test_the_stash_is_empty_until_something_is_put_there(project: Project) -> None:
    assert stash.is_empty()
    project.run()
    assert stash.is_empty()
    project.values["generate"]["toy"]["image_size"] = 512
    project.run()
    assert not stash.is_empty()


def published_by_another(name: str, text: bytes) -> Path:
    """A text file, and the artifact of a benchmark that is no longer selected in which it is stored."""
    path = Path(f"metrics/gone/{name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    digest = hashlib.sha256(text).hexdigest()
    stored = Path(f"data/aggregate/gone/{path.stem}.parquet")
    writer = ArtifactWriter(stored, FILES, role="files", made_from={"step": "aggregate gone", "name": name})
    writer.write([{"path": str(path), "bytes": text, "sha256": digest}])
    writer.finish({str(path): digest})
    writer.commit()
    return path


def test_what_a_benchmark_published_goes_with_it_and_nothing_else_does(project: Project) -> None:
    project.run()
    own, edited = published_by_another("own.csv", b"a,b\n"), published_by_another("edited.csv", b"a,b\n")
    edited.write_bytes(b"edited\n")
    (notes := edited.with_name("notes.txt")).write_text("by hand", encoding="utf-8")
    listed = [*by_step(leftovers(project.graph))]
    assert listed == ["aggregate gone: 2 files"]
    looked = prepare(project.graph, project.messages.append)
    looked.end(only_looked=True)
    assert own.is_file() and len(leftovers(project.graph)) == 2
    project.messages.clear()
    project.run()
    assert [line for line in project.messages if "out of the way" in line] == [
        "out of the way: aggregate gone: 2 files: no longer asked for"
    ]
    assert not own.exists() and edited.is_file() and notes.is_file() and Path("metrics/toy.json").is_file()
    assert (stash.SET_ASIDE / own).read_bytes() == b"a,b\n"
    assert leftovers(project.graph) == []


def test_in_a_fresh_clone_what_other_benchmarks_published_is_put_away_at_once(project: Project) -> None:
    from whatif import benchmarks

    names = ["metrics/scenes.json", "metrics/scenes/funnel.csv", "metrics/scenes/notes.txt", "metrics/mine.json"]
    names += ["metrics/scenes/summary/clip.json"]
    for file in map(Path, names):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("text", encoding="utf-8")
    prepare(project.graph, project.messages.append, of_others=benchmarks.published_by_others).end(only_looked=True)
    assert all(Path(name).is_file() for name in names)
    project.messages.clear()
    prepare(project.graph, project.messages.append, of_others=benchmarks.published_by_others).end()
    assert project.messages == ["out of the way: metrics of scenes: 3 files: no longer asked for"]
    assert [Path(name).is_file() for name in names] == [False, False, True, True, False]
    assert not Path("metrics/scenes/summary").exists()
    assert (stash.SET_ASIDE / names[1]).read_text(encoding="utf-8") == "text"


def test_beside_artifacts_only_what_they_published_is_put_away(project: Project) -> None:
    from whatif import benchmarks

    project.run()
    Path("metrics/scenes.json").write_text("text", encoding="utf-8")
    prepare(project.graph, project.messages.append, of_others=benchmarks.published_by_others).end()
    assert Path("metrics/scenes.json").is_file()
