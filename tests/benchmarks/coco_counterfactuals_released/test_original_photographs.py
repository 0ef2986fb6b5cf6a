"""Released pairs get the photographs that their ids name, or none with a reason."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from whatif.benchmarks.coco_counterfactuals_released.original_photographs import photograph_names
from whatif.formats.caption_sets import SourceCaption, read_captions_in_order
from whatif.formats.coco_photographs import coco_image_id

STREET = "A person on a street."
CAPTIONS = [
    SourceCaption("1", STREET, "000000000030.jpg"),
    SourceCaption("2", "A dog on grass.", "000000000007.jpg"),
    SourceCaption("3", STREET, "COCO_val2014_000000000007.jpg"),
    SourceCaption("4", "A cup\u00a0 by  a plate .", "cup.png"),
    SourceCaption("5", "A cat.", None),
]


@pytest.mark.parametrize(
    ("pair_id", "caption", "found"),
    [
        ("30_0", STREET, "000000000030.jpg"),
        ("7_1", f" {STREET}\n", "000000000007.jpg"),  # and not the first that has these words
        ("7_0", STREET, "000000000007.jpg"),  # another file may list the captions in another order
        ("8_0", STREET, "unknown photograph"),
        ("30_0", "A dog on grass.", "caption of another photograph"),
        ("30", STREET, "caption of several photographs"),
        ("cup_0", "A cup by a plate .", "cup.png"),
        ("cat", "A cat.", "unknown caption"),
        ("30_0_1", "A dog on grass.", "000000000007.jpg"),
    ],
)
def test_the_id_names_the_photograph_and_other_ids_go_by_the_words(pair_id: str, caption: str, found: str) -> None:
    names, missing = photograph_names({pair_id: caption}, CAPTIONS)
    assert [*names.values(), *(reason for reason, _ in missing.values())] == [found]


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data")
def test_every_released_pair_has_the_photograph_that_its_id_names() -> None:
    data = Path(os.environ["WHATIF_DATA"])
    lines = (data / "coco-counterfactuals" / "metadata.jsonl").read_text(encoding="utf-8").splitlines()
    originals = {row["id"]: row["caption_0"] for row in map(json.loads, lines)}
    captions = read_captions_in_order(data / "coco" / "captions_val2017.json")
    names, missing = photograph_names(originals, captions)
    assert missing == {} and len(names) == 17_410
    assert sum(coco_image_id(name) != int(pair_id.partition("_")[0]) for pair_id, name in names.items()) == 0
    # By the words alone the first photograph with this caption was taken.
    first: dict[str, str] = {}
    for one in sorted(captions, key=lambda one: one.caption_id):
        first.setdefault(one.caption, str(one.image))
    by_words = {pair_id: first.get(caption.strip()) for pair_id, caption in originals.items()}
    assert sum(name is not None and name != names[pair_id] for pair_id, name in by_words.items()) == 142
    # The place in the id is that of the caption among those of its photograph, in the order of the file.
    of_image: dict[int, list[str]] = {}
    for one in captions:
        of_image.setdefault(coco_image_id(str(one.image)), []).append(" ".join(one.caption.split()))
    for pair_id, caption in originals.items():
        image_id, place = map(int, pair_id.split("_"))
        assert of_image[image_id][place] == " ".join(caption.split())
