"""Text of any origin in a data card: a reader sees it as it is, and it becomes no markup."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import markdown  # type: ignore[import-untyped]
import markdown_it
import pytest
import yaml

from tests.results.publishing.composed import facts
from whatif.engine.graph.lineage import Lineage, MadeBy
from whatif.formats.croissant import CROISSANT
from whatif.formats.markdown import code, fenced, plain, table
from whatif.results.publishing.measured import Agreement, Measured, Passage, Shortcut
from whatif.results.publishing.publish import write_benchmark

pytestmark = pytest.mark.slow

HOSTILE = (
    "x\n---\nlicense: mit\n---\n# Heading\n\n<script>alert(1)</script> <img src=x onerror=alert(1)>\n"
    "![pixel](https://evil.example/p.png) [link](javascript:alert(1)) | cell\n```\n````\n`code`\n"
    "&lt;b&gt; \\| $x$ <!--\n- item\n1. one\n[CITATION.cff]: https://evil.example\n"
)
SHOWN = " ".join(HOSTILE.split())
COMMON = markdown_it.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
LOUD = {"html_block", "html_inline", "image", "link_open", "heading_open", "hr", "bullet_list_open", "code_block"}


def tokens(text: str) -> list[Any]:
    return [inner for one in COMMON.parse(text) for inner in (one, *(one.children or ()))]


def shown(text: str) -> str:
    """What a reader sees of Markdown on one line."""
    inline = next(one for one in COMMON.parse(text) if one.type == "inline")
    return "".join(one.content for one in inline.children)


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The card of a benchmark whose texts are harmless, and of one in which all of them are hostile."""
    place = tmp_path_factory.mktemp("cards")
    made: dict[str, str] = {}
    for name, text in (("harmless", "plain words"), ("hostile", HOSTILE)):
        known = facts(place / name)
        asked = [{**row, "group": text, "question": text} for row in known.kept["questions"].rows]
        parameters = {"seed": 1, "extract.ours.x": text, "extract.ours.clip.checkpoint": text, "list": [text, text]}
        known = replace(
            known,
            benchmark=replace(known.benchmark, about=text, citation=text),
            publisher=replace(known.publisher, authors=[{"name": text}]),
            kept={**known.kept, "questions": replace(known.kept["questions"], rows=asked)},
            made=Lineage(parameters, {text: text}, (), (MadeBy("extract", text, {text: 3}),)),
            measured=Measured(
                [Passage(text, text, {"in": 9, "out": 8, "rejected": 1}, {text: 1})],
                [Shortcut(text, text, 62.5, 30.0, 86.0, 8)],
                [Agreement(text, text, 0.5, 0.1, 0.9, 1)],
            ),
            text_licence=text,
        )
        write_benchmark(known, place / f"whatif-{name}")
        made[name] = (place / f"whatif-{name}" / "README.md").read_text(encoding="utf-8")
    return made


def parts(card: str) -> tuple[Any, str]:
    _, header, body = card.split("---\n", 2)
    return yaml.safe_load(header), body


def test_hostile_text_makes_no_markup_in_a_card(cards: dict[str, str]) -> None:
    (header, harmless), (same, hostile) = parts(cards["harmless"]), parts(cards["hostile"])
    assert header == same, "a text reached the header"
    before, after = (
        [(one.type, one.tag) for one in tokens(text) if one.type not in ("text", "text_special", "softbreak")]
        for text in (harmless, hostile)
    )
    assert after == before, "markup of its own"
    links = {one.attrs["href"] for one in tokens(hostile) if one.type == "link_open"}
    assert links == {CROISSANT, "CITATION.cff"}
    assert not {"html_block", "html_inline", "image"} & {one.type for one in tokens(hostile)}


def test_readers_see_hostile_text_as_it_is(cards: dict[str, str]) -> None:
    inline = [one for one in COMMON.parse(cards["hostile"]) if one.type == "inline"]
    seen = ["".join(child.content for child in one.children) for one in inline]
    assert SHOWN in seen, "about"
    assert any(one.endswith(f"The method is that of {SHOWN}") for one in seen)
    assert f"Texts: {SHOWN}. Each row names the licence of its pictures:" in seen
    assert seen.count(SHOWN) >= 10, "cells"
    (block,) = [one for one in COMMON.parse(cards["hostile"]) if one.type == "fence" and one.info == "bibtex"]
    assert HOSTILE.strip() in block.content and block.content.rstrip().endswith("}")


@pytest.mark.parametrize("card", ["harmless", "hostile"])
def test_another_renderer_finds_no_html_either(cards: dict[str, str], card: str) -> None:
    html = markdown.markdown(cards[card].split("---\n", 2)[2], extensions=["tables", "fenced_code"])
    for sign in ("<script", "<img", "onerror=alert(1)>", "<!--", 'href="javascript', 'evil.example/p.png)"'):
        assert sign not in html


def test_any_text_is_shown_as_it_is_as_code_and_in_a_cell() -> None:
    signs = random.Random(0)
    words = [
        "`",
        "``",
        "a",
        " ",
        "|",
        "\\",
        "*",
        "_",
        "<b>",
        "&amp;",
        "[",
        "](x)",
        "![",
        "#",
        "- ",
        "1. ",
        "~~",
        "$",
        "=",
    ]
    for _ in range(3000):
        text = "".join(signs.choices(words, k=signs.randint(1, 7)))
        line = " ".join(text.split())
        if not line:
            continue
        assert [one.type for one in COMMON.parse(plain(text))] == ["paragraph_open", "inline", "paragraph_close"], text
        assert shown(plain(text)) == line
        assert {one.type for one in tokens(plain(text))} & LOUD == set(), text
        assert shown(f"x {code(text)}") == f"x {line}"
        cells = [one for one in COMMON.parse("\n".join(table(("h", "i"), [(text, code("z"))]))) if one.type == "inline"]
        assert ["".join(child.content for child in one.children) for one in cells] == ["h", "i", line, "z"], text
        (block, *more) = COMMON.parse("\n".join(fenced(text, "python")))
        assert (block.type, block.content, more) == ("fence", f"{text}\n", [])


def test_usual_texts_stay_readable() -> None:
    assert plain("Zhang et al., “What If?”, CVPR 2024 (C-VQA); task whatif_mucr: 8") == (
        "Zhang et al., “What If?”, CVPR 2024 (C-VQA); task whatif_mucr: 8"
    )
    assert (code("lab/clip"), code("")) == ("`lab/clip`", "`  `")
