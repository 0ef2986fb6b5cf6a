"""Command-line input: commands, their arguments, and environment variables."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bad_inputs.outcome import nothing_written, refusal
from tests.command_line import refused, whatif, write_small_params
from whatif.benchmarks.cvqa_real.gender_annotations import perceived_genders
from whatif.benchmarks.cvqa_synthetic.flowers import icons50_flowers
from whatif.engine.artifacts.verified import source_digest
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.engine.language.wordnet import load_wordnet
from whatif.formats.annotation_files import AnnotationFile
from whatif.formats.c_vqa import read_released
from whatif.formats.caption_sets import read_caption_set
from whatif.formats.coco_counterfactuals import read_released_pairs
from whatif.formats.prediction_files import read_predictions
from whatif.people.label_files import read_label_file


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    write_small_params(tmp_path)
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    return tmp_path


PAIRS = ["import", "coco-counterfactuals"]
# Arguments in a new project, and a part of the one-line error message.
REFUSED: list[tuple[str, list[str], str]] = [
    ("show of no benchmark", ["show", "nothing"], "nothing: not among the benchmarks"),
    ("show of a path", ["show", "../../etc/passwd"], "../../etc/passwd: not among the benchmarks"),
    ("show of nothing", ["show", ""], ": not among the benchmarks of params.yaml"),
    ("show of a terminal's escape", ["show", "\x1b[2J"], "\\x1b[2J: not among the benchmarks"),
    ("show of no text", ["show", "\udcff.parquet"], "\\udcff.parquet: no such artifact"),
    ("show of a null character", ["show", "a\0.parquet"], "a\\x00.parquet: is not a complete Parquet file"),
    ("show of what is not there", ["show", "x.parquet"], "x.parquet: no such artifact"),
    ("show before it was made", ["show", "cvqa-synthetic"], "not there yet"),
    ("show of a name of 5,000 characters", ["show", "x" * 5000 + ".parquet"], "is not a complete Parquet file"),
    ("stage without a benchmark of it", ["filter", "nothing"], "nothing: not among the benchmarks"),
    ("stage before the one before it", ["filter", "cvqa-synthetic"], "part-000-of-002.parquet: no such artifact"),
    ("audit of what is not there", ["audit", "x.parquet"], "x.parquet: no such file"),
    ("audit of a folder", ["audit", "folder"], "folder: has no data files"),
    ("import into a file that is no table", ["import", "c-vqa", "file", "out.csv"], "out.csv: must end in .parquet"),
    ("import of what is not there", ["import", "c-vqa", "x.csv", "out.parquet"], "x.csv: no such file"),
    ("import of a folder", ["import", "c-vqa", "folder", "out.parquet"], "folder: cannot be read (Is a directory)"),
    ("import of a device", ["import", "c-vqa", "/dev/zero", "out.parquet"], "it is a device, not a regular file"),
    ("import of no text", ["import", "c-vqa", "\udcff.csv", "out.parquet"], "\\udcff.csv: no such file"),
    ("import of text", ["import", "c-vqa", "file", "out.parquet"], "file: line 1: column `img_path` is missing"),
    ("import of pairs from nothing", [*PAIRS, "x", "out"], "x: no such file; give the folder or the zip"),
    ("import of pairs from a folder of none", [*PAIRS, "folder", "out"], "has no examples.jsonl"),
    ("import of pairs from text", [*PAIRS, "file", "out"], "is not a complete zip archive"),
    ("import of pairs from a device", [*PAIRS, "/dev/zero", "out"], "/dev/zero: no such file"),
    ("import of pairs into a file", [*PAIRS, "folder", "file"], "file: must be a folder"),
    ("labels without pairs", ["import", "picture-labels", "file", "out.parquet"], "contains no table of pairs"),
    ("export of what is not there", ["export", "c-vqa-csv", "out.csv"], "no such artifact"),
    ("export as a table", ["export", "c-vqa-csv", "out.parquet"], "out.parquet: is the name of an artifact"),
    ("export with another suffix", ["export", "vlmevalkit", "out.csv"], "out.csv: must end in .tsv"),
    ("responses before there are any", ["responses", "show"], "no such file"),
    ("responses into another suffix", ["responses", "export", "out.txt"], "out.txt: must end in .jsonl"),
    ("responses of what is not there", ["responses", "merge", "x.jsonl"], "x.jsonl: no such file"),
    ("responses of a folder", ["responses", "merge", "folder"], "folder: no such file"),
    ("responses of a device", ["responses", "merge", "/dev/zero"], "/dev/zero: no such file"),
    ("responses of text", ["responses", "merge", "file"], "file: cannot be used as a store of answers"),
    ("training outside a project", ["train", "nothing"], "training/recipes.yaml: cannot be read"),
]


@pytest.mark.parametrize(("arguments", "words"), [pytest.param(*rest, id=name) for name, *rest in REFUSED])
def test_what_is_refused_in_one_line(arguments: list[str], words: str, project: Path) -> None:
    line = refused(whatif(*arguments))
    assert words in line and line.isprintable(), line
    written = {path.name for path in project.iterdir()} - {"params.yaml", "file", "folder", ".whatif"}
    assert not written


# Arguments that no command accepts.
USAGE: list[tuple[str, list[str]]] = [
    ("no such command", ["nothing"]),
    ("a command of a shell", ["show;id"]),
    ("no such option", ["status", "--nothing"]),
    ("an argument missing", ["show"]),
    ("an argument too many", ["show", "a", "b"]),
    ("rows of words", ["show", "x", "--rows", "many"]),
    ("rows below nothing", ["show", "x", "--rows", "-1"]),
    ("pairs of nothing", ["show", "x", "--pairs", "0"]),
    ("pairs below nothing", ["show", "x", "--pairs", "-1"]),
    ("seed of words", ["import", "picture-labels", "a", "b", "--seed", "x"]),
    ("negative seed", ["import", "picture-labels", "a", "b", "--seed", "-1"]),
    ("seed beyond 32 bits", ["import", "picture-labels", "a", "b", "--seed", str(2**32)]),
    ("seed beyond 64 bits", ["import", "picture-labels", "a", "b", "--seed", str(2**70)]),
    ("seed of an audit beyond 64 bits", ["audit", "x.parquet", "--seed", str(2**70)]),
    ("rows beyond 64 bits", ["show", "x.parquet", "--rows", str(2**70)]),
    ("a share beyond 1", ["export", "picture-tasks", "out", "--labelled-three-times", "1.5"]),
    ("a share of no number", ["export", "picture-tasks", "out", "--labelled-three-times", "x"]),
    ("an unknown format", ["export", "coco-counterfactuals", "out", "--format", "pickle"]),
    ("no file to merge", ["responses", "merge"]),
]


@pytest.mark.parametrize("arguments", [pytest.param(arguments, id=name) for name, arguments in USAGE])
def test_what_no_command_takes(arguments: list[str], project: Path) -> None:
    with nothing_written(project):
        result = whatif(*arguments)
    assert result.exit_code == 2 and isinstance(result.exception, SystemExit)
    assert result.stderr.startswith("Usage: whatif") and "\nError: " in result.stderr


@pytest.mark.parametrize("name", ["~nobody-of-that-name/x", "~nobody-of-that-name", "~\udcff/x"], ids=ascii)
def test_a_home_of_nobody(name: str) -> None:
    assert "there is no such user or home folder" in refusal(lambda: user_path(name))


# All readers of a file that a user names.
READERS: dict[str, Callable[[Path], object]] = {
    "C-VQA": read_released,
    "predictions (csv)": read_predictions,
    "captions (csv)": read_caption_set,
    "annotations": lambda path: AnnotationFile(path, "captions", ("images",)),
    "genders": perceived_genders,
    "labels": lambda path: read_label_file(path, ("label",), file="labels", kind="labels"),
    "released pairs": lambda path: read_released_pairs(path, lambda row: None),
    "Icons-50": lambda path: icons50_flowers(path, ["flower"], 32),
    "WordNet": lambda path: load_wordnet(str(path)),
}
PLACES: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "a named pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "an empty file": Path.touch,
    "an empty folder": Path.mkdir,
    "a terabyte of nothing": lambda path: (path.touch(), os.truncate(path, 2**40)),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("reader", READERS)
def test_what_stands_where_a_file_was_named(reader: str, place: str, tmp_path: Path) -> None:
    path = tmp_path / "it.csv"
    PLACES[place](path)
    with nothing_written(tmp_path):
        line = refusal(lambda: READERS[reader](path))
    assert str(path) in line, line


@pytest.mark.parametrize("place", ["a named pipe", "a device", "a link to itself"])
def test_what_is_asked_whether_it_changed(place: str, tmp_path: Path) -> None:
    """The hash of a source outside the graph, which is computed before anything reads it."""
    path = tmp_path / "it.csv"
    PLACES[place](path)
    with pytest.raises(WhatifError, match="cannot be read"):  # Snakemake, too, reports only this error in one line
        source_digest(path)
    assert refusal(lambda: source_digest(path)).startswith(f"{path}: cannot be read (")


def test_names_that_are_no_text_have_a_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    (folder / os.fsdecode(b"\xff.png")).write_bytes(b"one")
    first = source_digest(folder)
    (folder / os.fsdecode(b"\xff.png")).rename(folder / os.fsdecode(b"\xfe.png"))
    assert source_digest(folder) != first


WORDNET: list[tuple[str, dict[str, bytes], str]] = [
    ("no files", {}, ": index.noun cannot be read"),
    ("index alone", {"index.noun": b""}, ": data.noun cannot be read"),
    ("no exceptions", {"index.noun": b"", "data.noun": b""}, ": noun.exc cannot be read"),
    ("Latin-1", {"index.noun": b"caf\xe9 n 1"}, ": index.noun cannot be read"),
    ("index of words", {"index.noun": b"dog n one", "data.noun": b"", "noun.exc": b""}, ": index.noun is not in the"),
    ("index cut off", {"index.noun": b"dog n", "data.noun": b"", "noun.exc": b""}, ": index.noun is not in the"),
    ("data cut off", {"index.noun": b"", "data.noun": b"1 03 n", "noun.exc": b""}, ": data.noun is not in the"),
    ("data of words", {"index.noun": b"", "data.noun": b"1 03 n xx", "noun.exc": b""}, ": data.noun is not in the"),
    ("synset of words", {"index.noun": b"dog n 1 0 1 0 x", "data.noun": b"", "noun.exc": b""}, ": index.noun is not"),
    ("a picture", {"index.noun": b"\x89PNG", "data.noun": b"", "noun.exc": b""}, ": index.noun cannot be read"),
]


@pytest.mark.parametrize(("files", "words"), [pytest.param(*rest, id=name) for name, *rest in WORDNET])
def test_a_folder_of_wordnet_that_is_none(files: dict[str, bytes], words: str, tmp_path: Path) -> None:
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    line = refusal(lambda: load_wordnet(str(tmp_path)))
    assert line.startswith(str(tmp_path)) and words in line, line


ICONS: list[tuple[str, list[str], str]] = [
    ("class that is not there", ["rose"], "no class folder `rose`"),
    ("class above", [".."], "no class folder `..`"),
    ("class at the root", ["/etc"], "no class folder `/etc`"),
    ("class of nothing", [""], "no class folder ``"),
    ("class that is hidden", [".hidden"], "no class folder `.hidden`"),
    ("class that is a file", ["file"], "no class folder `file`"),
    ("class without pictures", ["empty"], "no readable image in empty"),
    ("class of text", ["text"], "no readable image in text (1 files rejected)"),
]


@pytest.mark.parametrize(("classes", "words"), [pytest.param(*rest, id=name) for name, *rest in ICONS])
def test_a_folder_of_icons_50_that_is_none(classes: list[str], words: str, tmp_path: Path) -> None:
    for name in ("empty", "text", ".hidden"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "text/a.png").write_text("x")
    line = refusal(lambda: icons50_flowers(tmp_path, classes, 32))
    assert line.startswith(str(tmp_path)) and words in line, line


def test_a_name_of_a_file_cannot_break_a_line() -> None:
    def fail() -> None:
        raise WhatifError("a\x1b[2Jb\udcff\u202e.csv: cannot be read")

    assert refusal(fail) == "a\\x1b[2Jb\\udcff\\u202e.csv: cannot be read"
