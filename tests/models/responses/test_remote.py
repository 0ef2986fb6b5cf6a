"""Answers that machines share over a DVC remote: on a real S3 server, and in a folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.command_line import refused, whatif
from tests.models.responses.answers import put, request_of
from tests.s3_server import S3
from whatif.models.responses.store import ResponseStore, request_key, store_path

ALREADY = ".whatif/responses.sqlite: 0 answers added, 0 already stored\n"


@pytest.fixture
def clones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Two projects with the same remote in a folder; the test runs in the first."""
    folders = (tmp_path / "ours", tmp_path / "theirs")
    for folder in folders:
        (folder / ".dvc").mkdir(parents=True)
        configure(folder, f"['remote \"team\"']\n    url = {tmp_path / 'storage'}\n")
    monkeypatch.chdir(folders[0])
    return folders


def configure(folder: Path, remotes: str) -> None:
    head = "[core]\n    no_scm = True\n    remote = team\n    analytics = false\n"
    (folder / ".dvc/config").write_text(head + remotes, encoding="utf-8")


def ask(prompts: str, response: str) -> None:
    with ResponseStore(store_path()) as store:
        for prompt in prompts:
            put(store, prompt, response)


def answers() -> dict[str, str]:
    with ResponseStore(store_path()) as store:
        found = store.get(request_key(request_of(prompt)) for prompt in "abcdefgh")
    return {
        prompt: found[key]["response"] for prompt in "abcdefgh" if (key := request_key(request_of(prompt))) in found
    }


def said(*arguments: str) -> str:
    result = whatif("responses", *arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_each_answer_goes_to_the_other_machine_once(
    clones: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _goes_to_the_other_once(clones, f"{tmp_path}/storage/responses", monkeypatch)
    # What one of the machines no longer knows, or the remote has lost, is transferred again.
    (clones[0] / ".whatif/responses.sqlite.shared.json").unlink()
    assert said("pull") == ".whatif/responses.sqlite: 0 answers added, 8 already stored, " + (
        "1 of them with a different answer, which was ignored\n"
    )
    monkeypatch.chdir(clones[1])
    for file in (tmp_path / "storage/responses").iterdir():
        file.unlink()
    assert said("push").endswith(": 7 answers added\n")


@pytest.mark.soak
def test_the_same_on_a_real_s3_server(
    clones: tuple[Path, Path], tmp_path: Path, s3: S3, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3.use(monkeypatch, tmp_path)
    for folder in clones:
        configure(folder, s3.remote("team", f"s3://bucket/{tmp_path.name}"))
    _goes_to_the_other_once(clones, f"s3://bucket/{tmp_path.name}/responses", monkeypatch)


def _goes_to_the_other_once(clones: tuple[Path, Path], url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = clones
    ask("abc", "ours")
    assert said("push") == f"{url}: 3 answers added\n"
    assert said("push") == f"{url}: 0 answers added\n"
    assert said("pull") == ALREADY
    monkeypatch.chdir(theirs)
    ask("cd", "theirs")
    different = ", 1 of them with a different answer, which was ignored\n"
    assert said("pull") == f".whatif/responses.sqlite: 2 answers added, 1 already stored{different}"
    ask("e", "theirs")
    # Their own answers alone: those that came from there are not sent back.
    assert said("push", "--remote", "team") == f"{url}: 3 answers added\n"
    monkeypatch.chdir(ours)
    ask("fg", "ours")
    assert said("pull") == f".whatif/responses.sqlite: 2 answers added, 1 already stored{different}"
    assert said("push") == f"{url}: 2 answers added\n"
    assert answers() == dict.fromkeys("abcfg", "ours") | dict.fromkeys("de", "theirs")
    monkeypatch.chdir(theirs)
    assert said("pull") == ".whatif/responses.sqlite: 2 answers added, 0 already stored\n"
    assert answers() == dict.fromkeys("abfg", "ours") | dict.fromkeys("cde", "theirs")
    monkeypatch.chdir(ours)


def test_images_are_shared_apart(clones: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHATIF_RESPONSES", ".whatif/responses-images.sqlite")
    ask("a", "an image")
    assert said("push").endswith("/responses-images: 1 answers added\n")
    monkeypatch.delenv("WHATIF_RESPONSES")
    assert said("pull") == ALREADY


def test_a_file_that_is_not_complete_is_named(clones: tuple[Path, Path], tmp_path: Path) -> None:
    ask("ab", "ours")
    said("push")
    (file,) = (tmp_path / "storage/responses").iterdir()
    file.write_bytes(file.read_bytes()[:-9])
    Path(".whatif/responses.sqlite.shared.json").write_text("{", encoding="utf-8")
    assert refused(whatif("responses", "pull")).startswith(f"{file}: is not complete; pull again when the machine")
    assert json.loads(file.read_text(encoding="utf-8").splitlines()[0])["answer"]["response"] == "ours"


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize(
    ("remote", "environment", "told"),
    [
        ("team", {"AWS_ACCESS_KEY_ID": "nobody"}, "Id you provided does not exist in our records; set the key"),
        ("team", {"AWS_SECRET_ACCESS_KEY": "wrong"}, "Check your key and signing method; set the key"),
        ("team", {"AWS_ACCESS_KEY_ID": ""}, "Unable to locate credentials; check its address and server"),
        ("no-bucket", {}, "s3://none/x/responses: The specified bucket does not exist; create it, or set"),
        ("away", {}, "Could not connect to the endpoint URL: "),
    ],
)
def test_what_a_server_refuses_is_one_line(
    clones: tuple[Path, Path],
    s3: S3,
    monkeypatch: pytest.MonkeyPatch,
    *,
    remote: str,
    environment: dict[str, str],
    told: str,
) -> None:
    s3.use(monkeypatch, clones[0])
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    away = S3("http://127.0.0.1:9", {}).remote("away", "s3://bucket/x")
    configure(clones[0], s3.remote("team", "s3://bucket/refused") + s3.remote("no-bucket", "s3://none/x") + away)
    ask("a", "ours")
    line = refused(whatif("responses", "push", "--remote", remote))
    assert line.startswith("s3://") and told in line


def test_a_remote_that_cannot_be_opened_is_one_line(clones: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    line = refused(whatif("responses", "pull", "--remote", "none"))
    assert "remote 'none' doesn't exist" in line and line.endswith("s3://bucket/folder` sets one")
    configure(clones[0], "['remote \"team\"']\n    url = s3://bucket/x\n")
    monkeypatch.setitem(sys.modules, "dvc_s3", None)
    line = refused(whatif("responses", "pull"))
    assert line == "s3 is supported, but requires 'dvc-s3' to be installed, such as with pip install 'dvc[s3]'"
