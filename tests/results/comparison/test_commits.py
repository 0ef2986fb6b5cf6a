"""`whatif diff` on real git repositories whose artifacts are in DVC's cache; nothing is checked out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.command_line import files, refused, whatif
from tests.results.comparison.made_up import BENCHMARK, asked, write_run

pytestmark = pytest.mark.process

PAIRS = 20
ASSETS = ("flips.css", "site.css", "theme.js")  # of the pages
HEAD = "model,source,measure,value,low,high,n\n"
BEFORE, AFTER = [True, False] * PAIRS, [True] * 2 * PAIRS
ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "test",
    "GIT_AUTHOR_EMAIL": "test@localhost",
    "GIT_COMMITTER_NAME": "test",
    "GIT_COMMITTER_EMAIL": "test@localhost",
    "DVC_NO_ANALYTICS": "1",
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
}
STAGES = {
    "verify": {"cmd": "true", "outs": [{"data/verify": {"persist": True}}]},
    "evaluate": {
        "foreach": ["one", "two"],
        "do": {"cmd": "true", "outs": [{"data/evaluate/${item}": {"persist": True}}]},
    },
}


def run(root: Path, *command: str) -> str:
    done = subprocess.run(
        command, cwd=root, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def commit(root: Path, message: str) -> str:
    """Records what is in the folder as DVC does after a run, and commits it."""
    run(root, "dvc", "commit", "--force", "--quiet")
    run(root, "git", "add", "--all")
    run(root, "git", "commit", "--quiet", "--message", message)
    return run(root, "git", "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with two commits: the model `one` and a table changed between them. No test may change it."""
    root = tmp_path_factory.mktemp("committed")
    run(root, "git", "init", "--quiet", "--initial-branch", "main")
    run(root, "dvc", "init", "--quiet")
    (root / "dvc.yaml").write_text(yaml.safe_dump({"stages": STAGES}), encoding="utf-8")
    (root / ".gitignore").write_text("/data/\n", encoding="utf-8")
    models = {"one": BEFORE, "two": BEFORE}
    write_run(root, asked(PAIRS), models, table=f"{HEAD}one,ours,accuracy,50,,,40\n")
    commit(root, "before")
    models["one"] = AFTER
    write_run(root, asked(PAIRS), models, parameters={"seed": 2}, table=f"{HEAD}one,ours,accuracy,100,,,40\n")
    commit(root, "after")
    return root


