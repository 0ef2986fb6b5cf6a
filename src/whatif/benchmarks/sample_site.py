"""Makes the bundled site of `whatif demo` from the default run (in a checkout: `make demo`).

All pages, tables and figures are those of the site; of the items of each benchmark there is a sample, with smaller
pictures. The site of the run must have been made (`make repro`); the same artifacts give the same bytes.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whatif.results.site.sources import BenchmarkSource, Rows

ITEMS = 24  # of a benchmark
_OF_VIEW = 2  # items of each named view that come first
_SIDE = 360  # pixels of the longer side of a picture
_QUALITY = 60


def sampled(source: BenchmarkSource, most: int = ITEMS) -> BenchmarkSource:
    """The source with at most `most` items: the first of each named view, then items at equal distances."""
    chosen = _chosen([row["views"] for row in source.items], most)
    rows = [row for position, row in enumerate(source.items) if position in chosen]
    return replace(source, items=rows, items_in_all=len(source.items), picture=_smaller(source.picture))


def _chosen(views: Sequence[Sequence[str]], most: int) -> set[int]:
    """Positions of items, of which each names the views that show it."""
    shown: dict[str, list[int]] = {}
    for position, of_item in enumerate(views):
        for view in of_item:
            shown.setdefault(view, []).append(position)
    first = [positions[rank] for rank in range(_OF_VIEW) for positions in shown.values() if rank < len(positions)]
    found = list(dict.fromkeys(first))[:most]
    wanted = min(most, len(views))
    evenly = [place * len(views) // wanted for place in range(wanted)]
    return set(list(dict.fromkeys([*found, *evenly]))[:wanted])


def _smaller(picture: Callable[[str], bytes]) -> Callable[[str], bytes]:
    """The pictures with at most 360 pixels a side, as WebP; as they are where that is smaller."""

    from whatif.engine.files.image_decoding import decode

    def made(image_id: str) -> bytes:
        data = picture(image_id)
        image = decode(data)
        image.thumbnail((_SIDE, _SIDE))
        out = io.BytesIO()
        image.save(out, "WEBP", quality=_QUALITY, method=6)
        return min(data, out.getvalue(), key=len)

    return made


def sample_files(sources: Sequence[BenchmarkSource], extra: Sequence[Any] = ()) -> dict[str, bytes]:
    """All files of the sample site by path; `extra` are further pages (`whatif.results.site.build.ExtraPage`)."""
    from whatif import __version__
    from whatif.results.site.build import build

    files: dict[str, bytes] = {}
    note = (
        f"A sample of the results of whatif {__version__}: all tables and figures of the default run, and a few items "
        "of each benchmark with smaller pictures. In a checkout, `make repro` makes the whole site."
    )
    build([sampled(one) for one in sources], files.__setitem__, files.__setitem__, extra, note)
    return files


def make(target: Path) -> int:
    """Writes the bundle of the checkout's results; returns its number of bytes.

    Raises WhatifError when the results are not there.
    """
    from whatif import benchmarks
    from whatif.benchmarks.site import SITE, further_pages, sources_of
    from whatif.engine.errors import WhatifError
    from whatif.engine.files.atomic import write_whole
    from whatif.results.demo.bundle import packed

    graph = benchmarks.graph(benchmarks.load_params())
    (job,) = graph.jobs_of(graph.steps_of("aggregate", SITE)[0])
    if missing := [path for given in job.inputs.values() for path in given.paths if not path.is_file()]:
        raise WhatifError(f"{missing[0]}: not there yet; `make repro` makes it")
    with TemporaryDirectory() as folder, contextlib.ExitStack() as opened:
        task = job.task(_Temporary(Path(folder)), print)
        data = packed(sample_files(sources_of(task, opened), further_pages()))
    write_whole(target, data)
    return len(data)


class _Temporary:
    """Outputs of which only the place is used, for temporary files."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "pictures"

    def writer(self, role: str) -> _Temporary:
        """Itself."""
        return self

    def write(self, role: str, rows: Rows | Mapping[str, Any] | Any) -> None:
        """Ignores its arguments."""

    def publish(self, path: str, data: bytes) -> None:
        """Ignores its arguments."""

    def publish_picture(self, path: str, data: bytes) -> None:
        """Ignores its arguments."""

    def unfinished(self, count: int, reason: str) -> None:
        """Ignores its arguments."""
