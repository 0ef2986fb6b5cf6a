"""A published data set with hard responses to its questions: what the tests of other harnesses replay."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.awkward_texts import AWKWARD
from tests.pictures import png
from whatif.formats.hugging_face_folder import PICTURE, PICTURES, TEXT, TEXTS

Row = dict[str, Any]
RESPONSES = Path(__file__).parents[2] / "scoring" / "extraction"
HARD = (
    "The answer is B. Wait, C.",
    "I can't help with that.",
    "(B)",
    "",
    "A or B, hard to say",
    "b",
    "<think>B</think>\n\nC",
)
NEVER_FOUND = ("", " x ", "\u00a0x", "a\nb", "a\r\nb", "# a\n### b\n\nc")  # by the hub's scorer of open answers
_TEXTS = ("question_id", "pair_id", "group", "variant", "question", "prompt", "answer", "answer_kind", "provenance")


def picture(number: int) -> bytes:
    """A picture that no other number has."""
    return png((number % 256, number // 256, 7))


def row(number: int, kind: str, question: str, choices: Sequence[str] | None, answer: str, **more: Any) -> Row:
    """A question in the layout of a published table; `images` are its pictures, by default one of its own."""
    variant = "original" if number % 2 == 0 else "counterfactual"
    return {
        "question_id": f"{number // 2:04d}-{variant}",
        "pair_id": f"{number // 2:04d}",
        "group": "first" if number % 4 < 2 else "second",
        "variant": variant,
        "question": question,
        "prompt": None,
        "answer": answer,
        "answer_kind": kind,
        "provenance": "{}",
        "choices": choices,
        "images": [picture(number)],
        **more,
    }


def labelled(kind: str, every: int = 2) -> tuple[list[Row], dict[str, str]]:
    """Questions with one picture each, and a response to each: one in `every` labelled by hand, and the hard ones.

    kind: `choice` or `open`. Two of three right answers are what the response was labelled with, if with anything.
    """
    path = RESPONSES / f"recent_{kind}_development.jsonl"
    known = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()][::every]
    if kind == "choice":
        known += [{**known[0], "response": response, "answer": "C"} for response in HARD]
    rows, responses = [], {}
    for number, one in enumerate(known[: len(known) // 2 * 2]):
        other = {"choice": "A", "boolean": "no", "number": "2", "text": "red"}[one["kind"]]
        right = one["answer"] if one["answer"] and number % 3 else other
        rows.append(row(number, one["kind"], one["question"], one["choices"], right))
        responses[rows[-1]["question_id"]] = one["response"]
    return rows, responses


def several() -> tuple[list[Row], dict[str, str]]:
    """Questions of three ways without counterfactual ones, with two pictures, one and none, and a response to each."""
    ways = {"separate": [picture(900), picture(901)], "composite": [picture(902)], "text": []}
    rows = []
    for number in range(12):
        way = list(ways)[number % 3]
        about = {"question_id": f"q{number:02d}", "pair_id": f"{number // 3}", "variant": way, "images": ways[way]}
        rows.append(row(number, "choice", f"Which is effect {number}?", ["dry", "wet", "cold", "hot"], "B", **about))
    return rows, {one["question_id"]: HARD[number % len(HARD)] for number, one in enumerate(rows)}


def awkward(kind: str) -> tuple[list[Row], dict[str, str]]:
    """Questions, options and answers that readers change, and a response to each: the right answer.

    kind: `choice` (with other numbers of options, some of them equal) or `open`.
    """
    rows = []
    for number, text in enumerate(AWKWARD):
        if kind == "choice":
            rows.append(row(number, "choice", text, [text, "red", text, "blue"][: 2 + number % 3], "A"))
        else:
            rows.append(row(number, "text", text, None, text))
    return rows, {one["question_id"]: one["answer"] for one in rows}


def publish(folder: Path, rows: Sequence[Row], *, single: bool, shards: int = 2) -> Path:
    """Writes the questions as `whatif publish` does; a picture that is None was not published."""
    shown = "image" if single else "images"
    ids = "image_id" if single else "image_ids"
    columns = {**dict.fromkeys(_TEXTS, TEXT), "choices": TEXTS, shown: PICTURE if single else PICTURES}
    columns[ids] = TEXT if single else TEXTS
    schema = pa.schema(
        [(name, kind) for name, (kind, _) in columns.items()],
        metadata={
            "huggingface": json.dumps({"info": {"features": {name: kind for name, (_, kind) in columns.items()}}})
        },
    )

    def record(one: Row) -> Mapping[str, Any]:
        images = [None if data is None else {"bytes": data, "path": None} for data in one["images"]]
        names = [hashlib.sha256(data or b"").hexdigest() for data in one["images"]]
        return {**{name: one[name] for name in (*_TEXTS, "choices")}, shown: images[0] if single else images,
                ids: names[0] if single else names}  # fmt: skip

    found = sorted((record(one) for one in rows), key=lambda one: str(one["question_id"]))
    (folder / "questions").mkdir(parents=True)
    each = -(-len(found) // shards)
    for shard in range(shards):
        table = pa.Table.from_pylist(found[shard * each : (shard + 1) * each], schema)
        pq.write_table(table, folder / f"questions/test-{shard:05d}-of-{shards:05d}.parquet", row_group_size=64)
    (folder / "README.md").write_text(
        "---\nconfigs:\n- config_name: questions\n  data_files:\n  - split: test\n    path: questions/test-*.parquet\n"
        "- config_name: eval\n  data_files:\n"
        + "".join(f"  - split: {split}\n    path: eval/{split}-*.parquet\n" for split in ("original", "counterfactual"))
        + "---\n",
        encoding="utf-8",
    )
    return folder
