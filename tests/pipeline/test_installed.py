"""The wheel is enough: complete, and light without extras. `test_new_project.py` builds a project with it."""

from __future__ import annotations

import json
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

from tests.defaults import ROOT, shipped_values
from tests.pipeline.checkouts import Checkout
from tests.pipeline.real_installations import Installation
from tests.tutorials.runner import blocks

pytestmark = pytest.mark.pipeline

SHIPPED = """
import json
import whatif
from whatif import benchmarks
from whatif.engine.files.named_folders import embedded_checkpoints, named_path
from whatif.engine.language.strategies import strategies
from whatif.results.reporting.published_numbers import published

found = {
    "package": whatif.__file__,
    "clip": str(named_path("embedded:clip")),
    "checkpoints": embedded_checkpoints(),
    "benchmarks": benchmarks.installed(),
    "strategies": sorted(strategies()),
    "reported": len(published("whatif.benchmarks.cvqa_synthetic", "table7")),
}
print(json.dumps(found))
"""
# Warnings are errors: fresh numbers are loaded without one.
LIGHT = """
import json
import sys
import warnings
from importlib.util import find_spec

import whatif

warnings.simplefilter("error", whatif.StaleNumbers)
table = whatif.load("cvqa-synthetic", "table7")
questions = whatif.load("cvqa-synthetic", "questions")
found = {
    "rows": len(table),
    "questions": len(questions),
    "tables": whatif.tables("cvqa-synthetic", "metrics"),
    "rules": sorted(whatif.audit_shortcuts(questions, folds=2)["rule"].unique()),
    "answer": whatif.extract_answer("The answer is B.", "choice", "How many?", list("1234")).answer,
    "published": whatif.extract_answer("B", "choice", "How many?", list("1234"), rules="vlmevalkit").answer,
    "interval": [whatif.wilson(30, 100, 0.95).low, whatif.wilson(30, 100, 0.95).high],
    "installed": [name for name in ("torch", "transformers", "dvc", "snakemake", "nltk") if find_spec(name)],
}
print(json.dumps(found))
"""


def test_the_wheel_has_every_file_of_the_package_and_no_other(distributions: Path) -> None:
    (wheel,), (source,) = distributions.glob("*.whl"), distributions.glob("*.tar.gz")
    assert wheel.name.startswith("whatif_bench-") and source.name.startswith("whatif_bench-")
    with zipfile.ZipFile(wheel) as opened:
        in_wheel = {name for name in opened.namelist() if ".dist-info/" not in name}
        metadata = [name for name in opened.namelist() if name.endswith(".dist-info/licenses/LICENSE")]
    built = distributions.parent / "sources" / "src"
    files = {file.relative_to(built).as_posix() for file in built.rglob("*") if file.is_file()}
    expected = {name for name in files if ".egg-info/" not in name and "__pycache__" not in name}
    assert in_wheel == expected
    assert len(metadata) == 1
    with tarfile.open(source) as archive:
        in_source = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "params.yaml", "dvc.yaml", "Snakefile", "constraints.txt"} <= in_source
    assert not any(name.startswith("tests/") for name in in_source)


def test_the_wheel_has_weights_prompts_and_reported_numbers(light_installation: Installation, tmp_path: Path) -> None:
    found = json.loads(light_installation.run(tmp_path, "python", "-c", SHIPPED).stdout)
    package = light_installation.packages / "whatif"
    assert found["package"] == str(package / "__init__.py")
    assert found["clip"] == str(package / "world" / "checkpoints" / "clip")
    assert {"clip", "diffusion", "llava-original", "vilt"} <= set(found["checkpoints"])
    assert {"cvqa-synthetic", "cvqa-real", "scenes"} <= set(found["benchmarks"])
    assert {"cot", "direct", "one-shot", "plain"} <= set(found["strategies"]) and found["reported"] == 6


@pytest.fixture
def project_of_others(
    light_installation: Installation, finished_checkout: Checkout, tmp_path: Path
) -> tuple[Installation, Path]:
    """The light environment, and a project that was built elsewhere, with a model that was not asked there."""
    project = tmp_path / "project"
    project.mkdir()
    for folder in ("data", "metrics"):
        shutil.copytree(finished_checkout.path / folder, project / folder)
    values = yaml.safe_load((finished_checkout.path / "params.yaml").read_text(encoding="utf-8"))
    values["models"]["llava-original"] = shipped_values()["models"]["llava-original"]
    (project / "params.yaml").write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    return light_installation, project


def test_results_are_read_scored_and_audited_without_torch_dvc_and_snakemake(
    light_installation: Installation, finished_checkout: Checkout, tmp_path: Path
) -> None:
    run = light_installation.run
    project = tmp_path / "elsewhere"
    project.mkdir()
    shutil.copy2(finished_checkout.path / "params.yaml", project)
    for folder in ("data", "metrics"):
        shutil.copytree(finished_checkout.path / folder, project / folder)
    found = json.loads(run(project, "python", "-c", LIGHT).stdout)
    assert found["installed"] == []
    assert found["questions"] == 2 * 6 * 4 and found["rows"] > 10 and "table7" in found["tables"]
    assert {"letter", "rank", "forest"} <= set(found["rules"])
    assert (found["answer"], found["published"]) == ("B", "B")
    assert found["interval"] == pytest.approx([0.2189, 0.3958], abs=1e-4)

    [code] = [block for block in blocks((ROOT / "README.md").read_text(encoding="utf-8")) if block.language == "python"]
    assert "Always the first option" in run(tmp_path, "python", "-c", code.text).stdout

    inside = project / "data" / "verify"
    assert "random forest" in run(inside, "whatif", "audit", "cvqa-synthetic/questions.parquet").stdout
    assert "Table 7" in run(inside, "whatif", "show", "cvqa-synthetic").stdout
    assert "fresh (jobs)" in run(inside, "whatif", "status", "--check").stdout
    assert "first-option" in run(inside, "whatif", "summary").stdout


@pytest.mark.parametrize(
    ("command", "package", "extra"),
    [
        (("make", "aggregate"), "snakemake", "pipeline"),
        (("resume",), "psutil", "pipeline"),
        (("evaluate", "cvqa-synthetic", "--model", "llava-original"), "transformers", "models"),
    ],
    ids=lambda one: one if isinstance(one, str) else one[0],
)
def test_a_command_that_needs_an_extra_names_it_in_one_line(
    project_of_others: tuple[Installation, Path], command: tuple[str, ...], package: str, extra: str
) -> None:
    installation, project = project_of_others
    done = installation.run(project, "whatif", *command, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        f"whatif: {package} is not installed; it comes with the extra `{extra}`: pip install 'whatif-bench[{extra}]'\n",
    )


def test_the_files_of_every_project_are_those_of_this_checkout() -> None:
    from whatif.engine.workflow.project_files import project_files

    found = project_files()
    own = {path: data for path, data in found.items() if path.startswith((".dvc/plots/", "profiles/"))}
    own["slurm/resources.yaml"] = found["slurm/resources.yaml"]
    assert own == {path: (ROOT / path).read_bytes() for path in own}
    assert (ROOT / ".dvcignore").read_bytes().startswith(found[".dvcignore"])
    before, _, _ = found["slurm/config.yaml"].partition(b"# group-components:\n")
    assert (ROOT / "slurm/config.yaml").read_bytes().startswith(before)
