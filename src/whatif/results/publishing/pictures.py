"""The pictures of a benchmark as they may be published: those without a licence that allows it are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath

from whatif.engine import artifacts
from whatif.engine.artifacts.gathered_images import GatheredImages
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import disk_errors
from whatif.formats.coco_photographs import coco_image_id, is_coco_name
from whatif.results.publishing.licences import Terms, terms


@dataclass(frozen=True)
class Picture:
    """What is known of a picture: where it is from, its licence, and what that allows."""

    source: str
    licence: str

    @property
    def terms(self) -> Terms:
        """What the licence allows."""
        return terms(self.licence)


class PublishedPictures:
    """The pictures that some rows show, by id: what is known of them, and the bytes of those that may be published.

    files: artifacts of the table `images`; an image in several of them is that of the first. licences: number of a
    photograph in MS-COCO -> its own licence, which the artifacts do not have.

    Raises WhatifError when a picture is in none of the files.
    """

    def __init__(self, shown: Iterable[str], files: Sequence[Path], licences: Mapping[int, str] | None = None) -> None:
        self._files = files
        known: dict[str, Picture] = {}
        same: dict[Picture, Picture] = {}  # so that drawn pictures share one
        wanted = sorted(set(shown))
        columns = ["image_id", "source", "licence"]
        for row in artifacts.rows_of(files, IMAGES, columns, only={"image_id": wanted}) if wanted else ():
            source = without_folder(row["source"])
            kind, _, name = source.partition(":")
            number = coco_image_id(name) if kind == "coco" and is_coco_name(name) else None
            licence = (licences or {}).get(number, row["licence"]) if number is not None else row["licence"]
            picture = Picture(source, licence)
            known.setdefault(row["image_id"], same.setdefault(picture, picture))
        for image_id in wanted:
            if image_id not in known:
                named = ", ".join(map(str, files)) or "no file"
                raise WhatifError(f"image {image_id}: is in none of the artifacts with images ({named}); `dvc repro`")
        self.of: Mapping[str, Picture] = {image_id: known[image_id] for image_id in wanted}

    @contextmanager
    def gathered(self, folder: Path) -> Iterator[None]:
        """Copies the pictures in one pass to a temporary file in `folder`; `encoded` gives them while this lasts."""
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        with GatheredImages(self._files, filter(self.is_published, self.of), folder) as self._images:
            yield

    def encoded(self, image_id: str) -> bytes | None:
        """The bytes of a picture; None if it may not be published."""
        return self._images.encoded(image_id) if self.is_published(image_id) else None

    def is_published(self, image_id: str) -> bool:
        """Whether the licence of a picture allows to publish it."""
        return self.of[image_id].terms is not Terms.WITHHELD

    def counts(self) -> Counter[tuple[str, Terms]]:
        """Licence and what it allows -> number of different pictures."""
        return Counter((picture.licence, picture.terms) for picture in self.of.values())

    @property
    def withheld(self) -> int:
        """The number of pictures that are left out."""
        return sum(number for (_, allowed), number in self.counts().items() if allowed is Terms.WITHHELD)

    @property
    def licences(self) -> list[str]:
        """The licences of the pictures that are published, sorted; those of the parts of a composite one by one."""
        kept = [licence for licence, allowed in self.counts() if allowed is not Terms.WITHHELD]
        return sorted({one.strip() for licence in kept for one in licence.split(";")})


def without_folder(source: str) -> str:
    """The source of a picture without a folder of this machine: `file:/home/me/cat.png` becomes `file:cat.png`."""
    kind, colon, name = source.rpartition(":") if source.startswith(("/", "~", ".")) else source.partition(":")
    if name.startswith(("/", "~", "..")) or "\\" in name:
        name = PurePath(name.replace("\\", "/")).name
    return f"{kind}{colon}{name}"
