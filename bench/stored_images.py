"""Bytes of images as stored for a site, with copies in its folder and with `whatif site --serve`.

    python -m bench.stored_images 20000                 # prints a table, and the time and memory of single pictures

The puzzles are made up (`bench.flat_memory`): one image of 28 KB, which cannot be compressed, for each pair, and one
model. A first picture is in a row group that was not read; a warm one is asked for again. The files were just written,
so the system's own cache has many of them.
"""

from __future__ import annotations

import contextlib
import http.client
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

from bench import flat_memory
from whatif.benchmarks.site import SITE
from whatif.benchmarks.trial import Trial
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import IMAGES, PICTURE_FILES

_SIDE = 97  # pixels: 28 KB as PNG
_ASKED = 200  # pictures


def main(pairs: int) -> None:
    """Prints the table for so many pairs; needs three times the bytes of their images on the disk, for a while."""
    with tempfile.TemporaryDirectory() as above, patch.multiple(flat_memory, _SIDE=_SIDE, _MODELS=1):
        folder = Path(above, "project")
        flat_memory.write_project(folder, pairs)
        trial = Trial(folder, folder / "params.yaml")
        trial.make("filter", "verify")
        flat_memory.write_predictions(folder)
        trial.make_jobs(job for job in trial.jobs("aggregate") if job.step.name != "shortcuts")
        (job,) = (one for one in trial.graph.jobs if one.step.benchmark == SITE)
        trial.make_jobs([job])
        paths = trial.paths("generate", "images")
        images = sum(len(row["image"]["bytes"]) for row in artifacts.rows_of(paths, IMAGES, ["image"]))
        stored = sum(path.stat().st_size for path in paths)
        of_site = sum((folder / path).stat().st_size for path in job.outputs.values())
        print(f"{pairs:,} pairs: images of {images / 1e6:,.1f} MB, in artifacts {stored / 1e6:,.1f} MB")
        print(f"{'':12}{'artifacts of the site':>24}{'folder':>10}{'all':>10}  MB; all, for a byte of images")
        with_copies = _bytes_below(folder / SITE)
        names = [
            row["path"].partition("/")[2]
            for row in artifacts.rows_of(folder / job.outputs["pictures"], PICTURE_FILES, ["path"])
        ]
        with contextlib.chdir(folder):
            started = time.perf_counter()
            server = subprocess.Popen(
                [sys.executable, "-m", "whatif", SITE, "--serve", "--port", "0"], stdout=subprocess.PIPE
            )
            assert server.stdout is not None
            lines = iter(server.stdout.readline, b"")
            address = next(line.decode().split()[0] for line in lines if line.startswith(b"http:"))
            start = time.perf_counter() - started
        for name, size in (("copies", with_copies), ("--serve", _bytes_below(folder / SITE))):
            every = stored + of_site + size
            print(f"{name:12}{of_site / 1e6:24,.1f}{size / 1e6:10,.1f}{every / 1e6:10,.1f}  {every / images:.3f}")
        print(f"the server starts, and removes the copies, in {start:.1f} s")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            _ask(address, names[:: max(1, len(names) // _ASKED)], server.pid)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"the server took {used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime:.1f} CPU seconds")


def _ask(address: str, names: list[str], process: int) -> None:
    """Prints the time of pictures asked for one after the other, and the most memory that the server had."""
    connection = http.client.HTTPConnection(address.split("/")[2])

    def seconds(name: str) -> float:
        started = time.perf_counter()
        connection.request("GET", f"/{name}")
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, (name, answer.status)
        return time.perf_counter() - started

    first, warm = zip(*((seconds(name), seconds(name)) for name in names), strict=True)
    for kind, times in (("first", first), ("warm", warm)):
        print(f"{kind}: median {statistics.median(times) * 1e3:.1f} ms, slowest {max(times) * 1e3:.1f} ms")
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    print(next(line for line in status.splitlines() if line.startswith("VmHWM:")))


def _bytes_below(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 20_000)
