"""What both entry points refuse, how they agree with the graph, and models and sources given in params.yaml."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from tests.defaults import ROOT
from tests.pictures import icon
from tests.pipeline.checkouts import ENTRY_POINTS, Checkout, stale, stale_in
from whatif import benchmarks

pytestmark = pytest.mark.pipeline

SNAKEMAKE = ENTRY_POINTS["snakemake"]
SHARDS = ("part-000-of-002", "part-001-of-002")
TINY = tuple(f"evaluate tiny {part}" for part in SHARDS)

MISTAKES = {
    "generate.cvqa-synthetic.image_size": 44,
    "generate.cvqa-synthetic.sharts": 4,
    "sead": 4,
    "models.random.adapter": "rondom",
}
MESSAGES = (
    "generate.cvqa-synthetic.image_size: is 44; input should be",
    "generate.cvqa-synthetic.sharts: unknown key; did you mean `shards`?",
    "sead: unknown key; did you mean `seed`?",
    "models.random.adapter: is 'rondom'; it must be one of 'random'",
    "models.qwen2.5-vl: is 'qwen2.5-vl'; a key must be lower-case words",
)


def test_both_entry_points_refuse_bad_parameters_before_anything_runs(checkout: Checkout) -> None:
    before = checkout.results()
    checkout.set(MISTAKES)
    text = (checkout.path / "params.yaml").read_text()
    (checkout.path / "params.yaml").write_text(text.replace("  majority:", "  qwen2.5-vl:"))
    for command in ENTRY_POINTS.values():
        done = checkout.run(*command, check=False)
        assert done.returncode != 0
        assert [message for message in MESSAGES if message not in done.stdout + done.stderr] == []
        assert "Traceback" not in done.stdout + done.stderr
        assert checkout.results() == before


def test_a_mistake_in_the_resources_of_a_cluster_stops_the_local_entry_point_too(checkout: Checkout) -> None:
    resources = checkout.path / "slurm/resources.yaml"
    resources.write_text(resources.read_text(encoding="utf-8").replace("mem_mb: 2000", "mem_gb: 2", 1))
    done = checkout.run(*SNAKEMAKE, check=False)
    assert done.returncode != 0
    told = r"slurm/resources\.yaml:\d+: cpu\.mem_gb: unknown key; did you mean `mem_mb`\?"
    assert re.search(told, done.stdout + done.stderr)


def test_options_of_snakemake_that_do_not_go_with_the_graph_are_refused_in_one_line(checkout: Checkout) -> None:
    (checkout.path / "other.yaml").write_text("seed: 7\n")
    checkout.set({"generate.cvqa-synthetic.image_size": 200})  # so that there would be something to touch
    before = checkout.results()
    times = {path: (checkout.path / path).stat().st_mtime_ns for path in before}
    values = "--config, --configfile: values given on the command line are not recorded; edit "
    touch = "--touch: content decides what is fresh, not times; leave it out, and see `whatif status`"
    for options, wanted in {
        ("--configfile", "other.yaml"): values,
        ("--touch", "--forceall"): touch,
    }.items():
        done = checkout.run("snakemake", "--cores", "1", *options, check=False)
        assert done.returncode == 1
        notes = ("Using workflow specific profile", "Config file params.yaml is extended")  # Snakemake's
        (line,) = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith(notes)]
        assert line.startswith(f"whatif: {wanted}")
    assert checkout.results() == before
    assert {path: (checkout.path / path).stat().st_mtime_ns for path in before} == times


def test_a_dry_run_has_nothing_to_do_and_lint_finds_only_what_we_accept(checkout: Checkout) -> None:
    assert "Nothing to be done" in checkout.run("snakemake", "--dry-run").stdout
    lint = checkout.run("snakemake", "--lint", check=False)
    # One environment for all rules, pinned in constraints.txt: a second description of it would only drift.
    accepted = "Specify a conda environment or container for each rule."
    findings = set(re.findall(r"^    \* (.*):$", lint.stdout + lint.stderr, re.MULTILINE))
    assert findings == {accepted}


@pytest.mark.soak
def test_a_model_that_is_gone_and_a_rule_that_is_not_its_steps_are_one_line(checkout: Checkout) -> None:
    checkout.set({"models.writer": None})
    done = checkout.run("dvc", "repro", check=False)
    (line,) = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("whatif: ")]
    assert line == "whatif: dvc.yaml: names models.writer, which params.yaml does not have; run `whatif dvc-yaml`"
    checkout.run("whatif", "dvc-yaml")
    assert checkout.jobs(ENTRY_POINTS["dvc"]) == {}
    rules = checkout.path / "stages" / "filter.smk"
    rules.write_text(rules.read_text().replace("generate/", "extract/"))
    done = checkout.run("snakemake", "--cores", "1", check=False)
    (line,) = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("whatif: ")]
    assert line.startswith("whatif: stages/filter.smk: has no rule filter_cvqa_synthetic as its step declares it; run ")


def test_dvc_knows_every_file_of_the_graph_and_every_input_of_a_stage() -> None:
    graph = benchmarks.graph(benchmarks.load_params(ROOT / "params.yaml"))
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    for job in graph.jobs:
        stage = stages[job.step.stage]
        stage = stage.get("do", stage)
        key = job.evaluated_key or ""  # other wildcards stand inside the folder of a model
        outs = [next(iter(out)).replace("${key}", key) for out in stage["outs"]]
        for path in (*job.outputs.values(), *job.published):
            assert any(str(path) == out or str(path).startswith(f"{out}/") for out in outs), path
        for path in job.input_paths:
            # Steps of one stage may build on each other.
            assert any(str(path).startswith(f"{place}/") for place in [*stage["deps"], *outs]), (job.name, path)
        tracked = ["params.yaml:" if isinstance(p, dict) else p.replace("${key}", key) for p in stage["params"]]
        for place in job.plain_parameters:
            assert "params.yaml:" in tracked or any(f"{place}.".startswith(f"{p}.") for p in tracked), (job.name, place)


@pytest.mark.soak
def test_a_checkpoint_is_asked_and_its_weights_are_part_of_the_fingerprint(checkout: Checkout, tmp_path: Path) -> None:
    from tests.tiny_checkpoints import tiny_llava

    folder = tiny_llava(tmp_path / "llava", seed=1)
    model = {"adapter": "hf-chat", "checkpoint": str(folder), "name": "Tiny LLaVA"}
    checkout.set({"models.tiny": model})
    assert checkout.jobs([*SNAKEMAKE, "--", "evaluate"]) == dict.fromkeys(TINY, "computed")
    predictions = checkout.path / "data/evaluate/tiny/cvqa-synthetic/predictions"
    rows = pq.read_table(predictions).to_pylist()
    assert len(rows) == 2 * 6 * 4
    assert {row["status"] for row in rows} == {"ok"}
    for row in rows:
        assert len(row["choice_scores"]) == 4
        means = [score["mean"] for score in row["choice_scores"]]
        assert row["answer"] == "ABCD"[means.index(max(means))]
    checkout.set({"models.tiny.name": "Tiny"})
    assert stale(checkout) == {"aggregate cvqa-synthetic"}
    tiny_llava(folder, seed=2)
    said = checkout.run("whatif", "status").stdout
    assert stale_in(said) == {f"evaluate cvqa-synthetic tiny {part}" for part in SHARDS}
    assert f"source {folder}" in said


@pytest.mark.soak  # the message is that of a quick test
def test_a_folder_that_is_no_checkpoint_is_one_line(checkout: Checkout, tmp_path: Path) -> None:
    folder = tmp_path / "no-checkpoint"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    checkout.set({"models.tiny": {"adapter": "hf-chat", "checkpoint": str(folder)}})
    done = checkout.run("whatif", "evaluate", "cvqa-synthetic", "--model", "tiny", check=False)
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("whatif: ")]
    assert str(folder) in line
    assert list((checkout.path / "data/evaluate/tiny").rglob("*.*")) == []


def test_flowers_from_an_icons_50_folder(checkout: Checkout, tmp_path: Path) -> None:
    folder = tmp_path / "Icons-50" / "flower"
    folder.mkdir(parents=True)
    for number in range(3):
        (folder / f"apple_{number}.png").write_bytes(icon((200, 10 * number, 60)))
    (folder / "broken.png").write_bytes(b"\x89PNG no picture")
    checkout.set({"extract.cvqa-synthetic.icons50.folder": str(tmp_path / "Icons-50")})
    assert checkout.jobs([*SNAKEMAKE, "--", "extract"]) == {"extract": "computed"}
    shown = checkout.run("whatif", "show", "data/extract/cvqa-synthetic/rejections.parquet").stdout
    assert "flower/broken.png" in shown
    # Another picture in the folder: the path is the same, its content is not.
    (folder / "apple_3.png").write_bytes(icon((10, 200, 60)))
    assert "extract cvqa-synthetic" in stale(checkout)


@pytest.mark.parametrize("kind", ["missing", pytest.param("empty", marks=pytest.mark.soak)])
def test_an_icons_50_folder_without_pictures_is_one_line(checkout: Checkout, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "Icons-50"
    if kind == "empty":
        (folder / "flower").mkdir(parents=True)
    checkout.set({"extract.cvqa-synthetic.icons50.folder": str(folder)})
    done = checkout.run("whatif", "extract", "cvqa-synthetic", check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"whatif: {folder}: ")
    assert len(done.stderr.splitlines()) == 1


def test_status_names_what_changed_and_check_ends_with_one(checkout: Checkout) -> None:
    assert checkout.run("whatif", "status", "--check").returncode == 0
    checkout.set({"generate.cvqa-synthetic.image_size": 200})
    done = checkout.run("whatif", "status", "--check", check=False)
    assert done.returncode == 1
    assert "generate.cvqa-synthetic.image_size: 224 -> 200" in done.stdout
    assert re.search(r"^stale +generate cvqa-synthetic part-000-of-002$", done.stdout, re.MULTILINE)
    done = checkout.run("whatif", "status", "--all", "--check", check=False)
    assert done.returncode == 1
    assert re.search(
        r"^stale +data/generate/cvqa-synthetic/images/part-000-of-002\.parquet$", done.stdout, re.MULTILINE
    )
    assert re.search(r"^unknown +data/filter/cvqa-synthetic/questions\.parquet$", done.stdout, re.MULTILINE)


def test_an_unreadable_artifact_is_one_line_on_the_command_line(checkout: Checkout) -> None:
    file = "data/filter/cvqa-synthetic/questions.parquet"
    (checkout.path / file).write_bytes(b"PAR1")
    done = checkout.run("whatif", "verify", "cvqa-synthetic", check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"whatif: {file}: is not a complete Parquet file")
    assert len(done.stderr.splitlines()) == 1


def test_a_dry_run_says_what_a_paid_model_would_cost(checkout: Checkout) -> None:
    prices = {"price_per_million_prompt_tokens": 1, "price_per_million_response_tokens": 1}
    model = {"adapter": "api", "model": "gpt", "base_url": "http://127.0.0.1:9/v1", **prices}
    checkout.set({"models.paid": model, "models.free": {**model, "model": "free", **dict.fromkeys(prices)}})
    before = checkout.results()
    said = checkout.run(*SNAKEMAKE, "--dry-run").stderr
    lines = [line for line in said.splitlines() if "questions" in line]
    assert len(lines) == 1
    assert lines[0].startswith("paid cvqa-synthetic: asks 48 of 48 questions (0 are stored), about ")
    assert ", cost about 0.0" in lines[0]
    assert checkout.results() == before
