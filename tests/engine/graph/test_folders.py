"""A step that publishes a folder: the folder is written from its artifacts, and never decides what is due."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engine.graph import toy
from tests.engine.graph.conftest import Project as Toy
from whatif.commands.snakemake import targets
from whatif.engine import artifacts
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.files import atomic
from whatif.engine.graph import folders
from whatif.engine.graph.freshness import Condition, State, states
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job
from whatif.engine.graph.prologue import prepare
from whatif.engine.graph.steps import Benchmark, StepsOf
from whatif.engine.graph.task import Task
from whatif.engine.params.base import BenchmarkSettings
from whatif.results.comparison.parameter_sets import of_graph
from whatif.results.comparison.report import Selection, report
from whatif.results.comparison.runs import of_folder
from whatif.results.comparison.sides import Side
from whatif.results.comparison.text import lines_of

pytestmark = pytest.mark.slow

FOLDER = Path("pages")
INDEX = FOLDER / "index.html"
PAGE = FOLDER / "toy/page.html"
PICTURES = [FOLDER / f"toy/pictures/{number}.png" for number in range(40)]
CALLS: list[int] = []
DURING: list[Callable[[Task[None]], None]] = []


def drawn(number: int) -> bytes:
    return bytes([number]) * (number + 1)


def draw(task: Task[None]) -> None:
    """The first ten pictures of the folder as images."""
    task.outputs.write("images", [image_row(drawn(number), 1, 1, "drawn:x", "CC0-1.0") for number in range(10)])


def make_pages(task: Task[None]) -> None:
    """An index, a page and pictures with the sum of the toy; the last picture only if the sum is even."""
    total = json.loads(next(task.rows("toy files"))["bytes"])["sum"]
    CALLS.append(total)
    for act in DURING:
        act(task)
    for number in reversed(range(len(PICTURES) - total % 2)):
        task.outputs.publish_picture(str(PICTURES[number]), drawn(number))
    task.outputs.publish(str(PAGE), f"page {total}".encode())
    task.outputs.publish(str(INDEX), b"index")


STEP = StepsOf(BenchmarkSettings)
DRAW = STEP("generate", outputs={"images": IMAGES})(draw)
READ = {"toy files": toy.aggregate["files"].of("toy"), "images": DRAW["images"]}
PAGES = Benchmark("pages", BenchmarkSettings, steps=(DRAW, STEP("aggregate", inputs=READ, folder="pages")(make_pages)))
IMAGE_FILE = Path("data/generate/pages/images.parquet")


class Project(Toy):
    """A project folder with the toy and its pages, run as Snakemake would."""

    def __init__(self) -> None:
        super().__init__()
        self.values["generate"]["toy"] = {"shards": 1, "image_size": 400}
        del self.values["models"]["second"]

    @property
    def graph(self) -> Graph:
        return Graph(super().graph.params, [toy.TOY, PAGES])

    @property
    def job(self) -> Job:
        return next(job for job in self.graph.jobs if job.step.folder)

    @property
    def state(self) -> State:
        return next(state for job, state in states(self.graph).items() if job.step.folder)

    def pages(self) -> list[int]:
        """Makes everything that is due; returns the sums of the pages that were computed."""
        CALLS.clear()
        self.run()
        return list(CALLS)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A project that was run once."""
    monkeypatch.chdir(tmp_path)
    made = Project()
    assert made.pages() == [2028]
    yield made
    DURING.clear()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files of the folder that are written, in order."""
    noted: list[Path] = []

    def write(path: Path, data: bytes, *, durable: bool = True) -> None:
        if path.is_relative_to(FOLDER):
            noted.append(path)
        atomic.write_whole(path, data, durable=durable)

    monkeypatch.setattr(folders, "write_whole", write)
    return noted


def contents() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(FOLDER.rglob("*")) if path.is_file()}


def aside() -> dict[str, bytes]:
    folder = Path(".whatif/set-aside")
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_artifacts_hold_the_folder(project: Project) -> None:
    assert contents() == {
        **{str(path): drawn(number) for number, path in enumerate(PICTURES)},
        str(INDEX): b"index",
        str(PAGE): b"page 2028",
    }
    assert sorted(project.job.outputs) == ["files", "pictures"]
    made = [(path, project.job.step.outputs[role]) for role, path in project.job.outputs.items()]
    rows = [row for path, table in made for row in artifacts.rows_of(path, table)]
    of_inputs = dict.fromkeys(map(str, PICTURES[:10]))
    assert {row["path"]: row["bytes"] for row in rows} == {**contents(), **of_inputs}
    assert {row["path"]: row["sha256"] for row in rows} == {
        path: hashlib.sha256(data).hexdigest() for path, data in contents().items()
    }
    assert project.job.published == () and project.job.step.text_files == ()
    assert targets(project.graph)["aggregate"][-2:] == [str(path) for path in project.job.outputs.values()]


def test_two_runs_give_the_same_bytes(project: Project) -> None:
    first = {path: path.read_bytes() for path in project.job.outputs.values()}
    for path in [*first, *Path(".whatif").glob("stash"), FOLDER]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert project.pages() == [2028]
    assert {path: path.read_bytes() for path in first} == first


def test_a_missing_folder_is_fresh_and_is_written_by_the_next_plan(project: Project) -> None:
    before = contents()
    shutil.rmtree(FOLDER)
    assert project.state.condition is Condition.FRESH
    assert project.pages() == []
    assert contents() == before


def test_a_picture_whose_image_is_not_there_is_left_out_and_told(project: Project) -> None:
    before, images = contents(), IMAGE_FILE.read_bytes()
    shutil.rmtree(FOLDER)
    IMAGE_FILE.unlink()
    said: list[str] = []
    assert folders.publish(project.job, said.append) == len(before) - 10
    assert said == ["pages/ lacks 10 pictures: their images are not in the artifacts that pages was made from"]
    assert contents() == {path: data for path, data in before.items() if path not in map(str, PICTURES[:10])}
    IMAGE_FILE.write_bytes(images)
    assert folders.publish(project.job, said.append) == 10
    assert contents() == before and len(said) == 1


def test_pictures_are_left_out_of_the_folder_until_the_choice_changes(project: Project) -> None:
    before = contents()
    mine = PICTURES[0].with_name("mine.png")
    mine.write_bytes(b"mine")
    folders.choose_pictures(project.job, copied=False)
    assert project.pages() == [], "it makes nothing due"
    assert set(contents()) == {str(INDEX), str(PAGE)} and not PICTURES[0].parent.exists()
    assert aside() == {str(mine): b"mine"}
    project.values["seed"] = 2026
    assert project.pages() == [2030] and set(contents()) == {str(INDEX), str(PAGE)}
    assert project.pages() == [] and folders.publish(project.job) == 0
    project.values["seed"] = 2024
    folders.choose_pictures(project.job, copied=True)
    assert project.pages() == [] and contents() == before
    shutil.rmtree(folders.RECORDS)  # as if a full disk had ended the run that copied them
    folders.choose_pictures(project.job, copied=False)
    assert folders.publish(project.job) == 0 and set(contents()) == {str(INDEX), str(PAGE)}
    assert aside() == {str(mine): b"mine"}


@pytest.mark.parametrize("path", [INDEX, PAGE, PICTURES[7], PICTURES[17]])
def test_a_missing_file_is_fresh_and_is_written_alone(project: Project, written: list[Path], path: Path) -> None:
    before = contents()
    path.unlink()
    assert project.state.condition is Condition.FRESH
    assert project.pages() == [] and contents() == before
    assert written == [path]


def test_a_dry_run_writes_nothing(project: Project) -> None:
    INDEX.unlink()
    before = contents()
    prepare(project.graph, project.messages.append).end(only_looked=True)
    assert contents() == before


def test_an_edited_page_is_not_fresh_and_is_set_aside(project: Project, written: list[Path]) -> None:
    before = contents()
    PAGE.write_bytes(b"mine")
    state = project.state
    assert (state.condition, state.reasons) == (Condition.STALE, (f"{PAGE} was edited",))
    assert project.pages() == [], "restored from the stash"
    assert contents() == before and written == [PAGE]
    assert aside() == {str(PAGE): b"mine"}


def test_a_dry_run_leaves_an_edited_page(project: Project) -> None:
    PAGE.write_bytes(b"mine")
    before = contents()
    prepare(project.graph, project.messages.append).end(only_looked=True)
    assert contents() == before and aside() == {}
    assert project.state.reasons == (f"{PAGE} was edited",)


def test_a_picture_of_another_size_is_written_again(project: Project, written: list[Path]) -> None:
    before = contents()
    PICTURES[3].write_bytes(b"")
    assert project.state.condition is Condition.FRESH
    assert project.pages() == [] and contents() == before and written == [PICTURES[3]]


def test_pictures_are_written_once(project: Project, written: list[Path]) -> None:
    project.values["seed"] = 2026
    assert project.pages() == [2030]
    assert written == [PAGE]
    assert project.pages() == []
    assert written == [PAGE]


def test_what_does_not_belong_any_more_is_removed(project: Project) -> None:
    project.values["seed"] = 2025
    assert project.pages() == [2029]
    assert set(contents()) == {str(INDEX), str(PAGE), *map(str, PICTURES[:-1])}
    assert contents()[str(PAGE)] == b"page 2029" and aside() == {}
    project.values["seed"] = 2024
    assert project.pages() == [], "back from the stash"
    assert contents()[str(PAGE)] == b"page 2028" and PICTURES[-1].exists() and aside() == {}


def test_files_of_others_are_set_aside_and_comparisons_stay(project: Project) -> None:
    kept, foreign = FOLDER / "comparisons/one.html", FOLDER / "notes/mine.txt"
    for path in (kept, foreign):
        path.parent.mkdir()
        path.write_bytes(b"text")
    (FOLDER / "link").symlink_to("toy")
    assert project.pages() == []
    assert kept.read_bytes() == b"text" and not foreign.parent.exists() and not (FOLDER / "link").is_symlink()
    assert aside() == {str(foreign): b"text"} and PAGE.exists()
    project.values["seed"] = 2025
    project.pages()
    assert kept.read_bytes() == b"text"


def test_the_folder_of_other_artifacts_was_not_edited(project: Project) -> None:
    """As after `git checkout` and `dvc checkout`: the artifacts are those of another commit, the folder is not."""
    old = {path: path.read_bytes() for path in Path("data").rglob("*.parquet")}
    metrics = Path("metrics/toy.json").read_bytes()
    project.values["seed"] = 2025
    project.pages()
    for path, data in old.items():
        path.write_bytes(data)
    Path("metrics/toy.json").write_bytes(metrics)
    project.values["seed"] = 2024
    assert project.state.condition is Condition.FRESH
    assert project.pages() == [] and contents()[str(PAGE)] == b"page 2028"
    assert aside() == {}


def test_a_run_that_was_killed_in_the_middle_is_completed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed while the folder was written: the artifacts are there, some files are new and some old."""
    project.values["seed"] = 2025
    before = contents()

    def killed(path: Path, data: bytes, *, durable: bool = True) -> None:
        atomic.write_whole(path, data, durable=durable)
        if path == PAGE:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(folders, "write_whole", killed)
        with pytest.raises(KeyboardInterrupt):
            project.pages()
    assert contents() != before
    assert project.state.condition is Condition.FRESH
    assert project.pages() == []
    assert contents()[str(PAGE)] == b"page 2029" and aside() == {}
    assert folders.publish(project.job) == 0


