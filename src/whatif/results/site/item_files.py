"""The data files of a benchmark's item browser: its index, text for the search, and whole items.

Files, relative to the folder of the benchmark:

- `data/index.js` and its shards: see `item_index`;
- `data/text-K.js`: normalised text, one line for each of 5,000 items, loaded when somebody searches;
- `data/items-K.js`: 100 items each, as in `item_data`;
- `pictures/NAME`, `differences/NAME`: see `PictureFiles`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.engine.language.options import LETTERS
from whatif.results.reporting.items import without_reasoning
from whatif.results.site.differences import marked
from whatif.results.site.examples import ChosenItem, Example, shown_pictures
from whatif.results.site.item_index import SIDES, ItemIndex, code_of, script_data, searched
from whatif.results.site.item_pictures import PictureFiles
from whatif.results.site.sources import BenchmarkSource, Publish, PublishPicture
from whatif.results.site.weaknesses import Questions, Worse

ITEMS_PER_FILE = 100
TEXTS_PER_FILE = 5_000

Row = Mapping[str, Any]


@dataclass(frozen=True)
class FromItems:
    """What other pages show of a benchmark's items.

    example: one of them; None if there is none. worse: where systems do worse, of which each is a view of the item
    browser too; None where that is not known, because the items are a sample or nobody was asked.
    """

    example: Example | None
    worse: list[Worse] | None


def write_item_files(source: BenchmarkSource, publish: Publish, publish_picture: PublishPicture) -> FromItems:
    """Writes all files of a benchmark's items; memory holds a shard of the index and 5,000 items' text.

    Paths are relative to the benchmark's folder; `publish_picture` is called for `pictures/` and `differences/`. Items
    are read once.
    """
    index, pictures = ItemIndex(publish), PictureFiles(source.picture, publish_picture)
    questions, chosen = Questions(), ChosenItem()
    items: list[dict[str, Any]] = []
    texts: list[str] = []
    files = {"items": 0, "text": 0}

    def end(kind: str, data: Any) -> None:
        publish(f"data/{kind}-{files[kind]}.js", script_data(kind, files[kind], data))
        files[kind] += 1

    for row in source.items:
        index.add(row, _thumbnails(row, pictures))
        questions.add(row)
        items.append(item_data(row, index.systems, pictures))
        texts.append(searched(row))
        chosen.add(row)
        if len(items) == ITEMS_PER_FILE:
            end("items", items)
            items = []
        if len(texts) == TEXTS_PER_FILE:
            end("text", "\n".join(texts))
            texts = []
    if items:
        end("items", items)
    if texts:
        end("text", "\n".join(texts))
    worse = None if source.items_in_all or not index.systems else questions.worse()
    views = [*source.views, *(one.as_view() for one in worse or ())]
    index.finish(views, {"perFile": ITEMS_PER_FILE, "textsPerFile": TEXTS_PER_FILE})
    return FromItems(chosen.example(pictures), worse)


def item_data(row: Row, systems: Mapping[str, int], pictures: PictureFiles) -> dict[str, Any]:
    """An item as the page reads it. Texts that may be marked are lists (see `parts`); empty values are left out."""
    texts = _marked_by_side(row["questions"], "text")
    captions = _marked_by_side(row["pictures"], "caption")
    return _without_empty(
        {
            "notes": row["notes"],
            "pictures": [
                {**_picture(picture, pictures), "caption": caption}
                for picture, caption in zip(row["pictures"], captions, strict=True)
            ],
            "differences": _differences(row["pictures"], pictures),
            "questions": [
                _question(question, text, systems) for question, text in zip(row["questions"], texts, strict=True)
            ],
        }
    )


def _picture(picture: Row, pictures: PictureFiles) -> dict[str, Any]:
    file, width, height = pictures.file(picture["image_id"])
    return {"file": file, "width": width, "height": height, "side": picture["side"]}


def _differences(shown: Sequence[Row], pictures: PictureFiles) -> list[str]:
    """Files of the difference maps of the item's pairs of pictures."""
    originals, counterfactuals = (
        [picture["image_id"] for picture in shown if picture["side"] == side] for side in SIDES[:2]
    )
    if len(originals) != len(counterfactuals):
        return []
    found = (pictures.difference(*pair) for pair in zip(originals, counterfactuals, strict=True))
    return [file for file in found if file]


def _question(question: Row, text: list[str], systems: Mapping[str, int]) -> dict[str, Any]:
    choices, right = question["choices"], question["right"]
    place = right_choice(choices, right)
    return _without_empty(
        {
            "id": question["question_id"],
            "side": question["side"],
            "label": question["label"],
            "text": text,
            "choices": choices,
            "right": right,
            "rightChoice": place,
            "answers": [_answer(answer, systems) for answer in question["answers"]],
        }
    )


def right_choice(choices: Sequence[str], right: str) -> int | None:
    """The place of the right option, which `right` names by text, by letter, or by both (`two (B)`, `B: two`)."""
    for place, (letter, choice) in enumerate(zip(LETTERS, choices, strict=False)):
        if right in (choice, letter, f"{choice} ({letter})", f"{letter}: {choice}", f"{letter}. {choice}"):
            return place
    return None


def _answer(answer: Row, systems: Mapping[str, int]) -> dict[str, Any]:
    program = answer["program"]
    reasoning, response = without_reasoning(answer["response"])
    return _without_empty(
        {
            **{name: value for name, value in answer.items() if name not in ("correct", "status")},
            "reasoning": reasoning,
            "response": response,
            "system": systems[answer["system"]],
            "code": code_of(answer),
            "program": _without_empty(program) if program else None,
        }
    )


def _marked_by_side(texts: Sequence[Row], field: str) -> list[list[str]]:
    """The field of each row as `parts`, originals marked against counterfactuals; in the given order."""
    places = {side: [place for place, row in enumerate(texts) if row["side"] == side] for side in SIDES[:2]}
    shown = [[row[field]] for row in texts]
    pairs = marked(*([texts[place][field] for place in places[side]] for side in SIDES[:2]))
    for number, pair in enumerate(pairs):
        for side, text in zip(SIDES[:2], pair, strict=True):
            if number < len(places[side]):
                shown[places[side][number]] = text
    return shown


def _thumbnails(row: Row, pictures: PictureFiles) -> list[str]:
    """Files of the pictures that stand for an item in the list."""
    return [pictures.file(one["image_id"])[0] for one in shown_pictures(row)]


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value not in ("", [], ())}
