"""Results as runs of trackers and as results on the hub, each read back by its own library."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command_line import files, refused, whatif
from tests.projects import Project
from whatif import __version__
from whatif.benchmarks import load_params
from whatif.engine.extras import how_to_install
from whatif.results.harnesses.hub_tasks import eval_yaml
from whatif.results.tracking.runs import TrackedRun, tracked_runs
from whatif.results.tracking.source import Source, source_of, web_address

pytestmark = [pytest.mark.process, pytest.mark.slow]

NAME, KEY, HUB_ID = "cvqa-synthetic", "my-qwen", "Qwen/Qwen2.5-VL-3B-Instruct"
SECONDS = 1_700_000_000  # 2023-11-14T22:13:20Z
REPOSITORY = "https://github.com/my-lab/evaluation"
SECRET = "Top-Secret"
TABLE = f"""model,name,source,strategy,group,measure,value,low,high,n,p,p_holm
{KEY},Qwen,ours,direct,,original,80.5,75,86,200,,
{KEY},Qwen,ours,direct,,counterfactual,60,52.5,67,200,,
{KEY},Qwen,ours,direct,,drop,20.5,14,27,200,0.01,0.02
{KEY},Qwen,ours,direct,dots,original,1,0,2,20,,
{KEY},Qwen,ours,cot,,original,90,,,200,,
my-api,Other,ours,,,original,70,,,200,,
elsewhere,ViperGPT,reported,,,original,50,,,,,
"""
METRICS = {
    f"{NAME}/accuracy_original": 80.5,
    f"{NAME}/accuracy_original_low": 75.0,
    f"{NAME}/accuracy_original_high": 86.0,
    f"{NAME}/accuracy_counterfactual": 60.0,
    f"{NAME}/accuracy_counterfactual_low": 52.5,
    f"{NAME}/accuracy_counterfactual_high": 67.0,
    f"{NAME}/drop": 20.5,
    f"{NAME}/drop_low": 14.0,
    f"{NAME}/drop_high": 27.0,
    f"{NAME}/pairs": 200.0,
    f"{NAME}/cot/accuracy_original": 90.0,
}


@pytest.fixture
def results(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project at a commit with a known time, with the numbers of two models and a remote on the web."""
    project.select(NAME)
    project.values["models"] |= {
        KEY: {"adapter": "hf-chat", "checkpoint": HUB_ID, "revision": "abc123", "name": "Qwen", "benchmarks": [NAME]},
        "my-api": {
            **{"adapter": "api", "model": "gpt", "base_url": f"https://{SECRET.lower()}.example/v1"},
            **{"key_variable": "MY_KEY", "system": SECRET, "extra_body": {"user": SECRET}},
        },
    }
    project.write_params()
    folder = project.folder
    (folder / "metrics" / NAME).mkdir(parents=True)
    (folder / "metrics" / NAME / "paired.csv").write_text(TABLE, encoding="utf-8")
    numbers = {KEY: {"original": 80.5}, "random": {"all of it": {"accuracy": 25.25}}, "CLIP": {"accuracy": 1.0}}
    (folder / "metrics" / f"{NAME}.json").write_text(json.dumps(numbers), encoding="utf-8")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_DATE", f"@{SECONDS} +0000")
        monkeypatch.setenv(f"GIT_{name}_NAME", "A")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@example.org")
    remote = f"https://anna:{SECRET}@github.com/my-lab/evaluation.git"
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "results"]):
        subprocess.run(["git", *command], check=True)
    subprocess.run(["git", "remote", "add", "origin", remote], check=True)
    return folder


def exported(target: str) -> str:
    done = whatif("export", "results", "--to", target)
    assert done.exit_code == 0, done.output
    return done.stdout.splitlines()[-1]


def runs(folder: Path) -> dict[str, TrackedRun]:
    fingerprints = {f"data/evaluate/{KEY}/{NAME}/direct.parquet": "f1", "data/evaluate/other/x.parquet": "f2"}
    params = load_params()
    found = tracked_runs(params.models, [NAME], folder / "metrics", source_of(folder), fingerprints)
    return {run.name: run for run in found}


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        (f"https://anna:{SECRET}@git.example:8443/lab/set.git?token={SECRET}", "https://git.example:8443/lab/set"),
        ("git@github.com:my-lab/evaluation.git", REPOSITORY),
        ("ssh://git@github.com:22/my-lab/evaluation.git/", "https://github.com/my-lab/evaluation.git"),
        ("http://intranet/lab/set", "http://intranet/lab/set"),
        *((other, "") for other in ("/srv/set.git", "../set", "file:///srv/set.git", "https://host:x/a", "", "C:\\a")),
    ],
)
def test_a_remote_as_a_web_page_has_no_credentials(remote: str, address: str) -> None:
    assert web_address(remote).removesuffix(".git") == address.removesuffix(".git")


