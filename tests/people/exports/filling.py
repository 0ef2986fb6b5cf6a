"""People who fill in exported tasks: they read what a tool shows them, and their labels come back in its format."""

from __future__ import annotations

import csv
import html.parser
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any
from xml.etree import ElementTree

from tests.people.pairs import Pictures, pair, pictures
from whatif.engine.artifacts.reader import canonical_json
from whatif.people.exports.pairs import pair_task_set
from whatif.people.exports.questions import question_items, question_task_set
from whatif.people.exports.tasks import TaskSet, assigned
from whatif.people.imports.items import Items

SEED = 7
NASTY = ('=HYPERLINK("x"), <b>a</b> & "man" ${image}', "+1 größer, 猫 🐈 \\n; 'two'", "@it's [a] {b}", "-3")
COMMENTS = ("", 'so, "so"', "[no list]", '["x"]', "{}", "größer 猫\nnext line", "7")


@dataclass(frozen=True)
class GivenLabel:
    """What one person says about one item. `comment` is empty if there is none."""

    label: str
    comment: str = ""
    corrected: Mapping[str, str] = field(default_factory=dict)


Says = Callable[[str, Mapping[str, str], int], GivenLabel]  # by task id, the texts as shown, and the person's number


@dataclass(frozen=True)
class Work:
    """A kind of tasks: what is exported, what the importer knows, and what people say."""

    tasks: TaskSet
    items: Items
    images: Pictures
    says: Says

    def judgements(self) -> dict[tuple[str, int], tuple[str, str, str]]:
        """(item, annotator) -> decision, corrections and comment that have to come back."""
        found = {}
        for task in self.tasks.tasks:
            shown = dict(zip(self.tasks.interface.shown, task.texts, strict=True))
            for number in task.annotators:
                label = self.says(task.task_id, shown, number)
                corrected = canonical_json(dict(label.corrected))
                found[task.item_id, number] = (_decision(label.label, shown), corrected, label.comment)
        return found


def pair_work(number: int = 8, annotators: int = 2, people: int = 3, share: float = 0.5) -> Work:
    """Pairs with captions that are hard to escape; people choose by the text that they see."""
    rows = [
        pair(n, caption_0=f"{NASTY[n % 4]} man {n}", caption_1=f"{NASTY[(n + 1) % 4]} woman {n}") for n in range(number)
    ]
    made = pair_task_set(rows, SEED)
    tasks = assigned(made, annotators=annotators, people=people, share=share, by_everybody=["pair-000-0"], seed=SEED)

    def says(task_id: str, shown: Mapping[str, str], who: int) -> GivenLabel:
        turn = int(task_id[-4:], 16) + who
        wanted = (" man ", " woman ")[turn % 2]
        label = ("both", "neither")[turn % 2] if turn % 3 == 0 else "1" if wanted in shown["caption_1"] else "2"
        return GivenLabel(label, COMMENTS[turn % len(COMMENTS)])

    return Work(tasks, Items.of_pairs(rows, seed=SEED), Pictures(pictures(range(number))), says)


def question_work(number: int = 12, annotators: int = 2, people: int = 3, share: float = 1.0) -> Work:
    """Questions, every second one with options; people correct answers and polish questions."""
    images = pictures(range(number))
    rows = [
        {
            "question_id": f"q{n:03d}-original",
            "answer_kind": "text",
            "pair_id": f"q{n:03d}",
            "variant": "original",
            "question": f"{NASTY[n % 4]} How many dogs are there in {n}?",
            "choices": ["one", NASTY[n % 4]] if n % 2 else None,
            "answer": "A" if n % 2 else str(n),
            "image_ids": [images[n]["image_id"]],
        }
        for n in range(number)
    ]
    made = question_task_set(rows, SEED)
    tasks = assigned(made, annotators=annotators, people=people, share=share, by_everybody=[], seed=SEED)

    def says(task_id: str, shown: Mapping[str, str], who: int) -> GivenLabel:
        turn = int(task_id[-4:], 16) + who
        comment = COMMENTS[turn % len(COMMENTS)]
        if turn % 4 == 0:
            return GivenLabel(("unrelated", "ambiguous")[who % 2], comment)
        corrected = {"answer": "B" if "(A)" in shown["choices"] else "007"} if turn % 4 == 1 else {}
        if turn % 4 == 2:
            corrected = {"question": f"Größer, \"{turn}\" <i>dogs</i>, ['x']?"}
        return GivenLabel("accept", comment, corrected)

    return Work(tasks, question_items(rows, SEED), Pictures(images), says)


