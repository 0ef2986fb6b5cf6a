"""Drawn scenes with their questions, written in the formats of MS-COCO and VQAv2 and read back like those."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whatif.engine.artifacts.images import SortedImages
    from whatif.formats.vqa_v2 import VqaQuestions

SPLIT = "test"  # no model was trained on scenes of this split


@dataclass(frozen=True)
class DrawnScenes:
    """The questions about scenes. The other fields are by image id, as the files have it."""

    vqa: VqaQuestions
    image_ids: dict[int, str]  # id in the table `images`
    names: dict[int, str]  # name of the image file
    numbers: dict[int, int]  # number of the scene, from 0


def read_drawn_scenes(images: SortedImages, number: int, seed: int, *, side: int) -> DrawnScenes:
    """Draws the scenes 0 to `number` - 1 of the split `SPLIT`, and adds their images of `side` x `side` pixels.

    Raises WhatifError when the files of the scenes cannot be written.
    """
    from whatif.engine.artifacts.images import image_row
    from whatif.formats.coco_annotations import read_captions
    from whatif.formats.vqa_v2 import read_vqa
    from whatif.world.scene_files import image_id_of, write_scene_files

    image_ids, names = {}, {}
    with TemporaryDirectory() as folder:
        files = write_scene_files(Path(folder), SPLIT, range(number), seed, side=side)
        for image in read_captions(files.captions).images.values():
            data = (files.pictures / image.file_name).read_bytes()
            source, licence = f"scenes:{image.file_name}", image.licence or "unknown"
            row = image_row(data, image.width, image.height, source, licence)
            images.add(row)
            image_ids[image.image_id], names[image.image_id] = row["image_id"], image.file_name
        vqa = read_vqa(files.questions, files.annotations)
    return DrawnScenes(vqa, image_ids, names, {image_id_of(SPLIT, place): place for place in range(number)})
