"""How much of the work for some questions a checkpoint has done: questions differ in length by a factor of hundreds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from whatif.models import Question

# In the time for a character of a prompt: an image is hundreds of tokens, and a step that adds a token to each response
# of a batch takes as long as reading some forty tokens.
_IMAGE = 2000
_STEP = 160


@dataclass
class Work:
    """The work for questions: a rough measure of the time that they take.

    Of open questions, `rows` are answered at once with up to `limit` new tokens each. `looks` tells whether the
    checkpoint gets the images. For prompts of 10 to 2,000 tokens, a tiny checkpoint's time for a batch is linear in
    their length, with a part for the new tokens.
    """

    rows: int
    limit: int
    looks: bool
    _total: float = 0
    _done: float = 0

    def begin(self, questions: Iterable[Question]) -> None:
        """Nothing of the work for `questions` is done yet, and there is no other."""
        self._total, self._done = sum(map(self._of, questions)), 0

    def add(self, questions: Iterable[Question]) -> None:
        """These questions are answered."""
        self._done += sum(map(self._of, questions))

    @property
    def share(self) -> float | None:
        """How much of the work is done, from 0 to 1; None before it has begun."""
        return self._done / self._total if self._total else None

    def _of(self, question: Question) -> float:
        read = length(question) + sum(map(len, question.options))
        read += _IMAGE * len(question.image_ids) if self.looks else 0
        steps = 0 if question.options else max(self.limit, question.max_new_tokens or 0)
        return read + _STEP * steps / self.rows


def length(question: Question) -> int:
    """The number of characters of a conversation, by which prompts of similar length are found."""
    return sum(len(message.text) for message in question.messages)
