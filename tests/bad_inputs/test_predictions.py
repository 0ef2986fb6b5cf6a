"""Files of predictions made elsewhere."""

from __future__ import annotations

import csv
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bad_inputs.outcome import nothing_written, refusal
from whatif.formats.prediction_files import read_predictions

GOOD = b"question_id,response\na,1\n"
RELEASED = "img_path,query,answer,new query,new answer,type,response,new_response\n"
LONG = b"x" * (16 * 1024 * 1024 + 2)
SHEET = "xl/worksheets/sheet1.xml"
HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'


def cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def workbook(rows: str, before: str = "", head: str = "") -> bytes:
    """A workbook whose only sheet has this XML for its rows."""
    openpyxl = pytest.importorskip("openpyxl")
    plain, made = io.BytesIO(), io.BytesIO()
    openpyxl.Workbook().save(plain)
    sheet = f"{head}{HEAD}{before}<sheetData>{rows}</sheetData></worksheet>"
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            target.writestr(entry.filename, sheet if entry.filename == SHEET else source.read(entry))
    return made.getvalue()


def claims(size: int) -> bytes:
    """A workbook whose directory declares that a part unpacks to `size` bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as target:
        target.writestr("xl/workbook.xml", "")
        target.filelist[0].file_size = size
    return made.getvalue()


FIRST = f'<row r="1">{cell("A1", "question_id")}{cell("B1", "response")}</row>'


def second(cells: str, number: int = 2, **parts: str) -> bytes:
    """A workbook with one row below its header."""
    return workbook(f'{FIRST}<row r="{number}">{cells}</row>', **parts)


LAUGHS = '<!DOCTYPE x [<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
ENTITY = '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'

# Name of the file, its contents, and a part of the error message.
CASES: list[tuple[str, str, bytes | Callable[[], bytes], str]] = [
    ("empty", "p.csv", b"", ": is empty"),
    ("blank", "p.csv", b" \n\n", ": is empty"),
    ("header alone", "p.csv", b"question_id,response\n", ": has no rows below its header"),
    ("unknown columns", "p.csv", b"a,b\n1,2\n", ": the columns match no known format"),
    ("names of unknown columns", "p.csv", b"id,text\na,b\n", "found: `id`, `text`"),
    ("unknown suffix", "p.pkl", GOOD, "from .csv, .tsv, .json, .jsonl, .xlsx; all but .xlsx also as .gz; the suffix"),
    ("no suffix", "p", GOOD, ": predictions are read from .csv"),
    ("row too long", "p.csv", GOOD + b"b,2,3\n", ": line 3: has 3 fields; it needs 2: question_id, response"),
    ("row too short", "p.csv", GOOD + b"b\n", ": line 3: has 1 fields; it needs 2"),
    ("column twice", "p.csv", b"question_id,response,response\na,1,2\n", ": column `response` is duplicated"),
    ("id twice", "p.csv", GOOD + b"a,2\n", ": line 3: a is already in line 2"),
    ("id empty", "p.csv", GOOD + b",2\n", ": line 3: question_id is empty"),
    ("quote open", "p.csv", GOOD + b'b,"2\n', ": line 3: cannot be read"),
    ("quote in a field", "p.csv", GOOD + b'b,"2"x\n', ": line 3: cannot be read"),
    ("Latin-1", "p.csv", GOOD + b"b,caf\xe9\n", ": line 3: byte 0xe9 is not UTF-8"),
    ("UTF-16", "p.csv", "question_id,response\na,1\n".encode("utf-16"), ": line 1: byte 0xff is not UTF-8"),
    ("null bytes", "p.csv", b"\0" * 100, ": has no rows below its header"),
    ("a picture", "p.csv", b"\x89PNG\r\n\x1a\n" + b"\0" * 30, ": line 1: byte 0x89 is not UTF-8"),
    ("line of 16 MiB", "p.csv", GOOD + b"b," + LONG + b"\n", ": cannot be read (line 3 is longer than"),
    ("line of 16 MiB without an end", "p.tsv", LONG, ": cannot be read (line 1 is longer than 16,777,216 bytes)"),
    (
        "field of 16 MiB in many lines",
        "p.csv",
        GOOD + b'b,"' + b"x" * 99 + b"\nx" * 8_400_000 + b'"\n',
        ": line 3: cannot be read (field larger than field limit (16777216))",
    ),
    ("line of 16 MiB", "p.jsonl", b'{"question_id": "' + LONG, ": cannot be read (line 1 is longer"),
    ("index of words", "p.tsv", b"index\tprediction\none\t1\n", ": line 2: index is `one`; it must be the whole"),
    ("index twice", "p.tsv", b"index\tprediction\n1\tb\n1\tc\n", ": line 3: index 1 is already in line 2"),
    ("index too large", "p.tsv", b"index\tprediction\n" + b"9" * 30 + b"\t1\n", ": line 2: index is `999"),
    ("index negative", "p.tsv", b"index\tprediction\n-1\t1\n", ": line 2: index is `-1`"),
    ("index for a terminal", "p.tsv", b"index\tprediction\n\x1b[2J\t1\n", ": line 2: index is `?[2J`"),
    ("picture unnamed", "p.csv", (RELEASED + ",q,1,n,2,direct,a,b\n").encode(), ": line 2: img_path is empty"),
    (
        "responses missing",
        "p.csv",
        (RELEASED.replace(",response,new_response", "") + "a.jpg,q,1,n,2,direct\n").encode(),
        ": column `response` is missing",
    ),
    ("no JSON", "p.json", b"{", ": is not JSON"),
    ("JSON of one object", "p.json", b"{}", ": holds an object; it needs a list of objects"),
    ("JSON of a number", "p.json", b"7", ": holds a number; it needs a list of objects"),
    ("JSON of null", "p.json", b"null", ": holds null; it needs a list of objects"),
    ("JSON of nothing", "p.json", b"[]", ": has no rows"),
    ("JSON of lists", "p.json", b"[[1]]", ": object 1: is a list; it needs an object"),
    ("JSON of a number in it", "p.json", b'[{"index": 1, "prediction": "a"}, 3]', ": object 2: is a number; it needs"),
    ("JSON 100,000 deep", "p.json", b"[" * 100_000, ": is not JSON (maximum recursion depth"),
    ("number of 5,000 digits", "p.json", b"[" + b"9" * 5000 + b"]", ": is not JSON (Exceeds the limit"),
    ("JSON in UTF-16", "p.json", "[]".encode("utf-16"), ": line 1: byte 0xff is not UTF-8"),
    ("response of a list", "p.json", b'[{"question_id": "a", "response": ["x"]}]', ": object 1: response is ['x']"),
    ("response of a bool", "p.json", b'[{"question_id": "a", "response": true}]', ": object 1: response is True"),
    (
        "response missing",
        "p.json",
        b'[{"question_id": "a", "response": "x"}, {"question_id": "b"}]',
        "object 2: has no",
    ),
    ("id of an object", "p.json", b'[{"question_id": {}, "response": "x"}]', ": object 1: question_id is {}"),
    ("half a surrogate pair in two columns", "p.json", rb'[{"\ud800": 1, "b": 2}]', ": the columns match no known"),
    ("line that is no object", "p.jsonl", b"7\n", ": line 1: is a number; it needs an object"),
    ("line cut off", "p.jsonl", b'{"question_id": "a", "response": "x"}\n{"ques', ": line 2: is not JSON"),
    ("sample of no question", "p.jsonl", b'{"doc_id": 0, "filtered_resps": ["x"]}\n', ": line 1: names no question_id"),
    ("sample of nothing", "p.jsonl", b'{"doc_id": 0, "doc": {"question_id": "a"}}\n', "neither filtered_resps nor"),
    ("sample of no text", "p.jsonl", b'{"doc_id": 0, "doc": {"question_id": "a"}, "resps": [[7]]}\n', "holds no text"),
    ("no workbook", "p.xlsx", b"PK\3\4 and then nothing", ": is not an Excel workbook"),
    ("zip of another kind", "p.xlsx", lambda: claims(0), ": is not an Excel workbook"),
    ("workbook cut off", "p.xlsx", lambda: workbook(FIRST)[:500], ": is not an Excel workbook"),
    ("workbook that unpacks to 4 GB", "p.xlsx", lambda: claims(4_000_000_000), ": unpacks to 4,000,000,000 bytes"),
    ("sheet of no XML", "p.xlsx", lambda: workbook("<row"), ": is not an Excel workbook"),
    ("sheet of nothing", "p.xlsx", lambda: workbook(""), ": has no rows"),
    ("entities that expand", "p.xlsx", lambda: workbook(FIRST + "&a9;", head=LAUGHS + "]>"), ": is not an Excel work"),
    ("entity of a file", "p.xlsx", lambda: second(cell("A2", "&f;"), head=ENTITY), ": is not an Excel workbook"),
    ("cell in the 18,278th column", "p.xlsx", lambda: second(cell("ZZZ2", "x")), ": row 2: has more than 1,000"),
    ("cell beyond all columns", "p.xlsx", lambda: second(cell("ZZZZZ2", "x")), ": is not an Excel workbook"),
    ("row 2,000,000,000", "p.xlsx", lambda: second(cell("A2000000000", "x"), 2 * 10**9), "has more than 1,048,576"),
]


@pytest.mark.parametrize(
    ("name", "made", "words"), [pytest.param(*rest, id=f"{rest[0]}: {name}") for name, *rest in CASES]
)
def test_a_file_of_predictions_that_is_none(
    name: str, made: bytes | Callable[[], bytes], words: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(made if isinstance(made, bytes) else made())
    limit = csv.field_size_limit()
    with nothing_written(tmp_path):
        line = refusal(lambda: read_predictions(path))
    assert line.startswith(str(path)) and words in line, line
    assert csv.field_size_limit() == limit


def test_a_sheet_that_claims_a_million_columns_is_read_by_its_cells(tmp_path: Path) -> None:
    path = tmp_path / "p.xlsx"
    path.write_bytes(second(cell("A2", "q1") + cell("B2", "yes"), before='<dimension ref="A1:ZZZ1048576"/>'))
    (found,) = read_predictions(path)
    assert (found.question_id, found.response) == ("q1", "yes")


def test_text_that_looks_like_code_stays_text(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    said = ["=cmd|' /C calc'!A0", "{{7*7}}", "${HOME}", "$(id)", "__import__('os')", "\u202e\0"]
    path.write_text(json.dumps([{"question_id": str(place), "response": text} for place, text in enumerate(said)]))
    assert [one.response for one in read_predictions(path)] == said


OTHERS: list[tuple[str, Callable[[Path], object], str]] = [
    ("missing", lambda path: None, "no such file"),
    ("a folder", lambda path: path.mkdir(), "cannot be read (Is a directory)"),
    ("a named pipe", os.mkfifo, "cannot be read (it is a named pipe, not a regular file)"),
    ("/dev/zero", lambda path: path.symlink_to("/dev/zero"), "cannot be read (it is a device, not a regular file)"),
    ("/dev/stdin", lambda path: path.symlink_to("/dev/tty"), "cannot be read (it is a device, not a regular file)"),
    ("a link to nothing", lambda path: path.symlink_to("nothing"), "no such file"),
    ("a link to itself", lambda path: path.symlink_to(path.name), "cannot be read (Too many levels"),
    ("a terabyte of nothing", lambda path: (path.touch(), os.truncate(path, 2**40)), "cannot be read (it has 1,099,"),
]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".json", ".xlsx"])
@pytest.mark.parametrize(("make", "words"), [pytest.param(*rest, id=name) for name, *rest in OTHERS])
def test_what_is_no_file(make: Callable[[Path], object], words: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"p{suffix}"
    make(path)
    assert refusal(lambda: read_predictions(path)).startswith(f"{path}: {words}")
