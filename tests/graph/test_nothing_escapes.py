"""What the jobs of a whole run execute, compared with what the versions of their code cover."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest

from tests.graph.executed import escaped, traced
from tests.projects import Project
from whatif import benchmarks, models
from whatif.graph.graph import Graph
from whatif.graph.run import run
from whatif.looked_up import looked_up, only

# What hands a job its inputs and writes its outputs. Its effect on rows is `FORMAT_VERSION` and the layout of the
# tables, which are in every fingerprint.
MACHINERY = {
    "whatif.artifacts.schemas",
    "whatif.artifacts.sorted_files",
    "whatif.artifacts.writer",
    "whatif.files.atomic",
    "whatif.graph.folders",
    "whatif.graph.losses",
    "whatif.graph.run",
    "whatif.graph.task",
}
OF_THE_WRITER = "whatif.artifacts.reader:content_hasher"


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Graph]:
    """The graph of all benchmarks that are selected by default, with few items, in a folder of its own."""
    project = Project(tmp_path / "project")
    extract, generate = project.values["extract"], project.values["generate"]
    generate["cvqa-synthetic"]["puzzles_per_template"] = 4
    extract["cvqa-real"]["scenes"]["number"] = 12
    extract["scenes"]["number"] = 8
    generate["scenes"]["pairs"] = 4
    extract["coco-counterfactuals"]["scenes"] = 8
    extract["cfmm"]["scenes"]["items_per_category"] = 4
    extract["mucr"]["scenes"]["groups"] = 8
    training = extract["coco-counterfactuals-training"]
    training["scenes"] |= {"pairs": 40, "unpaired": 30}
    for searched in training["retrieval"].values():
        searched["scenes"] = 40
    for recognised in training["classification"].values():
        recognised["number"] = 30
    with contextlib.chdir(project.folder):
        yield project.graph


@pytest.mark.slow
def test_no_code_that_a_job_executes_escapes_its_version(small: Graph) -> None:
    escapes: dict[str, str] = {}
    executed = 0
    for job in small.jobs:
        found: set[CodeType] = set()
        assert run(traced(job, found), lambda line: None) == "computed"
        executed += len(found)
        escapes |= dict.fromkeys(escaped(job, found), job.name)
    escapes = {
        place: job
        for place, job in escapes.items()
        if place.partition(":")[0] not in MACHINERY and place != OF_THE_WRITER
    }
    assert escapes == {}
    assert executed > 10_000


def test_a_job_cannot_look_up_code_that_it_does_not_declare() -> None:
    place = models.ADAPTERS["random"]
    with only(lambda other: other == place):
        assert looked_up(place) is not None
        with pytest.raises(LookupError, match="baselines:majority: is looked up by a step that does not declare it"):
            looked_up(models.ADAPTERS["majority"])
    assert looked_up(models.ADAPTERS["majority"]) is not None


def test_the_site_depends_on_the_code_of_every_claim_that_it_shows() -> None:
    from tests.defaults import PARAMS
    from whatif.graph.code_version import code_version

    graph = benchmarks.graph(benchmarks.load_params(PARAMS))
    (site,) = [job for job in graph.jobs if job.step.benchmark == "site"]
    covered = code_version(site.code_roots)
    training = "whatif.benchmarks.coco_counterfactuals_training"
    assert {"whatif.contradictions.significance", f"{training}.claim_cells", f"{training}.claims"} <= set(covered)
