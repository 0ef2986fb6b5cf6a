"""Rows of trainings whose results are known: three seeds, with small sets, as the steps write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from tests.projects import Project
from whatif.benchmarks.coco_counterfactuals_training.dimensions import TRAINED
from whatif.benchmarks.coco_counterfactuals_training.results import Results
from whatif.benchmarks.coco_counterfactuals_training.schemas import MIXTURES, PRE_TRAINED, WITHHELD
from whatif.benchmarks.coco_counterfactuals_training.steps import TABLES
from whatif.engine.artifacts.schemas import PAIRS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.jobs import Job
from whatif.engine.looked_up import looked_up
from whatif.results.reporting.table import Table

Row = dict[str, Any]
SEEDS = ("seed-107", "seed-108", "seed-109")
QUERIES = 100
# The share of queries found first, in percent, by mixture: the middle seed's; the others have one less and one more.
FOUND = dict(zip((PRE_TRAINED, *MIXTURES), (40, 60, 62, 70, 65, 64, 50, 66), strict=True))
LEAK_FREE_FOUND = 58  # of withheld-counterfactuals
CLASSES = {"cifar-10": ("cat", "dog"), "colours": ("red", "blue", "green")}


def places(model: str, seed: str) -> Iterator[Row]:
    if seed == PRE_TRAINED:
        yield {"model": model, "mixture": PRE_TRAINED, "division": "published", "seed": seed}
        return
    for mixture in MIXTURES:
        yield {"model": model, "mixture": mixture, "division": "published", "seed": seed}
    yield {"model": model, "mixture": "withheld-counterfactuals", "division": "leak-free", "seed": seed}


def found_first(place: Mapping[str, str]) -> int:
    base = LEAK_FREE_FOUND if place["division"] == "leak-free" else FOUND[place["mixture"]]
    return base + (0 if place["seed"] == PRE_TRAINED else SEEDS.index(place["seed"]) - 1)


def retrieved(place: Mapping[str, str], data_sets: Sequence[str]) -> Iterator[Row]:
    """Of the queries that are not found first, ten are second, and ten ninth; one has no rank."""
    first = found_first(place)
    ranks = [1] * first + [2] * 10 + [9] * 10 + [50] * (QUERIES - first - 21) + [None]
    own = [WITHHELD] if place["mixture"].startswith("withheld") or place["mixture"] == PRE_TRAINED else []
    for data_set in [*data_sets, *own]:
        for direction in ("text-retrieval", "image-retrieval"):
            for number, rank in enumerate(ranks):
                query = {"direction": direction, "query_id": f"q{number:03}", "rank": rank, "candidates": QUERIES}
                yield {**place, "data_set": data_set, **query}


def classified(place: Mapping[str, str], data_sets: Mapping[str, Sequence[str]] = CLASSES) -> Iterator[Row]:
    """Of 100 images of each data set, all of class 0 but ten, as many are right as are found first."""
    for data_set in data_sets:
        for number in range(QUERIES):
            label = int(number >= QUERIES - 10)
            right = number < found_first(place)
            predicted = label if right else None if number == QUERIES - 1 else 1 - label
            image = {"data_set": data_set, "item_id": f"{number:03}.png", "label": label, "predicted": predicted}
            yield {**place, **image}


def losses(place: Mapping[str, str]) -> Iterator[Row]:
    low = 1.0 + SEEDS.index(place["seed"]) / 10 - (0.2 if place["division"] == "published" else 0)
    for step, loss in ((0, None), (20, low + 0.5), (40, low), (60, low + 0.1)):
        numbers = {"epoch": step / 20, "learning_rate": 1e-4, "loss": loss, "validation_loss": loss}
        yield {**place, "step": step, **numbers, "best": step == 40}


def sample(mixture: str, division: str, name: str, part: str, source: str) -> Row:
    of = {"mixture": mixture, "division": division, "sample_id": name, "part": part, "source": source}
    return {**of, "caption": f"caption {name}", "image_id": f"image {name}", "photograph": name}


def samples() -> Iterator[Row]:
    """Mixtures of four originals and, but for the first, the counterfactual samples of two pairs."""
    for mixture, division in [*((one, "published") for one in MIXTURES), (MIXTURES[-1], "leak-free")]:
        for number in range(4):
            yield sample(mixture, division, f"p{number}", "train" if number else "validation", "original")
        if mixture not in ("ms-coco", "withheld-ms-coco"):
            for name in ("p0-0", "p0-1", "p1-0"):
                yield sample(mixture, division, name, "train", "counterfactual")
            yield sample(mixture, division, "p1-1", "test" if "withheld" in mixture else "validation", "counterfactual")


def pair(name: str) -> Row:
    captions = {"caption_0": "a cat on a mat", "caption_1": "a dog on a mat"}
    subjects = {"subject_0": "cat", "subject_1": "dog"}
    images = {"image_id_0": "x", "image_id_1": "y", "candidate": 0, "p": 0.5, "guidance": 7.5, "seed": 1}
    whole = {**dict.fromkeys(PAIRS.schema.names), "pair_id": name, **captions, **subjects, **images}
    return {**whole, "provenance": "{}"}


def inputs(**rows: Sequence[Row]) -> Any:
    """A task whose inputs have these rows, by role (`imported_classes` for `imported-classes`); others are empty."""
    return SimpleNamespace(rows=lambda role: iter(rows.get(role.replace("-", "_"), ())))


def results(names: Mapping[str, str], **fields: Any) -> Results:
    """The results of a task without inputs, unless `task` is given."""
    how: Any = SimpleNamespace(confidence=0.95, out_of_domain="other", in_domain="own")
    given = {"task": inputs(), "questions": (), **fields}
    return Results(title="T", settings=how, dimension=TRAINED, names=names, **given)


def made_table(name: str, found: Results) -> Table:
    """A table from results."""
    made: Table = looked_up(TABLES.tables[name]).table(name, found)
    return made


def project_of(project: Project, seeds: Sequence[int] = (107, 108, 109)) -> Project:
    """Two data sets of classified images; one trained model."""
    project.select("coco-counterfactuals-training")
    extract = project.section("extract")
    extract["classification"] = {
        name: {"drawn": drawn, "number": 100} for name, drawn in zip(CLASSES, ("things", "colours"), strict=True)
    }
    project.section("evaluate")["models"] = {"clip": {"seeds": list(seeds), "mixtures": None, "recipe": {}}}
    return project


def made_inputs(project: Project, **others: list[Row]) -> Job:
    """Writes the artifacts that the last job reads, and returns it. `others` replaces those of a role."""
    (job,) = project.jobs("aggregate")
    sets = list(project.section("extract")["retrieval"])
    tables: dict[str, list[Row]] = {
        "pairs": [pair("p0"), pair("p1"), pair("p2")],
        "originals": [{"caption_id": f"p{number}", "caption": "c", "image_id": "i"} for number in range(4)],
        "samples": list(samples()),
        "unused": [{"item_id": "p2-0", "reason": "an odd sample", "detail": ""}],
        "rejections": [{"item_id": "p9", "reason": "no photograph", "detail": ""}],
        "retrieval": [
            {"data_set": one, "item_id": f"q{number:03}", "caption": "c", "image_id": "i"}
            for one in sets
            for number in range(QUERIES)
        ],
        **others,
    }
    for role, given in job.inputs.items():
        for path, wildcards in zip(given.paths, given.wildcards, strict=True):
            content = tables.get(role, [])
            if role in ("retrieved", "classified", "losses") and role not in others:
                of_job = list(places(wildcards["trained"], wildcards["seed"]))
                made = {
                    "retrieved": lambda place: retrieved(place, sets),
                    "classified": classified,
                    "losses": lambda place: losses(place) if place["mixture"] != PRE_TRAINED else (),
                }[role]
                content = [row for place in of_job for row in made(place)]
            if role in ("classes", "labelled") and role not in others:
                content = list(_of_set(role, wildcards["data_set"]))
            keys = given.table.key
            write_artifact(path, given.table, sorted(content, key=lambda row: tuple(row[key] for key in keys)))
    return job


def _of_set(role: str, data_set: str) -> Iterator[Row]:
    if role == "classes":
        for label, name in enumerate(CLASSES[data_set]):
            yield {"data_set": data_set, "label": label, "name": name, "prompt": f"a photo of a {name}"}
    else:
        for number in range(QUERIES):
            yield {"data_set": data_set, "item_id": f"{number:03}.png", "image_id": "i", "label": 0}
