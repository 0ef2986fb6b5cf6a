"""`params.yaml` and the other settings files, which are read by the same function."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bad_inputs.outcome import nothing_written, refusal
from tests.defaults import ROOT
from training.recipes import load_recipes
from whatif import benchmarks
from whatif.engine.cluster.resources import load_resources

TEXT = (ROOT / "params.yaml").read_text(encoding="utf-8")


def bomb(first: str, level: str) -> bytes:
    """Nine levels of ten: each level contains the previous one ten times in place of `{}`."""
    names = "abcdefghij"
    lines = [f"a: &a {first}"]
    lines += [f"{name}: &{name} " + level.format(*[f"*{before}"] * 10) for before, name in itertools.pairwise(names)]
    return "\n".join(lines).encode()


TEN = ", ".join(["{}"] * 10)
# The contents of the file, and the error message after its name.
WHOLE: list[tuple[str, bytes, str]] = [
    ("empty", b"", ": must contain keys and values"),
    ("a list", b"- seed", ": must contain keys and values"),
    ("a word", b"seed", ": must contain keys and values"),
    ("null bytes", b"\0\0\0", ": not valid YAML"),
    ("a terminal's bell", b"seed: \x07\n", ": not valid YAML"),
    ("number in octal", TEXT.replace("seed: 2024", "seed: 010").encode(), "YAML reads 010 as 8; write it as a decimal"),
    (
        "number of base 60",
        TEXT.replace("seed: 2024", "seed: 1:30").encode(),
        "YAML reads 1:30 as 90; write it as a deci",
    ),
    ("UTF-16", TEXT.encode("utf-16"), ": is not UTF-8 (byte 0)"),
    ("Latin-1", b"seed: 1 # caf\xe9", ": is not UTF-8 (byte 13)"),
    ("a picture", b"\x89PNG\r\n\x1a\n", ": is not UTF-8 (byte 0)"),
    ("open bracket", b"seed: [", ":1: not valid YAML"),
    ("tab for indent", b"seed:\n\t- 1", ":2: not valid YAML"),
    ("two documents", b"seed: 1\n---\nseed: 2\n", ":2: not valid YAML"),
    ("object of Python", b"seed: !!python/object/apply:os.system [id]", ":1: not valid YAML: could not determine"),
    ("name of Python", b"seed: !!python/name:os.system", ":1: not valid YAML: could not determine"),
    ("unknown tag", b"seed: !secret x", ":1: not valid YAML: could not determine"),
    ("unknown alias", b"seed: *x", ":1: not valid YAML: found undefined alias"),
    ("date that is none", b"seed: 2001-99-99", ": not valid YAML: month must be in 1..12"),
    ("whole number of 5,000 digits", b"seed: " + b"9" * 5000, ": not valid YAML: Exceeds the limit"),
    ("character beyond Unicode", rb'seed: "\UFFFFFFFF"', ": not valid YAML"),
    ("bad binary", b"seed: !!binary 'a'", ":1: not valid YAML: failed to decode base64"),
    ("key that is a list", b"? [seed]\n: 1", ":1: a key must be a word"),
    ("key twice", b"seed: 1\nseed: 2", ":2: seed: duplicate key"),
    ("key twice as constructed", b"a:\n  yes: 1\n  true: 2", ":3: true: duplicate key (YAML reads yes as the same)"),
    ("key twice as a number", b"a:\n  1: 1\n  1.0: 2", ":3: 1.0: duplicate key (YAML reads 1 as the same); keep one"),
    ("key twice, deep", b"a:\n  b:\n    c: 1\n    c: 1", ":4: c: duplicate key"),
    ("bomb of lists", bomb("[x]", f"[{TEN}]"), "more than 100,000 values"),
    (
        "bomb of mappings",
        bomb("{x: 1}", "{{" + ", ".join(f"k{n}: {{}}" for n in range(10)) + "}}"),
        "more than 100,000",
    ),
    ("bomb of merges", bomb("{x: 1}", "{{<<: [" + TEN + "]}}"), "more than 100,000 values"),
    (
        "101,000 values",
        b"a: &a [" + b"1," * 1000 + b"]\nb: [" + b"*a," * 101 + b"]",
        ":2: with its aliases expanded, it has more than 100,000",
    ),
    ("alias in itself", b"a: &a [*a]", ":1: an alias contains itself"),
    ("alias in itself, deep", b"a: &a {b: [{c: *a}]}", ":1: an alias contains itself"),
    ("100,000 levels", b"a: " + b"[" * 100_000, ": not valid YAML: maximum recursion depth"),
    ("500 levels", b"a: " + b"[" * 500 + b"]" * 500, ": not valid YAML: maximum recursion depth"),
    ("half a surrogate pair", rb'a: "\ud83d"', ":1: '\\ud83d': no file can contain the character '\\ud83d'"),
    ("null character", rb'a: "x\0"', ":1: 'x\\x00': no file can contain the character '\\x00'"),
    ("two megabytes", b"#" * 2_000_000, ": cannot be read (it has 2,000,000 bytes; the maximum is 1,048,576)"),
]

SEED, MODELS_KEY = "seed: 2024", "\nmodels:\n"
# A value of the shipped file replaced by another.
EDITS: list[tuple[str, str, str, str]] = [
    ("seed beyond 32 bits", SEED, "seed: 4294967296", "seed: is 4294967296; input should be less than 4294967296"),
    ("seed beyond 64 bits", SEED, "seed: 18446744073709551617", "input should be less than"),
    ("seed beyond 1,000 bits", SEED, f"seed: {2**1000}", "input should be less than"),
    ("negative seed", SEED, "seed: -1", "input should be greater than or equal to 0"),
    ("seed of text", SEED, "seed: '1'", "input should be a valid integer"),
    ("seed of nothing", SEED, "seed:", "input should be a valid integer"),
    ("seed of infinity", SEED, "seed: .inf", "input should be a valid integer"),
    ("seed of no number", SEED, "seed: .nan", "input should be a valid integer"),
    ("seed of a date", SEED, "seed: 2001-01-01", "input should be a valid integer"),
    ("seed missing", SEED, "", "seed: is missing"),
]
API = "adapter: api, model: x, base_url: 'https://h/v1'"
# A line below `models`.
MODELS: list[tuple[str, str, str]] = [
    ("key with a dot", "gpt-4.1: {adapter: random}", "a key must be lower-case words"),
    ("key that leads out", "../x: {adapter: random}", "a key must be lower-case words"),
    ("key that is empty", "'': {adapter: random}", "a key must be lower-case words"),
    ("key of a line break", '"a\\n": {adapter: random}', "a key must be lower-case words"),
    ("key for a shell", '"$(id)": {adapter: random}', "a key must be lower-case words"),
    ("key that is a number", "7: {adapter: random}", "models.7: is 7; input should be a valid string"),
    ("model without adapter", "m: {name: x}", "models.m: has no adapter; give one"),
    ("model of nothing", "m:", "models.m: is empty; it needs `adapter`"),
    ("unknown adapter", "m: {adapter: os.system}", "models.m.adapter: is 'os.system'"),
    ("code allowed", "m: {adapter: hf-chat, checkpoint: a/b, trust_remote_code: true}", "m.trust_remote_code: unknown"),
    ("half a surrogate pair", 'm: {adapter: random, name: "\\udc80"}', "no file can contain the character '\\udc80'"),
    ("key in a URL", "m: {adapter: api, model: x, base_url: 'https://me:key@host/v1'}", "base_url: is '(not shown)'"),
    ("file for a URL", "m: {adapter: api, model: x, base_url: 'file:///etc/passwd'}", "models.m.base_url"),
    ("key in place of its variable", f"m: {{{API}, key_variable: sk-123}}", "m.key_variable: is '(not shown)'"),
    ("unknown strategy", "m: {adapter: replay, predictions: x.csv, strategy: ../x}", "it must be one of"),
    ("dtype of no number", "m: {adapter: blind, checkpoint: a/b, dtype: object}", "m.dtype: is 'object'"),
    ("batch of nothing", "m: {adapter: blind, checkpoint: a/b, batch_size: 0}", "batch_size: is 0"),
]


def load(path: Path) -> None:
    benchmarks.load_params(path)


@pytest.mark.parametrize(("data", "words"), [pytest.param(*rest, id=name) for name, *rest in WHOLE])
def test_a_file_that_is_none(data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_bytes(data)
    with nothing_written(tmp_path):
        line = refusal(lambda: load(path))
    assert line.startswith(f"{path}:") and words in line, line


EDITS += [(name, MODELS_KEY, f"{MODELS_KEY}  {line}\n", words) for name, line, words in MODELS]


@pytest.mark.parametrize(("old", "new", "words"), [pytest.param(*rest, id=name) for name, *rest in EDITS])
def test_a_value_that_is_none(old: str, new: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    assert old in TEXT
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    line = refusal(lambda: load(path))
    assert line.startswith(f"{path}") and words in line, line


OTHERS: list[tuple[str, Callable[[Path], None]]] = [
    ("missing", lambda path: None),
    ("a folder", lambda path: path.mkdir()),
    ("a named pipe", os.mkfifo),
    ("a device", lambda path: path.symlink_to("/dev/zero")),
    ("a link to itself", lambda path: path.symlink_to(path)),
]


@pytest.mark.parametrize("read", [load, load_resources, load_recipes], ids=["params", "resources", "recipes"])
@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in OTHERS])
def test_what_is_no_file(make: Callable[[Path], None], read: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    make(path)
    assert f"{path}: cannot be read (" in refusal(lambda: read(path))
