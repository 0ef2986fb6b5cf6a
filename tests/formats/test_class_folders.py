"""Classes of images: their names and prompts, and folders with a folder of images for each class."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pictures import png
from whatif.engine.errors import WhatifError
from whatif.formats.class_folders import read_class_folder
from whatif.formats.class_names import ClassifiedImages, choose_classes, class_prompt, read_class_names, repeated_names


def made(root: Path, *folders: str) -> Path:
    for number, folder in enumerate(folders):
        (root / folder).mkdir(parents=True)
        (root / folder / f"image_{number}.png").write_bytes(png((number, 2, 3)))
    return root


def labels(found: ClassifiedImages) -> dict[str, int | str]:
    return {item: image[0] if isinstance(image, tuple) else label for item, label, image in found.images}


def lines(path: Path, *names: str) -> Path:
    path.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    return path


def test_names_in_order_give_the_labels_and_nothing_is_lost_unseen(tmp_path: Path) -> None:
    root = made(tmp_path / "set", "bee", "Faces", "ant", ".cache")
    (root / "ant" / ".hidden.png").write_bytes(png((1, 1, 1)))
    (root / "ant" / "notes.txt").write_text("no image")
    (root / "bee" / "greg").mkdir()
    (root / "README").write_text("about")
    found = read_class_folder(root)
    assert found.names == ["Faces", "ant", "bee"]
    assert labels(found) == {
        "README": "no image file",
        "Faces/image_1.png": 0,
        "ant/image_2.png": 1,
        "ant/notes.txt": "picture unreadable",
        "bee/greg": "no image file",
        "bee/image_0.png": 2,
    }


def test_an_outer_folder_is_entered(tmp_path: Path) -> None:
    made(tmp_path / "set" / "101_ObjectCategories", "ant", "bee")
    assert read_class_folder(tmp_path / "set").names == ["ant", "bee"]


def test_numbers_of_caltech256_are_removed_where_all_folders_have_them(tmp_path: Path) -> None:
    root = made(tmp_path / "set", "002.american-flag", "001.ak47", "257.clutter")
    found = read_class_folder(root)
    assert found.names == ["ak47", "american flag", "clutter"]
    assert labels(found) == {
        "001.ak47/image_1.png": 0,
        "002.american-flag/image_0.png": 1,
        "257.clutter/image_2.png": 2,
    }
    assert read_class_folder(made(tmp_path / "other", "002.american-flag", "ak-47")).names[0] == "002.american-flag"


def test_the_published_caltech101(tmp_path: Path) -> None:
    root = made(tmp_path / "set", "BACKGROUND_Google", "Faces", "Faces_easy", "ant")
    found = read_class_folder(root, leave_out=["BACKGROUND_Google"], merge={"Faces_easy": "Faces"})
    assert found.names == ["Faces", "ant"]
    assert labels(found) == {
        "BACKGROUND_Google/image_0.png": "class left out",
        "Faces/image_1.png": 0,
        "Faces_easy/image_2.png": 0,
        "ant/image_3.png": 1,
    }


def test_a_file_of_names_decides_the_order(tmp_path: Path) -> None:
    root = made(tmp_path / "set", "001.ak47", "002.american-flag", "003.bat")
    names = lines(tmp_path / "names.txt", "american flag", "bat")
    found = read_class_folder(root, classes=names, leave_out=["ak47"])
    assert found.names == ["american flag", "bat"]
    assert labels(found)["003.bat/image_2.png"] == 1
    names = lines(tmp_path / "names.txt", "bat", "American_flag", "ak47")
    found = read_class_folder(root, classes=names)
    assert found.names == ["bat", "American_flag", "ak47"]
    assert [label for _, label, _ in found.images] == [2, 1, 0]


def test_a_file_may_name_folders_with_their_names_or_names_in_their_order(tmp_path: Path) -> None:
    root = made(tmp_path / "set", "n01440764", "n01443537", "n01484850")
    names = lines(
        tmp_path / "names.txt", "n01443537 goldfish, Carassius", "n01440764\ttench, Tinca", "n01484850 great shark"
    )
    found = read_class_folder(root, classes=names)
    assert found.names == ["goldfish, Carassius", "tench, Tinca", "great shark"]
    assert [label for _, label, _ in found.images] == [1, 0, 2]
    found = read_class_folder(root, classes=lines(tmp_path / "names.txt", "crane", "goldfish", "crane"))
    assert found.names == ["crane", "goldfish", "crane"]
    assert [label for _, label, _ in found.images] == [0, 1, 2]


@pytest.mark.parametrize(
    ("names", "finding"),
    [
        (["ant", "wasp", "fly"], r"names.txt: line 2: 'wasp' is the name of no folder of images; name a folder such"),
        (["ant", "bee", "ant"], r"names.txt: line 3: the folder ant is named twice"),
        (["ant", "bee"], r"names.txt: has no line for the folder fly; add it, or name the class in leave_out"),
        (["wasp", "gnat"], r"names.txt: line 1: 'wasp' is the name of no folder"),
    ],
)
def test_names_that_do_not_fit_are_refused(tmp_path: Path, names: list[str], finding: str) -> None:
    root = made(tmp_path / "set", "ant", "bee", "fly")
    with pytest.raises(WhatifError, match=finding):
        read_class_folder(root, classes=lines(tmp_path / "names.txt", *names))


def test_splits_are_folders(tmp_path: Path) -> None:
    made(tmp_path / "set", "train/ant", "train/bee", "val/ant", "val/bee")
    assert list(labels(read_class_folder(tmp_path / "set", "val"))) == ["ant/image_2.png", "bee/image_3.png"]
    with pytest.raises(WhatifError, match=r"set: has no split test; its folders are train, val"):
        read_class_folder(tmp_path / "set", "test")


def test_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="none: no such folder; give a folder with a folder of images for each class"):
        read_class_folder(tmp_path / "none")
    (tmp_path / "flat").mkdir()
    (tmp_path / "flat" / "a.png").write_bytes(png((1, 2, 3)))
    with pytest.raises(WhatifError, match="flat: has 0 folders; it needs one folder of images for each class"):
        read_class_folder(tmp_path / "flat")


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
