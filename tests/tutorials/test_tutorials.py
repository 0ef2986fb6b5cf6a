"""The tutorials of docs/tutorials, and the Python of README.md, run as they are written and print what they show."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.checkouts import Checkout, made_once
from tests.tutorials.runner import ROOT, RUN, TUTORIALS, Session, TutorialError, blocks, compare, run_page

FIRST = TUTORIALS / "first-table.md"
# They begin in the folder in which the first one ends.
AFTER_THE_FIRST = (
    "what-a-number-means.md",
    "publish.md",
    "add-a-model.md",
    "worse-than-last-week.md",
    "how-many-items.md",
)
ALONE = ("audit.md", "own-photographs.md", "verify-with-people.md")
LONG = ("add-a-model.md", "worse-than-last-week.md", "how-many-items.md", *ALONE)  # half a minute and more
ON_A_CLUSTER = ("on-slurm.md",)  # tests/pipeline/test_slurm.py


def cases(names: Sequence[str]) -> list[Any]:
    """The names of tutorials; those that take long are left to the soak."""
    return [pytest.param(name, marks=pytest.mark.soak if name in LONG else pytest.mark.slow) for name in names]


@pytest.fixture(scope="session")
def first_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the first tutorial ran. Tests work on copies of it."""

    def make(checkout: Checkout) -> None:
        checkout.path.mkdir()
        assert run_page(FIRST, checkout.path) > 0

    return made_once(tmp_path_factory, "first-table", make).path


@pytest.mark.slow
def test_from_nothing_to_a_table(first_table: Path) -> None:
    """The fixture compared the outputs; what the page promises is there."""
    assert (first_table / "metrics" / "cvqa-synthetic" / "table7.csv").is_file()
    assert (first_table / "site" / "index.html").is_file()


@pytest.mark.parametrize("name", cases(AFTER_THE_FIRST))
def test_a_tutorial_that_goes_on_from_the_first(name: str, first_table: Path, tmp_path: Path) -> None:
    folder = tmp_path / "puzzles"
    shutil.copytree(first_table, folder)
    assert run_page(TUTORIALS / name, folder) > 0


@pytest.mark.parametrize("name", cases(ALONE))
def test_a_tutorial_that_begins_with_nothing(name: str, tmp_path: Path) -> None:
    assert run_page(TUTORIALS / name, tmp_path) > 0


@pytest.mark.slow
def test_the_python_of_the_readme_needs_no_project(tmp_path: Path) -> None:
    [code] = [block for block in blocks((ROOT / "README.md").read_text(encoding="utf-8")) if block.language == "python"]
    printed = Session(tmp_path).run(code)
    assert "Always the first option" in printed and "ok C" in printed and "low=0.719" in printed
    assert len(code.text.strip().splitlines()) <= 10


def test_every_tutorial_is_run_and_listed() -> None:
    pages = {path.name for path in TUTORIALS.glob("*.md")} - {"index.md"}
    assert pages == {FIRST.name, *AFTER_THE_FIRST, *ALONE, *ON_A_CLUSTER} & pages
    index = (TUTORIALS / "index.md").read_text(encoding="utf-8")
    assert [name for name in sorted(pages) if f"]({name})" not in index] == []


@pytest.mark.parametrize("page", sorted(TUTORIALS.glob("*.md")), ids=lambda page: page.name)
def test_an_output_belongs_to_a_block_that_runs(page: Path) -> None:
    """An output after a block that is shown only would never be compared."""
    found = blocks(page.read_text(encoding="utf-8"))
    alone = [
        one.line
        for before, one in zip([None, *found], found, strict=False)
        if one.language == "text" and not (before and before.language in RUN and not before.title)
    ]
    assert alone == []


def test_an_output_that_is_not_as_on_the_page_is_an_error_with_its_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Text.\n\n```sh\necho three\n```\n\n```text\nfour\n```\n", encoding="utf-8")
    with pytest.raises(TutorialError, match=r"page.md, line 3: the page says\nfour\n\nit printed\nthree"):
        run_page_in_process(page, tmp_path)


def run_page_in_process(page: Path, folder: Path) -> None:
    """As `run_page`, with Python in place of the shell: this test starts no process."""
    text = page.read_text(encoding="utf-8").replace("```sh\necho three", '```python\nprint("three")')
    page.write_text(text, encoding="utf-8")
    run_page(page, folder)


def test_times_and_what_dots_stand_for_are_not_compared() -> None:
    compare("extract: computed in 0.7 s\n...\nlast", "extract: computed in 12.3 s\none\ntwo\nlast\n", "page")
    with pytest.raises(TutorialError, match="page: the page says"):
        compare("first\n...\nlast", "first\none\n", "page")


def test_blocks_share_names_and_files(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        '```yaml title="a/b.yaml"\nkey: 1\n```\n\n```python\nnumber = 2\n```\n\n'
        '```python\nprint(number, open("a/b.yaml").read())\n```\n\n```text\n2 key: 1\n```\n',
        encoding="utf-8",
    )
    assert run_page(page, tmp_path) == 1
