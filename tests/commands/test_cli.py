"""The command line: what it prints, what it leaves behind, and one line with exit code 2 for what a user can mend."""

from __future__ import annotations

import io
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.command_line import NAME, STAGES, files, puzzle, refused, released, whatif
from whatif import __version__
from whatif.commands.cli import COMMANDS, KERNELS
from whatif.engine import artifacts
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.artifacts.schemas import QUESTIONS

pytestmark = pytest.mark.slow

HEAVY = {"torch", "transformers", "pyarrow", "pandas", "numpy", "pydantic", "matplotlib", "sklearn", "scipy", "PIL"}


# Help


@pytest.mark.process
def test_help_lists_all_commands_and_imports_nothing_heavy(folder: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "whatif", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    listed = re.findall(r"^  ([a-z-]+)  +\S", done.stdout.partition("Commands:\n")[2], re.MULTILINE)
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
    for result in results:
        assert (result.exception, result.exit_code, result.stderr) == (None, 0, "")
        usage, _, text = result.stdout.partition("\n\n")
        assert usage.startswith(f"Usage: whatif {' '.join(command)} ")
        assert re.match(r"  [A-Z][^\n]{20,}", text), "says what it does"
    assert results[0].stdout == results[1].stdout


def test_version_and_unknown_commands() -> None:
    assert whatif("--version").stdout == f"whatif, version {__version__}\n"
    result = whatif("evaluat")
    assert result.exit_code == 2 and "No such command 'evaluat'" in result.stderr


@pytest.mark.process
@pytest.mark.parametrize("chosen", [None, "default"])
def test_torch_has_the_kernels_of_every_processor_with_avx2(chosen: str | None) -> None:
    code = (
        "import torch, whatif.commands.cli; whatif.commands.cli.main(['new', '--help'], standalone_mode=False); "
        "print(torch.backends.cpu.get_cpu_capability())"
    )
    others = {name: value for name, value in os.environ.items() if name not in KERNELS}
    environment = others | ({} if chosen is None else {"ATEN_CPU_CAPABILITY": chosen})
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ("AVX2" if chosen is None else "DEFAULT")


# What is not there


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("extract", "cvqa"), f"cvqa: not among the benchmarks of params.yaml ({NAME})"),
        (("aggregate", "mucr"), f"mucr: not among the benchmarks of params.yaml ({NAME})"),
        (("show", "cvqa-real"), f"cvqa-real: not among the benchmarks of params.yaml ({NAME})"),
        (("show", "cvqa-real", "--picture", "out.png"), f"cvqa-real: not among the benchmarks of params.yaml ({NAME})"),
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
    unmade_folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    assert refused(whatif(*arguments)) == message
    assert set(files(unmade_folder)) == {"params.yaml"}


@pytest.mark.parametrize(
    "arguments",
    [
        *((stage, NAME) for stage in STAGES),
        *((name,) for name in ("status", "resume", "gc", "summary", "site", "graph", "dvc-yaml")),
        ("make", "aggregate"),
        ("show", NAME),
        ("show", NAME, "--picture", "x.png"),
    ],
)
def test_outside_a_project_it_says_how_to_make_one(folder: Path, arguments: tuple[str, ...]) -> None:
    assert refused(whatif(*arguments)) == (
        "no project here: neither this folder nor one above it has a params.yaml; make a project with "
        "`whatif new my-benchmark`, or go to the folder of one"
    )
    assert files(folder) == {}


@pytest.mark.process
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
    unmade_folder: Path, arguments: tuple[str, ...], named: list[str]
) -> None:
    message = refused(whatif(*arguments))
    assert message.startswith(named[0])
    assert all(part in message for part in named)
    assert set(files(unmade_folder)) == {"params.yaml"}


@pytest.mark.parametrize("option", ["--data-set", "--data_set"])
def test_an_option_of_two_words_has_the_usual_hyphen_and_the_name_of_messages(folder: Path, option: str) -> None:
    assert "No such option" not in whatif("extract", "coco-counterfactuals-training", option, "cifar10").stderr
    assert "--data-set" in whatif("extract", "--help").stdout


# What is there