@pytest.fixture
def project(committed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, in which the test runs."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    shutil.copytree(committed, tmp_path / "project", symlinks=True)
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def found(*arguments: str) -> dict[str, object]:
    result = whatif("diff", *arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return dict(json.loads(result.stdout))


def numbers(values: dict[str, object]) -> list[tuple[str, str, int, int, int]]:
    comparisons = values["comparisons"]
    assert isinstance(comparisons, list)
    rows = ((one["a"]["model"], one["variant"], one["n"], one["lost"], one["gained"]) for one in comparisons)
    return sorted(rows)


EXPECTED = [("one", "counterfactual", PAIRS, 0, PAIRS), ("one", "original", PAIRS, 0, 0)]


@pytest.mark.parametrize("sides", [("HEAD~1",), ("HEAD~1", "HEAD"), ("main~1", "main")])
def test_a_commit_is_compared_with_another_or_the_working_tree(project: Path, sides: tuple[str, ...]) -> None:
    before = files(project)
    values = found(*sides)
    assert numbers(values) == EXPECTED
    assert values["same_evaluations"] == 1
    assert [(one["name"], one["changed"][0]["a"], one["changed"][0]["b"]) for one in values["tables"]] == [  # type: ignore[attr-defined]
        (f"{BENCHMARK}/accuracy-table", 50.0, 100.0)
    ]
    assert [one["text"] for one in values["origins"]] == ["seed: 1 -> 2"]  # type: ignore[attr-defined]
    after = {name: data for name, data in files(project).items() if not name.startswith(".git/")}
    assert after == {name: data for name, data in before.items() if not name.startswith(".git/")}


def test_both_directions_are_the_same_but_for_their_signs(project: Path) -> None:
    there, back = found("HEAD~1", "HEAD"), found("HEAD", "HEAD~1")
    sides = [[(one["difference"], one["p"]) for one in values["comparisons"]] for values in (there, back)]  # type: ignore[attr-defined]
    assert sides[0] == [(-difference, p) for difference, p in sides[1]]


def test_the_working_tree_need_not_be_there(project: Path) -> None:
    shutil.rmtree("data")
    shutil.rmtree("metrics")
    assert numbers(found("HEAD~1", "HEAD")) == EXPECTED


def test_a_model_at_a_commit_is_compared_with_itself_now_and_with_another(project: Path) -> None:
    assert numbers(found("one@HEAD~1")) == EXPECTED
    assert numbers(found("one@HEAD~1", "one")) == EXPECTED
    # In the first commit both models answer alike.
    assert numbers(found("two@HEAD~1", "one")) == [("two", *row[1:]) for row in EXPECTED]


def test_a_model_alone_has_only_its_own_origins_and_numbers(project: Path) -> None:
    for sides in (("two@HEAD~1",), ("HEAD~1", "--model", "two")):
        values = found(*sides)
        assert (values["same_evaluations"], values["comparisons"], values["tables"]) == (1, [], [])
    assert found("HEAD~1", "--model", "one")["tables"] != []


def test_pages_are_written_below_the_site_and_nothing_else(project: Path) -> None:
    before = files(project)
    result = whatif("diff", "HEAD~1", "--site", "--name", "mine")
    assert result.stdout.splitlines()[-1] == f"{PAIRS} flipped items: site/comparisons/mine/index.html"
    made = {name for name in set(files(project)) - set(before) if not name.startswith(".git/")}
    folder = "site/comparisons/mine"
    assert made == {f"{folder}/{name}" for name in ("index.html", *(f"assets/{one}" for one in ASSETS))}
    assert (project / "site/comparisons/mine/index.html").read_text(encoding="utf-8").count("<article") == PAIRS


def test_nothing_changed_is_one_line(project: Path) -> None:
    result = whatif("diff", "HEAD")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:] == ["nothing changed"]
    assert found("HEAD")["nothing_changed"] is True


def test_a_cache_elsewhere_is_found(project: Path) -> None:
    shutil.move(project / ".dvc/cache", project.parent / "elsewhere")
    run(project, "dvc", "config", "--local", "cache.dir", "../elsewhere")
    assert (project / ".dvc/config.local").is_file()
    assert numbers(found("HEAD~1", "HEAD")) == EXPECTED


def test_artifacts_that_the_cache_lacks_are_one_line_with_what_brings_them(project: Path) -> None:
    shutil.rmtree(project / ".dvc/cache/files/md5")
    result = whatif("diff", "HEAD~1")
    assert result.exit_code == 0
    notes = " ".join(result.stdout.split())
    assert "Not compared: HEAD~1 (" in notes
    assert "3 folders are not here, first data/evaluate/one/; `dvc fetch --all-commits` brings" in notes
    assert "only in" not in notes, "what is not here is not known to be absent"
    assert f"{BENCHMARK}/accuracy-table: 1 of 1; most: one accuracy 50 -> 100" in notes, "tables come from git"


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        (("nowhere",), "nowhere: is neither a commit, nor a folder, nor a model with results (one, two)"),
        (("HEAD~7",), "HEAD~7: is neither a commit, nor a folder, nor a model with results (one, two)"),
        (("--", "--output=x"), "--output=x: is neither a commit, nor a folder, nor a model with results (one, two)"),
        (("one",), "one: is a model; name another to compare it with, as in `whatif diff one two`, or give one@COMMIT"),
        (("one", "HEAD"), "one is a model and HEAD is a run; compare two models, two runs, or KEY@COMMIT with KEY"),
        (("one@x", "two"), "one@x: x is neither a commit nor a strategy of one (plain)"),
        (("./nowhere",), "./nowhere: no such folder; give the folder of a project"),
        (("nowhere.yaml",), "nowhere.yaml: no such file; give a file of parameters, a folder, a commit or a model"),
        (("HEAD", "--name", "x"), "--name x: names the pages that --site writes; give both"),
        (("HEAD~1", "--site", "--name", "../x"), "--name ../x: must be lower-case letters, digits and hyphens"),
    ],
)
def test_what_is_wrong_is_one_line(project: Path, sides: tuple[str, ...], message: str) -> None:
    result = whatif("diff", *sides)
    assert result.stderr == f"whatif: {message}\n"
    assert result.exit_code == 2
    assert not (project / "x").exists()


