"""Codes of answers, equal where two say the same: of options, of right answers, and of open answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.language.wording import one_line, plain
from whatif.scoring.extraction.answer import normalise

Codes = npt.NDArray[np.int32]
NO_ANSWER = -1
Known = dict[str, int]


@dataclass(frozen=True, eq=False)
class AnswerCodes:
    """The codes of answers to some questions, one entry for each.

    options: codes of the options (questions x options), `NO_ANSWER` in the place of those that a question does not
    have. right: the code of the right answer to an open question, `NO_ANSWER` for one with options. is_boolean: whether
    it is open and answered by yes or no. known: the code of each answer in its normal form.
    """

    options: Codes
    right: Codes
    is_boolean: npt.NDArray[np.bool_]
    known: Known

    @classmethod
    def of(cls, asked: pa.Table, alike: Codes) -> AnswerCodes:
        """`asked` has a row of `questions` for each kind of them, and `alike` the place of each question's row."""
        known: Known = {}
        options = option_codes(asked["choices"], known)
        is_open = np.asarray(pc.fill_null(pc.list_value_length(asked["choices"]), 0)) == 0
        right = open_codes(asked["answer"], asked["answer_kind"], known)
        right[~is_open] = NO_ANSWER
        is_boolean = is_open & np.asarray(pc.equal(asked["answer_kind"], "boolean"))
        return cls(options[alike], right[alike], is_boolean[alike], known)


def option_codes(choices: pa.ChunkedArray | pa.Array, known: Known | None = None) -> Codes:
    """Codes of the options of each question (questions x options), equal where two texts say the same.

    `choices` is a column of lists of texts. A question with fewer options has `NO_ANSWER` in the place of the others.
    """
    lists = pa.concat_arrays(choices.chunks) if isinstance(choices, pa.ChunkedArray) else choices
    sizes = np.asarray(pc.fill_null(pc.list_value_length(lists), 0), dtype=np.int64)
    found: Codes = np.full((len(lists), int(sizes.max(initial=0))), NO_ANSWER, dtype=np.int32)
    encoded = pc.list_flatten(lists).dictionary_encode()
    codes = {} if known is None else known
    of_text = [codes.setdefault(meaning(text), len(codes)) for text in encoded.dictionary.to_pylist()]
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    question = np.repeat(np.arange(len(lists)), sizes)
    flat = np.array(of_text, dtype=np.int32)[encoded.indices.to_numpy()] if len(encoded) else np.zeros(0, np.int32)
    found[question, np.arange(len(flat)) - first] = flat
    return found


def open_codes(answers: pa.ChunkedArray, kinds: pa.ChunkedArray, known: Known) -> Codes:
    """Codes of open answers in the normal form of their kind; `NO_ANSWER` where there is none."""
    both = pc.binary_join_element_wise(kinds, answers.cast(pa.string()), "\n").combine_chunks().dictionary_encode()
    texts = [
        normalise(answer, kind) for kind, _, answer in (one.partition("\n") for one in both.dictionary.to_pylist())
    ]
    codes = np.array([*(known.setdefault(text, len(known)) for text in texts), NO_ANSWER], dtype=np.int32)
    return codes[np.asarray(pc.fill_null(both.indices, len(texts)), dtype=np.int64)]


def meaning(text: str) -> str:
    """The form of a text in which answers are compared: `Three`, `three` and `3` are the same."""
    return plain(text) or one_line(text)
