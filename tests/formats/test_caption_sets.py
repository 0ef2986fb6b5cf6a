"""Caption sets in three formats become rows; unusable captions are rejections, unreadable files a one-line error."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from whatif.benchmarks.coco_counterfactuals.schemas import CAPTIONS
from whatif.engine.language.tagging import tagger
from whatif.formats.caption_sets import CaptionSet, SourceCaption, caption_rows, draw_captions, read_caption_set

pa = pytest.importorskip("pyarrow")


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def coco(*captions: str) -> str:
    return json.dumps(
        {
            "images": [{"id": 7, "file_name": "000000000007.jpg", "width": 640, "height": 427}],
            "annotations": [{"id": 40 - n, "image_id": 7, "caption": text} for n, text in enumerate(captions)],
        }
    )


def test_cocos_captions_get_stable_ids_in_order(tmp_path: Path) -> None:
    found = read_caption_set(written(tmp_path, "captions.json", coco("A dog.\n", " A cat\non a\r\n mat. ")))
    assert found == CaptionSet(
        [
            SourceCaption("coco-00000039", "A cat on a mat.", "000000000007.jpg"),
            SourceCaption("coco-00000040", "A dog.", "000000000007.jpg"),
        ]
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("set.csv", 'id,caption,image,extra\nb,"A cat, and a\ndog.",x.jpg,1\n7,A bird,,2\n'),
        ("set.csv", '\ufeffimage,id,caption\r\nx.jpg,b,"A cat, and a dog."\r\n,7,A bird\r\n'),
        (
            "set.jsonl",
            '{"id": "b", "caption": "A cat, and a\\ndog.", "image": "x.jpg"}\n\n{"id": 7, "caption": "A bird"}\n',
        ),
    ],
)
def test_other_sets_keep_their_ids(tmp_path: Path, name: str, text: str) -> None:
    found = read_caption_set(written(tmp_path, name, text))
    assert found.captions == [SourceCaption("7", "A bird", None), SourceCaption("b", "A cat, and a dog.", "x.jpg")]


def test_the_number_of_words_has_a_limit(tmp_path: Path) -> None:
    lines = '{"id": "c", "caption": "%s"}\n{"id": "g", "caption": "un café 猫"}' % ("word " * 300)
    path = written(tmp_path, "set.jsonl", lines)
    (rejected,) = read_caption_set(path).rejections
    assert rejected["detail"] == "300 words; 100 are the most"
    assert [one.caption_id for one in read_caption_set(path, most_words=300).captions] == ["c", "g"]


def test_rows_are_those_of_the_table() -> None:
    captions = [
        SourceCaption("a", "Two dogs on a bed.", "x.jpg"),
        SourceCaption("b", "It is posing.", None),
        SourceCaption("c", "It is posing.", "gone.jpg"),
    ]
    rows: list[dict[str, Any]] = list(caption_rows(captions, tagger("pattern"), "pattern", {"x.jpg": "f00"}))
    assert [[(n["start"], n["end"], n["noun"]) for n in row["nouns"]] for row in rows] == [
        [(4, 8, "dogs"), (14, 17, "bed")],
        [],
        [],
    ]
    assert [row["provenance"] for row in rows] == ['{"image":"x.jpg"}', '{"image":null}', '{"image":"gone.jpg"}']
    assert [row["image_id"] for row in rows] == ["f00", None, None]
    assert pa.Table.from_pylist(rows, schema=CAPTIONS.schema).num_rows == 3


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data")
def test_all_real_captions_are_read_and_their_nouns_stand_where_they_are_said_to() -> None:
    found = read_caption_set(Path(os.environ["WHATIF_DATA"]) / "coco" / "captions_val2017.json")
    assert (len(found.captions), found.rejections) == (25_014, [])
    assert len({one.caption_id for one in found.captions}) == 25_014
    assert {one.image for one in found.captions if one.image is None} == set()
    assert not any("\n" in one.caption or one.caption != one.caption.strip() for one in found.captions)
    rows = list(caption_rows(found.captions[::10], tagger("pattern"), "pattern", {}))
    counts = [len(row["nouns"]) for row in rows]
    assert 3.3 < sum(counts) / len(counts) < 3.9 and counts.count(0) < 5
    assert all(row["caption"][n["start"] : n["end"]] == n["noun"] for row in rows for n in row["nouns"])


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data")
def test_drawn_captions_are_of_more_photographs_than_the_first_ones() -> None:
    captions = read_caption_set(Path(os.environ["WHATIF_DATA"]) / "coco" / "captions_val2017.json").captions
    drawn = draw_captions(captions, 500, seed=2024)
    assert len(drawn.captions) == 500 and len(drawn.rejections) == 24_514
    assert len({one.image for one in captions[:500]}) == 129
    assert len({one.image for one in drawn.captions}) == 483