def test_without_the_record_the_folder_is_checked_once(project: Project, written: list[Path]) -> None:
    shutil.rmtree(folders.RECORDS)
    assert project.state.condition is Condition.FRESH
    assert project.pages() == [] and sorted(written) == sorted(PICTURES)
    assert project.pages() == [] and len(written) == len(PICTURES)


def test_a_record_that_cannot_be_written_stops_nothing(project: Project) -> None:
    shutil.rmtree(folders.RECORDS)
    folders.RECORDS.write_bytes(b"")
    project.values["seed"] = 2025
    assert project.pages() == [2029] and contents()[str(PAGE)] == b"page 2029"
    assert project.state.condition is Condition.FRESH


def test_a_failed_step_leaves_the_folder(project: Project) -> None:
    before = contents()
    project.values["seed"] = 2025

    def fail(task: Task[None]) -> None:
        task.outputs.publish_picture("pages/half.png", b"half")
        raise RuntimeError("the step broke down")

    DURING.append(fail)
    with pytest.raises(RuntimeError, match="broke down"):
        project.pages()
    assert contents() == before
    assert not [path for path in Path("data").rglob("*") if path.name.endswith(".tmp")]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("elsewhere/a.html", "not a path below pages/"),
        ("pages", "not a path below pages/"),
        ("pages/../a.html", "not a path below pages/"),
        ("pages//a.html", "not a path below pages/"),
        ("/pages/a.html", "not a path below pages/"),
        ("pages/comparisons/a.html", "keeps for other files"),
        ("pages/.a.html", "keeps for other files"),
        (str(INDEX), "was published twice"),
    ],
)
def test_only_paths_below_the_folder_are_published(project: Project, path: str, message: str) -> None:
    def publish(task: Task[None]) -> None:
        task.outputs.publish(str(INDEX), b"")
        task.outputs.publish_picture(path, b"")

    DURING.append(publish)
    project.values["seed"] = 2025
    with pytest.raises(ValueError, match=message):
        project.pages()


def test_the_index_must_be_published(project: Project) -> None:
    def publish(task: Task[None]) -> None:
        task.outputs.publish = lambda path, data: None  # type: ignore[method-assign]

    DURING.append(publish)
    project.values["seed"] = 2025
    with pytest.raises(ValueError, match=r"aggregate pages did not publish pages/index\.html"):
        project.pages()


def test_a_copy_of_a_table_is_no_result_table(project: Project) -> None:
    """So that `whatif diff params.yaml` finds nothing changed when nothing is."""
    DURING.append(lambda task: task.outputs.publish("pages/toy/tables/sums.csv", b"model,value\nfirst,1\n"))
    project.values["seed"] = 2025
    project.pages()
    assert (FOLDER / "toy/tables/sums.csv").is_file()
    sides = Side(of_graph(project.graph, "params.yaml")), Side(of_folder(Path(), "working tree"))
    assert list(lines_of(report(*sides, Selection())))[1:] == ["nothing changed"]
