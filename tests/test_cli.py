"""The command line: what it prints, what it leaves behind, and one line with exit code 2 for what a user can mend."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner, Result
from PIL import Image

from tests.defaults import puzzles_and_baselines
from whatif import __version__, artifacts
from whatif.artifact_writer import write_artifact
from whatif.cli import main
from whatif.images import ImageStore
from whatif.schemas import QUESTIONS
from whatif.sources.c_vqa import read_released

NAME = "cvqa-synthetic"
STAGES = ("extract", "generate", "filter", "verify", "evaluate", "aggregate")
COMMANDS = (
    *STAGES,
    "status",
    "resume",
    "gc",
    "responses",
    "show",
    "audit",
    "compare",
    "import",
    "export",
    "train",
    "assess",
)
HEAVY = {"torch", "transformers", "pyarrow", "pandas", "numpy", "pydantic", "matplotlib", "sklearn", "scipy", "PIL"}
HEADER = "img_path,query,answer,new query,new answer,type"


def whatif(*arguments: str | Path) -> Result:
    """Runs a command as `whatif` would; its exit code, standard output and standard error."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="whatif")


def refused(result: Result) -> str:
    """The one line that was said when a command ended with exit code 2, without `whatif: `."""
    assert isinstance(result.exception, SystemExit), result.exception
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("whatif: ") and result.stderr.count("\n") == 1, result.stderr
    return result.stderr.removeprefix("whatif: ").rstrip("\n")


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a folder and below, hidden ones too, but for what is noted in `.whatif`."""
    found = {str(file.relative_to(folder)): file for file in folder.rglob("*") if file.is_file()}
    return {name: file.read_bytes() for name, file in found.items() if not name.startswith(".whatif/")}


def puzzle(number: int, right: str = "B", options: str = "A:16  B:17  C:12  D:13") -> str:
    """A row of a C-VQA-Synthetic file."""
    asked = f"How many dots are there? Select the correct answer:{options}"
    what_if = f"How many dots would be left if {number} were removed? Select the correct answer:{options}"
    return f"puzzle_{number}.png,{asked},{right},{what_if},{right},abs_counting_4"


def released(path: Path, *rows: str, header: str = HEADER) -> Path:
    path.write_text("".join(f"{line}\n" for line in (header, *rows)), encoding="utf-8", newline="\n")
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is no project."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_small_params(folder: Path) -> None:
    values = puzzles_and_baselines()
    values["generate"][NAME].update(puzzles_per_template=2, shards=2, image_size=192)
    values["aggregate"][NAME].update(resamples=100, audit_folds=2)
    (folder / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")


@pytest.fixture
def project(folder: Path) -> Path:
    """A project in which nothing was made yet."""
    write_small_params(folder)
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of twelve puzzles whose six stages were run one by one from the command line."""
    folder = tmp_path_factory.mktemp("made")
    write_small_params(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for stage in STAGES:
            result = whatif(stage, NAME)
            assert result.exit_code == 0, result.stderr
            assert f"{stage} {NAME}" in result.stderr and "computed in" in result.stderr
            assert result.stdout == ""
    return folder


@pytest.fixture
def finished(made: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The project that was made; it must be the same afterwards."""
    monkeypatch.chdir(made)
    before = files(made)
    yield made
    assert files(made) == before


# Help


def test_help_lists_all_commands_and_imports_nothing_heavy(folder: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "whatif", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    listed = re.findall(r"^  ([a-z]+)  +\S", done.stdout.partition("Commands:\n")[2], re.MULTILINE)
    assert listed == list(COMMANDS)
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert {"whatif", "click"} <= imported
    assert not imported & HEAVY
    assert files(folder) == {}


@pytest.mark.parametrize(
    "command",
    [
        *((name,) for name in COMMANDS),
        ("import", "c-vqa"),
        ("export", "c-vqa-csv"),
        ("export", "vlmevalkit"),
        ("export", "lmms-eval"),
        ("responses", "merge"),
    ],
)
def test_every_command_has_help_outside_a_project_too(folder: Path, command: tuple[str, ...]) -> None:
    results = [whatif(*command, flag) for flag in ("--help", "-h")]
    assert results[0].stdout == results[1].stdout
    for result in results:
        assert (result.exit_code, result.stderr) == (0, "")
        usage, _, text = result.stdout.partition("\n\n")
        assert usage.startswith(f"Usage: whatif {' '.join(command)} ")
        assert re.match(r"  [A-Z][^\n]{20,}", text), "says what it does"


def test_version_and_unknown_commands() -> None:
    assert whatif("--version").stdout == f"whatif, version {__version__}\n"
    result = whatif("evaluat")
    assert result.exit_code == 2 and "No such command 'evaluat'" in result.stderr


# What is not there


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("extract", "cvqa"), f"cvqa: not among the benchmarks of params.yaml ({NAME})"),
        (("aggregate", "mucr"), f"mucr: not among the benchmarks of params.yaml ({NAME})"),
        (("show", "cvqa-real"), f"cvqa-real: not among the benchmarks of params.yaml ({NAME})"),
        (
            ("show", "cvqa-real", "--picture", "out.png"),
            f"cvqa-real: not among the benchmarks of params.yaml ({NAME})",
        ),
        (
            ("generate", NAME, "--part", "part-002-of-002"),
            f"generate {NAME}: part part-002-of-002 is not in params.yaml; there are part-000-of-002, part-001-of-002",
        ),
        (
            ("evaluate", NAME, "--model", "gpt"),
            f"evaluate {NAME}: model gpt is not in params.yaml; there are first-option, majority, random",
        ),
    ],
)
def test_an_unknown_benchmark_part_or_model_is_answered_with_those_there_are(
    project: Path, arguments: tuple[str, ...], message: str
) -> None:
    assert refused(whatif(*arguments)) == message
    assert set(files(project)) == {"params.yaml"}


@pytest.mark.parametrize(
    "arguments",
    [*((stage, NAME) for stage in STAGES), ("status",), ("show", NAME), ("show", NAME, "--picture", "x.png")],
)
def test_outside_a_project_it_says_where_to_run(folder: Path, arguments: tuple[str, ...]) -> None:
    message = refused(whatif(*arguments))
    assert message.startswith("params.yaml: cannot be read (No such file or directory); run whatif in the root of")
    assert files(folder) == {}


def test_the_same_line_and_exit_code_come_from_a_real_process(folder: Path) -> None:
    command = [sys.executable, "-m", "whatif", "status"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == whatif("status").stderr


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("show", NAME), ["metrics/cvqa-synthetic/table7.md: not there yet", "dvc repro", "snakemake --cores 2"]),
        (("show", NAME, "--picture", "x.png"), ["data/verify/cvqa-synthetic/questions.parquet: no such artifact"]),
        (("show", "data/x.parquet"), ["data/x.parquet: no such artifact", "whatif status"]),
        (("generate", NAME), ["data/extract/cvqa-synthetic/flowers.parquet: no such artifact", "whatif status"]),
        (("evaluate", NAME), ["data/verify/cvqa-synthetic/questions.parquet: no such artifact"]),
        (("export", "c-vqa-csv", "x.csv"), ["data/verify/cvqa-synthetic/questions.parquet: no such artifact"]),
        (("export", "vlmevalkit", "x.tsv"), ["data/verify/cvqa-synthetic/questions.parquet: no such artifact"]),
        (("export", "lmms-eval", "x"), ["data/verify/cvqa-synthetic/questions.parquet: no such artifact"]),
    ],
)
def test_before_anything_is_made_it_says_what_is_missing(
    project: Path, arguments: tuple[str, ...], named: list[str]
) -> None:
    message = refused(whatif(*arguments))
    assert message.startswith(named[0])
    assert all(part in message for part in named)
    assert set(files(project)) == {"params.yaml"}


# What is there


def test_a_stage_that_was_run_computes_nothing_again_and_parts_and_models_run_alone(finished: Path) -> None:
    result = whatif("generate", NAME, "--part", "part-001-of-002")
    assert result.exit_code == 0
    assert re.fullmatch(rf"generate {NAME} part-001-of-002: (?!computed)[a-z ]+ in [0-9.]+ s\n", result.stderr)
    result = whatif("evaluate", NAME, "--model", "majority")
    lines = result.stderr.splitlines()
    for part, line in zip(("part-000-of-002", "part-001-of-002"), lines, strict=True):
        assert re.fullmatch(rf"evaluate {NAME} majority {part}: (?!computed)[a-z ]+ in [0-9.]+ s", line)
    result = whatif("status", "--check")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "12 fresh (jobs)")


def test_status_names_the_log_of_what_is_not_fresh(project: Path) -> None:
    log = Path("logs") / "generate" / NAME / "part-001-of-002.log"
    log.parent.mkdir(parents=True)
    log.write_text("killed")
    lines = whatif("status").stdout.splitlines()
    assert [line.strip() for line in lines if "log of" in line] == [f"log of its last run: {log}"]


def test_show_prints_the_main_table_and_where_the_others_are(finished: Path) -> None:
    result = whatif("show", NAME)
    assert result.exit_code == 0
    assert result.stdout.startswith(Path(f"metrics/{NAME}/table7.md").read_text(encoding="utf-8"))
    named = re.findall(r"^  (metrics/\S+)$", result.stdout, re.MULTILINE)
    assert f"metrics/{NAME}/report.md" in named
    assert sorted(named) == sorted(name for name in files(finished) if name.startswith("metrics"))


def test_show_prints_rows_and_parameters_of_an_artifact(finished: Path) -> None:
    path = f"data/generate/{NAME}/questions/part-000-of-002.parquet"
    rows = artifacts.read(Path(path), QUESTIONS).to_pylist()
    result = whatif("show", path, "--rows", "2")
    assert result.exit_code == 0
    fingerprint = artifacts.footer_of(Path(path)).fingerprint
    first, *lines = result.stdout.splitlines()
    assert first == f"{path}: 12 rows of questions/1, fingerprint {fingerprint[:12]}"
    assert f"  generate.{NAME}.image_size: 192" in lines and "  seed: 2024" in lines
    assert [line for line in lines if "question_id" in line] == [f"  question_id: {r['question_id']}" for r in rows[:2]]
    assert f"  choices: {rows[1]['choices']}" in lines
    shown = [whatif("show", path, *rows).stdout.count("question_id: ") for rows in ((), ("--rows", "0"))]
    assert shown == [5, 0]


def test_show_says_of_pictures_how_large_they_are(finished: Path) -> None:
    path = Path(f"data/generate/{NAME}/images/part-001-of-002.parquet")
    size = len(ImageStore([path]).encoded(_image_ids(finished)[-1]))
    result = whatif("show", path, "--rows", "100")
    assert result.exit_code == 0
    assert f"  image: {{bytes: {size:,} bytes, path: None}}" in result.stdout.splitlines()


def _image_ids(project: Path) -> list[str]:
    """The picture of each pair of a project, in order of the pairs."""
    questions = artifacts.read(project / f"data/verify/{NAME}/questions.parquet", QUESTIONS).to_pylist()
    return [row["image_ids"][0] for row in questions[::2]]


@pytest.mark.parametrize(("pairs", "shown"), [("12", range(12)), ("2", [3, 9])])
def test_show_writes_a_contact_sheet_of_pairs_from_the_whole_set(
    finished: Path, tmp_path: Path, pairs: str, shown: list[int]
) -> None:
    result = whatif("show", NAME, "--picture", tmp_path / "out.png", "--pairs", pairs)
    assert (result.exit_code, result.stdout) == (0, f"{tmp_path / 'out.png'}: {pairs} pairs of {NAME}\n")
    data = (tmp_path / "out.png").read_bytes()
    Image.open(io.BytesIO(data)).verify()
    sheet = np.asarray(Image.open(io.BytesIO(data)))
    store = ImageStore(sorted(Path(f"data/generate/{NAME}/images").iterdir()))
    ids = _image_ids(finished)
    columns = min(3, len(shown))
    width, height = sheet.shape[1] // columns, sheet.shape[0] // -(-len(shown) // columns)
    for place, pair in enumerate(shown):
        panel = sheet[place // columns * height :, place % columns * width :][:height, :width]
        picture = np.asarray(store.get(ids[pair]))
        top, left = np.argwhere((panel != 255).any(axis=2))[0] + 1  # within a frame of one pixel
        assert np.array_equal(panel[top : top + 192, left : left + 192], picture), pair
        assert (panel[top + 192 + 10 :] < 128).any(), "its question stands below"


def test_a_parquet_file_that_is_not_ours_is_refused(folder: Path) -> None:
    (folder / "x.parquet").write_bytes(b"PAR1 and no more")
    assert refused(whatif("show", "x.parquet")).startswith("x.parquet: not a whole Parquet file")
    assert refused(whatif("audit", "x.parquet")).startswith("x.parquet: not a whole Parquet file")


def test_gc_knows_sizes_and_deletes_down_to_them(folder: Path) -> None:
    message = refused(whatif("gc", "--keep", "nonsense"))
    assert message == "--keep nonsense: is not a size; give for example 500M or 10G"
    assert refused(whatif("gc", "--keep", "-1G")).startswith("--keep -1G: is not a size")
    stashed = folder / ".whatif/stash/0123/rows.parquet"
    stashed.parent.mkdir(parents=True)
    stashed.write_bytes(bytes(3_000_000))
    assert whatif("gc", "--keep", "3M").stdout == "deleted 0.0 MB, the stash keeps 3.0 MB\n"
    assert stashed.exists()
    assert whatif("gc", "--keep", "2.9M").stdout == "deleted 3.0 MB, the stash keeps 0.0 MB\n"
    assert not stashed.exists()


# In and out


def test_what_is_imported_is_exported_byte_for_byte(folder: Path) -> None:
    source = released(folder / "released.csv", puzzle(3), puzzle(1), 'photo.jpg,"Is it, too?",yes,Was it?,no,boolean')
    result = whatif("import", "c-vqa", source, "ours.parquet")
    assert (result.exit_code, result.stdout) == (0, "ours.parquet: 6 questions in 3 pairs\n")
    rows = artifacts.read(Path("ours.parquet"), QUESTIONS).to_pylist()
    assert rows == sorted(read_released(source), key=lambda row: str(row["question_id"]))
    result = whatif("export", "c-vqa-csv", "new/again.csv", "--questions", "ours.parquet")
    assert (result.exit_code, result.stdout) == (0, "new/again.csv: 3 pairs of questions\n")
    assert Path("new/again.csv").read_bytes() == source.read_bytes()
    assert set(files(folder)) == {"released.csv", "ours.parquet", "new/again.csv"}


def test_export_for_evaluation_tools_finds_the_pictures_of_our_questions(finished: Path, tmp_path: Path) -> None:
    questions = artifacts.read(Path(f"data/verify/{NAME}/questions.parquet"), QUESTIONS).num_rows
    result = whatif("export", "vlmevalkit", tmp_path / "ours.tsv")
    assert (result.exit_code, result.stdout) == (0, f"{tmp_path}/ours.tsv: {questions} questions\n")
    assert (tmp_path / "ours.tsv").read_bytes().count(b"\n") == questions + 1
    result = whatif("export", "lmms-eval", tmp_path / "ours")
    assert result.exit_code == 0 and result.stdout.startswith(f"{tmp_path}/ours/ours.yaml: {questions} questions")
    assert set(files(tmp_path / "ours")) == {"ours.yaml", "utils.py", "test.parquet"}


def test_export_writes_the_verified_questions_of_the_project(finished: Path, tmp_path: Path) -> None:
    result = whatif("export", "c-vqa-csv", tmp_path / "ours.csv")
    assert (result.exit_code, result.stdout) == (0, f"{tmp_path / 'ours.csv'}: 12 pairs of questions\n")
    ours = artifacts.read(Path(f"data/verify/{NAME}/questions.parquet"), QUESTIONS).to_pylist()
    columns = ("question_id", "group", "question", "choices", "answer")
    back = sorted(read_released(tmp_path / "ours.csv"), key=lambda row: str(row["question_id"]))
    assert [[row[c] for c in columns] for row in back] == [[row[c] for c in columns] for row in ours]


@pytest.mark.parametrize("before", [None, b"stood here before"])
@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        (HEADER.replace("new query", "query 2"), [puzzle(1)], "line 1: column `new query` is missing"),
        (HEADER, [puzzle(1), puzzle(2, options="A:1 B:2 C:3 D:4")], "line 3: query has no option list"),
        (HEADER, [puzzle(1), puzzle(2), puzzle(1)], "line 4: img_path `puzzle_1.png` stands in line 2 already"),
        (HEADER, [puzzle(1, right="E")], "line 2: answer is `E`"),
        (HEADER, [], "no questions below the header"),
    ],
)
def test_a_released_file_that_cannot_be_read_leaves_nothing_behind(
    folder: Path, header: str, rows: list[str], message: str, before: bytes | None
) -> None:
    released(folder / "bad.csv", *rows, header=header)
    if before is not None:
        (folder / "out.parquet").write_bytes(before)
    there = files(folder)
    assert refused(whatif("import", "c-vqa", "bad.csv", "out.parquet")).startswith(f"bad.csv: {message}")
    assert files(folder) == there


def test_a_released_file_that_is_not_there_is_named(folder: Path) -> None:
    assert refused(whatif("import", "c-vqa", "no.csv", "out.parquet")).startswith("no.csv: no such file")
    assert files(folder) == {}


def test_an_import_that_cannot_be_written_is_one_line(folder: Path) -> None:
    released(folder / "good.csv", puzzle(1))
    there = files(folder)
    message = refused(whatif("import", "c-vqa", "good.csv", "good.csv/out.parquet"))
    assert message.startswith("good.csv/out.parquet: cannot be written (")
    assert files(folder) == there


def test_an_export_that_fails_leaves_what_was_there(folder: Path) -> None:
    source = released(folder / "released.csv", puzzle(1), puzzle(2))
    write_artifact(Path("lost.parquet"), QUESTIONS, read_released(source)[:-1])
    Path("out.csv").write_text("stood here before")
    there = files(folder)
    message = refused(whatif("export", "c-vqa-csv", "out.csv", "--questions", "lost.parquet"))
    assert message.startswith("out.csv: pair puzzle_2: has no counterfactual question")
    message = refused(whatif("export", "c-vqa-csv", "out.csv", "--questions", "none.parquet"))
    assert message.startswith("none.parquet: no such artifact")
    assert files(folder) == there


# Two sets beside each other


@pytest.fixture
def two_sets(folder: Path) -> tuple[str, str]:
    """Six pairs whose right option is always B, the largest; four whose right option is C, the smallest, or D."""
    for name, rows in {
        "ours": [puzzle(number) for number in range(1, 7)],
        "theirs": [puzzle(number, right="CCCD"[number - 1]) for number in range(1, 5)],
    }.items():
        released(folder / f"{name}.csv", *rows)
        assert whatif("import", "c-vqa", f"{name}.csv", f"{name}.parquet").exit_code == 0
    return "ours.parquet", "theirs.parquet"


def cells(text: str) -> list[list[str]]:
    """The rows of Markdown tables, without headers and rules."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:2] == "| "]


def test_audit_prints_the_shortcuts_of_each_set(two_sets: tuple[str, str]) -> None:
    result = whatif("audit", *two_sets, "--folds", "2")
    assert result.exit_code == 0
    found = {(row[0], row[1], row[2]): row[3:5] for row in cells(result.stdout)}
    for variant in ("original", "counterfactual"):
        assert found["ours.parquet", variant, "always the letter B"] == ["6", "100.0"]
        assert found["ours.parquet", variant, "always option 4 from below"] == ["6", "100.0"]
        assert found["theirs.parquet", variant, "always the letter C"] == ["4", "75.0"]
        assert found["theirs.parquet", variant, "always option 1 from below"] == ["4", "75.0"]
        assert ("theirs.parquet", variant, "random forest") in found
    assert whatif("audit", *two_sets, "--folds", "2").stdout == result.stdout


def test_audit_with_more_folds_than_pairs_is_refused(two_sets: tuple[str, str]) -> None:
    message = refused(whatif("audit", two_sets[1]))
    assert "5 folds need as many pairs, the original questions have 4" in message


def test_compare_prints_both_sets_group_by_group(two_sets: tuple[str, str]) -> None:
    result = whatif("compare", *two_sets)
    assert result.exit_code == 0
    assert re.findall(r"^### (.+)$", result.stdout, re.MULTILINE) == ["all", "dot-removal"]
    rows = cells(result.stdout)
    assert rows.count(["questions", "6", "4", "6", "4"]) == 2
    assert ["right option B (%)", "100.00", "0.00", "100.00", "0.00"] in rows
    assert ["rank of the right option 1 (%)", "0.00", "75.00", "0.00", "75.00"] in rows
    assert ["right answer, maximum", "17.00", "13.00", "17.00", "13.00"] in rows


def test_audit_and_compare_name_the_table_that_is_missing_or_another(finished: Path, tmp_path: Path) -> None:
    questions, puzzles = (
        f"data/verify/{NAME}/questions.parquet",
        f"data/generate/{NAME}/puzzles/part-000-of-002.parquet",
    )
    for command in (("audit", puzzles), ("compare", questions, puzzles)):
        assert refused(whatif(*command)).startswith(f"{puzzles}: holds the table puzzles/1")
    for command in (("audit", "none.parquet"), ("compare", "none.parquet", questions)):
        assert refused(whatif(*command)).startswith("none.parquet: no such artifact")


# Values that make no sense


@pytest.mark.parametrize("pairs", ["0", "-1"])
def test_a_contact_sheet_of_no_pairs_is_refused(finished: Path, tmp_path: Path, pairs: str) -> None:
    result = whatif("show", NAME, "--picture", tmp_path / "x.png", "--pairs", pairs)
    assert result.exit_code == 2 and "--pairs" in result.stderr
    assert files(tmp_path) == {}


def test_a_contact_sheet_that_cannot_be_written_is_one_line(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    message = refused(whatif("show", NAME, "--picture", tmp_path / "file" / "x.png"))
    assert message.startswith(str(tmp_path / "file" / "x.png"))


def test_a_contact_sheet_of_more_pairs_than_there_are_shows_all_of_them(finished: Path, tmp_path: Path) -> None:
    assert whatif("show", NAME, "--picture", tmp_path / "all.png", "--pairs", "12").exit_code == 0
    result = whatif("show", NAME, "--picture", tmp_path / "more.png", "--pairs", "100")
    assert (tmp_path / "more.png").read_bytes() == (tmp_path / "all.png").read_bytes()
    assert result.stdout == f"{tmp_path / 'more.png'}: 12 pairs of {NAME}\n"


@pytest.mark.parametrize("folds", ["1", "0", "-3"])
def test_fewer_than_two_folds_are_refused(two_sets: tuple[str, str], folds: str) -> None:
    result = whatif("audit", two_sets[0], "--folds", folds)
    assert result.exit_code == 2 and "--folds" in result.stderr


def test_an_artifact_with_damaged_rows_is_one_line(folder: Path) -> None:
    released(folder / "many.csv", *(puzzle(number) for number in range(200)))
    assert whatif("import", "c-vqa", "many.csv", "damaged.parquet").exit_code == 0
    data = bytearray(Path("damaged.parquet").read_bytes())
    data[4:400] = bytes(396)
    Path("damaged.parquet").write_bytes(data)
    assert artifacts.footer_of(Path("damaged.parquet")).rows == 400
    assert refused(whatif("audit", "damaged.parquet")).startswith("damaged.parquet: unreadable (")
    result = whatif("show", "damaged.parquet")  # its footer is whole and was printed
    assert isinstance(result.exception, SystemExit) and result.exit_code == 2
    assert result.stderr.startswith("whatif: damaged.parquet: unreadable (")
