"""The site of all selected benchmarks: one step that reads what each of them publishes, and builds the folder `site/`.

It is declared like a benchmark, so that the site is fresh or says why not. It has no settings, and nobody selects it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.artifacts.site_schemas import SITE_OUTPUTS
from whatif.engine.graph.dimensions import Dimension, Shown
from whatif.engine.graph.steps import PICTURES, TEXT_FILES, Benchmark, OutputOf, Step, StepsOf
from whatif.engine.graph.task import Task
from whatif.engine.params.base import BenchmarkSettings

if TYPE_CHECKING:
    from whatif.results.site.build import ExtraPage
    from whatif.results.site.sources import BenchmarkSource

SITE = "site"  # the name of the benchmark, and the folder
_PACKAGE = "whatif.results.site"
_CODE = (".py", ".pyc")
_IMAGES = "images"
_SMALL = 65_536  # bytes of a picture that stays as it is stored
_EVERY_MODEL = Dimension("model", lambda params, benchmark: sorted(params.models), "Every model of params.yaml.")
_SHOWN = Shown(_EVERY_MODEL, ("kind",))


def site_benchmark(benchmarks: Sequence[Benchmark]) -> Benchmark:
    """The site of some benchmarks; without steps if none of them publishes anything.

    The inputs of its step are named after the benchmarks: `scenes files`, `scenes items`, `scenes images 0`.
    """
    from whatif.benchmarks.contradictions import claims_files  # which imports what imports this module

    inputs = {
        f"{one.name} {role}": given
        for one in benchmarks
        for step in one.steps
        if step.publishes is not None
        for role, given in _read_of(one.name, step).items()
    }
    step = StepsOf(BenchmarkSettings)
    read = (*_package_files(), *claims_files())
    about = {one.name: one.about for one in benchmarks if one.about}
    declared = step("aggregate", inputs=inputs, package_files=read, declared=about, shown=(_SHOWN,), folder=SITE)
    made = declared(make_site)
    return Benchmark(SITE, BenchmarkSettings, steps=(made,) if inputs else ())


def _read_of(name: str, step: Step) -> dict[str, OutputOf]:
    """What the site reads of a step that publishes results: by role, without the name of its benchmark."""
    roles = [role for role in (TEXT_FILES, *SITE_OUTPUTS) if role in step.outputs]
    images = [given for given in step.inputs.values() if given.table == IMAGES]
    return {
        **{role: step[role].of(name) for role in roles},
        **{f"{_IMAGES} {number}": _of(given, name) for number, given in enumerate(images)},
    }


def _of(given: OutputOf, name: str) -> OutputOf:
    """An input of a benchmark's step, which may be of yet another benchmark, for the site."""
    return given if given.benchmark else given.of(name, given.where)


@cache
def _package_files() -> tuple[str, ...]:
    """The templates, styles and scripts of the site."""
    folder = Path(str(files(_PACKAGE)))
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return tuple(sorted(f"{_PACKAGE}:{name}" for name in found if not name.endswith(_CODE)))


def make_site(task: Task[None]) -> None:
    """Builds the folder `site/` of all benchmarks."""
    from whatif.results.site.build import build

    with contextlib.ExitStack() as opened:
        build(
            sources_of(task, opened),
            lambda path, data: task.outputs.publish(f"{SITE}/{path}", data),
            lambda path, data: task.outputs.publish_picture(f"{SITE}/{path}", data),
            further_pages(),
        )


def sources_of(task: Task[None], opened: contextlib.ExitStack) -> list[BenchmarkSource]:
    """What the site reads of each benchmark; their pictures are in temporary files that `opened` removes."""
    names = dict.fromkeys(role.partition(" ")[0] for role in task.inputs)
    return [_source(task, name, opened) for name in names]


def further_pages() -> list[ExtraPage]:
    """The pages about several benchmarks: the contradictions in reported numbers."""
    from whatif.benchmarks import contradictions
    from whatif.results.contradictions.report import fragment
    from whatif.results.site.build import ExtraPage

    return [ExtraPage("contradictions.html", "Contradictions", fragment(contradictions.rows()))]


def _source(task: Task[None], name: str, opened: contextlib.ExitStack) -> BenchmarkSource:
    from whatif.results.reporting.table import from_csv
    from whatif.results.site.sources import BenchmarkSource

    published = {Path(row["path"]).name: row["bytes"] for row in task.rows(f"{name} {TEXT_FILES}")}
    texts = {file: data.decode() for file, data in published.items() if file.endswith((".csv", ".md"))}
    return BenchmarkSource(
        name=name,
        title=_title(texts.get("report.md", "")) or name,
        about=task.declared.get(name, ""),
        frames={Path(file).stem: from_csv(text) for file, text in texts.items() if file.endswith(".csv")},
        printed=list(_rows(task, f"{name} printed")),
        figures={file: data for file, data in published.items() if file.endswith((".svg", ".png"))},
        files=published,
        items=_Items(task, f"{name} items"),
        views=list(_rows(task, f"{name} views")),
        picture=_pictures(task, name, opened),
        kinds={key: shown["kind"] for key, shown in task.shown_models(_EVERY_MODEL).items()},
    )


def _title(report: str) -> str:
    """The heading of a report in Markdown; empty if it has none."""
    first = report.partition("\n")[0]
    return first.removeprefix("# ") if first.startswith("# ") else ""


def _rows(task: Task[None], role: str) -> Iterator[Mapping[str, Any]]:
    """The rows of an input; none if the benchmark does not publish it."""
    return task.rows(role) if role in task.inputs else iter(())


@dataclass(frozen=True)
class _Items:
    """The rows of the items of a benchmark, in order, read again each time."""

    task: Task[None]
    role: str

    def __len__(self) -> int:
        return self.task.count(self.role) if self.role in self.task.inputs else 0

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return _rows(self.task, self.role)


def _pictures(task: Task[None], name: str, opened: contextlib.ExitStack) -> Callable[[str], bytes]:
    """The pictures of a benchmark's items by id, reduced for a page.

    Images are stored in the order of their ids and items are not, so those of the items are copied to a temporary file,
    which `opened` removes, when the first is asked for.
    """

    @cache
    def gathered() -> Any:
        from whatif.engine.artifacts.gathered_images import GatheredImages

        items = task.rows(f"{name} items", ["pictures"]) if f"{name} items" in task.inputs else ()
        wanted = {picture["image_id"] for row in items for picture in row["pictures"]}
        paths = [path for role in task.inputs if role.startswith(f"{name} {_IMAGES} ") for path in task.paths(role)]
        folder = task.outputs.writer(PICTURES).path.parent
        return opened.enter_context(GatheredImages(paths, wanted, folder))

    def picture(image_id: str) -> bytes:
        from whatif.benchmarks.shared.page_images import reduced

        return reduced(gathered(), image_id, small=_SMALL)

    return picture
