"""The gallery: a page of its own, in which no text is taken for markup and right and wrong are said in words."""

from __future__ import annotations

import base64
from html.parser import HTMLParser

from whatif.reporting.gallery import Asked, Link, Panel, Picture, Reply, Section, gallery

PNG = b"\x89PNG\r\n\x1a\n and so on"


class Page(HTMLParser):
    """What stands on a page: its tags, the sources of its pictures, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.sources: list[str] = []
        self.alternatives: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "img":
            found = dict(attrs)
            self.sources.append(found["src"] or "")
            self.alternatives.append(found["alt"] or "")
        if tag not in ("img", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_page_holds_everything_and_escapes_it() -> None:
    replies = {
        "<b>Model</b>": Reply("3 & more", True),
        "Other": Reply(None, False),
        "Long": Reply("word " * 100, False),
    }
    asked = (Asked('How many "<script>"?', "3", replies), Asked("And if?", "2", {"Other": Reply("2", True)}))
    panel = Panel((Picture(PNG, "<i>first</i>"), Picture(b"\xff\xd8\xff jpeg")), asked, "A <title>")
    page = gallery("Puzzles & scenes", [Section("One", "Text <here>.", (panel,)), Section("Two", "None.", ())])
    found = Page(page)
    assert found.open == []
    assert not {"script", "i", "b", "here"} & set(found.tags)
    assert found.sources == [
        "data:image/png;base64," + base64.b64encode(PNG).decode(),
        "data:image/jpeg;base64," + base64.b64encode(b"\xff\xd8\xff jpeg").decode(),
    ]
    assert found.alternatives == ["<i>first</i>", "the image that is asked about"]
    text = " ".join(found.words)
    for words in ('How many "<script>"?', "<b>Model</b>", "3 & more", "(right)", "(wrong)", "no answer", "not asked"):
        assert words in text
    assert "There is none to show." in text
    assert "word " * 40 not in page
    assert "http" not in page  # nothing is fetched
    assert gallery("Puzzles & scenes", [Section("One", "Text <here>.", (panel,)), Section("Two", "None.", ())]) == page


def test_named_sections_are_linked_and_others_are_not() -> None:
    page = gallery("T", [Section("Styles & more", "", (), "styles"), Section("Other", "", ())])
    assert '<li><a href="#styles">Styles &amp; more</a></li>' in page and '<section id="styles">' in page
    assert page.count("<li>") == 1 and page.count("<section>") == 1
    assert "<nav>" not in gallery("T", [Section("Other", "", ())])


def test_what_a_model_wrote_is_shown_turn_by_turn_and_cut_if_it_is_long() -> None:
    replies = {"M": Reply("A", True, ("Two <b>cups</b>.\n\nOne falls.  ", "word " * 1000)), "N": Reply("B", False)}
    page = gallery("T", [Section("S", "", (Panel((Picture(PNG, wide=True),), (Asked("Q", "A", replies),)),))])
    assert page.count("<details>") == 1 and page.count("<li>") == 2
    assert "<li>Two &lt;b&gt;cups&lt;/b&gt;.\n\nOne falls.</li>" in page
    (long,) = [line for line in Page(page).words if line.startswith("word word")]
    assert len(long) == 2_003 and long.endswith("...")
    assert '<figure class="wide"><img ' in page


def test_a_panel_links_to_the_panels_that_have_its_images() -> None:
    first = Panel((Picture(PNG),), (), "One", "item-1")
    both = Panel((), (), "Two", elsewhere=(Link("item-1", "<one>"), Link("item-1", "again")))
    page = gallery("Items", [Section("All", "Text.", (first, both))])
    assert Page(page).open == [] and page.count(" above") == 1
    assert '<article id="item-1">' in page and "<article>" in page
    assert '<p>Images above: <a href="#item-1">&lt;one&gt;</a>, <a href="#item-1">again</a></p>' in page
