"""`whatif demo`: the bundled site is complete, says what it is, and opens without heavy libraries."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.command_line import refused, whatif
from tests.results.site.chromium import Open, until
from tests.results.site.example_items import paired
from tests.results.site.example_results import of_pairs
from tests.results.site.links import faults
from whatif import __version__, demo_table
from whatif.benchmarks.sample_site import ITEMS, sample_files, sampled
from whatif.commands.cli import main
from whatif.engine.errors import WhatifError
from whatif.results.demo.bundle import MARK, bundle, packed, unpack
from whatif.results.reporting.table import from_csv

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
HEAVY = ("numpy", "pandas", "torch", "pyarrow", "matplotlib", "pydantic", "dvc", "snakemake", "jinja2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("demo") / "pages"
    assert unpack(bundle(), place)
    return place


def benchmarks_with_items(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.glob("*/items.html"))


def test_the_bundle_is_small_and_whole(folder: Path) -> None:
    assert len(bundle()) < 4_000_000
    assert faults(folder) == []
    assert len(benchmarks_with_items(folder)) >= 6
    with zipfile.ZipFile(ROOT / "src/whatif/results/demo/site.zip") as archive:
        assert archive.testzip() is None


def test_every_page_says_that_it_is_a_sample_and_of_which_version(folder: Path) -> None:
    for page in folder.rglob("*.html"):
        assert f"A sample of the results of whatif {__version__}:" in page.read_text(encoding="utf-8"), page


def test_its_numbers_are_those_of_the_committed_record(folder: Path) -> None:
    """After a new record, `make demo` makes the bundle again."""
    tables = list(folder.glob("*/tables/*.csv"))
    assert len(tables) > 50
    for table in tables:
        recorded = ROOT / "metrics" / table.parts[-3] / table.name
        assert table.read_bytes() == recorded.read_bytes(), f"{table.parts[-3]}/{table.name}: run `make demo`"


@pytest.mark.slow
def test_its_pages_and_items_load_in_a_browser(open_page: Open, folder: Path) -> None:
    open_page(folder / "index.html").get_by_role("heading", level=1).wait_for()
    for name in benchmarks_with_items(folder):
        page = open_page(folder / name / "items.html")
        until(page, "document.querySelectorAll('main img').length > 0")
        page.evaluate("document.querySelectorAll('main img').forEach(image => { image.loading = 'eager'; })")
        until(
            page,
            "[...document.querySelectorAll('main img[src]')].every(image => image.complete && image.naturalWidth > 0)",
        )


def test_the_same_sources_give_the_same_bytes() -> None:
    def made() -> bytes:
        return packed(sample_files([of_pairs()]))

    assert made() == made()


def test_a_sample_has_the_first_items_of_each_view_and_others_at_equal_distances() -> None:
    whole = paired(400)
    reduced = sampled(whole)
    assert len(reduced.items) == ITEMS and reduced.items_in_all == len(whole.items)
    ids = [row["item_id"] for row in reduced.items]
    everything = [row["item_id"] for row in whole.items]
    assert ids == sorted(ids, key=everything.index) and len(set(ids)) == ITEMS
    for view in {view for row in whole.items for view in row["views"]}:
        assert any(view in row["views"] for row in reduced.items)
    assert len(sampled(replace(whole, items=whole.items[:3])).items) == 3


def test_the_command_writes_the_pages_once_and_says_what_to_type_next(tmp_path: Path) -> None:
    place = tmp_path / "pages"
    done = whatif("demo", "--folder", place, "--no-open")
    assert done.exit_code == 0, done.output
    assert f"Open in your browser: {place / 'index.html'}" in done.output
    assert "What to type next:" in done.output and "whatif --help" in done.output
    times = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    assert whatif("demo", "--folder", place, "--no-open").exit_code == 0
    assert times == {path: path.stat().st_mtime_ns for path in place.rglob("*")}


def test_the_pages_go_to_the_cache_of_the_user(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["demo", "--no-open"], env={"XDG_CACHE_HOME": str(tmp_path)})
    assert done.exit_code == 0 and (tmp_path / "whatif" / f"demo-{__version__}" / "index.html").is_file()


def test_an_older_bundle_is_replaced_and_an_interrupted_one_completed(tmp_path: Path) -> None:
    first, second = packed({"index.html": b"one", "old.html": b"old"}), packed({"index.html": b"two"})
    assert unpack(first, tmp_path / "a") and not unpack(first, tmp_path / "a")
    (tmp_path / "a" / "mine.txt").write_text("mine")
    assert unpack(second, tmp_path / "a")
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["index.html", "mine.txt", MARK]
    (tmp_path / "a" / "index.html").unlink()
    assert unpack(second, tmp_path / "a") and (tmp_path / "a" / "index.html").read_bytes() == b"two"


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    said = refused(whatif("demo", "--folder", tmp_path, "--no-open"))
    assert "give --folder a new or an empty folder" in said
    with pytest.raises(WhatifError, match="is not a folder; give --folder another name"):
        unpack(packed({"index.html": b""}), tmp_path / "thesis.tex")
    for path in ("../out.html", "/out.html"):
        with pytest.raises(WhatifError, match="leads out of the folder"):
            unpack(packed({path: b""}), tmp_path / "new")
    assert not (tmp_path / "out.html").exists()


@pytest.mark.process
def test_it_needs_no_heavy_library(tmp_path: Path) -> None:
    code = (
        "import sys; from whatif.commands.cli import main; "
        f"main(['demo', '--no-open', '--folder', {str(tmp_path / 'pages')!r}], standalone_mode=False); "
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_tables_are_data_frames_without_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = demo_table("cvqa-synthetic", "table7")
    assert table.equals(from_csv((ROOT / "metrics/cvqa-synthetic/table7.csv").read_text(encoding="utf-8")))
    with pytest.raises(WhatifError, match=r"^cfmm: the bundled results have no table 'table9'; they have accuracy, "):
        demo_table("cfmm", "table9")
    with pytest.raises(WhatifError, match=r"^winoground: is not among the bundled results; these are cfmm, "):
        demo_table("winoground", "table1")
