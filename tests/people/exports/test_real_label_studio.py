"""A real Label Studio: our tasks are imported and annotated by three people, and its exports give their judgements."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.benchmarks.cfmm.annotators import annotation_work
from tests.people.exports.filling import Work, label_studio_result, pair_work, question_work, write
from tests.people.exports.label_studio_server import COMPLETE, Person, annotate, choice, label_studio, written
from tests.people.exports.test_awkward_texts import SHOWN, tasks_of, to_label_studio
from tests.people.imports.files import read, reasons
from tests.people.pairs import Pictures
from whatif.engine.errors import WhatifError
from whatif.people.exports.folder import NO_TEXT, Address, write_tasks
from whatif.people.exports.label_studio import label_studio_files
from whatif.people.imports.importer import ImportedLabels

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.skipif(not COMPLETE.exists(), reason=f"no Label Studio in {COMPLETE.parent}: run `make label-studio`"),
]
FORMS = {"JSON": "json", "JSON_MIN": "json", "CSV": "csv"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("label-studio")


@pytest.fixture(scope="module")
def people(folder: Path) -> Iterator[list[Person]]:
    """Three people, the first of whom makes the projects."""
    with label_studio(folder) as address:
        found = [Person(address, f"{name}@lab.org") for name in ("ann", "ben", "cho")]
        yield found
        for person in found:
            person.close()


def make_project(owner: Person, files: dict[str, bytes], number: int, folder: Path) -> int:
    """A project with the exported interface and the tasks that `number` people judge; returns its id."""
    settings = {
        "title": "Exported tasks",
        "label_config": files["labelling-interface.xml"].decode(),
        "expert_instruction": files["instructions.html"].decode(),
        "show_instruction": True,
        "maximum_annotations": number,
    }
    project = int(owner.post("/api/projects/", settings)["id"])
    name = f"tasks-by-{number}.json"
    path = write(folder, name, files[name].decode())
    answer = owner.upload(f"/api/projects/{project}/import?commit_to_project=true", path, "application/json")
    assert answer["task_count"] == len(json.loads(files[name]))
    return project


def exports(owner: Person, project: int, folder: Path) -> dict[str, Path]:
    """The project in all three forms, with the tasks that nobody has annotated."""
    found = {}
    for form, suffix in FORMS.items():
        about = {"exportType": form, "download_all_tasks": "true"}
        found[form] = folder / f"{project}-{form}.{suffix}"
        found[form].write_bytes(owner.bytes_of(f"/api/projects/{project}/export", **about))
    return found


def imported(owner: Person, project: int, folder: Path, work: Work) -> dict[str, ImportedLabels]:
    return {form: read(path, "label-studio", work.items) for form, path in exports(owner, project, folder).items()}


def by_three(make: Callable[..., Work], number: int = 6) -> Work:
    return make(number=number, annotators=3, people=3, share=1.0)


@pytest.mark.parametrize(
    ("make", "number"),
    [
        pytest.param(question_work, 2, id="two questions"),
        *(
            pytest.param(make, 6, id=name, marks=pytest.mark.soak)
            for make, name in ((pair_work, "pairs"), (question_work, "questions"), (annotation_work, "annotations"))
        ),
    ],
)
def test_three_people_label_all_tasks(
    make: Callable[..., Work], number: int, people: list[Person], folder: Path
) -> None:
    work = by_three(make, number)
    files = label_studio_files(work.tasks, work.images, None)
    project = make_project(people[0], files, 3, folder)
    count = 0
    waiting = dict(enumerate(people, 1))
    while waiting:
        for place, person in list(waiting.items()):  # they work at the same time
            task = person.next_task(project)
            if task is None:
                del waiting[place]
                continue
            said = work.says(task["data"]["task_id"], {"choices": "", **task["data"]}, place)
            count += 1
            annotate(person, task["id"], label_studio_result(said, choice, written), count / 8)
    labels = imported(people[0], project, folder, work)
    assert reasons(labels["JSON"]) == {}
    assert labels["JSON"].judgements == labels["JSON_MIN"].judgements == labels["CSV"].judgements
    numbers = {str(person.number): number for number, person in enumerate(people, 1)}
    found = {
        (row["item_id"], numbers[row["annotator"]]): (row["decision"], row["corrected"], row["comment"])
        for row in labels["CSV"].judgements
    }
    assert found == work.judgements() and len(found) == 3 * len(work.tasks.tasks) == count
    assert sorted(row["seconds"] for row in labels["CSV"].judgements) == [number / 8 for number in range(1, count + 1)]
    assert all(row["time"] for row in labels["CSV"].judgements)


def test_changed_repeated_skipped_and_missing_annotations(people: list[Person], folder: Path) -> None:
    work = by_three(pair_work)
    ann, ben, cho = people
    project = make_project(ann, label_studio_files(work.tasks, work.images, None), 3, folder)
    tasks = ann.get("/api/tasks", project=project, page_size=100, fields="all")["tasks"]
    items = {task.task_id: task.item_id for task in work.tasks.tasks}
    first, second, third, fourth = (task["id"] for task in tasks[:4])
    given = annotate(ann, first, [choice("both")], 1)
    ann.patch(f"/api/annotations/{given}/", {"result": [choice("neither")], "lead_time": 5})
    for _ in range(2):
        annotate(ben, first, [choice("both")], 2)
    annotate(ben, second, [choice("both")], 2)
    annotate(ben, second, [choice("neither")], 2)
    annotate(cho, third, [], 3, was_cancelled=True)
    annotate(ann, third, [choice("neither"), written("comment", "one", "two")], 3, ground_truth=True)
    ann.post(
        f"/api/tasks/{fourth}/drafts", {"result": [choice("both")], "lead_time": 1, "draft_id": 0, "project": project}
    )
    labels = imported(ann, project, folder, work)
    shown = [items[task["data"]["task_id"]] for task in tasks]
    for form, one in labels.items():
        assert {(row["item_id"], row["annotator"]): (row["decision"], row["comment"]) for row in one.judgements} == {
            (shown[0], str(ann.number)): ("neither", ""),
            (shown[0], str(ben.number)): ("both", ""),
            (shown[2], str(ann.number)): ("neither", '["one", "two"]'),
        }, form
        cancelled = {"cancelled": 1} if form == "JSON" else {}
        assert reasons(one) == {"given twice, alike": 1, "given twice, differently": 2, **cancelled}
        assert one.items_without_label == len(items) - 2
    assert [row["item_id"] for row in labels["JSON"].gold] == [shown[2]]


@pytest.mark.soak
def test_large_images_in_tasks_and_images_on_disk(people: list[Person], folder: Path) -> None:
    work = by_three(pair_work)
    ids = sorted({one for task in work.tasks.tasks for one in task.image_ids})
    noise = np.random.default_rng(0).bytes(400_000)
    large = {one: b"\x89PNG\r\n\x1a\n" + bytes([number]) + noise for number, one in enumerate(ids)}
    images = Pictures([{"image_id": one, "image": {"bytes": data}} for one, data in large.items()])
    ann = people[0]
    inside = make_project(ann, label_studio_files(work.tasks, images, None), 3, folder)
    files = label_studio_files(work.tasks, images, Address("/data/local-files/?d=images/"))
    write_tasks(folder / "served", files, work.tasks, images, with_images=True)
    for image in (folder / "served" / "images").iterdir():
        image.rename(folder / "images" / image.name)
    beside = make_project(ann, files, 3, folder)
    ann.post("/api/storages/localfiles", {"project": beside, "path": str(folder / "images"), "use_blob_urls": True})
    for project in (inside, beside):
        tasks = ann.get("/api/tasks", project=project, page_size=100, fields="all")["tasks"]
        annotate(ann, tasks[0]["id"], [choice("both")], 1)
        for form, labels in imported(ann, project, folder, work).items():
            assert [row["decision"] for row in labels.judgements] == ["both"], (project, form)
    by_id = {task.task_id: task for task in work.tasks.tasks}
    for task in ann.get("/api/tasks", project=beside, page_size=100, fields="all")["tasks"]:
        data = ann.bytes_of(task["data"]["image"])
        assert data == large[by_id[task["data"]["task_id"]].image_ids[0]]


def test_awkward_texts_are_in_the_tasks_as_they_are(people: list[Person], folder: Path) -> None:
    tasks = tasks_of(SHOWN)
    project = make_project(people[0], to_label_studio(tasks), 1, folder)
    found = people[0].get("/api/tasks", project=project, page_size=100, fields="all")["tasks"]
    by_id = {one["data"]["task_id"]: (one["data"]["question"], one["data"]["answer"]) for one in found}
    assert by_id == {task.task_id: tuple(text or NO_TEXT for text in task.texts[::2]) for task in tasks.tasks}


def test_another_interface_is_refused_in_one_line(people: list[Person], folder: Path) -> None:
    work = by_three(pair_work)
    other = '<View><Image name="image" value="$image"/><Choices name="better" toName="image">{}</Choices></View>'
    files = label_studio_files(work.tasks, work.images, None)
    files["labelling-interface.xml"] = other.format('<Choice value="1"/><Choice value="2"/>').encode()
    ann = people[0]
    project = make_project(ann, files, 3, folder)
    tasks = ann.get("/api/tasks", project=project, page_size=100, fields="all")["tasks"]
    result: dict[str, Any] = {**choice("1"), "from_name": "better"}
    annotate(ann, tasks[0]["id"], [result], 1)
    for path in exports(ann, project, folder).values():
        with pytest.raises(WhatifError, match=r"decision") as told:
            read(path, "label-studio", work.items)
        assert "\n" not in str(told.value) and str(told.value).startswith(str(path))
