"""Files outside the graph that are edited in place: both entry points act, and only on what reads them."""

from __future__ import annotations

import json

import pytest

from tests.benchmarks.cvqa_real.small import LINES
from tests.pictures import icon
from tests.pipeline.checkouts import ENTRY_POINTS, Checkout, computed, stale

pytestmark = pytest.mark.pipeline

RELEASED, LABELS, GENDERS, ANSWERS = "released.csv", "people/labels.csv", "genders.csv", "answers.csv"


def write(checkout: Checkout, name: str, lines: list[str]) -> None:
    path = checkout.path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def with_people(checkout: Checkout) -> None:
    """A small C-VQA-Real whose questions people have checked, one model, and predictions of another."""
    header, *rows = LINES.splitlines()
    write(checkout, RELEASED, [header, *rows])
    write(checkout, GENDERS, ["id,bb_gender", "1,Male", "2,Female"])
    write(checkout, ANSWERS, [f"{header},response,new_response", *(f"{row},2,yes" for row in rows)])
    photographs = checkout.path / "val2017"
    photographs.mkdir()
    for number in (1, 2, 3):
        (photographs / f"00000000000{number}.jpg").write_bytes(icon((200, 60 * number, 60)))
    checkout.set(
        {
            "benchmarks": ["cvqa-real"],
            "extract.cvqa-real": {
                "questions": RELEASED,
                "image_folders": ["val2017"],
                "gender_annotations": GENDERS,
            },
            "verify.cvqa-real.labels": [
                {"path": LABELS, "format": "rejected-ids", "annotator": "ann", "rest": "accept"}
            ],
            "evaluate.cvqa-real.strategies": ["direct"],
            "aggregate.cvqa-real.resamples": 200,
            "aggregate.cvqa-real.audit_folds": 2,
            "models": {
                "majority": {"adapter": "majority"},
                "theirs": {"adapter": "replay", "predictions": ANSWERS},
            },
        }
    )


@pytest.fixture
def pair(checkout: Checkout) -> str:
    """The pair of questions that a person has rejected, in a file that DVC tracks; nothing is made yet."""
    with_people(checkout)
    pair: str = json.loads(checkout.run("python", "-c", _IDS).stdout)[0]
    write(checkout, LABELS, ["item_id", pair])
    checkout.run("dvc", "add", "--quiet", LABELS)
    checkout.run("whatif", "dvc-yaml")
    return pair


def edited_labels_are_read(checkout: Checkout, entry_point: list[str], pair: str) -> None:
    write(checkout, GENDERS, ["id,bb_gender", "1,Female", "2,Female"])
    assert stale(checkout) == {"aggregate cvqa-real"}
    write(checkout, LABELS, ["item_id", pair, "somebody-else"])  # a further row that is not counted
    jobs = checkout.jobs(entry_point)
    assert computed(jobs) == {"verify cvqa-real check", "aggregate cvqa-real"}, "the questions are the same"
    assert "unknown item" in (checkout.path / "metrics/cvqa-real/funnel.csv").read_text(encoding="utf-8")


def test_an_edited_file_makes_exactly_its_readers_due(checkout: Checkout, pair: str) -> None:
    by_snakemake = ENTRY_POINTS["snakemake"]
    assert "verify cvqa-real" in checkout.jobs(by_snakemake)
    edited_labels_are_read(checkout, by_snakemake, pair)


@pytest.mark.soak
@pytest.mark.parametrize("order", [("dvc", "snakemake"), ("snakemake", "dvc")])
def test_every_edited_file_makes_exactly_its_readers_due_and_the_way_back_computes_nothing(
    checkout: Checkout, pair: str, order: tuple[str, str]
) -> None:
    first, second = (ENTRY_POINTS[name] for name in order)
    assert "verify cvqa-real" in checkout.jobs(second)
    at_first = checkout.results()
    edited_labels_are_read(checkout, first, pair)

    text = (checkout.path / ANSWERS).read_text(encoding="utf-8")
    write(checkout, ANSWERS, text.replace(",2,yes", ",1,no").splitlines())
    theirs = stale(checkout)
    assert theirs and all(name.startswith("evaluate cvqa-real theirs ") for name in theirs)
    released = (checkout.path / RELEASED).read_text(encoding="utf-8")
    write(checkout, RELEASED, released.replace("are there?,3,", "are there?,4,").splitlines())
    assert stale(checkout) == {"extract cvqa-real"}, "what reads it is unknown until it is made"

    write(checkout, RELEASED, released.splitlines())
    write(checkout, LABELS, ["item_id", pair])
    write(checkout, GENDERS, ["id,bb_gender", "1,Male", "2,Female"])
    write(checkout, ANSWERS, text.splitlines())
    assert "computed" not in checkout.jobs(second).values(), "earlier results come back from the stash"
    assert checkout.results() == at_first


_IDS = """
import json
from pathlib import Path
from whatif.formats.c_vqa import read_released
print(json.dumps(sorted({row["pair_id"] for row in read_released(Path("released.csv"))})))
"""
