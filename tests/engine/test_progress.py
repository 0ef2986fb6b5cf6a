"""Progress of long work: a line a minute in a log file, one bar on a terminal."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable

import pytest

from whatif.engine.progress import progress


class Terminal(io.StringIO):
    """What a terminal is shown."""

    def isatty(self) -> bool:
        return True


def clock(step: float) -> Callable[[], float]:
    """Tells a time that is `step` seconds later whenever it is asked."""
    times = iter(range(10**9))
    return lambda: next(times) * step


def lines_of(capsys: pytest.CaptureFixture[str]) -> list[str]:
    said = capsys.readouterr().err
    assert "\r" not in said and (not said or said.endswith("\n"))
    return said.splitlines()


@pytest.mark.parametrize(("step", "lines"), [(0.001, 0), (0.01, 1), (0.5, 3), (1.0, 6), (59.9, 175), (60.0, 349)])
def test_a_log_file_gets_at_most_a_line_a_minute_and_one_at_the_end(
    capsys: pytest.CaptureFixture[str], step: float, lines: int
) -> None:
    assert list(progress(range(349), 349, "gpt-4o", "question", clock=clock(step))) == list(range(349))
    said = lines_of(capsys)
    assert len(said) == lines
    assert all(re.fullmatch(r"gpt-4o: \d+ of 349 questions in [\d:]+, [\d:]+ left", line) for line in said)
    assert all(line.startswith("gpt-4o: 349 of 349 questions in ") for line in said[-1:])


def test_each_line_has_the_note_of_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    asked = iter(range(9))
    list(progress(range(5), 5, "m", "question", note=lambda: f"{next(asked)} tokens", clock=clock(40)))
    assert [line.rpartition(", ")[2] for line in lines_of(capsys)] == ["0 tokens", "1 tokens", "2 tokens"]


def test_short_work_leaves_a_line_only_when_there_is_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    list(progress(range(3), 3, "m", "question", clock=clock(0.01)))
    assert lines_of(capsys) == []
    list(progress(range(3), 3, "m", "question", note=lambda: "12 tokens", clock=clock(0.01)))
    assert lines_of(capsys) == ["m: 3 of 3 questions in 00:00, 00:00 left, 12 tokens"]
    list(progress([], 0, "m", "question", note=lambda: "12 tokens", clock=clock(100)))
    assert lines_of(capsys) == []


def test_the_time_left_is_that_of_the_work_left_if_its_share_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    shares = iter([None, 0.0, 0.25, 0.75, 1.0])
    list(progress(range(5), 5, "m", "question", share=lambda: next(shares), clock=clock(60)))
    assert lines_of(capsys) == [
        "m: 1 of 5 questions in 01:00, 04:00 left",
        "m: 2 of 5 questions in 02:00, 03:00 left",
        "m: 3 of 5 questions in 03:00, 09:00 left",
        "m: 4 of 5 questions in 04:00, 01:20 left",
        "m: 5 of 5 questions in 06:00, 00:00 left",
    ]


def test_work_that_breaks_off_says_how_far_it_came(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError):
        for item in progress(range(9), 9, "part-000-of-004", "puzzle", clock=clock(2)):
            if item == 3:
                raise RuntimeError
    assert lines_of(capsys) == ["part-000-of-004: 3 of 9 puzzles in 00:08, 00:16 left"]


def test_a_terminal_gets_one_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    shown = progress(range(50), 50, "gpt-4o", "question", note=lambda: "12 tokens", share=lambda: 0.5)
    assert list(shown) == list(range(50))
    said = terminal.getvalue()
    assert said.count("\n") == 1 and said.endswith("\n")
    assert said.rpartition("\r")[2].startswith("gpt-4o: 100%") and "50/50" in said and "12 tokens" in said