def test_a_run_has_the_numbers_the_settings_that_matter_and_where_it_is_from(results: Path) -> None:
    found = runs(results)
    assert list(found) == ["random", KEY, "my-api"]  # in the order of params.yaml; no other model has numbers
    run = found[KEY]
    assert run.metrics == METRICS and found["random"].metrics == {f"{NAME}/all of it/accuracy": 25.25}
    assert found["my-api"].metrics == {f"{NAME}/accuracy_original": 70}
    assert (run.params["checkpoint"], run.params["revision"]) == (HUB_ID, "abc123")
    assert (run.params[f"strategy/{NAME}"], run.params["decoding.temperature"]) == ("direct", 0)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    assert {name: text for name, text in run.tags.items() if name != "artifacts"} == {
        "commit": commit,
        "commit_address": f"{REPOSITORY}/commit/{commit}",
        "version": __version__,
    }
    assert "artifacts" in run.tags and "artifacts" not in found["my-api"].tags
    assert json.loads(run.files["artifacts.json"]) == {f"data/evaluate/{KEY}/{NAME}/direct.parquet": "f1"}
    assert run.files[f"{NAME}-paired.csv"].decode().splitlines() == TABLE.splitlines()[:6]
    everything = str([[one.params, one.tags, one.files] for one in found.values()]).lower()
    assert SECRET.lower() not in everything and "my_key" not in everything


def test_changed_numbers_or_settings_and_another_commit_are_another_run(results: Path) -> None:
    before = runs(results)[KEY]
    assert runs(results)[KEY].id == before.id
    (table := results / "metrics" / NAME / "paired.csv").write_text(TABLE.replace("80.5", "80.6"), encoding="utf-8")
    changed = runs(results)[KEY]
    assert changed.tags["changed_files"] == "1"
    table.write_text(TABLE, encoding="utf-8")
    subprocess.run(["git", "commit", "--quiet", "--allow-empty", "-m", "another"], check=True)
    assert len({before.id, changed.id, runs(results)[KEY].id}) == 3


def test_outside_git_there_is_no_commit(folder: Path) -> None:
    assert source_of(folder) == Source()


def test_mlflow_reads_its_store(results: Path) -> None:
    mlflow = pytest.importorskip("mlflow")
    assert exported("mlflow") == "results/mlflow: runs written: 3, already there: 0"
    client = mlflow.MlflowClient(f"sqlite:///{results}/results/mlflow/mlflow.db")
    experiment = client.get_experiment_by_name("whatif").experiment_id
    by_name = {run.info.run_name: run for run in client.search_runs([experiment])}
    client.set_terminated(by_name["random"].info.run_id, "FAILED")  # as if the export had been interrupted
    assert exported("mlflow") == "results/mlflow: runs written: 1, already there: 2"
    read = {run.info.run_name: run for run in client.search_runs([experiment])}
    assert set(read) == set(by_name) == {KEY, "my-api", "random"}
    run, wanted = read[KEY], runs(results)[KEY]
    assert run.data.metrics == METRICS
    assert run.data.params == {name: str(value) for name, value in wanted.params.items()}
    assert run.data.tags["whatif.id"] == wanted.id
    assert run.data.tags["whatif.commit_address"] == f"{REPOSITORY}/commit/{wanted.source.commit}"
    assert run.data.tags["mlflow.source.git.commit"] == wanted.source.commit
    assert (run.info.status, run.info.start_time, run.info.end_time) == ("FINISHED", SECONDS * 1000, SECONDS * 1000)
    copy = Path(client.download_artifacts(run.info.run_id, f"{NAME}-paired.csv", str(results)))
    assert copy.read_bytes() == wanted.files[f"{NAME}-paired.csv"]


def test_wandb_reads_its_offline_runs_and_sent_nothing(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb")
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "WANDB_BASE_URL"):
            monkeypatch.setenv(name, address)
        monkeypatch.setenv("WANDB_MODE", "online")
        monkeypatch.setenv("WANDB_API_KEY", "0" * 40)
        assert exported("wandb") == "results/wandb: runs written: 3, already there: 0"
        proxy.settimeout(0)
        with pytest.raises(BlockingIOError):  # nobody has connected
            proxy.accept()
    before = files(results / "results")
    assert exported("wandb") == "results/wandb: runs written: 0, already there: 3"
    assert files(results / "results") == before
    wanted = runs(results)[KEY]
    place = results / f"results/wandb/offline-run-20231114_221320-{wanted.id}"
    read = list(records(place / f"run-{wanted.id}.wandb"))
    run = next(record.run for record in read if record.WhichOneof("record_type") == "run")
    config = {one.key: json.loads(one.value_json) for one in run.config.update}
    assert (run.project, run.display_name, run.run_id, run.host) == ("whatif", KEY, wanted.id, "")
    assert (run.git.commit, run.git.remote_url) == (wanted.source.commit, REPOSITORY)
    tags = {name: text for name, text in wanted.tags.items() if name != "artifacts"}  # there are no artifacts here
    assert {name: value for name, value in config.items() if name != "_wandb"} == {**wanted.params, "whatif": tags}
    summary = {one.key: json.loads(one.value_json) for record in read for one in record.summary.update if one.key}
    assert {name: value for name, value in summary.items() if not name.startswith("_")} == METRICS
    assert (place / "files" / f"{NAME}-paired.csv").read_bytes() == wanted.files[f"{NAME}-paired.csv"]
    assert f"{NAME}-paired.csv" in {one.path for record in read for one in record.files.files}


