"""The wordings: every language has what is asked in it, and nothing names an option before the options."""

from __future__ import annotations

import pytest

from whatif.benchmarks.mucr.question_rows import Wording, what_is_shown, wording
from whatif.benchmarks.mucr.schemas import METRICS, SCORES, VISUAL_FORMS
from whatif.engine.errors import WhatifError

CAPTIONS = {"cause": "A cat {jumps}.", "effect": "The lamp falls."}


def test_english_has_a_wording_for_everything_that_is_asked() -> None:
    english = wording("en")
    for metric in SCORES:
        text = english.as_text(metric, CAPTIONS)
        assert "A cat {jumps}." in text and ("The lamp falls." in text) == (metric != "C2E")
        hints = dict.fromkeys(("cause", "effect", *"ABCD"), "something")
        assert english.with_images(metric, "composite", hints).count("something") == (5 if metric == "C2E" else 2)
    for metric in METRICS:
        texts = {english.with_images(metric, form, None) for form in VISUAL_FORMS}
        assert len(texts) == len(VISUAL_FORMS) and not any("{" in text for text in texts)
    assert english.option.format(letter="C") == "Image C"


def test_chinese_has_a_wording_for_c2e_as_text_and_on_a_composite() -> None:
    chinese = wording("zh")
    assert "A cat {jumps}." in chinese.as_text("C2E", CAPTIONS) and "原因" in chinese.as_text("C2E", CAPTIONS)
    asked = chinese.with_images("C2E", "composite", None)
    assert all(label in asked for label in ("Cause", "A", "B", "C", "D")) and "结果" in asked
    assert chinese.option.format(letter="B") == "图 B"
    with pytest.raises(WhatifError, match=r"questions: text.CP: has no wording; add it to the file of the language"):
        chinese.as_text("CP", CAPTIONS)


def test_cue_phrases_and_explanations_are_about_one_effect() -> None:
    assert [what_is_shown(metric) for metric in METRICS] == ["four_effects", "one_effect", "one_effect", "four_effects"]


def test_a_file_with_another_entry_is_refused() -> None:
    with pytest.raises(ValueError, match="extra"):
        Wording.model_validate({**wording("en").model_dump(), "more": "text"})
