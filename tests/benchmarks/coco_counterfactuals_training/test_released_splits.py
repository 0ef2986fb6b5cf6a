"""Released split files decide the division; their rows find their samples by file, folder and caption."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.coco_counterfactuals_training.mixing_task import Mixed, Row, original, pair, photograph
from tests.released_captions import needs_released_captions, released_captions
from whatif.benchmarks.coco_counterfactuals_training.released_splits import SPLIT_FILES
from whatif.benchmarks.coco_counterfactuals_training.schemas import MIXTURES, TEST, TRAIN, VALIDATION
from whatif.engine.errors import WhatifError
from whatif.formats.caption_sets import read_captions_in_order
from whatif.formats.coco_photographs import coco_image_id

pytestmark = pytest.mark.slow

ORIGINAL, COUNTERFACTUAL = "synthetic-images-for-original-captions", "synthetic-images-for-counterfactual-captions"
# Photograph 7 has two pairs and a third caption, photograph 30 one pair, photograph 9 no pair.
PAIRS = [pair(pair_id, (f"A cat, {pair_id}", f"A dog {pair_id}")) for pair_id in ("7_0", "7_1", "30_2")]
ORIGINALS = [
    original("7_0", "seven", "A cat, 7_0"),
    original("7_1", "seven", "A cat, 7_1"),
    original("coco-00000005", "seven", "A third"),
    original("30_2", "thirty", "A cat, 30_2"),
    original("coco-00000006", "nine", "A cat, 7_0"),
    original("coco-00000007", "cup", "A cup"),
]
PHOTOGRAPHS = [
    photograph("seven", "coco:000000000007.jpg"),
    photograph("thirty", "coco:COCO_val2014_000000000030.jpg"),
    photograph("nine", "coco:000000000009.jpg"),
    photograph("cup", "file:cup.png"),
]
GIVEN: dict[str, list[Row]] = {"released-pairs": PAIRS, "originals": ORIGINALS, "photographs": PHOTOGRAPHS}
Rows = Iterable[tuple[str, str]]


def text_of(rows: Rows) -> str:
    """A split file as the release has it."""
    out = io.StringIO()
    csv.writer(out).writerows([("image_path", "caption"), *rows])
    return out.getvalue()


def photo(number: int, caption: str) -> tuple[str, str]:
    return f"/some/path/val2017/{number:012d}.jpg", caption


def image(pair_id: str, side: int, caption: str = "") -> tuple[str, str]:
    own = next((row[f"caption_{side}"] for row in PAIRS if row["pair_id"] == pair_id), "")
    return f"/some/path/{(ORIGINAL, COUNTERFACTUAL)[side]}/{pair_id}.jpg", caption or own


def mixed(
    folder: Path, files: dict[str, str | bytes], mixtures: list[str], given: Any = GIVEN, **settings: Any
) -> Mixed:
    """The job with a folder of split files."""
    for name, text in files.items():
        path = folder / "splits" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    settings |= {"mixtures": mixtures, "released_splits": str(folder / "splits")}
    return Mixed(folder / "made", given, pairs="coco-counterfactuals-released", **settings)


BASE = [photo(7, "A cat, 7_0"), image("7_0", 0), image("7_0", 1)]
DEV = [photo(30, "A cat, 30_2"), image("30_2", 1)]


def base(train: str | bytes, dev: str | bytes = text_of(DEV)) -> dict[str, str | bytes]:
    return {"train_coco+coco-cfs_base.csv": train, "dev_coco+coco-cfs_base.csv": dev}


EXPECTED = {"7_0": TRAIN, "7_0-0": TRAIN, "7_0-1": TRAIN, "30_2": VALIDATION, "30_2-1": VALIDATION}


def test_the_files_decide_and_a_mixture_without_files_is_drawn(folder: Path) -> None:
    made = mixed(folder, base(text_of(BASE)), ["base"], leak_free=["base"])
    assert made.parts("base") == EXPECTED
    assert made.parts("base", "leak-free").keys() == EXPECTED.keys()
    assert "correct" not in SPLIT_FILES and set(SPLIT_FILES) == set(MIXTURES) - {"correct"}
    assert made.messages == []


WITHHELD: dict[str, str | bytes] = {
    "split-coco-cfs/train-coco-cfs.csv": text_of([image("7_0", 0), image("7_0", 1), image("7_1", 0)]),
    "split-coco-cfs/dev-coco-cfs.csv": text_of([image("7_1", 1)]),
    "split-coco-cfs/test-coco-cfs.csv": text_of([image("30_2", 0), image("30_2", 1), image("99_0", 0)]),
    "split-coco-cfs/train-all-original-ms-coco.csv": text_of(
        [photo(7, "A third"), photo(9, "A cat, 7_0"), ("photos/cup.png", "A cup")]
    ),
    "split-coco-cfs/dev-all-original-ms-coco.csv": text_of([photo(30, "A cat, 30_2")]),
}


def test_both_withheld_mixtures_have_the_same_test(folder: Path) -> None:
    made = mixed(folder, WITHHELD, ["withheld-ms-coco", "withheld-counterfactuals"])
    test = {"30_2-0": TEST, "30_2-1": TEST}
    assert made.parts("withheld-counterfactuals") == {
        "7_0-0": TRAIN,
        "7_0-1": TRAIN,
        "7_1-0": TRAIN,
        "7_1-1": VALIDATION,
        **test,
    }
    # The caption decides which original of a photograph a row is about, and the file which of two equal captions.
    assert made.parts("withheld-ms-coco") == {
        "coco-00000005": TRAIN,
        "coco-00000006": TRAIN,
        "coco-00000007": TRAIN,
        "30_2": VALIDATION,
        **test,
    }
    assert made.reasons == {"split-coco-cfs/test-coco-cfs.csv:4": "unknown pair"}


def windows(text: str) -> str:
    r"""The paths as on another machine: C:\data\..."""
    return "\n".join(
        line.replace("/some/path", r"C:\data").replace("/", "\\") if "path/" in line else line
        for line in text.splitlines()
    )


def turned(text: str) -> str:
    """The columns in another order, with one more."""
    out = io.StringIO()
    rows = list(csv.reader(io.StringIO(text)))
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([number, *reversed(row)] for number, row in enumerate(rows))
    return out.getvalue()


@pytest.mark.parametrize(
    "change",
    [
        windows,
        turned,
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\r\n", "\n"),
        lambda text: text.replace("/some/path/", ""),
        lambda text: text.replace("/some/path/", "https://host/x/"),
        lambda text: text.replace("image_path,caption", " image_path , caption "),
        lambda text: text.replace("A dog 7_0", "  A  dog 7_0 \t"),
        lambda text: text.replace('"A cat, 7_0"', '" A cat,\u00a07_0\n"'),
        lambda text: text.replace("\r\n", "\r\n\r\n"),
        lambda text: text.replace("000000000007.jpg", "COCO_val2014_000000000007.JPG"),
    ],
)
def test_other_machines_write_the_same_files_otherwise(folder: Path, change: Callable[[str], str]) -> None:
    made = mixed(folder, base(change(text_of(BASE))), ["base"])
    assert made.parts("base") == EXPECTED
    assert [reason for reason in made.reasons.values() if reason != "no pair"] == []
    assert made.messages == []


def test_rows_that_are_about_no_sample_are_counted_with_file_and_line(folder: Path) -> None:
    more = [
        photo(7, "Another caption"),
        photo(8, "A cat"),
        image("8_0", 0),
        ("7_0.jpg", "A cat"),
        ("", ""),
        image("7_0", 1),
        (f"/elsewhere/{ORIGINAL}-new/7_0.jpg", "A cat, 7_0"),
        photo(7, "A\ncat"),
        image("8_1", 1),
    ]
    made = mixed(folder, base(text_of([*BASE, *more]), text_of([*DEV, image("7_0", 0)])), ["base"])
    assert made.parts("base") == EXPECTED
    lost = {place: reason for place, reason in made.reasons.items() if reason != "no pair"}
    name = "train_coco+coco-cfs_base.csv"
    assert lost == {
        f"{name}:5": "unknown caption",
        f"{name}:6": "unknown photograph",
        f"{name}:7": "unknown pair",
        f"{name}:8": "unknown photograph",
        f"{name}:9": "unknown photograph",
        f"{name}:10": "listed twice",
        f"{name}:11": "unknown photograph",
        f"{name}:12": "unknown caption",
        f"{name}:14": "unknown pair",  # the caption before has two lines
        "dev_coco+coco-cfs_base.csv:4": "listed twice",
    }
    details = {row["item_id"]: row["detail"] for row in made.unused}
    assert details[f"{name}:5"] == "000000000007.jpg has 3 captions, and none is 'Another caption'"
    assert made.messages[0].startswith("warning: verify mix: only 5 of 15 rows of split files are left;")


def test_captions_that_differ_are_counted_and_ours_are_used(folder: Path) -> None:
    made = mixed(folder, base(text_of([BASE[0], image("7_0", 0, "A tiger"), BASE[2]])), ["base"])
    assert made.parts("base") == EXPECTED
    assert made.messages == [
        "verify mix: rows of split files with another caption than the sample of their image: 1, for example "
        "train_coco+coco-cfs_base.csv:3; the sample's own caption is used"
    ]
    assert {row["caption"] for row in made.samples if row["sample_id"] == "7_0-0"} == {"A cat, 7_0"}


@pytest.mark.parametrize(
    ("train", "message"),
    [
        ("", r"base\.csv: is empty; it needs one row for each sample, with image_path, caption$"),
        (
            "image_path,text\n",
            r"base\.csv: has no column caption; .* mixture base have image_path, caption; found: image_path, text$",
        ),
        (
            "image_path,caption\na.jpg,A cat\nb.jpg,A dog, and\n",
            r"base\.csv: line 3: has 3 fields; it needs 2: image_path, caption; put quotes",
        ),
        ('"image_path,caption\n', r"base\.csv: line 1: cannot be read \(.*\); close the quotes"),
        ("image_path,caption\na.jpg\n", r"base\.csv: line 2: has 1 fields; it needs 2: image_path, caption$"),
        ('image_path,caption\na.jpg,"A cat\n', r"base\.csv: line 2: cannot be read \(.*\); close the quotes"),
        (b"image_path,caption\na.jpg,\xff\n", r"base\.csv: line 2: byte 0xff is not UTF-8; save the file as UTF-8$"),
        ("image_path,caption\nx/8_0.jpg,A\n", r"has no train samples; no row of its released split files \(train_coco"),
    ],
)
def test_a_file_that_is_no_split_is_an_error(folder: Path, train: str | bytes, message: str) -> None:
    with pytest.raises(WhatifError, match=message):
        mixed(folder, base(train), ["base"])


@pytest.mark.parametrize("mixture", sorted(SPLIT_FILES))
def test_a_missing_file_is_named_with_the_mixture_that_needs_it(folder: Path, mixture: str) -> None:
    with pytest.raises(WhatifError) as caught:
        mixed(folder, {"README": ""}, [mixture])
    name = SPLIT_FILES[mixture][TRAIN]  # type: ignore[index]
    assert str(caught.value) == (
        f"{folder / 'splits' / name}: no such file; give the path of a file of released splits of the mixture {mixture}"
    )


def test_split_files_of_other_pairs_are_an_error(folder: Path) -> None:
    other = text_of([photo(1, "A cat"), image("1_0", 0)])
    with pytest.raises(
        WhatifError, match=r"none of 4 rows of split files is left: .*released_splits belongs to the rel"
    ):
        mixed(folder, base(other, other), ["base"])


def test_a_photograph_may_have_the_same_caption_twice(folder: Path) -> None:
    again = original("0-again", "seven", "A cat, 7_0")
    rows = [photo(7, "A cat, 7_0")] * 3
    given = {**GIVEN, "originals": [*ORIGINALS, again]}
    files = {"split-coco-cfs/train-all-original-ms-coco.csv": text_of([rows[0]])}
    files["split-coco-cfs/dev-all-original-ms-coco.csv"] = text_of(rows[1:])
    made = mixed(folder, {**WITHHELD, **files}, ["withheld-ms-coco"], given=given)
    assert {one: part for one, part in made.parts("withheld-ms-coco").items() if part != TEST} == {
        "7_0": TRAIN,  # that of a pair is first
        "0-again": VALIDATION,
    }
    assert made.reasons["split-coco-cfs/dev-all-original-ms-coco.csv:3"] == "listed twice"


def test_a_full_set_of_files_gives_every_mixture(folder: Path) -> None:
    files = dict(WITHHELD)
    for mixture in ("ms-coco", "base", "medium", "all"):
        names = SPLIT_FILES[mixture]  # type: ignore[index]
        files |= {names[TRAIN]: text_of(BASE), names[VALIDATION]: text_of(DEV)}
    made = mixed(folder, files, sorted(SPLIT_FILES))
    counts = Counter((row["mixture"], row["part"]) for row in made.samples)
    assert counts["all", TRAIN] == counts["ms-coco", TRAIN] == 3 and counts["withheld-counterfactuals", TEST] == 2


@needs_released_captions
def test_every_released_pair_and_every_caption_of_its_photographs_is_found(folder: Path) -> None:
    rows = released_captions()
    known = {row["id"] for row in rows}
    numbers: Counter[int] = Counter()
    originals, photos = [], []
    for one in read_captions_in_order(Path(os.environ["WHATIF_DATA"]) / "coco" / "captions_val2017.json"):
        number = coco_image_id(str(one.image))
        released_id = f"{number}_{numbers[number]}"
        # Captions without a pair have another id, so they are found by the file of their photograph.
        originals.append(
            original(released_id if released_id in known else one.caption_id, f"photograph {number}", one.caption)
        )
        photos.append((f"/cluster/val2017/{one.image}", f" {one.caption} "))
        numbers[number] += 1
    pairs = [pair(row["id"], (row["caption_0"], row["caption_1"])) for row in rows]
    images = [
        (f"/cluster/{(ORIGINAL, COUNTERFACTUAL)[side]}/{row['id']}.jpg", row[f"caption_{side}"].strip())
        for row in rows
        for side in (0, 1)
    ]
    files = {
        "train-all-original-ms-coco.csv": photos[:19_499],
        "dev-all-original-ms-coco.csv": photos[19_499:],
        "test-coco-cfs.csv": images,
    }
    (folder / "splits" / "split-coco-cfs").mkdir(parents=True)
    for name, of in files.items():
        (folder / "splits" / "split-coco-cfs" / name).write_text(text_of(of), encoding="utf-8")
    made = Mixed(
        folder / "made",
        {
            "released-pairs": pairs,
            "originals": originals,
            "photographs": [photograph(f"photograph {number}", f"coco:{number:012d}.jpg") for number in numbers],
        },
        pairs="coco-counterfactuals-released",
        mixtures=["withheld-ms-coco"],
        released_splits=str(folder / "splits"),
    )
    assert Counter(made.parts("withheld-ms-coco").values()) == {TRAIN: 19_499, VALIDATION: 5_515, TEST: 34_820}
    assert made.unused == [] and made.messages == []