def test_a_name_with_two_meanings_is_refused_with_one_of_each(project: Path) -> None:
    run(project, "git", "branch", "one", "HEAD~1")
    message = refused(whatif("diff", "one", "two"))
    assert "one: is a model (write one@HEAD for its results in that commit) and the commit" in message
    assert "refs/heads/one" in message
    assert numbers(found("refs/heads/one")) == EXPECTED


def test_a_commit_without_a_record_and_a_damaged_record(project: Path) -> None:
    first = run(project, "git", "commit-tree", run(project, "git", "mktree"), "-m", "empty")
    assert refused(whatif("diff", first)) == (
        f"{first}: its commit {first[:8]} has no dvc.lock; name a commit made after `dvc repro`"
    )
    (project / "dvc.lock").write_text("stages: [", encoding="utf-8")
    run(project, "git", "commit", "--quiet", "--all", "--message", "damaged")
    assert refused(whatif("diff", "HEAD")).startswith("HEAD:dvc.lock: is not a record of DVC (")
    (project / "dvc.lock").write_text("stages: {x: {outs: [{path: data/x, md5: ../../x}]}}", encoding="utf-8")
    run(project, "git", "commit", "--quiet", "--all", "--message", "hostile")
    assert refused(whatif("diff", "HEAD")).startswith("HEAD:dvc.lock: data/x has the hash '../../x', not an MD5")


def test_outside_git_folders_and_models_are_still_compared(
    committed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(committed / "data", tmp_path / "here/data")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert numbers(found("two", "one")) == [("two", *row[1:]) for row in EXPECTED]
    assert numbers(found(str(committed), ".")) == []
    message = refused(whatif("diff", "HEAD~1"))
    known = "HEAD~1: is neither a commit, nor a folder, nor a model with results (one, two)"
    assert message == f"{known}, and there is no git repository"


def test_a_shallow_clone_says_why_a_commit_is_not_there(project: Path, tmp_path: Path) -> None:
    run(tmp_path, "git", "clone", "--quiet", "--depth", "1", project.as_uri(), "shallow clone")
    shutil.copytree(project / ".dvc/cache", tmp_path / "shallow clone/.dvc/cache")
    os.chdir(tmp_path / "shallow clone")
    assert found("HEAD", "HEAD")["nothing_changed"] is True
    assert refused(whatif("diff", "HEAD~1")) == (
        "HEAD~1: is neither a commit, nor a folder, nor a model with results (none), and this clone has no older "
        "commits (`git fetch --unshallow` brings them)"
    )


def test_tags_packed_references_and_a_detached_head(project: Path) -> None:
    run(project, "git", "tag", "--annotate", "--message", "the first", "v1", "HEAD~1")
    run(project, "git", "pack-refs", "--all")
    run(project, "git", "gc", "--quiet")
    run(project, "git", "checkout", "--quiet", "--detach")
    assert numbers(found("v1", "HEAD")) == numbers(found("v1")) == EXPECTED


def test_a_stage_that_a_commit_does_not_have_and_a_renamed_model(project: Path) -> None:
    lock = yaml.safe_load((project / "dvc.lock").read_text(encoding="utf-8"))
    del lock["stages"]["evaluate@two"]
    (project / "dvc.lock").write_text(yaml.safe_dump(lock), encoding="utf-8")
    run(project, "git", "commit", "--quiet", "--all", "--message", "without two")
    values = found("HEAD~1", "HEAD")
    assert [one["model"] for one in values["only_in_a"]] == ["two"]  # type: ignore[attr-defined]
    assert (values["comparisons"], values["not_compared"]) == ([], [])
    shutil.move(project / "data/evaluate/one", project / "data/evaluate/uno")
    values = found("HEAD")
    assert [one["model"] for one in values["only_in_a"]] == ["one"]  # type: ignore[attr-defined]
    assert [one["model"] for one in values["only_in_b"]] == ["two", "uno"]  # type: ignore[attr-defined]
    assert numbers(found("one@HEAD~2", "uno")) == EXPECTED


def test_a_project_below_the_root_of_its_repository(project: Path) -> None:
    below = project / "below"
    below.mkdir()
    for name in ("dvc.lock", "dvc.yaml", "metrics", ".dvc"):
        run(project, "git", "mv", name, f"below/{name}") if name != ".dvc" else shutil.copytree(
            project / name, below / name
        )
    shutil.move(project / "data", below / "data")
    run(project, "git", "commit", "--quiet", "--all", "--message", "moved")
    os.chdir(below)
    values = found("HEAD")
    assert values["nothing_changed"] is True, values