def records(file: Path) -> Iterator[Any]:
    """The records of a run by wandb's own messages. They are in blocks of 32 KiB, as LevelDB's log, after 7 bytes."""
    from wandb.proto.wandb_internal_pb2 import Record

    data, place, piece = file.read_bytes(), 7, b""
    assert data.startswith(b":W&B")
    while place < len(data):
        if (left := 32768 - place % 32768) < 7:
            place += left
            continue
        _, size, kind = struct.unpack_from("<IHB", data, place)
        piece += data[place + 7 : place + 7 + size]
        place += 7 + size
        if kind in (1, 4):  # whole, or the last piece
            yield Record.FromString(piece)
            piece = b""


def test_dvc_and_dvclive_read_the_folders(results: Path) -> None:
    dvclive = pytest.importorskip("dvclive")
    from dvc.api import metrics_show, params_show
    from dvc.repo import Repo

    assert exported("dvclive") == "results/dvclive: runs written: 3, already there: 0"
    before = files(results / "results")
    exported("dvclive")
    assert files(results / "results") == before
    assert not (results / ".dvc").exists()  # in a git repository, the library alone would make one
    wanted = runs(results)[KEY]
    Repo.init(str(results)).close()
    place = f"results/dvclive/{KEY}"
    assert flat(metrics_show(f"{place}/metrics.json")) == METRICS
    params = params_show(f"{place}/params.yaml")
    assert (params["checkpoint"], params["whatif"]["id"]) == (HUB_ID, wanted.id)
    assert params["whatif"]["commit_address"] == f"{REPOSITORY}/commit/{wanted.source.commit}"
    live = dvclive.Live(place, resume=True, save_dvc_exp=False, dvcyaml=None)
    assert flat(live.read_latest()) == METRICS


def flat(numbers: dict[str, Any]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in numbers.items():
        inner = {f"{name}/{key}": one for key, one in flat(value).items()} if isinstance(value, dict) else {name: value}
        found |= inner
    return found


def test_the_hub_library_reads_the_results_of_a_model_that_is_on_the_hub(results: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    options = ("--to", "hub", "--owner", "my-lab", "--published", "hub")
    said = refused(whatif("export", "results", *options))
    assert said == (
        "hub: no data set with eval.yaml and the tasks original and counterfactual; `whatif publish FOLDER` writes it"
    )
    registration = results / f"hub/whatif-{NAME}/eval.yaml"
    registration.parent.mkdir(parents=True)
    row = {"choices": None, "answer": "2"}
    registration.write_text(eval_yaml(NAME, {"original": [row], "counterfactual": [row]}), encoding="utf-8")
    done = whatif("export", "results", *options)
    file = results / f"results/hub/{HUB_ID}/.eval_results/{KEY}.yaml"
    assert done.stdout.splitlines() == [
        f"hf upload {HUB_ID} {file.relative_to(results)} .eval_results/{KEY}.yaml --create-pr",
        "results/hub: 1 of 3 models are on the hub and answer its tasks",
    ]
    written = yaml.safe_load(file.read_text(encoding="utf-8"))
    entries = hub.parse_eval_result_entries(written)
    assert hub.eval_result_entries_to_yaml(entries) == written  # no field that the library does not know
    assert [(one.task_id, one.value) for one in entries] == [("original", 80.5), ("counterfactual", 60)]
    first, commit = entries[0], source_of(results).commit
    assert (first.dataset_id, first.date) == (f"my-lab/whatif-{NAME}", "2023-11-14T22:13:20Z")
    assert (first.source_url, first.source_name) == (f"{REPOSITORY}/commit/{commit}", "whatif")
    assert first.notes == (
        f"accuracy in percent, answers extracted by whatif {__version__}; strategy direct; 200 questions; "
        f"interval 75.0 to 86.0; revision abc123; commit {commit}"
    )
    before = files(results / "results")
    whatif("export", "results", *options)
    assert files(results / "results") == before


def test_one_line_for_a_mistake(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs = "--to hub needs --owner and --published, the other formats take neither"
    assert refused(whatif("export", "results", "--to", "hub")) == needs
    assert refused(whatif("export", "results", "--to", "mlflow", "--owner", "a", "--published", "b")) == needs
    for module in ("mlflow", "wandb", "dvclive"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            patch.delitem(sys.modules, "mlflow.entities", raising=False)
            assert refused(whatif("export", "results", "--to", module)) == how_to_install(module)
    (results / "metrics" / NAME / "paired.csv").unlink()
    (results / "metrics" / f"{NAME}.json").unlink()
    assert refused(whatif("export", "results", "--to", "mlflow")).startswith("metrics: no numbers of the models")