def test_a_stage_that_was_run_computes_nothing_again_and_parts_and_models_run_alone(finished_folder: Path) -> None:
    result = whatif("generate", NAME, "--part", "part-001-of-002")
    assert result.exit_code == 0
    assert re.fullmatch(rf"generate {NAME} part-001-of-002: (?!computed)[a-z ]+ in [0-9.]+ s\n", result.stderr)
    result = whatif("evaluate", NAME, "--model", "majority")
    lines = result.stderr.splitlines()
    for part, line in zip(("part-000-of-002", "part-001-of-002"), lines, strict=True):
        assert re.fullmatch(rf"evaluate {NAME} majority {part}: (?!computed)[a-z ]+ in [0-9.]+ s", line)
    result = whatif("status", "--check")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "15 fresh (jobs)")


def test_status_names_the_log_of_what_is_not_fresh(unmade_folder: Path) -> None:
    log = Path("logs") / "generate" / NAME / "part-001-of-002.log"
    log.parent.mkdir(parents=True)
    log.write_text("killed")
    lines = whatif("status").stdout.splitlines()
    assert [line.strip() for line in lines if "log of" in line] == [f"log of its last run: {log}"]


def test_show_prints_the_main_table_and_where_the_others_are(finished_folder: Path) -> None:
    result = whatif("show", NAME)
    assert result.exit_code == 0
    models, rest = result.stdout.split("\n\n", 1)
    assert [line.split()[0] for line in models.splitlines()] == [NAME, "first-option", "majority", "random"]
    assert rest.startswith(Path(f"metrics/{NAME}/table7.md").read_text(encoding="utf-8"))
    named = re.findall(r"^  (metrics/\S+)$", result.stdout, re.MULTILINE)
    assert f"metrics/{NAME}/report.md" in named
    assert sorted(named) == sorted(name for name in files(finished_folder) if name.startswith("metrics"))


