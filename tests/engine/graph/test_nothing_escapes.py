"""What the jobs of a whole run execute, compared with what the versions of their code cover."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.defaults import PARAMS, ROOT
from whatif import benchmarks, models
from whatif.engine.looked_up import looked_up, only

# What hands a job its inputs and writes its outputs. Its effect on rows is `FORMAT_VERSION` and the layout of the
# tables, which are in every fingerprint.
MACHINERY = {
    "whatif.engine.artifacts.schemas",
    "whatif.engine.artifacts.sorted_files",
    "whatif.engine.artifacts.writer",
    "whatif.engine.files.atomic",
    "whatif.engine.graph.folders",
    "whatif.engine.graph.losses",
    "whatif.engine.graph.run",
    "whatif.engine.graph.task",
}
OF_THE_WRITER = "whatif.engine.artifacts.reader:content_hasher"


@pytest.mark.slow
@pytest.mark.parametrize("selected", [["cvqa-synthetic"], pytest.param([], marks=pytest.mark.soak)])
def test_no_code_that_a_job_executes_escapes_its_version(tmp_path: Path, selected: list[str]) -> None:
    # A process of its own: the audit hook of the tests would be called for each call that is traced.
    command = [sys.executable, "-m", "tests.engine.graph.small_run", str(tmp_path / "project"), *selected]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    escapes = {
        place: job
        for place, job in found["escapes"].items()
        if place.partition(":")[0] not in MACHINERY and place != OF_THE_WRITER
    }
    assert escapes == {}
    assert found["executed"] > 10_000


def test_a_job_cannot_look_up_code_that_it_does_not_declare() -> None:
    place = models.ADAPTERS["random"]
    with only(lambda other: other == place):
        assert looked_up(place) is not None
        with pytest.raises(LookupError, match="baselines:majority: is looked up by a step that does not declare it"):
            looked_up(models.ADAPTERS["majority"])
    assert looked_up(models.ADAPTERS["majority"]) is not None


def test_the_site_depends_on_the_checks_and_the_files_of_the_claims_that_it_shows() -> None:
    from whatif.engine.graph.code_version import code_version

    graph = benchmarks.graph(benchmarks.load_params(PARAMS))
    (site,) = [job for job in graph.jobs if job.step.benchmark == "site"]
    covered = code_version(site.code_roots)
    engine = {
        f"whatif.results.contradictions.{name}"
        for name in ("claim_file", "selection", "values", "texts", "significance")
    }
    assert engine <= set(covered)
    assert "whatif.benchmarks.mucr:published/claims.yaml" in site.step.package_files
