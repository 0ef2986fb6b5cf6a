"""What `whatif diff` prints: 100 columns, the most important first, nothing that controls a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.results.comparison.made_up import Asked, asked, between, compared, write_run
from whatif.results.comparison.flips import GAINED, LOST, flips_of
from whatif.results.comparison.machine_readable import to_json
from whatif.results.comparison.text import WIDTH, lines_of

pytestmark = pytest.mark.slow

PAIRS = 30
HOSTILE = "\x1b[2J\x1b]0;title\x07\u202e</script><b>\n\ufffd"


def outcomes(seed: int, share: float) -> list[bool]:
    return (np.random.default_rng(seed).random(2 * PAIRS) < share).tolist()


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs of twenty models, whose names and questions are long and hostile."""
    names = [f"a-model-whose-key-is-very-long-indeed-and-then-some-{number:02d}" for number in range(20)]
    head = "model,source,measure,value,low,high,n\n"
    for run, shift in (("a", 0), ("b", 100)):
        write_run(
            tmp_path / run,
            [*asked(PAIRS, text=HOSTILE)],
            {name: outcomes(number + shift, 0.5 + shift * number / 4000) for number, name in enumerate(names)},
            parameters={"seed": shift, "text": HOSTILE + str(shift)},
            settings="a-strategy-with-a-long-name",
            table=head + "".join(f"{name},ours,\x1b[31m,{shift + n}.5,,,\n" for n, name in enumerate(names)),
        )
    return tmp_path / "a", tmp_path / "b"


@pytest.mark.parametrize("every", [False, True])
def test_lines_fit_and_are_limited_unless_all_are_asked_for(runs: tuple[Path, Path], every: bool) -> None:
    found = compared(*runs)
    lines = list(lines_of(found, every=every, flips=list(flips_of(found.compared))))
    assert max(map(len, lines)) <= WIDTH
    assert all(line.isprintable() for line in lines)
    short = list(lines_of(found, every=every))
    assert len(short) > 60 if every else len(short) < 60
    assert any(line.strip() == "and 28 more comparisons: --all" for line in short) is not every


def test_the_most_certain_difference_comes_first_and_numbers_are_percentages(tmp_path: Path) -> None:
    first = {"large": [True] * 60, "small": [True] * 60}
    second = {"large": [False, True] * 30, "small": [False] * 2 + [True] * 58}
    lines = list(lines_of(between(tmp_path, asked(30), first, second)))
    places = [next(n for n, line in enumerate(lines) if line.strip().startswith(name)) for name in ("large", "small")]
    assert places == sorted(places)
    cells = lines[places[0]].split()
    assert cells[:7] == ["large", "plain", "original", "30", "100.0", "0.0", "-100.0"]
    assert cells[-3:] == ["<0.001", "30", "0"]
    assert "1 of 3 comparisons with a flip differ (Holm, 5%); 1 without a flip" in " ".join(lines)


def test_flipped_items_have_their_question_and_both_answers(tmp_path: Path) -> None:
    questions = [Asked(pair, text=f"How many in {pair}?") for pair in range(3)]
    found = between(tmp_path, questions, {"one": [True, False, True]}, {"one": [False, True, True]})
    first, second = flips_of(found.compared)
    assert (first.item, first.direction, first.question) == ("pair-000-original", LOST, "How many in 0?")
    assert (first.right, first.answer_a, first.answer_b) == ("A: one", "A: one", "B: two")
    assert (second.item, second.direction) == ("pair-001-original", GAINED)
    text = "\n".join(lines_of(found, flips=[first, second]))
    assert "right -> wrong  pair-000-original  (toys one plain original)" in text
    assert "right: A: one   A: A: one   B: B: two" in text


FIELDS = {
    "": {
        "a", "b", "comparisons", "confidence", "not_compared", "nothing_changed", "only_in_a", "only_in_b", "origins",
        "questions", "same_evaluations", "significant", "tables", "tables_only_in_a", "tables_only_in_b", "version",
    },
    "comparisons": {
        "a", "b", "clusters", "difference", "gained", "group", "high", "lost", "low", "n", "p", "p_holm", "right_a",
        "right_b", "variant",
    },
    "tables": {"added", "changed", "name", "numbers", "removed"},
    "origins": {"artifacts", "example", "kind", "text"},
}  # fmt: skip


def test_json_has_the_documented_fields_sorted(runs: tuple[Path, Path]) -> None:
    found = compared(*runs)
    text = to_json(found)
    values = json.loads(text)
    assert text == json.dumps(values, indent=2, sort_keys=True)
    assert set(values) == FIELDS[""]
    for name in ("comparisons", "tables", "origins"):
        assert {field for one in values[name] for field in one} == FIELDS[name]
    assert len(values["comparisons"]) == 40
    page = (Path(__file__).parents[3] / "docs/diff.md").read_text(encoding="utf-8")
    assert all(f"`{field}`" in page for fields in FIELDS.values() for field in fields)
    flips = list(flips_of(found.compared))
    assert len(json.loads(to_json(found, flips))["flips"]) == sum(one.flips for one in found.comparisons)
