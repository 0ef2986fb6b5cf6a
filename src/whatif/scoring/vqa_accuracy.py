"""The accuracy of an answer in words to a question that several people have answered, as VQA defines it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from whatif.engine.language.wording import plain
from whatif.scoring.extraction.words import same_words, says

_AGREEING = 3  # people who must have given an answer for it to count whole
_FEWEST = 4  # answers for which leaving one out makes sense


def vqa_accuracy(answer: str, answers: Sequence[str], rule: Literal["whatif", "published"] = "whatif") -> float:
    """The accuracy from 0 to 1 of an answer, given all human answers to the question (Antol et al., 2015, section 5).

    It is the mean over all people of min(1, n / 3), where n is how many of the others gave this answer. With fewer than
    four human answers, it is 1 if one of them is given, otherwise 0.

    The rule `published` compares whole texts after normalisation (case, punctuation, articles, numbers, contractions).
    Ours also accepts another spelling or number (`grey`, `gray`; `cat`, `cats`), and a sentence that gives exactly one
    of the human answers.

    Raises ValueError when there are no human answers.
    """
    if not answers:
        raise ValueError("vqa_accuracy: there are no human answers; give at least one")
    if rule == "published":
        matches = [plain(one) == plain(answer) for one in answers]
    else:
        own, given = same_words(answer), [same_words(one) for one in answers]
        accepted = {own}.intersection(given) or {one for one in given if says(own, one)}
        matches = [one in accepted and len(accepted) == 1 for one in given]
    if len(answers) < _FEWEST:
        return float(any(matches))
    number = sum(matches)
    return sum(min(1.0, (number - own) / _AGREEING) for own in matches) / len(answers)
