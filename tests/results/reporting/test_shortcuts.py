"""The table of the shortcut audit: a text for each rule, and notes that fit the rules."""

from __future__ import annotations

from tests.frames import check, printed
from whatif.results.reporting.shortcuts import ORDER, shortcuts
from whatif.scoring.shortcuts.audit import ALL_RULES, Shortcut


def test_every_rule_of_the_audit_is_in_the_order() -> None:
    assert ORDER[: len(ALL_RULES)] == ALL_RULES


def test_rules_about_captions_have_their_own_note() -> None:
    found = [
        Shortcut("letter", "C2E text", "A", 6, 20),
        Shortcut("overlap", "C2E text", "most words in common", 9, 18),
        Shortcut("options", "C2E text", "", 5, 20),
    ]
    table = shortcuts({"ours": found})
    check(table)
    lines = printed(table)
    assert [line["Shortcut"] for line in lines] == [
        "always the letter A",
        "the option with the most words in common with the captions",
        "linear model of the options alone",
    ]
    assert lines[1]["Correct"].startswith("50.0 (")
    assert "linear model sees neither question nor captions" in table.views[0].note


def test_the_other_notes_stay() -> None:
    plain = shortcuts({"ours": [Shortcut("letter", "original", "A", 6, 20)]}).views[0].note
    further = shortcuts({"ours": [Shortcut("words", "original", "", 6, 20)]}).views[0].note
    assert further.startswith(plain) and "linear model sees the words of question" in further
