"""Questions in one sequence: each sees the image and itself, and the loss equals that of separate sequences."""

from __future__ import annotations

import numpy as np

from training.packing import IGNORED, attention_mask, pack

QUESTIONS = [[([11, 12], [21, 22]), ([13], [23])], [([14, 15, 16], [24])]]


def test_labels_stand_where_the_answer_is_told() -> None:
    packed = pack(QUESTIONS, prefix=3, padding=0)
    assert packed.tokens.tolist() == [[11, 12, 21, 22, 13, 23], [14, 15, 16, 24, 0, 0]]
    assert packed.labels.tolist() == [
        [IGNORED, 21, 22, IGNORED, 23, IGNORED],
        [IGNORED, IGNORED, 24, IGNORED, IGNORED, IGNORED],
    ]
    assert packed.positions.tolist() == [[3, 4, 5, 6, 3, 4], [3, 4, 5, 6, 0, 0]]


def test_a_question_sees_the_picture_and_itself_alone() -> None:
    import torch

    packed = pack(QUESTIONS, prefix=2, padding=0)
    mask = attention_mask(packed, 2, torch.float32, torch.device("cpu"))
    allowed = (mask[:, 0] == 0).numpy()
    assert mask.shape == (2, 1, 8, 8)
    assert allowed[0, 0].tolist() == [True] + 7 * [False]  # the image does not attend to later tokens
    assert np.flatnonzero(allowed[0, 4]).tolist() == [0, 1, 2, 3, 4]  # first question
    assert np.flatnonzero(allowed[0, 7]).tolist() == [0, 1, 6, 7]  # second question: nothing of the first
    assert allowed.any(axis=2).all()  # otherwise the padding would give NaN
