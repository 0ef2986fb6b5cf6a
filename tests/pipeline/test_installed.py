"""An installed package works outside a checkout: its weights, prompts and reported numbers come with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pipeline.checkouts import copy_of_sources

pytestmark = pytest.mark.pipeline

CODE = """
import json
import whatif
from whatif import benchmarks
from whatif.files.named_folders import embedded_checkpoints, named_path
from whatif.language.strategies import strategies
from whatif.models.local.encoders import dual_encoder
from whatif.params.checkpoints import LocalCheckpoint
from whatif.reporting.published_numbers import published

dual_encoder(LocalCheckpoint(checkpoint="embedded:clip"))
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


def test_an_installed_package_has_its_weights_prompts_and_reported_numbers(tmp_path: Path) -> None:
    source, installed, elsewhere = (tmp_path / name for name in ("source", "installed", "elsewhere"))
    source.mkdir()
    elsewhere.mkdir()
    copy_of_sources(source)
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", str(installed)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(source)], check=True, capture_output=True)
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, "-c", CODE], cwd=elsewhere, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert Path(found["package"]).is_relative_to(installed)
    assert found["clip"] == str(installed / "whatif" / "embedded" / "checkpoints" / "clip")
    assert {"clip", "diffusion", "llava-original", "vilt"} <= set(found["checkpoints"])
    assert {"cvqa-synthetic", "cvqa-real", "scenes"} <= set(found["benchmarks"])
    assert {"cot", "direct", "one-shot", "plain"} <= set(found["strategies"]) and found["reported"] == 6
    assert (installed / "snakemake_logger_plugin_whatif" / "__init__.py").is_file()
