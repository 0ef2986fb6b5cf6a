"""Benchmarks of others that are damaged, of another kind, or not there: one line that helps, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad_inputs.outcome import nothing_written
from tests.command_line import refused, whatif
from tests.results.auditing.benchmarks import choices, write_csv

FILES = {
    "empty.csv": b"",
    "header.csv": b"question,answer\n",
    "other.csv": b"name,size\na,1\n",
    "latin.csv": b"question,answer\n\xe9?,yes\n",
    "ragged.csv": b"question,answer\na,b,c\n",
    "twice.csv": b"question,question,answer\na,b,c\n",
    "quotes.csv": b'question,answer\n"a,b\n',
    "text.json": b"not json",
    "one.json": b'{"question": "?"}',
    "lists.json": b'{"questions": [{"question": "?"}], "annotations": [{"answer": "yes"}]}',
    "texts.json": b'["?"]',
    "list.jsonl": b"[1, 2]\n",
    "broken.jsonl": b'{"question": "?"\n',
    "deep.jsonl": b'{"question": ' + b"[" * 100_000 + b"\n",
    "book.xlsx": b"no workbook",
    "table.parquet": b"PAR1 and no more",
    "pickle.pkl": b"\x80\x04.",
    "open.csv": b"question,answer\n" + b"".join(b"%d?,text %d\n" % (row, row) for row in range(99)),
    "wide.csv": b",".join(b"column %d" % place for place in range(5000)) + b"\n" + b"a," * 4999 + b"a\n",
    "wide-ragged.csv": b",".join(b"column %d" % place for place in range(5000)) + b"\na\n",
    "noanswer.csv": b"question,A,B,answer\n" + b"?,x,y,z\n" * 9,
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    write_csv(tmp_path / "good.csv", choices(30))
    write_csv(tmp_path / "few.csv", choices(3))
    (tmp_path / "folder").mkdir()
    (tmp_path / "saved").mkdir()
    (tmp_path / "saved/state.json").write_text('{"_data_files": [{"filename": "../good.csv"}]}')
    (tmp_path / "card").mkdir()
    (tmp_path / "card/README.md").write_text("---\nconfigs: [unclosed\n---\n")
    for name, pattern in (("nothing", '""'), ("stars", '"**a"'), ("none-of-none", "[{path: []}]")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "README.md").write_text(f"---\nconfigs: [{{data_files: {pattern}}}]\n---\n")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "around").mkdir()
    (tmp_path / "around/data").symlink_to(tmp_path / "around")
    return tmp_path


REFUSED = [
    (["empty.csv"], "empty.csv: is empty; it needs one row for each question"),
    (["header.csv"], "header.csv: has no rows below its header"),
    (["other.csv"], "no column is recognised as a question; name it with --question"),
    (["latin.csv"], "latin.csv: line 2: byte 0xe9 is not UTF-8"),
    (["ragged.csv"], "ragged.csv: line 2: has 3 fields; it needs 2"),
    (["twice.csv"], "column `question` is duplicated"),
    (["quotes.csv"], "quotes.csv: line 2: cannot be read"),
    (["wide.csv"], "the columns are column 0, column 1, "),
    (["wide.csv", "--question", "x"], "column 19 and 4,980 more"),
    (["wide.csv", "--clusters", "x"], "column 19 and 4,980 more"),
    (["wide-ragged.csv"], "has 1 fields; it needs 5000: column 0, "),
    (["text.json"], "text.json: is not JSON"),
    (["one.json"], "one.json: needs a list of objects, one for each question, an object of such objects by id"),
    (
        ["lists.json"],
        "lists.json: needs a list of objects, one for each question, an object of such objects by id, or "
        "an object with one such list (here are several: questions, annotations)",
    ),
    (["texts.json"], "texts.json: object 1: is no object"),
    (["list.jsonl"], "list.jsonl: line 1: is a list"),
    (["broken.jsonl"], "broken.jsonl: line 1: is not JSON"),
    (["deep.jsonl"], "deep.jsonl: line 1: is not JSON"),
    (["book.xlsx"], "book.xlsx: is not an Excel workbook"),
    (["table.parquet"], "table.parquet: is not a complete Parquet file"),
    (["pickle.pkl"], "pickle.pkl: a benchmark is read from .csv, .tsv"),
    (["open.csv"], "99 open questions have 99 different answers, too many to be guessed"),
    (["noanswer.csv"], "its answer `z` is none of its options"),
    (["few.csv"], "5 folds need as many pictures or pairs, but the choice questions have 3; give fewer --folds"),
    (["none.csv"], "none.csv: no such file"),
    (["none"], "none: no such file or folder"),
    (["/dev/zero"], "/dev/zero: no such file or folder"),
    (["\udcff.csv"], "\\udcff.csv: no such file"),
    (["folder"], "folder: has no data files"),
    (["saved"], "names no data files in its folder"),
    (["card"], "its header is not YAML"),
    (["nothing"], "`` is no pattern of file names"),
    (["stars"], "**a"),  # no pattern, or from Python 3.13 on one that fits no file
    (["none-of-none"], "names no data file, but"),
    (["loop"], "loop: "),
    (["loop.csv"], "loop.csv: "),
    (["around"], "around: has no data files"),
    (["good.csv", "--question", "nothing"], "good.csv: has no column `nothing`; the columns are question_id, question"),
    (["good.csv", "--clusters", "nothing"], "good.csv: has no column `nothing`"),
    (["good.csv", "--pairs", "question"], "--pairs question: needs two columns"),
    (["good.csv", "--split", "test"], "good.csv: is not a folder, so it has no --config and no --split"),
    (["good.csv", "--kind", "yes-no"], "its answer"),
    (["good.csv", "--scores", "out.txt"], "--scores out.txt: must end in .csv or .parquet"),
    (["good.csv", "--html", "out.pdf"], "--html out.pdf: must end in .html"),
    (["good.csv", "--prune", "out.jsonl"], "--prune out.jsonl: is written like good.csv, so it must end in .csv"),
    (["good.csv", "--prune", "good.csv"], "--prune good.csv: is the benchmark itself"),
    (["good.csv", "--html", "loop/out.html"], "--html loop/out.html: leads through a link to itself"),
    (["good.csv", "--scores", "loop/out.csv"], "--scores loop/out.csv: leads through a link to itself"),
    (["good.csv", "few.csv", "--html", "out.html"], "--html out.html: is of one benchmark, but 2 are given"),
    (["good.csv", "--language-model", "./nowhere"], "checkpoint ./nowhere: no such folder"),
    (["good.csv", "--language-model", "folder"], "checkpoint folder"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=[" ".join(map(ascii, one[0])) for one in REFUSED])
def test_one_line_and_nothing_written(arguments: list[str], words: str, here: Path) -> None:
    with nothing_written(here):
        line = refused(whatif("audit", *arguments))
    assert words in line and line.isprintable() and len(line) < 600, line


@pytest.mark.parametrize(
    "arguments",
    [
        ["--folds", "1"],
        ["--folds", "-3"],
        ["--confidence", "1"],
        ["--confidence", "0"],
        ["--kind", "essay"],
        ["--seed", "-1"],
    ],
)
def test_what_no_audit_takes(arguments: list[str], here: Path) -> None:
    with nothing_written(here):
        result = whatif("audit", "good.csv", *arguments)
    assert result.exit_code == 2 and isinstance(result.exception, SystemExit)
