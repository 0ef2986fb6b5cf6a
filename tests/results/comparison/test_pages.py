"""Pages of flipped items: whole, linked, escaped, with their pictures."""

from __future__ import annotations

import hashlib
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from tests.results.comparison.made_up import Asked, compared, write_run
from whatif.engine.errors import WhatifError
from whatif.results.comparison.flips import flips_of
from whatif.results.comparison.pages import write_pages

ITEMS = 450


def picture(shade: int) -> bytes:
    data = io.BytesIO()
    Image.new("L", (8, 8), shade).save(data, "PNG")
    return data.getvalue()


class Links(HTMLParser):
    """The addresses of the pages before and after a page and of its pictures, and its open tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.pictures: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append(tag)
        self.links += [str(values["href"])] if "rel" in values and tag == "a" else []
        self.pictures += [str(values["src"])] if tag == "img" else []


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs in which every answer flips; every text is hostile."""
    images = {hashlib.sha256(picture(shade)).hexdigest(): picture(shade) for shade in (1, 2)}
    ids = sorted(images)
    questions = [
        Asked(pair, text=f"<script>alert({pair})</script>", choices=("<b>", "&"), image=ids[pair % 2])
        for pair in range(ITEMS)
    ]
    for run, right in (("a", True), ("b", False)):
        write_run(tmp_path / run, questions, {"one": [right] * ITEMS}, images=images)
    return tmp_path / "a", tmp_path / "b"


def test_pages_of_200_items_lead_to_each_other_and_show_every_item(runs: tuple[Path, Path], tmp_path: Path) -> None:
    found = compared(*runs)
    first = write_pages(tmp_path / "site", found, list(flips_of(found.compared)))
    assert first == tmp_path / "site/comparisons/before-to-after/index.html"
    pages = {path.name: path.read_text(encoding="utf-8") for path in first.parent.glob("*.html")}
    assert sorted(pages) == ["index.html", "page-2.html", "page-3.html"]
    read = {name: Links(text) for name, text in pages.items()}
    assert [set(read[name].links) for name in sorted(pages)] == [
        {"page-2.html"},
        {"index.html", "page-3.html"},
        {"page-2.html"},
    ]
    items = [item for name in sorted(pages) for item in re.findall(r"<h2>(\S+):", pages[name])]
    assert items == [f"pair-{pair:03d}-original" for pair in range(ITEMS)]
    pictures = {address for one in read.values() for address in one.pictures}
    assert len(pictures) == 2
    assert {(first.parent / address).read_bytes() for address in pictures} == {picture(1), picture(2)}
    frame = write_pages(tmp_path / "site", found, [], "empty").read_text(encoding="utf-8")
    assert all(one.tags.count(tag) == Links(frame).tags.count(tag) for one in read.values() for tag in ("script", "b"))
    assert "&lt;script&gt;alert(0)&lt;/script&gt;" in pages["index.html"]
    assert not any(re.search(r"https?://", text) for text in pages.values()), "needs no network"


def test_pages_of_an_earlier_comparison_are_removed(runs: tuple[Path, Path], tmp_path: Path) -> None:
    found = compared(*runs)
    flips = list(flips_of(found.compared))
    write_pages(tmp_path / "site", found, flips, "mine")
    first = write_pages(tmp_path / "site", found, flips[:1], "mine")
    assert len(list(first.parent.glob("pictures/*"))) == 1
    assert len(list(first.parent.glob("*.html"))) == 1


@pytest.mark.parametrize("name", ["", "..", "a/b", "A", "-x"])
def test_names_that_are_not_a_folder_of_their_own_are_refused(
    runs: tuple[Path, Path], tmp_path: Path, name: str
) -> None:
    with pytest.raises(WhatifError, match="must be lower-case"):
        write_pages(tmp_path / "site", compared(*runs), [], name)
    assert not (tmp_path / "site").exists()