def filled_csv(files: Mapping[str, bytes], says: Says) -> str:
    """The CSV with labels, read and written as by a spreadsheet, which shows no apostrophe before a text."""
    rows = list(csv.DictReader(io.StringIO(files["tasks.csv"].decode(), newline="")))
    for row in rows:
        shown = {"choices": "", **{name: text.removeprefix("'") for name, text in row.items()}}
        label = says(row["task_id"], shown, int(row["annotator"]))
        row |= {"label": label.label, "comment": label.comment}
        row |= {f"corrected_{name}": value for name, value in label.corrected.items()}
    return _csv(rows)


def mturk_results(files: Mapping[str, bytes], work: Work, *, as_json: bool) -> str:
    """The results of all batches, in one of the two forms in which MTurk has answers; workers read the page."""
    people = {task.task_id: task.annotators for task in work.tasks.tasks}
    rows = []
    for name, data in files.items():
        if not name.endswith(".csv"):
            continue
        for row in csv.DictReader(io.StringIO(data.decode(), newline="")):
            page = Page(Template(files["layout.html"].decode()).substitute(row))
            for number in people[row["task_id"]]:
                label = work.says(row["task_id"], {"choices": "", **page.texts(work.tasks)}, number)
                typed = {"comment": label.comment, **{f"corrected_{k}": v for k, v in label.corrected.items()}}
                assert label.label in page.radio["decision"] and typed.keys() <= page.fields
                fields = dict.fromkeys(sorted(page.fields), "") | typed
                chosen = {value: value == label.label for value in page.radio["decision"]}
                if as_json:
                    answers = {"Answer.taskAnswers": json.dumps([{**fields, "decision": chosen}])}
                else:
                    answers = {f"Answer.decision.{value}": str(state).lower() for value, state in chosen.items()}
                    answers |= {f"Answer.{key}": value for key, value in fields.items()}
                rows.append(
                    {
                        "HITId": f"HIT-{row['task_id']}",
                        "AssignmentId": f"A-{len(rows)}",
                        "WorkerId": str(number),
                        "AssignmentStatus": "Submitted",
                        "SubmitTime": "Tue Mar 05 10:21:02 PST 2024",
                        "WorkTimeInSeconds": "31",
                        **{f"Input.{key}": value for key, value in row.items()},
                        **answers,
                    }
                )
    return _csv(rows)


class Page(html.parser.HTMLParser):
    """What a page shows: its bold texts in order, the names of its text fields, and the values of its radio buttons."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.bold: list[str] = []
        self.fields: set[str] = set()
        self.radio: dict[str, list[str]] = {}
        self.images: list[str] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "img":
            self.images.append(given["src"])
        elif tag == "input" and given["type"] == "radio":
            self.radio.setdefault(given["name"], []).append(given["value"])
        elif tag == "input":
            self.fields.add(given["name"])
        elif tag != "br":
            self._open.append(tag)
            self.bold += [""] if tag == "strong" else []

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag  # texts of tasks add no elements

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "strong":
            self.bold[-1] += data

    def texts(self, tasks: TaskSet) -> dict[str, str]:
        """The texts of a task by name: the question is bold above and below them."""
        has = [name for place, name in enumerate(tasks.interface.shown) if any(t.texts[place] for t in tasks.tasks)]
        return dict(zip(has, self.bold[1:-1], strict=True))


def label_studio_values(interface: bytes) -> list[str]:
    """The values that the choices of a labelling interface send: the alias, or else the text."""
    return [
        choice.attrib.get("alias") or choice.attrib["value"]
        for choice in ElementTree.fromstring(interface).iter("Choice")
    ]


def label_studio_result(label: GivenLabel, control: Callable[..., Any], written: Callable[..., Any]) -> list[Any]:
    result = [control(label.label)]
    result += [written(f"corrected_{name}", value) for name, value in label.corrected.items()]
    return result + ([written("comment", label.comment)] if label.comment else [])


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def _decision(label: str, shown: Mapping[str, str]) -> str:
    if label not in ("1", "2"):
        return label
    return "caption_0" if " man " in shown[f"caption_{label}"] else "caption_1"


def _csv(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(dict.fromkeys(key for row in rows for key in row)))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
