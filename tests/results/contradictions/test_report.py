"""The part of a page: what does not hold is in view, the rest on demand, and all text is escaped."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from whatif.results.contradictions import Claim, exactly, printed
from whatif.results.contradictions.formulas import equals, not_checkable, same
from whatif.results.contradictions.report import by_paper, fragment, recomputed
from whatif.results.contradictions.rows import Row, by_verdict, row, told

SCRIPT = "<script>alert('1 & 2')</script>"


def rows() -> list[Row]:
    claims = [
        Claim("Second", "3.1", SCRIPT, "sum", equals(printed("5"), exactly(4), "the sum of a & b", SCRIPT)),
        Claim("First", "Table 2", "a row", "drop", equals(printed("1.0"), exactly(1), "the drop")),
        Claim("Second", "A.2", "", "same number", same(printed("3"), printed("3"), "table 1")),
        Claim("Second", "Table 1", "x", "mean", equals(printed("1.2"), printed("1.3").quantity, "the mean")),
        Claim("Second", "Table 1", "y", "order", not_checkable("bold", "no bold")),
    ]
    return [row("bench", claim) for claim in claims]


class Elements(HTMLParser):
    """Counts the tags of a page, and checks that each is closed in its order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


def test_it_is_whole_escaped_and_marked_up_for_screen_readers() -> None:
    from markupsafe import Markup

    text = fragment(rows())
    assert isinstance(text, Markup)
    found = Elements(text)
    assert "<script" not in text and text.count("&lt;script&gt;") == 2 and "a &amp; b" in text
    assert found.count("table") == found.count("caption") == 6  # the summary, one that does not hold, four on demand
    assert all(attributes.get("scope") in ("col", "row") for tag, attributes in found.tags if tag == "th")
    assert found.count("details") == found.count("summary") == 4 and found.count("h1") == 0
    identifiers = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    labels = [attributes["aria-labelledby"] for tag, attributes in found.tags if tag == "section"]
    assert identifiers == labels and len(set(labels)) == len(labels)


def test_what_does_not_hold_is_outside_of_what_is_closed() -> None:
    text = str(fragment(rows()))
    before, _, rest = text.partition("<details>")
    assert "All claims that can be checked hold" in before  # of the first paper
    second = rest.partition('<h2 id="contradictions-2">')[2].partition("<details>")[0]
    assert "The sum of a &amp; b is 4, not 5" in second and "Section 3.1: " in second


def test_the_same_rows_give_the_same_bytes() -> None:
    assert fragment(rows()) == fragment(rows())


def test_without_rows_it_says_so() -> None:
    assert "0 claims about reported numbers" in fragment([])


def test_rows_are_grouped_by_paper_and_counted() -> None:
    assert {paper: len(found) for paper, found in by_paper(rows()).items()} == {"First": 1, "Second": 4}
    assert list(by_verdict(rows()).values()) == [2, 1, 1, 1]
    assert told(rows()) == "2 hold, 1 hold within rounding, 1 do not hold, 1 cannot be checked"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (None, None, "none"),
        (1198.0, 1198.0, "1,198"),
        (-0.5, -0.3, "-0.5 to -0.3"),
        (10.49, 10.51, "10.49 to 10.51"),
        (1e-7, 0.05, "1e-07 to 0.05"),
        (0.0, 1.0, "0 to 1"),
    ],
)
def test_recomputed_values_as_text(low: float | None, high: float | None, text: str) -> None:
    assert recomputed(Row("b", "P", "Table 1", "sum", "", "1", low, high, "holds", "It is.")) == text
