"""Pairs and originals: drawn ones, or the captions of photographs for pairs of another benchmark (B.3.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whatif.benchmarks.coco_counterfactuals_training.settings import NAME, SourceSettings
from whatif.engine.artifacts.images import SortedImages
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.formats.caption_sets import SourceCaption, read_captions_in_order
from whatif.formats.coco_photographs import coco_image_id, each_photograph, is_coco_name
from whatif.formats.image_folders import find_pictures

if TYPE_CHECKING:
    from whatif.engine.graph.task import Task

_RELEASED = "coco-counterfactuals-released"
_REMEDY = f"check extract.{NAME}.captions and the folders of image_folders in params.yaml"


def write_sources(task: Task[SourceSettings]) -> None:
    """Writes pairs with their images and judgements, and originals with their photographs.

    Drawn pairs come with all of them. For pairs of another benchmark, the originals are the captions of a file whose
    photographs are in the folders, and pairs, images and judgements stay empty, because that benchmark has them.

    Raises WhatifError when no original is left, when a folder does not exist, and as the reader of captions does.
    """
    if task.settings.pairs == "scenes":
        _draw(task)
        return
    for role in ("pairs", "images", "judgements"):
        task.outputs.write(role, [])
    originals, rejections = _originals(task)
    task.check_losses("originals", len(originals), rejections, remedy=_REMEDY)
    task.outputs.write("originals", originals)
    task.outputs.write("rejections", rejections)


def captions_with_ids(captions: Iterable[SourceCaption], *, released: bool) -> Iterator[SourceCaption]:
    """The captions, given in the order of their file, with the ids of the pairs that were made of them.

    A released pair has the id `<COCO image id>_<k>`: it was made of the photograph's caption k, from 0. Otherwise, and
    for captions of other images, it is the caption's own id.
    """
    numbers: dict[int, int] = {}
    for one in captions:
        if not released or one.image is None or not is_coco_name(one.image):
            yield one
            continue
        image = coco_image_id(one.image)
        number = numbers.get(image, 0)
        numbers[image] = number + 1
        yield SourceCaption(f"{image}_{number}", one.caption, one.image)


def _draw(task: Task[SourceSettings]) -> None:
    from whatif.world.training_pairs import training_pairs, unpaired_originals

    own = task.settings.scenes
    rows: dict[str, list[dict[str, Any]]] = {"pairs": [], "originals": [], "judgements": []}
    drawn = training_pairs(own.pairs, captions_per_image=own.captions_per_image, wrong=own.wrong, seed=task.seed)
    others = unpaired_originals(own.unpaired, captions_per_image=own.captions_per_image, seed=task.seed)
    with (
        SortedImages(task.outputs.writer("images")) as images,
        SortedImages(task.outputs.writer("photographs")) as photographs,
    ):
        for one in drawn:
            photographs.add(one.photograph)
            for image in one.images:
                images.add(image)
            rows["pairs"].append(one.pair)
            rows["originals"].append(one.original)
            rows["judgements"] += one.judgements
        for original, photograph in others:
            photographs.add(photograph)
            rows["originals"].append(original)
    for role, found in rows.items():
        task.outputs.write(role, found)
    task.outputs.write("rejections", [])


def _originals(task: Task[SourceSettings]) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Rows of `original_samples`, whose photographs are written, and rejections."""
    settings = task.settings
    assert settings.captions is not None  # checked by the settings
    read = read_captions_in_order(user_path(settings.captions))
    captions = list(captions_with_ids(read, released=settings.pairs == _RELEASED))
    _check_ids(settings.captions, captions)
    folders = [user_path(folder) for folder in settings.image_folders]
    with SortedImages(task.outputs.writer("photographs")) as store:
        found, missing = _photographs({one.image for one in captions if one.image and one.caption}, folders, store)
    originals, rejections = [], []
    for one in captions:
        if not one.caption:
            reason = "empty caption", "there is no text"
        elif one.image is None:
            reason = "no photograph", "the caption names no image"
        elif one.image in missing:
            reason = missing[one.image]
        else:
            row = {"caption_id": one.caption_id, "caption": one.caption, "image_id": found[one.image]}
            originals.append(row)
            continue
        rejections.append({"item_id": one.caption_id, "reason": reason[0], "detail": reason[1]})
    return originals, rejections


def _photographs(
    names: set[str], folders: list[Path], store: SortedImages
) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """The image ids of photographs, which are added to `store` one at a time, and why others are missing; by name."""
    found: dict[str, str] = {}
    missing: dict[str, tuple[str, str]] = {}
    for name, photograph in each_photograph([name for name in names if is_coco_name(name)], folders):
        if isinstance(photograph, tuple):
            missing[name] = photograph
        else:
            store.add(photograph)
            found[name] = photograph["image_id"]
    others = find_pictures([name for name in names if not is_coco_name(name)], folders)
    for name, row in others.found.items():
        store.add(row)
        found[name] = row["image_id"]
    return found, missing | others.missing


def _check_ids(place: str, captions: Iterable[SourceCaption]) -> None:
    seen: set[str] = set()
    for one in captions:
        if one.caption_id in seen:
            raise WhatifError(f"{place}: two captions have the id {one.caption_id[:60]}; give each its own")
        seen.add(one.caption_id)
