"""Tasks for annotators: who judges what, and texts that are no markup and no formulas in any tool."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.people.exports.filling import Page, pair_work, question_work
from tests.people.pairs import Pictures, pair, pictures
from whatif.engine.errors import WhatifError
from whatif.people.exports import label_studio
from whatif.people.exports.folder import Address, image_columns, write_tasks
from whatif.people.exports.label_studio import label_studio_files
from whatif.people.exports.mturk import layout_html, mturk_files
from whatif.people.exports.pairs import OF_PAIRS, pair_task_set
from whatif.people.exports.questions import OF_QUESTIONS, question_task_set
from whatif.people.exports.table import csv_files, instructions
from whatif.people.exports.tasks import Interface, TaskSet, assigned, instructions_html

ROWS = [pair(number) for number in range(50)]
MADE = pair_task_set(ROWS, 3)


def test_everybody_gets_as_much_work_and_gold_items_go_to_all() -> None:
    gold = ["pair-000-0", "pair-007-1"]
    tasks = assigned(MADE, annotators=2, people=5, share=0.25, by_everybody=gold, seed=3)
    by_item = {task.item_id: task.annotators for task in tasks.tasks}
    assert Counter(len(numbers) for item, numbers in by_item.items() if item not in gold) == {1: 74, 2: 24}
    assert [by_item[item] for item in gold] == [(1, 2, 3, 4, 5)] * 2
    assert all(len(set(numbers)) == len(numbers) for numbers in by_item.values())
    load = Counter(number for numbers in by_item.values() for number in numbers)
    assert sorted(load) == [1, 2, 3, 4, 5] and max(load.values()) - min(load.values()) <= 1
    assert tasks.labels == sum(load.values()) == 74 + 48 + 10


def test_ids_and_the_order_of_captions_stay_when_people_change() -> None:
    some = assigned(MADE, annotators=1, people=1, share=1, by_everybody=[], seed=3)
    others = assigned(MADE, annotators=3, people=9, share=0.5, by_everybody=[], seed=3)
    assert [(task.task_id, task.texts) for task in some.tasks] == [(task.task_id, task.texts) for task in others.tasks]
    assert assigned(MADE, annotators=3, people=9, share=0.5, by_everybody=[], seed=3) == others
    assert assigned(MADE, annotators=3, people=9, share=0.5, by_everybody=[], seed=4) != others


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"annotators": 3, "people": 2}, "annotators: 3 of 2 people cannot judge an item; give 1 to 2"),
        ({"share": 1.5}, "share: 1.5 is not a share"),
        ({"by_everybody": ["pair-999-0"]}, "item pair-999-0: has no task"),
    ],
)
def test_impossible_assignments(settings: dict[str, object], told: str) -> None:
    usual = {"annotators": 1, "people": 3, "share": 1.0, "by_everybody": [], "seed": 0}
    with pytest.raises(WhatifError, match=told):
        assigned(MADE, **{**usual, **settings})


def test_the_images_of_a_label_studio_task_are_in_it() -> None:
    work = pair_work()
    files = label_studio_files(work.tasks, work.images, None)
    assert sorted(files) == ["instructions.html", "labelling-interface.xml", *(f"tasks-by-{n}.json" for n in (1, 2, 3))]
    by_id = {task.task_id: task for task in work.tasks.tasks}
    seen = []
    for number in (1, 2, 3):
        for one in json.loads(files[f"tasks-by-{number}.json"]):
            task = by_id[one["data"]["task_id"]]
            assert len(task.annotators) == number
            kind, _, data = one["data"]["image"].partition(",")
            assert kind == "data:image/png;base64" and base64.b64decode(data) == work.images.encoded(task.image_ids[0])
            assert (one["data"]["caption_1"], one["data"]["caption_2"]) == task.texts
            seen.append(task.task_id)
    assert sorted(seen) == sorted(by_id)


def test_no_file_tells_the_item_or_the_side() -> None:
    for work in (pair_work(), question_work()):
        for files in (
            csv_files(work.tasks, work.images),
            label_studio_files(work.tasks, work.images, None),
            mturk_files(work.tasks, work.images, Address("https://lab.org/")),
        ):
            text = b"".join(files.values()).decode()
            assert not [task.item_id for task in work.tasks.tasks if task.item_id in text]


def test_fields_of_corrections_appear_only_with_the_answer_that_allows_them() -> None:
    work = question_work()
    view = ElementTree.fromstring(label_studio_files(work.tasks, work.images, None)["labelling-interface.xml"])
    hidden = {
        area.get("name"): box.attrib for box in view.iter("View") if box is not view for area in box.iter("TextArea")
    }
    with_yes = {"visibleWhen": "choice-selected", "whenTagName": "decision", "whenChoiceValue": "accept"}
    assert hidden == {"corrected_answer": with_yes, "corrected_question": with_yes}
    names = {element.get("value", "").removeprefix("$") for element in view if element.tag in ("Image", "Text")}
    assert names == {"image", "question", "choices", "answer"}
    assert {element.get("toName") for element in view.iter() if "toName" in element.attrib} == {"image"}


@pytest.mark.parametrize("interface", [OF_PAIRS, OF_QUESTIONS])
def test_instructions_say_when_to_choose_each_answer(interface: Interface) -> None:
    """By its label for pairs, by its text for questions; in lines that fit a window."""
    for page in (instructions(interface, list(interface.shown)), instructions_html(interface)):
        steps = " ".join(page.partition("Write one of these")[0].partition("Choose one of these")[0].split())
        named = interface.answers if interface is OF_QUESTIONS else interface.answers[2:]
        for answer in named:
            assert f"“{answer.text if interface is OF_QUESTIONS else answer.value}”" in steps
    assert max(map(len, instructions(interface, list(interface.shown)).splitlines())) <= 120


def test_annotators_are_told_to_imagine_the_change_that_a_question_supposes() -> None:
    assert "Imagine this change" in OF_QUESTIONS.instructions[0]


def test_fields_of_corrections_are_announced_where_they_cannot_be_hidden() -> None:
    work = question_work()
    page = mturk_files(work.tasks, work.images, Address("https://lab.org/"))["layout.html"].decode()
    lead = page.index("Only if you chose “Yes: the question is about this image")
    assert page.index('value="accept"') < lead < page.index('name="corrected_answer"')
    text = csv_files(work.tasks, work.images)["instructions.txt"].decode()
    assert text.index("only with the label accept") < text.index("corrected_answer\n")
    pairs = pair_work()
    assert "Only if you chose" not in layout_html(pairs.tasks.interface, [], ["image"])


def test_questions_without_options_show_none() -> None:
    rows = [{"question_id": "q", "question": "What?", "choices": None, "answer": "a dog", "image_ids": ["0" * 64]}]
    tasks = assigned(question_task_set(rows, 0), annotators=1, people=1, share=1, by_everybody=[], seed=0)
    images = Pictures([{**pictures(range(1))[0], "image_id": "0" * 64}])
    (one,) = json.loads(label_studio_files(tasks, images, None)["tasks-by-1.json"])
    assert sorted(one["data"]) == ["answer", "image", "question", "task_id"]
    header = csv_files(tasks, images)["tasks.csv"].decode().partition("\n")[0]
    assert header == "task_id,annotator,image,question,answer,label,corrected_answer,corrected_question,comment"


def test_mturk_pages_show_the_texts_and_no_more() -> None:
    work = pair_work()
    files = mturk_files(work.tasks, work.images, Address('https://lab.org/"a&b/'))
    shown = {task.task_id: task.texts for task in work.tasks.tasks}
    batch = files["batch-by-1.csv"]
    assert batch.isascii()
    for row in csv.DictReader(io.StringIO(batch.decode(), newline="")):
        assert not any(value.startswith(("=", "+", "-", "@")) or "${" in value for value in row.values())
        page = files["layout.html"].decode()
        for name, value in row.items():
            page = page.replace(f"${{{name}}}", value)
        read = Page(page)
        assert tuple(read.bold[1:-1]) == shown[row["task_id"]]
        assert read.images[0].startswith('https://lab.org/"a&b/') and read.images[0].endswith(".png")


def test_formulas_in_a_spreadsheet_are_texts() -> None:
    work = pair_work()
    rows = csv.DictReader(io.StringIO(csv_files(work.tasks, work.images)["tasks.csv"].decode(), newline=""))
    cells = [value for row in rows for value in row.values()]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert [cell for cell in cells if cell.startswith("'=HYPERLINK")]


def test_a_folder_is_never_written_twice(tmp_path: Path) -> None:
    work = pair_work()
    files = csv_files(work.tasks, work.images)
    write_tasks(tmp_path, files, work.tasks, work.images, with_images=True)
    assert len(list((tmp_path / "images").iterdir())) == 16
    with pytest.raises(WhatifError, match=r"tasks\.csv: already exists; give another folder"):
        write_tasks(tmp_path, files, work.tasks, work.images, with_images=True)


def test_tasks_without_images_or_too_large_for_an_upload(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WhatifError, match="needs the same number of images"):
        image_columns(TaskSet(MADE.interface, ()))
    work = pair_work()
    ids = [task.image_ids[0] for task in work.tasks.tasks]
    large = Pictures([{"image_id": one, "image": {"bytes": b"\x89PNG\r\n\x1a\n" + bytes(20_000)}} for one in ids])
    monkeypatch.setattr(label_studio, "LARGEST_FILE", 50_000)
    with pytest.raises(WhatifError, match=r"[0-9] tasks .* more than Label Studio accepts .* give --image-url"):
        label_studio_files(work.tasks, large, None)
    assert label_studio_files(work.tasks, large, Address("/x/"))["labelling-interface.xml"]