@pytest.fixture
def changed(made_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project that was made, with another size of its pictures in params.yaml."""
    folder = tmp_path / "changed"
    shutil.copytree(made_folder, folder)
    text = (folder / "params.yaml").read_text(encoding="utf-8")
    assert "image_size: 192" in text
    (folder / "params.yaml").write_text(text.replace("image_size: 192", "image_size: 200"), encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


def test_show_says_above_the_table_that_it_is_stale_and_why(changed: Path) -> None:
    result = whatif("show", NAME)
    assert (result.exit_code, result.stderr) == (0, "")
    heading, reason, empty, *shown = result.stdout.splitlines()
    table = shown[shown.index("") + 1 :]  # after the lines of the models
    assert heading.startswith("STALE: ") and empty == ""
    assert reason == f"  generate.{NAME}.image_size: 192 -> 200 (generate {NAME} part-000-of-002 and 1 more)"
    assert "\n".join(table).startswith(Path(f"metrics/{NAME}/table7.md").read_text(encoding="utf-8").rstrip())


def test_show_says_that_numbers_without_their_artifacts_are_not_checked(changed: Path) -> None:
    shutil.rmtree("data")
    heading, *_ = whatif("show", NAME).stdout.splitlines()
    assert heading.startswith("NOT CHECKED: ")


def test_status_names_jobs_that_are_not_fresh_and_files_when_asked(changed: Path) -> None:
    parts = ("part-000-of-002", "part-001-of-002")
    stale = [(f"stale     generate {NAME} {part}", f"{'':12}generate.{NAME}.image_size: 192 -> 200") for part in parts]
    models = ("first-option", "majority", "random")
    assert whatif("status").stdout.splitlines() == [
        *itertools.chain.from_iterable(stale),
        f"unknown   filter {NAME}",
        f"unknown   verify {NAME}",
        *(f"unknown   evaluate {NAME} {model} {part}" for model in models for part in parts),
        *(f"unknown   aggregate {NAME} shortcuts {variant}" for variant in ("original", "counterfactual")),
        f"unknown   aggregate {NAME}",
        "unknown   aggregate site",
        "1 fresh, 2 stale, 12 unknown (jobs)",
    ]
    every = whatif("status", "--all").stdout.splitlines()
    assert every[:2] == [f"fresh     data/extract/{NAME}/{role}.parquet" for role in ("flowers", "rejections")]
    assert f"unknown   metrics/{NAME}/table7.md" in every
    assert every[-1] == "1 fresh, 2 stale, 12 unknown (jobs)"
    assert whatif("status", "--check").exit_code == 1


def test_status_of_a_fresh_project_is_one_line(finished_folder: Path) -> None:
    assert whatif("status").stdout == "15 fresh (jobs)\n"
    assert whatif("status", "--all").stdout.count("\n") > 40


def test_status_names_only_the_missing_files_of_a_job_that_has_others(changed: Path) -> None:
    path = f"data/generate/{NAME}/puzzles/part-000-of-002.parquet"
    Path(path).unlink()
    shutil.rmtree(f"data/verify/{NAME}")
    lines = whatif("status").stdout.splitlines()
    assert [line.strip() for line in lines if "missing" in line] == [
        f"missing   generate {NAME} part-000-of-002",
        f"{path} is missing",
        f"missing   verify {NAME}",
        "1 fresh, 1 stale, 11 unknown, 2 missing (jobs)",
    ]


def test_show_prints_rows_and_parameters_of_an_artifact(finished_folder: Path) -> None:
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


def test_show_says_of_pictures_how_large_they_are(finished_folder: Path) -> None:
    path = Path(f"data/generate/{NAME}/images/part-001-of-002.parquet")
    size = len(ImageStore([path]).encoded(_image_ids(finished_folder)[-1]))
    result = whatif("show", path, "--rows", "100")
    assert result.exit_code == 0
    assert f"  image: {{bytes: {size:,} bytes, path: None}}" in result.stdout.splitlines()


def _image_ids(project: Path) -> list[str]:
    """The picture of each pair of a project, in order of the pairs."""
    questions = artifacts.read(project / f"data/verify/{NAME}/questions.parquet", QUESTIONS).to_pylist()
    return [row["image_ids"][0] for row in questions[::2]]


@pytest.mark.parametrize(("pairs", "shown"), [("12", range(12)), ("2", [3, 9])])
def test_show_writes_a_contact_sheet_of_pairs_from_the_whole_set(
    finished_folder: Path, tmp_path: Path, pairs: str, shown: list[int]
) -> None:
    result = whatif("show", NAME, "--picture", tmp_path / "out.png", "--pairs", pairs)
    assert (result.exit_code, result.stdout) == (0, f"{tmp_path / 'out.png'}: {pairs} pairs of {NAME}\n")
    data = (tmp_path / "out.png").read_bytes()
    Image.open(io.BytesIO(data)).verify()
    sheet = np.asarray(Image.open(io.BytesIO(data)))
    store = ImageStore(sorted(Path(f"data/generate/{NAME}/images").iterdir()))
    ids = _image_ids(finished_folder)
    columns = min(3, len(shown))
    width, height = sheet.shape[1] // columns, sheet.shape[0] // -(-len(shown) // columns)
    for place, pair in enumerate(shown):
        panel = sheet[place // columns * height :, place % columns * width :][:height, :width]
        picture = np.asarray(store.get(ids[pair]))
        top, left = np.argwhere((panel != 255).any(axis=2))[0] + 1  # within a frame of one pixel
        assert np.array_equal(panel[top : top + 192, left : left + 192], picture), pair
        assert (panel[top + 192 + 10 :] < 128).any(), "its question stands below"


def test_gc_knows_sizes_and_deletes_down_to_them(unmade_folder: Path) -> None:
    folder = unmade_folder
    message = refused(whatif("gc", "--keep", "nonsense"))
    assert message == "--keep nonsense: is not a size; give a number with a unit, for example 500M or 10G"
    assert refused(whatif("gc", "--keep", "-1G")).startswith("--keep -1G: is not a size")
    stashed = folder / ".whatif/stash/0123/rows.parquet"
    stashed.parent.mkdir(parents=True)
    stashed.write_bytes(bytes(3_000_000))
    assert whatif("gc", "--keep", "3M").stdout == "deleted 0.0 MB, 3.0 MB remain in the stash\n"
    assert stashed.exists()
    assert whatif("gc", "--keep", "2.9M").stdout == "deleted 3.0 MB, 0.0 MB remain in the stash\n"
    assert not stashed.exists()


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


@pytest.mark.process
def test_ctrl_c_is_one_line(folder: Path) -> None:
    waits = "lambda *_: (print('waits', flush=True), threading.Event().wait())"
    lines = (
        "import threading; from whatif import benchmarks; from whatif.commands import cli; "
        f"benchmarks.load_params = {waits}; cli.main(['status'])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", lines], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None and running.stdout.readline() == "waits\n"
        running.send_signal(signal.SIGINT)
        _, said = running.communicate()
    assert (said, running.returncode) == ("whatif: interrupted\n", 130)
