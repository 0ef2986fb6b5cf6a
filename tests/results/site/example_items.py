"""Items with everything that the item browser shows, and a source that writes a whole site of them."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw

from whatif.results.reporting.items import (
    Item,
    ItemAnswer,
    ItemPicture,
    ItemProgram,
    ItemQuestion,
    ItemView,
    item_tables,
    view_rows,
    with_reasoning,
)
from whatif.results.site.assets import publish_static
from whatif.results.site.build import item_page
from whatif.results.site.item_files import write_item_files
from whatif.results.site.layout import Entry, with_navigation
from whatif.results.site.sources import BenchmarkSource

SYSTEMS = ("Large model", "Small model", "Small model, chain of thought", "Writer of programs")
HOSTILE = (
    "</script><script>document.title='changed'</script> <img src=x onerror=alert(1)> \"quoted\" & 'single' \u2028\u2029"
    " מה צבע הכדור? \u202egnorw"
)
_COLOURS = ("red", "blue", "green", "yellow", "purple")
_THINGS = ("ball", "car", "kite", "lamp")


def source_of(
    items: Iterable[Item], views: Iterable[ItemView], pictures: Mapping[str, bytes], title: str
) -> BenchmarkSource:
    """A benchmark with nothing but items."""
    return BenchmarkSource(
        name="bench",
        title=title,
        about="",
        frames={},
        printed=[],
        figures={},
        files={},
        items=[row for piece in item_tables(items) for row in piece.to_pylist()],
        views=[*view_rows(views)],
        picture=pictures.__getitem__,
    )


def write_site(source: BenchmarkSource, folder: Path) -> Path:
    """Writes the page of the items with its files; returns the page."""

    def publish(path: str, data: bytes) -> None:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)

    def below(path: str, data: bytes) -> None:
        publish(f"bench/{path}", data)

    publish_static(publish)
    write_item_files(source, below, below)
    entries = [Entry("bench", "bench/index.html", source.title)]
    publish("bench/items.html", with_navigation(item_page(source), "bench/items.html", entries).encode())
    return folder / "bench/items.html"


@cache
def drawn(colour: str, thing: str, size: tuple[int, int] = (240, 180)) -> tuple[str, bytes]:
    """Id and PNG of a picture of a thing in a colour."""
    picture = Image.new("RGB", size, "#dfe7ee")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, size[1] * 0.7, size[0], size[1]), fill="#9cb58a")
    box = (size[0] * 0.3, size[1] * 0.25, size[0] * 0.7, size[1] * 0.8)
    if thing == "ball":
        draw.ellipse(box, fill=colour)
    elif thing == "kite":
        left, top, right, bottom = box
        draw.polygon(
            [((left + right) / 2, top), (right, size[1] / 2), ((left + right) / 2, bottom), (left, size[1] / 2)], colour
        )
    else:
        draw.rectangle(box, fill=colour)
        if thing == "lamp":
            draw.rectangle((size[0] * 0.48, 0, size[0] * 0.52, size[1] * 0.25), fill="black")
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    data = buffer.getvalue()
    return hashlib.sha256(data).hexdigest(), data


def paired(count: int = 260) -> BenchmarkSource:
    """Pairs of pictures with a question each; every kind of answer, a hostile item, and items of two further kinds."""
    pictures: dict[str, bytes] = {}
    items = [_pair(number, pictures) for number in range(count)]
    items.append(_hostile(pictures))
    items.append(_several(pictures))
    views = [
        ItemView("figure-2", "Figure 2: balls", "Items like those of the figure: every ball."),
        ItemView("figure-9", "Figure 9: programs", "Answers of programs with their calls of tools."),
    ]
    return source_of(items, views, pictures, "Coloured things")


def unsided() -> BenchmarkSource:
    """Items without a counterfactual side, and without pictures."""
    items = [
        Item(
            f"choice-{number}",
            f"What happened before {number}?",
            questions=(
                ItemQuestion(
                    f"q-{number}",
                    "Which picture comes first?",
                    "B",
                    choices=("Rain", "Sun"),
                    answers=(ItemAnswer("Large model", "B", True), ItemAnswer("Small model", "A", number % 2 == 0)),
                ),
            ),
        )
        for number in range(3)
    ]
    forms = ("text", "composite", "siamese", "hints", "in German", "in French", "siamese, anime")
    answers = tuple(
        ItemAnswer(f"Model number {place}", "Rain", True, why="ranked by mean: A 0.123, B 0.456", prompt_tokens=7)
        for place in range(12)
    )
    asked = (
        ItemQuestion(
            f"f-{form}", "Which comes first?", "Rain (A)", label=form, choices=("Rain", "Sun"), answers=answers
        )
        for form in forms
    )
    items.append(Item("forms", "One choice in seven forms", questions=tuple(asked)))
    return source_of(items, [], {}, "Choices")


def _pair(number: int, pictures: dict[str, bytes]) -> Item:
    thing = _THINGS[number % len(_THINGS)]
    colours = _COLOURS[number % 5], _COLOURS[(number + 1 + number // 5 % 4) % 5]
    found = [drawn(colour, thing) for colour in colours]
    pictures.update(found)
    sides = ("original", "counterfactual")
    words = (
        f"What colour is the {thing}?",
        f"What colour would the {thing} be if it were painted {colours[1]}?",
    )
    return Item(
        item_id=f"pair/{number:04}",
        title=f"The {colours[0]} {thing} becomes {colours[1]} ({number})",
        group=f"{thing}s",
        notes=("Café in the background.",) if number % 7 == 0 else (),
        views=tuple(name for name, shown in (("figure-2", thing == "ball"), ("figure-9", number % 25 == 0)) if shown),
        pictures=tuple(
            ItemPicture(image_id, f"A {colour} {thing} on the grass.", side)
            for (image_id, _), colour, side in zip(found, colours, sides, strict=True)
        ),
        questions=tuple(
            ItemQuestion(
                question_id=f"{number}-{side}",
                text=text,
                right=colour,
                side=side,
                choices=_COLOURS if number % 2 else (),
                answers=tuple(
                    _answer(number, system, 3 * number + 5 * place + 2 * (side == "original"), colour)
                    for place, system in enumerate(SYSTEMS)
                    if (number + place) % 11
                ),
            )
            for side, text, colour in zip(sides, words, colours, strict=True)
        ),
    )


def _answer(number: int, system: str, draw: int, right: str) -> ItemAnswer:
    outcome = draw % 8
    if outcome == 5:
        return ItemAnswer(system, None, False, "none", "no colour in the response", "I cannot say.")
    if outcome == 6 and draw % 3 == 0:
        return ItemAnswer(system, None, False, "error", "the image could not be read")
    if outcome == 7:
        return ItemAnswer(system, None, False, "ambiguous", "two colours in the response", "red or blue")
    correct = outcome < 4
    answer = right if correct else _COLOURS[(_COLOURS.index(right) + 2) % 5]
    program = None
    turns: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    if "programs" in system:
        code = f"def answer(image):\n    thing = image.find('thing')[0]\n    return thing.query('colour')  # {number}"
        calls = ("find('thing') -> 1 region", f"query('colour') -> {answer}")
        program = ItemProgram(code, "" if correct else "the tool misread the colour", calls)
    if "chain" in system:
        turns = (f"Let us think: the thing in item {number} has one colour.\nIt is clear.",)
        samples = (answer, answer, "red")
    return ItemAnswer(
        system,
        answer,
        correct,
        why="equal to the right answer" if correct else "another colour",
        response=f"The answer is {answer}.",
        turns=turns,
        samples=samples,
        program=program,
        prompt_tokens=120 + number,
        response_tokens=7,
        cost=0.00012 * (1 + number % 3),
    )


def _hostile(pictures: dict[str, bytes]) -> Item:
    image_id, data = drawn("black", "car", (180, 240))
    pictures[image_id] = data
    answer = ItemAnswer(
        HOSTILE,
        HOSTILE,
        False,
        why=HOSTILE,
        response=with_reasoning(HOSTILE, HOSTILE),
        turns=(HOSTILE,),
        samples=(HOSTILE,),
        program=ItemProgram(HOSTILE, HOSTILE, (HOSTILE,)),
    )
    return Item(
        "hostile\"<&>'/#=\u05d0",
        HOSTILE,
        HOSTILE,
        (HOSTILE,),
        pictures=(ItemPicture(image_id, HOSTILE),),
        questions=(ItemQuestion("h", HOSTILE, HOSTILE, "original", HOSTILE, (HOSTILE, "other"), (answer,)),),
    )


def _several(pictures: dict[str, bytes]) -> Item:
    """One original and two counterfactual questions about one picture."""
    image_id, data = drawn("red", "ball")
    pictures[image_id] = data
    return Item(
        "several",
        "One basic question, two counterfactual questions",
        "several questions",
        pictures=(ItemPicture(image_id),),
        questions=(
            ItemQuestion(
                "s0",
                "How many balls are there?",
                "A",
                "original",
                "basic",
                ("one", "two"),
                (ItemAnswer("Large model", "A", True), ItemAnswer("Small model", "A", True)),
            ),
            ItemQuestion(
                "s1",
                "How many balls would be there if one were added?",
                "B",
                "counterfactual",
                "count",
                ("one", "two"),
                (ItemAnswer("Large model", "B", True), ItemAnswer("Small model", "B", True)),
            ),
            ItemQuestion(
                "s2",
                "How many balls would be there if all were removed?",
                "B",
                "counterfactual",
                "count",
                ("one", "none"),
                (ItemAnswer("Large model", "B", True), ItemAnswer("Small model", "A", False)),
            ),
        ),
    )
