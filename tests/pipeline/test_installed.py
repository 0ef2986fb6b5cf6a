"""The wheel is enough: light without extras, and with `pipeline` it builds benchmarks outside this checkout."""

from __future__ import annotations

import json
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

from tests.defaults import PARAMS, ROOT
from tests.pipeline.checkouts import Checkout
from tests.pipeline.real_installations import Installation
from tests.pipeline.test_toy_package import PACKAGE
from tests.pipeline.test_toy_package import PARAMS as OF_COINS

pytestmark = pytest.mark.pipeline

SHIPPED = """
import json
import whatif
from whatif import benchmarks
from whatif.files.named_folders import embedded_checkpoints, named_path
from whatif.language.strategies import strategies
from whatif.reporting.published_numbers import published

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
    assert found["clip"] == str(package / "embedded" / "checkpoints" / "clip")
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
    values["models"]["llava-original"] = yaml.safe_load(PARAMS.read_text())["models"]["llava-original"]
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

    inside = project / "data" / "verify"
    assert "random forest" in run(inside, "whatif", "audit", "cvqa-synthetic/questions.parquet").stdout
    assert "Table 7" in run(inside, "whatif", "show", "cvqa-synthetic").stdout
    assert "fresh (jobs)" in run(inside, "whatif", "status", "--check").stdout
    assert "cvqa-synthetic: " in run(inside, "whatif", "summary").stdout


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


@pytest.mark.timeout(1800)  # it installs DVC and Snakemake
def test_a_project_outside_this_checkout_is_built_by_the_wheel(
    pipeline_installation: Installation, tmp_path: Path
) -> None:
    run = pipeline_installation.run
    where = run(tmp_path, "python", "-c", "import whatif; print(whatif.__file__)").stdout.strip()
    assert Path(where).is_relative_to(pipeline_installation.path)
    assert "whatif status" in run(tmp_path, "whatif", "--help").stdout
    project = _coins_project(pipeline_installation, tmp_path / "project")
    try:
        run(project, "whatif", "dvc-yaml")
        first = yaml.safe_load((project / "dvc.yaml").read_text(encoding="utf-8"))["stages"]["generate"]
        assert first["deps"] == ["coins/whatif_coins"]
        run(project, "dvc", "repro")
        by_dvc = _results(project)
        inside = project / "metrics" / "coins"
        assert "- random: " in run(inside, "whatif", "show", "coins").stdout
        assert run(inside, "whatif", "site").stdout.startswith("../../site/index.html: ")
        assert "fresh (jobs)" in run(inside, "whatif", "status", "--check").stdout
        run(inside, "dvc", "repro", "../../dvc.yaml")
        for name in ("data", "metrics", ".whatif"):
            shutil.rmtree(project / name)
        run(project, "snakemake", "--cores", "2")
        assert _results(project) == by_dvc
        assert "Nothing to be done" in run(project, "snakemake", "--dry-run").stdout
        _sees_a_change_of_its_code(pipeline_installation, project)
    finally:
        run(tmp_path, "python", "-m", "pip", "uninstall", "--quiet", "--yes", "whatif-coins")


def _coins_project(installation: Installation, project: Path) -> Path:
    """A project with the files that come with the package, and a benchmark that is installed from its folder."""
    write = "\n".join(
        [
            "from pathlib import Path",
            "from whatif.workflow.project_files import project_files",
            "for path, data in project_files().items():",
            "    Path(path).parent.mkdir(parents=True, exist_ok=True)",
            "    Path(path).write_bytes(data)",
        ]
    )
    project.mkdir()
    installation.run(project, "python", "-c", write)
    shutil.copytree(PACKAGE, project / "coins", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    (project / "params.yaml").write_text(yaml.safe_dump(OF_COINS, sort_keys=False), encoding="utf-8")
    installation.run(project, "git", "init", "--quiet")
    # setuptools of the running environment would not be found; a path and the record of the entry point do the same.
    record = installation.packages / "whatif_coins-0.1.0.dist-info"
    record.mkdir(exist_ok=True)
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: whatif-coins\nVersion: 0.1.0\n", encoding="utf-8")
    (record / "entry_points.txt").write_text("[whatif.benchmarks]\ncoins = whatif_coins\n", encoding="utf-8")
    names = [f"{record.name}/{name}" for name in ("METADATA", "entry_points.txt", "RECORD")]
    (record / "RECORD").write_text("".join(f"{name},,\n" for name in [*names, "coins.pth"]), encoding="utf-8")
    (installation.packages / "coins.pth").write_text(f"{project / 'coins'}\n", encoding="utf-8")
    return project


def _sees_a_change_of_its_code(installation: Installation, project: Path) -> None:
    module = project / "coins" / "whatif_coins" / "__init__.py"
    module.write_text(module.read_text(encoding="utf-8").replace("3 - heads", "heads"), encoding="utf-8")
    assert "code of whatif_coins" in installation.run(project, "whatif", "status").stdout
    installation.run(project, "dvc", "repro")
    assert "fresh (jobs)" in installation.run(project, "whatif", "status", "--check").stdout


def _results(project: Path) -> dict[str, bytes]:
    files = [*project.glob("data/**/*.parquet"), *project.glob("metrics/**/*.*")]
    return {str(file.relative_to(project)): file.read_bytes() for file in sorted(files)}


def test_the_files_of_every_project_are_those_of_this_checkout() -> None:
    from whatif.workflow.project_files import project_files

    found = project_files()
    own = {path: data for path, data in found.items() if path.startswith((".dvc/plots/", "profiles/"))}
    own |= {path: found[path] for path in ("slurm/resources.yaml", ".dvcignore")}
    assert own == {path: (ROOT / path).read_bytes() for path in own}
    before, _, _ = found["slurm/config.yaml"].partition(b"# group-components:\n")
    assert (ROOT / "slurm/config.yaml").read_bytes().startswith(before)
