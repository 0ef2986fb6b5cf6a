"""Names of classes: files, prompts, and classes that are left out or merged."""

from __future__ import annotations

from pathlib import Path

import pytest

from whatif.errors import WhatifError
from whatif.formats.class_names import choose_classes, class_prompt, read_class_names, repeated_names


@pytest.mark.parametrize(
    ("name", "template", "rule", "prompt"),
    [
        ("apple", "a photo of a {}", "as-given", "a photo of a apple"),
        ("aquarium_fish", "a photo of a {}", "as-given", "a photo of a aquarium fish"),
        ("apple_pie", "a photo of {}, a type of food", "as-given", "a photo of apple pie, a type of food"),
        ("Faces", "a photo of a {}", "as-given", "a photo of a Faces"),
        ("tench, Tinca tinca", "a photo of a {}", "first", "a photo of a tench"),
        ("African_grey, Psittacus", "a photo of a {}", "first", "a photo of a african grey"),
        ("bicycle-built-for-two", "a photo of a {}", "first", "a photo of a bicycle-built-for-two"),
    ],
)
def test_prompts_are_those_of_the_paper(name: str, template: str, rule: str, prompt: str) -> None:
    assert class_prompt(name, template, rule) == prompt  # type: ignore[arg-type]


def test_names_may_repeat_and_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "classes.txt"
    path.write_bytes("\ufeffcrane\r\nsunglasses\r\ncrane\r\nmaillot\r\n\r\n".encode())
    assert read_class_names(path) == ["crane", "sunglasses", "crane", "maillot"]
    assert repeated_names(read_class_names(path)) == ["crane"]


@pytest.mark.parametrize(
    ("content", "finding"),
    [
        (b"", "classes.txt: is empty; it needs the name of a class in each line"),
        (b"a\n\nb\n", "classes.txt: line 2: is empty"),
        (b"\xff\xfe", "classes.txt: is not UTF-8"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes, finding: str) -> None:
    path = tmp_path / "classes.txt"
    path.write_bytes(content)
    with pytest.raises(WhatifError, match=finding):
        read_class_names(path)
    with pytest.raises(WhatifError, match=r"none.txt: cannot be read"):
        read_class_names(tmp_path / "none.txt")


def test_left_out_and_merged_classes_close_the_gap() -> None:
    names = ["BACKGROUND", "Faces", "Faces_easy", "ant"]
    assert choose_classes("here", names, ["BACKGROUND"], {"Faces_easy": "Faces"}) == (["Faces", "ant"], [None, 0, 0, 1])
    assert choose_classes("here", ["a", "b", "a"], [], {"b": "a"}) == (["a", "a"], [0, 0, 1])


@pytest.mark.parametrize(
    ("leave_out", "merge", "finding"),
    [
        (["Faces_hard"], {}, "here: leave_out: there is no class 'Faces_hard'; there are Faces, Faces_easy, ..."),
        ([], {"dog": "ant"}, "here: merge: there is no class 'dog'; there are Faces, Faces_easy, ant, ..."),
        ([], {"ant": "dog"}, "here: merge: there is no class 'dog'"),
        (["Faces"], {"Faces_easy": "Faces"}, "here: merge: Faces_easy becomes Faces, which is left out or merged"),
        (["Faces", "Faces_easy", "ant"], {}, "here: leave_out: leaves no class of 3"),
    ],
)
def test_settings_name_classes_that_exist(leave_out: list[str], merge: dict[str, str], finding: str) -> None:
    with pytest.raises(WhatifError, match=finding):
        choose_classes("here", ["Faces", "Faces_easy", "ant"], leave_out, merge)
