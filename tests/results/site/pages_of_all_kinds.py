"""Every kind of page that whatif writes, in one folder, and a server of the folder on this machine."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dvc_render.html import render_html
from dvc_render.vega import VegaRenderer

from tests.models.programs.test_trace import PICTURE, calls
from tests.pictures import png
from tests.results.auditing.benchmarks import pairs
from tests.results.comparison.made_up import Asked, compared, write_run
from tests.results.site.example_items import paired, write_site
from tests.results.site.example_results import write_results
from whatif.engine.artifacts.stored_pictures import StoredPictures
from whatif.engine.workflow.plot_scripts import provide_plot_scripts
from whatif.engine.workflow.project_files import project_files
from whatif.models.programs.interfaces import Finished
from whatif.models.programs.trace import trace_page
from whatif.results.auditing.audit import How, audit
from whatif.results.auditing.benchmark import read_rows
from whatif.results.auditing.page import page
from whatif.results.comparison.flips import flips_of
from whatif.results.comparison.pages import write_pages
from whatif.results.site.server import SiteServer

PAGES = (
    "results/index.html",
    "results/bench/tables.html",
    "results/contradictions.html",
    "items/bench/items.html",
    "site/comparisons/flips/index.html",
    "audit.html",
    "trace.html",
    "dvc_plots/index.html",
)


def write_pages_of_all_kinds(folder: Path) -> None:
    """Writes `PAGES` below a folder."""
    write_results(folder / "results")
    write_site(paired(20), folder / "items")
    _flips(folder)
    found = read_rows("bench", pairs(20, share=1.0))
    told = audit(found.items, How(folds=2))
    audited = page(
        name="b", source="CSV", columns="c", notes=[], items=found.items, found=told, confidence=0.95, pruned=None
    )
    (folder / "audit.html").write_text(audited, encoding="utf-8")
    seen = calls()
    seen("find", {"patch": 0, "name": "ball"})
    (folder / "trace.html").write_text(trace_page("?", "code", Finished("ok", 1), seen, PICTURE), encoding="utf-8")
    plots(folder, "k")


def plots(folder: Path, name: str) -> Path:
    """The page of `dvc plots` for a model of this name, drawn by DVC with the template of every project."""
    (folder / "page.html").write_bytes(project_files()[".dvc/plots/page.html"])
    with contextlib.chdir(folder):
        provide_plot_scripts()
    points: list[Any] = [{"rev": "a", "name": name, "x": str(number), "y": str(number)} for number in range(3)]
    anchors = [{"filename": "f", "field": "y"}]
    properties = {"x": "x", "y": "y", "anchors_y_definitions": anchors, "revs_with_datapoints": ["a"]}
    drawn = VegaRenderer(points, "accuracy.csv", template="simple", **properties)
    render_html([drawn], folder / "dvc_plots/index.html", folder / "page.html")
    return folder / "dvc_plots/index.html"


def _flips(folder: Path) -> None:
    image = png((1, 2, 3))
    name = hashlib.sha256(image).hexdigest()
    asked = [Asked(pair, text="?", choices=("a", "b"), image=name) for pair in range(2)]
    for run, right in (("a", True), ("b", False)):
        write_run(folder / run, asked, {"one": [right] * 2}, images={name: image})
    report = compared(folder / "a", folder / "b")
    write_pages(folder / "site", report, list(flips_of(report.compared)), "flips")


@contextlib.contextmanager
def served(folder: Path, pictures: Path = Path("none"), images: Sequence[Path] = ()) -> Iterator[str]:
    """The address under which a folder is served, with the pictures of artifacts where there are some."""
    with SiteServer(folder, StoredPictures(pictures, images), 0) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server.address.rstrip("/")
        finally:
            server.shutdown()
