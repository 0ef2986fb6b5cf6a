"""The pictures of items as files of the site: each image once, and the difference map of each pair once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from whatif.engine.artifacts.images import suffix_of
from whatif.results.site.differences import difference_map, size_of

_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,128}")
_HASH = re.compile(r"[0-9a-f]{64}")
_SHORT = 20  # hexadecimal digits of an id that is a hash, so that an index of 50,000 items stays small


class PictureFiles:
    """Publishes pictures below `pictures/` and difference maps below `differences/`, when they are first asked for."""

    def __init__(self, picture: Callable[[str], bytes], publish: Callable[[str, bytes], None]) -> None:
        """picture: the encoded picture of an image id. publish: takes a path and its bytes."""
        self._picture, self._publish = picture, publish
        self._kinds: dict[str, tuple[str, int, int]] = {}  # suffix and size by id; most images have one of a few
        self._shared: dict[tuple[str, int, int], tuple[str, int, int]] = {}
        self._stems: set[str] = set()
        self._long: dict[str, str] = {}  # the stems that are not the (shortened) id
        self._maps: dict[tuple[str, str], str | None] = {}

    def file(self, image_id: str) -> tuple[str, int, int]:
        """File name, width and height in pixels (0 if unknown) of an image."""
        if image_id not in self._kinds:
            self._add(image_id)
        suffix, width, height = self._kinds[image_id]
        return self._stem(image_id) + suffix, width, height

    def difference(self, first_id: str, second_id: str) -> str | None:
        """File name of the difference map of two images; None if there is none (see `difference_map`)."""
        key = (first_id, second_id)
        if key not in self._maps:
            found = None if first_id == second_id else difference_map(self._picture(first_id), self._picture(second_id))
            self._maps[key] = None
            if found is not None:
                name = f"{hashlib.sha256(repr(key).encode()).hexdigest()[:_SHORT]}.png"
                self._publish(f"differences/{name}", found)
                self._maps[key] = name
        return self._maps[key]

    def _add(self, image_id: str) -> None:
        data = self._picture(image_id)
        kind = (suffix_of(data), *size_of(data))
        stem = self._stem(image_id)
        # Some file systems do not tell upper from lower case.
        if not _PLAIN.fullmatch(stem) or stem.lower() in self._stems:
            stem = self._long[image_id] = hashlib.sha256(image_id.encode()).hexdigest()
        self._stems.add(stem.lower())
        self._publish(f"pictures/{stem}{kind[0]}", data)
        self._kinds[image_id] = self._shared.setdefault(kind, kind)

    def _stem(self, image_id: str) -> str:
        """The id, shortened if it is a hash; the hash of an id that is not plain or whose file exists already."""
        return self._long.get(image_id) or (image_id[:_SHORT] if _HASH.fullmatch(image_id) else image_id)
