"""The pairs of captions, and the images of the released form: from a file, or of the drawn world (MuCR 3.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whatif.benchmarks.mucr.schemas import MEMBERS, RELEASED, SIDES, Style
from whatif.benchmarks.mucr.settings import ExtractMucr, SourceSettings
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.engine.graph.task import Task

if TYPE_CHECKING:
    from whatif.formats.mucr_groups import Fault
    from whatif.formats.mucr_pairs import Pair
    from whatif.formats.mucr_records import ImageName

CAPTIONS, SCENES = "captions", "scenes"  # origins of pairs, beside that of the released form
SPLIT = "test"  # of drawn scenes; no model was trained on scenes of this split

Row = dict[str, Any]
Images = tuple["ImageName | None", "ImageName | None"]  # of the cause and the effect


@dataclass(frozen=True)
class Extracted:
    """Rows of `causal-pairs` and of `rejections`, and the images of the pairs that are still to be read."""

    pairs: list[Row]
    rejections: list[Row]
    images: list[tuple[Row, Style, Images]] = field(default_factory=list)  # with the row of the pair
    unused: list[Row] = field(default_factory=list)  # rejections of pairs of images


def write_pairs(task: Task[SourceSettings]) -> None:
    """Writes `pairs`, the images of the released form as candidates in `provided`, and `rejections`.

    A rejection is about a pair or a row of the file (`12`), or about a part of a pair that is used without it: its
    group (`12/group`), cue phrases, explanation, history, or its images in a style (`12/comic`). A pair of images is
    used only if both can be read.

    Raises WhatifError when the settings name two sources, when a file or folder cannot be read, and when no pair is
    left.
    """
    from whatif.engine.artifacts.images import SortedImages

    settings = task.settings.extract
    found = extracted(settings, task.settings.styles, task.seed)
    folders = [user_path(folder) for folder in settings.image_folders]
    provided: list[Row] = []
    unused = list(found.unused)
    with SortedImages(task.outputs.writer("images")) as store:
        for candidates, images, fault in _read_images(found.images, folders):
            for image in images:
                store.add(image)
            provided += candidates
            unused += fault
    task.outputs.write("pairs", found.pairs)
    task.outputs.write("provided", provided)
    task.outputs.write("rejections", [*found.rejections, *unused])
    whole = [row for row in found.rejections if "/" not in row["item_id"]]
    task.check_losses("pairs", len(found.pairs), whole, remedy="correct the file; docs/mucr.md describes its form")
    _report(task, found, provided, unused)


def _report(task: Task[SourceSettings], found: Extracted, provided: Sequence[Row], unused: Sequence[Row]) -> None:
    grouped = [row for row in found.rejections if row["item_id"].endswith("/group")]
    task.check_losses("pairs in whole groups", len(found.pairs) - len(grouped), grouped, needed=False)
    task.check_losses("pairs of images", len(provided) // len(SIDES), unused, needed=False)
    parts = [row for row in found.rejections if "/" in row["item_id"]]
    if parts:
        example = min(parts, key=lambda row: str(row["item_id"]))
        told = f"{example['item_id']}: {example['reason']}: {example['detail']}"
        task.say(
            f"{task.name}: {len(parts):,} groups, cue phrases, explanations and styles of pairs cannot be used; for "
            f"example {told}"
        )


def extracted(settings: ExtractMucr, styles: Sequence[Style], seed: int) -> Extracted:
    """The pairs of the source in the settings, sorted by id; images are not read yet.

    Raises WhatifError when the settings name two sources, when a file cannot be read, and when images are named but no
    folder is.
    """
    if settings.released is not None and settings.captions is not None:
        raise WhatifError("extract.mucr: released and captions both name the source of the pairs; set one to null")
    if settings.released is not None:
        return _of_file(settings.released, RELEASED, styles, settings.image_folders)
    if settings.captions is not None:
        return _of_file(settings.captions, CAPTIONS, (), ())
    return Extracted(sorted(_drawn(settings.scenes.groups, seed), key=lambda row: str(row["pair_id"])), [])


def _of_file(name: str, origin: str, styles: Sequence[Style], folders: Sequence[str]) -> Extracted:
    from whatif.formats.mucr_images import check_folders
    from whatif.formats.mucr_pairs import read_pairs

    read = read_pairs(user_path(name))
    check_folders([user_path(folder) for folder in folders])
    rows = {pair.pair_id: _row(pair, origin) for pair in read.pairs}
    found = Extracted(list(rows.values()), [_rejection(fault) for fault in read.faults])
    used = {style for pair in read.pairs for style in pair.images}
    expected = [style for style in styles if style in used]
    for pair in read.pairs:
        for style in expected:
            item = f"{pair.pair_id}/{style}"
            if style in pair.images:
                found.images.append((rows[pair.pair_id], style, pair.images[style]))
            else:
                detail = f"the file has no row of this pair in the style {style}"
                found.unused.append({"item_id": item, "reason": "style missing", "detail": detail})
    if not folders and any(isinstance(image, str) for _, _, images in found.images for image in images):
        raise WhatifError("extract.mucr.image_folders: is empty; name the folders of the images")
    return found


def _row(pair: Pair, origin: str) -> Row:
    known: Row = {"origin": origin}
    if pair.history:
        known["history"] = list(pair.history)
    return {
        "pair_id": pair.pair_id,
        "group_id": pair.group_id,
        "category": pair.category,
        "cause_caption": pair.cause_caption,
        "effect_caption": pair.effect_caption,
        "cue": pair.cue,
        "false_cues": None if pair.false_cues is None else list(pair.false_cues),
        "explanation": pair.explanation,
        "provenance": canonical_json(known),
    }


def _rejection(fault: Fault) -> Row:
    return {"item_id": fault.item, "reason": fault.reason, "detail": fault.detail}


def _read_images(
    wanted: Iterable[tuple[Row, Style, Images]], folders: Sequence[Path]
) -> Iterator[tuple[list[Row], list[Row], list[Row]]]:
    """For each pair and style: two candidates and their rows of `images`, or a rejection.

    Only the images of one pair are in memory at once; those of Parquet files are read in the order of the files.
    """
    from whatif.formats.mucr_images import find_image

    taken: dict[str, str] = {}
    for pair, style, names in sorted(wanted, key=_place):
        found = [find_image(name, folders, taken) for name in names]
        missing = [(side, one) for side, one in zip(SIDES, found, strict=True) if isinstance(one, tuple)]
        item = f"{pair['pair_id']}/{style}"
        if missing:
            detail = "; ".join(f"{side}: {one[1]}" for side, one in missing)
            yield [], [], [{"item_id": item, "reason": missing[0][1][0], "detail": detail}]
            continue
        images = [one for one in found if isinstance(one, dict)]
        candidates = [_candidate(pair, style, side, one) for side, one in zip(SIDES, images, strict=True)]
        yield candidates, images, []


def _place(wanted: tuple[Row, Style, Images]) -> tuple[Any, ...]:
    pair, style, (first, _) = wanted
    if first is None or isinstance(first, str):
        return "", 0, 0, pair["pair_id"], style
    return str(first.path), first.row_group, first.row, pair["pair_id"], style


def _candidate(pair: Row, style: Style, side: str, image: Row) -> Row:
    return {
        "candidate_id": f"{pair['pair_id']}-{style}-{side}-00",
        "pair_id": pair["pair_id"],
        "style": style,
        "side": side,
        "place": 0,
        "generator": RELEASED,
        "prompt": pair[f"{side}_caption"],
        "seed": None,
        "image_id": image["image_id"],
        "provenance": canonical_json({"origin": RELEASED, "source": image["source"]}),
    }


def _drawn(groups: int, seed: int) -> Iterator[Row]:
    from whatif.world.causal_pairs import draw_group

    for number in range(groups):
        pairs = draw_group(SPLIT, number, seed)
        if len(pairs) != MEMBERS:
            raise ValueError(f"drawn group {number} has {len(pairs)} pairs, not {MEMBERS}")
        for place, pair in enumerate(pairs):
            known = {"origin": SCENES, "split": SPLIT, "number": number, "seed": seed, "place": place}
            yield {
                "pair_id": pair.pair_id,
                "group_id": pair.group_id,
                "category": pair.category,
                "cause_caption": pair.cause_caption,
                "effect_caption": pair.effect_caption,
                "cue": pair.cue,
                "false_cues": list(pair.false_cues),
                "explanation": pair.explanation,
                "provenance": canonical_json(known),
            }
