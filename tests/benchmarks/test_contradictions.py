"""The claims of all benchmarks: what is known not to add up is found, and what is known to add up is not."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import whatif
from whatif.benchmarks import contradictions
from whatif.benchmarks.discovery import modules
from whatif.engine.errors import WhatifError
from whatif.engine.language.human_words import HUMAN_WORDS
from whatif.results.contradictions import CANNOT_BE_CHECKED, DOES_NOT_HOLD, HOLDS, VERDICTS, WITHIN_ROUNDING
from whatif.results.contradictions.rows import COLUMNS, Row, by_verdict

REAL, SYNTHETIC, CFMM, MUCR = "cvqa-real", "cvqa-synthetic", "cfmm", "mucr"
PAIRS, TRAINING = "coco-counterfactuals", "coco-counterfactuals-training"
FILES = {
    name: f"benchmarks/{name.replace('-', '_')}/published/claims.yaml"
    for name in (REAL, SYNTHETIC, CFMM, MUCR, PAIRS, TRAINING)
}
# What reading the papers by hand found, by our own ids: the benchmark, a part of the place, the verdict, and how many
# claims there are of it. C, F, M and K stand for the four papers.
KNOWN = [
    ("C1", REAL, "largest drop, Table 3, end-to-end", HOLDS, 1),
    ("C1", REAL, "largest drop, Table 3, all", DOES_NOT_HOLD, 1),
    ("C1", REAL, "largest drop, Table 4", DOES_NOT_HOLD, 1),
    ("C1", REAL, "largest drop as a relative change", DOES_NOT_HOLD, 1),
    ("C2", REAL, "Table 3: LLaVA-7B (Vicuna-7B), numerical direct", DOES_NOT_HOLD, 1),
    ("C2", REAL, "Table 3: LLaVA-13B (Vicuna-13B), numerical direct", DOES_NOT_HOLD, 1),
    ("C2", REAL, "Table 3: VisProg, numerical direct", DOES_NOT_HOLD, 1),
    ("C2", REAL, "Table 6: WizardCoder-Python-7B, boolean", DOES_NOT_HOLD, 1),
    ("C3", REAL, "Section 4.1: VisProg, numerical indirect", DOES_NOT_HOLD, 1),
    ("C3", REAL, "Section 4.1: VisProg, boolean", HOLDS, 1),
    ("C3", REAL, "Section 4.1: ViperGPT, boolean", HOLDS, 1),
    ("C4", REAL, "Finding 1: ViperGPT, numerical indirect", DOES_NOT_HOLD, 1),
    ("C5", REAL, "Section 4.1: CogVLM-Chat", DOES_NOT_HOLD, 2),
    ("C5", REAL, "Section 4.1: InstructBLIP (Vicuna-7B)", DOES_NOT_HOLD, 2),
    ("C5", REAL, "Section 4.1: InstructBLIP (FlanT5 XXL)", DOES_NOT_HOLD, 2),
    ("C6", REAL, "Table 4: LLaVA-1.5-13B", DOES_NOT_HOLD, 3),
    ("C7", REAL, "WizardCoder, numerical direct, counterfactual", DOES_NOT_HOLD, 1),
    ("C7", REAL, "Table 6: CodeLlama-7B-Instruct, numerical indirect", DOES_NOT_HOLD, 1),
    ("C7", REAL, "Table 6: CodeLlama-34B-Instruct, numerical indirect", DOES_NOT_HOLD, 1),
    ("C8", REAL, "Table 5: number of questions", WITHIN_ROUNDING, 1),
    ("C9", REAL, "Section 1: images of C-VQA-Synthetic", DOES_NOT_HOLD, 1),
    ("C11", REAL, "Supplement B.1: example 3, new answer", DOES_NOT_HOLD, 1),
    ("C13", SYNTHETIC, "Section 4.2: all systems", CANNOT_BE_CHECKED, 1),
    ("C13", SYNTHETIC, "Table 7: InstructBLIP (Vicuna-7B), original", DOES_NOT_HOLD, 1),
    ("C13", SYNTHETIC, "Table 7: InstructBLIP (Vicuna-7B), counterfactual", HOLDS, 1),
    ("F1", CFMM, "Table 2: number of images", DOES_NOT_HOLD, 1),
    ("F1", CFMM, "Table 2: Qwen-VL, 1-shot CoT, size, acc_b", DOES_NOT_HOLD, 1),
    ("F1", CFMM, "Table 2: Monkey, 0-shot, direction, acc_b", DOES_NOT_HOLD, 1),
    ("F2", CFMM, "Table 3: BLIP2, 0-shot, acc_plus", WITHIN_ROUNDING, 1),
    ("F2", CFMM, "Table 3: ", WITHIN_ROUNDING, 15),
    ("F2", CFMM, "Table 3: ", HOLDS, 48),
    ("F3", CFMM, "Section 4.1: LLaVA, count, acc_c", DOES_NOT_HOLD, 1),
    ("F4", CFMM, "Observation 1: mean drop", DOES_NOT_HOLD, 2),
    ("F5", CFMM, "0-shot, count", DOES_NOT_HOLD, 2),
    ("F5", CFMM, "Observation 2: InfMLLM, 0-shot, color", HOLDS, 1),
    ("F6", CFMM, "0-shot, acc_c", DOES_NOT_HOLD, 7),
    ("F7", CFMM, "Observation 3: Qwen-VL, acc_c", HOLDS, 1),
    ("F7", CFMM, "Observation 3: Qwen-VL, acc_plus", DOES_NOT_HOLD, 1),
    ("F8", CFMM, "Section 4.1: InfMLLM, 0-shot, acc_c", HOLDS, 1),
    ("F8", CFMM, "Section 4.1: InfMLLM, 1-shot ICL, acc_c", DOES_NOT_HOLD, 1),
    ("F9", CFMM, "Observation 1: 0-shot", HOLDS, 1),
    ("M1", MUCR, "Table 1: Gemini-1.5, multimodal, EXP", DOES_NOT_HOLD, 1),
    ("M2", MUCR, "Section 4.2: GPT-o1, text, CP", DOES_NOT_HOLD, 1),
    ("M2", MUCR, "Section 4.2: GPT-o1, multimodal, C2E", DOES_NOT_HOLD, 1),
    ("M3", MUCR, "Tables: number of items", DOES_NOT_HOLD, 1),
    ("M3", MUCR, "people, mean of ten attempts", DOES_NOT_HOLD, 1),
    ("M4", MUCR, "Table 6: GPT-o1, C2E", HOLDS, 1),
    ("M4", MUCR, "Table 6: Human, ", HOLDS, 9),
    ("M5", MUCR, "Table 3: EXP, mmcot", DOES_NOT_HOLD, 1),
    ("M6", MUCR, "LLaVA-NeXT, multimodal, CP", DOES_NOT_HOLD, 1),
    ("M7", MUCR, "Section 7, Table 4: ", DOES_NOT_HOLD, 4),
    ("M7", MUCR, "Section 7, Table 4: ", HOLDS, 5),
    ("M8", MUCR, "C2E, Form-3", CANNOT_BE_CHECKED, 2),
    ("M11", MUCR, "B.1, Table 7: DeepSeek-R1", HOLDS, 3),
    ("K1", TRAINING, "A.1: Flava, gain over pretrained", DOES_NOT_HOLD, 1),
    ("K1", TRAINING, "A.1: mean relative gain", DOES_NOT_HOLD, 1),
    ("K2", TRAINING, "Table 6: CIFAR100, medium", DOES_NOT_HOLD, 1),
    ("K2", TRAINING, "Table 6: Food101, all", DOES_NOT_HOLD, 1),
    ("K3", TRAINING, "Table 4: all, mean", DOES_NOT_HOLD, 1),
    ("K4", PAIRS, "A.3.2: error rate", DOES_NOT_HOLD, 2),
    ("K5", TRAINING, "Table 11: text retrieval, recall@1", DOES_NOT_HOLD, 1),
    ("K5", TRAINING, "Table 11: image retrieval, recall@1", DOES_NOT_HOLD, 1),
    ("K5", TRAINING, "A.4, Table 11: mean", HOLDS, 1),
    ("K6", PAIRS, "A.5: counterfactual training samples", DOES_NOT_HOLD, 1),
    ("K6", TRAINING, "Table 12: base, counterfactual samples", HOLDS, 1),
    ("K6", TRAINING, "Table 12: all, counterfactual samples", HOLDS, 1),
    ("K7", TRAINING, "Table 3: medium, training samples", HOLDS, 1),
    ("K8", PAIRS, "labels in disagreement", CANNOT_BE_CHECKED, 1),
    ("K9", PAIRS, "Table 13: Clip, COCO-CFs, text-retrieval, recall@1", DOES_NOT_HOLD, 1),
    ("K10", TRAINING, "A.5, Table 12: base", DOES_NOT_HOLD, 1),
    ("K11", PAIRS, "B.3.1: base, pairs", HOLDS, 1),
    ("K13", TRAINING, "A.1, Table 5: ", HOLDS, 18),
]
# About wording, missing definitions and missing prompts: nothing to recompute.
NOT_ABOUT_NUMBERS = {"C10", "C12", "F10", "F11", "M9", "M10", "K12"}
# Known to hold although they were noted.
HOLD = {"F2", "F9", "K7", "K11", "K13", "M4", "M11"}


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return contradictions.rows()


def matching(rows: list[Row], benchmark: str, place: str, verdict: str | None = None) -> list[Row]:
    return [row for row in rows if row.benchmark == benchmark and place in row.place and verdict in (None, row.verdict)]


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: " ".join(known[:3]))
def test_what_is_known_is_found(rows: list[Row], known: tuple[str, str, str, str, int]) -> None:
    name, benchmark, place, verdict, number = known
    found = [row for row in matching(rows, benchmark, place, verdict) if name != "F6" or "Section 4.1" in row.place]
    assert len(found) == number, [(row.place, row.verdict) for row in matching(rows, benchmark, place)]


def test_the_list_has_all_that_are_known() -> None:
    papers = {"C": 13, "F": 11, "M": 11, "K": 13}
    everything = {f"{letter}{number}" for letter, most in papers.items() for number in range(1, most + 1)}
    assert {name for name, *_ in KNOWN} | NOT_ABOUT_NUMBERS == everything
    found = {name for name, _, _, verdict, _ in KNOWN if verdict == DOES_NOT_HOLD}
    assert not found & (HOLD | NOT_ABOUT_NUMBERS)
    # C8: 327 questions are 10.4%, which is printed as 10%. K8: the fourth share is not printed. M8: it states no limit.
    assert everything - found - HOLD - NOT_ABOUT_NUMBERS == {"C8", "K8", "M8"}


def test_the_human_error_rate_is_of_images_and_below_that_of_all(rows: list[Row]) -> None:
    """A.3.2: 4,117 are pairs, and 1,864 are wrong images of them."""
    share, by_image = matching(rows, PAIRS, "A.3.2: error rate")
    assert share.low == pytest.approx(100 * 1864 / 4117) and share.reported == "44.3"
    assert by_image.low == pytest.approx(100 * 1864 / 8234) and by_image.low < 26.82
    assert "28.1" not in by_image.explanation and "26.82" in by_image.explanation
    [words] = matching(rows, PAIRS, "human pairs of Table 10", HOLDS)
    assert "student and women" in words.explanation


@pytest.mark.parametrize(
    ("benchmark", "place"),
    [
        (REAL, "Table 5: GPT-4V"),  # a random tenth of all questions is not a tenth of each group
        (CFMM, "Observation 3: Qwen-VL, acc_b"),  # the sentence is about counterfactual reasoning
        (MUCR, "Table 6: InstructBLIP, EXP"),  # the sentence is about Figure 5, which does not show it
        (PAIRS, "human pairs of Table 10, both words"),  # one word of the list makes a pair human
        (TRAINING, "A.2, Table 6: all"),  # the sentence is about the best mixture
    ],
)
def test_a_paper_is_not_charged_with_what_it_does_not_say(rows: list[Row], benchmark: str, place: str) -> None:
    found = [row for row in matching(rows, benchmark, place) if row.kind not in ("drop", "significance")]
    assert [row for row in found if row.verdict == DOES_NOT_HOLD] == []


@pytest.mark.parametrize(
    ("benchmark", "place", "kind", "number"),
    [
        (REAL, "Table ", "drop", 78),
        (CFMM, "Table 2: ", "bounds", 126),
        (PAIRS, "Table 1: ", "sum", 3),
        (PAIRS, "Table ", "relative change", 18),
        (TRAINING, "Table 12: ", "mean", 5),
        (TRAINING, "Table 5: ", "mean", 9),
        (MUCR, "Section 3.1: ", "product", 3),
        (MUCR, "Table 2: ", "same number", 12),
    ],
)
def test_what_is_known_to_add_up_is_not_found(
    rows: list[Row], benchmark: str, place: str, kind: str, number: int
) -> None:
    found = [row for row in matching(rows, benchmark, place) if row.kind == kind]
    assert Counter(row.verdict for row in found) == {HOLDS: number}


def test_every_number_of_a_table_is_in_a_claim_that_could_fail(rows: list[Row]) -> None:
    percentages = [row for row in rows if row.kind == "possible percentage"]
    assert Counter(row.benchmark for row in percentages)[CFMM] == 378
    assert Counter(row.benchmark for row in percentages)[MUCR] == 180


def test_rows_are_complete_and_in_the_same_order_each_time(rows: list[Row]) -> None:
    assert rows == contradictions.rows()
    assert {row.verdict for row in rows} == set(VERDICTS) and sum(by_verdict(rows).values()) == len(rows)
    for row in rows:
        assert row.place and row.kind and row.reported
        assert row.explanation[0].isupper() or row.explanation[0].isdigit()
        assert row.explanation.endswith(".") and "\n" not in row.explanation
        assert (row.low is None) == (row.high is None)
        if row.low is None:
            assert row.verdict == CANNOT_BE_CHECKED
    twice = [key for key, number in Counter((row.benchmark, row.place, row.kind) for row in rows).items() if number > 1]
    assert twice == []


def test_the_table_is_tidy() -> None:
    frame = contradictions.frame([SYNTHETIC])
    assert list(frame.columns) == list(COLUMNS) and len(frame) == 7
    assert frame["low"].dtype == "float64" and frame["low"].isna().sum() == 1


def test_a_benchmark_without_claims_is_refused_with_those_that_state_some() -> None:
    assert contradictions.with_claims() == [CFMM, PAIRS, TRAINING, REAL, SYNTHETIC, MUCR]
    with pytest.raises(WhatifError, match=r"scenes: states no .*; those that do: cfmm, .*mucr"):
        contradictions.rows(["scenes"])
    assert "scenes" in modules()


def test_the_words_of_the_human_taxonomy_are_those_that_the_benchmark_uses() -> None:
    stated = yaml.safe_load((Path(whatif.__file__).parent / FILES[PAIRS]).read_text(encoding="utf-8"))
    assert set(stated["lists"]["human"]) == HUMAN_WORDS


@pytest.mark.parametrize("name", FILES)
def test_a_file_names_nothing_that_it_does_not_use(name: str) -> None:
    text = (Path(whatif.__file__).parent / FILES[name]).read_text(encoding="utf-8")
    stated = yaml.safe_load(text)
    named = [*stated.get("numbers", ()), *stated.get("lists", ())]
    assert [one for one in named if len(re.findall(rf"(?<![\w-]){re.escape(one)}(?![\w-])", text)) < 2] == []


@pytest.fixture
def own_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The reported numbers of a benchmark in a package of its own, which is installed as `own`."""
    published = tmp_path / "own_of_ours" / "published"
    published.mkdir(parents=True)
    (published.parent / "__init__.py").write_text("")
    (published / "table1.csv").write_text("part,value,std,printed_delta,unit\none,1,,,count\ntwo,2,,,count\n")
    (published / "claims.yaml").write_text(
        "paper: Ours\nclaims:\n- {place: Table 1, kind: sum, reported: 4, what: the sum, "
        "equals: {sum: {over: {table: table1, part: '*'}}}}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for found in ("modules", "usable"):
        monkeypatch.setattr(contradictions, found, lambda: {"own": "own_of_ours", "single": "this"})
    contradictions.claims_files.cache_clear()
    yield published
    contradictions.claims_files.cache_clear()
    sys.modules.pop("own_of_ours", None)


def test_the_claims_of_another_package_are_found(own_package: Path) -> None:
    assert contradictions.with_claims() == ["own"]
    assert contradictions.claims_files() == (
        "own_of_ours:published/claims.yaml",
        "own_of_ours:published/table1.csv",
    )
    [row] = contradictions.rows()
    assert (row.benchmark, row.paper, row.explanation) == ("own", "Ours", "The sum is 3, not 4.")


def test_a_mistake_in_a_file_is_one_line_with_its_place(own_package: Path) -> None:
    file = own_package / "claims.yaml"
    file.write_text(file.read_text().replace("part:", "parts:"))
    with pytest.raises(WhatifError) as raised:
        contradictions.rows()
    assert str(raised.value) == f"{file}:3: unknown column of table1 'parts'; did you mean 'part'?"


@pytest.mark.process
def test_claims_import_no_heavy_library() -> None:
    code = (
        "import sys; from whatif.benchmarks import contradictions; "
        "import whatif.commands.contradictions, whatif.results.contradictions.claim_file; "
        "print(sorted({'pandas', 'scipy', 'torch', 'jinja2', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
