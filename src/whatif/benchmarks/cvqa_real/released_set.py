"""The released C-VQA-Real, whose numbers stand beside those of questions from another source."""

from __future__ import annotations

from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.formats.c_vqa import read_released


def released_set(path: str) -> list[dict[str, Any]]:
    """The questions of the released CSV, as rows of the table `questions` without images.

    Raises WhatifError as `read_released`, and for the released C-VQA-Synthetic, which has options.
    """
    questions = read_released(user_path(path))
    if any(question["choices"] for question in questions):
        raise WhatifError(
            f"{path}: holds multiple-choice questions; aggregate.cvqa-real.released_questions is the path of "
            "C-VQA-Real_questions.csv, which has open ones"
        )
    return questions
