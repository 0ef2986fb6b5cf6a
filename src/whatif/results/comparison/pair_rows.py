"""The rows of matching and retrieval: choices of a pair, and queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from whatif.results.comparison.columns import plain, read
from whatif.results.comparison.evaluations import Evaluation
from whatif.results.comparison.row_types import PICTURES, Labelled, Rows, Texts, codes, labelled

_RECALL_AT = (1, 5)
_CHOICES = (  # variant, group, the correct score and the other one (`whatif.scoring.match`)
    ("image choice", "original", "caption_0_image_0", "caption_0_image_1"),
    ("image choice", "counterfactual", "caption_1_image_1", "caption_1_image_0"),
    ("caption choice", "original", "caption_0_image_0", "caption_1_image_0"),
    ("caption choice", "counterfactual", "caption_1_image_1", "caption_0_image_1"),
)
_CAPTIONS, _IMAGE_IDS = ("caption_0", "caption_1"), ("image_id_0", "image_id_1")  # of the table `pairs`
_SEPARATOR = "\x1d"


@dataclass(frozen=True, eq=False)
class PairTexts:
    """The captions and the images of each row's pair."""

    keys: pa.Array
    captions: pa.Array
    images: pa.Array

    def texts(self, names: Sequence[str]) -> pa.Array:
        """The images for `PICTURES`, otherwise the captions and what else was asked."""
        return self.images if names == PICTURES else self.captions

    def shown(self, place: int) -> tuple[str, tuple[str, ...]]:
        """Both captions of a row's pair as one text, and the ids of its images."""
        captions = self.captions[place].as_py().split(_SEPARATOR)[: len(_CAPTIONS)]
        return " / ".join(captions), tuple(self.images[place].as_py().split(_SEPARATOR))

    def same(self, other: Texts, names: Sequence[str]) -> bool:
        """Whether both have the same rows in the same order."""
        if not isinstance(other, PairTexts):
            return False
        return bool(self.keys.equals(other.keys) and self.texts(names).equals(other.texts(names)))


def rows_of_matches(evaluation: Evaluation) -> Rows:
    """Four rows for each pair: of both captions the choice of an image, of both images that of a caption."""
    pairs = _joined(read(path, ["pair_id"]) for path in evaluation.paths)["pair_id"]
    number = len(pairs)
    keys = [pc.binary_join_element_wise(pairs, f"{variant}, {group}", " ") for variant, group, *_ in _CHOICES]
    names = ("caption choice", "image choice")
    groups = ("original", "counterfactual")
    every = pa.concat_arrays(keys)
    return Rows(
        keys=every,
        variant=Labelled(np.repeat([names.index(one[0]) for one in _CHOICES], number), names),
        group=Labelled(np.repeat([groups.index(one[1]) for one in _CHOICES], number), groups),
        clusters=np.tile(codes(pairs), len(_CHOICES)),
        questions=_texts(evaluation, every, pa.concat_arrays([pairs] * len(_CHOICES))),
    )


def right_matches(evaluation: Evaluation) -> npt.NDArray[np.bool_]:
    """Whether each choice is right, in the order of the rows. A tie and a missing score are not."""
    names = sorted({name for _, _, *scores in _CHOICES for name in scores})
    table = pa.concat_tables([read(path, names) for path in evaluation.paths])
    scores = {name: table[name].to_numpy() for name in names}  # a missing score is NaN, and greater than none
    return np.concatenate([scores[right] > scores[other] for *_, right, other in _CHOICES])


def rows_of_ranks(evaluation: Evaluation) -> Rows:
    """A row for each query and each k of recall@k. What was asked includes the number of candidates."""
    names = ["subset", "direction", "query_id", "candidates"]
    table = _joined(read(path, names) for path in evaluation.paths)
    subset, direction, query = (table[name] for name in names[:3])
    asked = [pc.binary_join_element_wise(subset, direction, f"recall@{k}", ", ") for k in _RECALL_AT]
    keys = [pc.binary_join_element_wise(query, measure, " ") for measure in asked]
    # The queries of a pair are "<pair_id>-<side>".
    pairs = pc.replace_substring_regex(query, r"-(0|1|original|counterfactual)$", "")
    every = pa.concat_arrays(keys)
    candidates = pa.concat_arrays([table["candidates"].cast(pa.string())] * len(_RECALL_AT))
    return Rows(
        keys=every,
        variant=labelled(pa.concat_arrays(asked)),
        group=labelled(pa.concat_arrays([subset] * len(_RECALL_AT))),
        clusters=np.tile(codes(pairs), len(_RECALL_AT)),
        questions=_texts(evaluation, every, pa.concat_arrays([pairs] * len(_RECALL_AT)), candidates),
    )


def right_ranks(evaluation: Evaluation) -> npt.NDArray[np.bool_]:
    """Whether each query finds what it asks for among the first k, in the order of the rows."""
    ranks = [read(path, ["rank"])["rank"].fill_null(2**31 - 1).to_numpy() for path in evaluation.paths]
    return np.concatenate([np.concatenate(ranks) <= k for k in _RECALL_AT])


def _texts(evaluation: Evaluation, keys: pa.Array, pairs: pa.Array, more: pa.Array | None = None) -> PairTexts | None:
    """The captions (and `more`) and images of the pairs of rows; None if no input has all of these pairs."""
    paths = evaluation.inputs("pairs")
    if not paths:
        return None
    table = _joined(read(path, ["pair_id", *_CAPTIONS, *_IMAGE_IDS]) for path in paths)
    places = pc.index_in(pairs, value_set=table["pair_id"])
    if places.null_count:
        return None
    chosen = pa.array(plain(places).astype(np.int64))
    captions, images = (
        pc.binary_join_element_wise(*(table[name] for name in names), _SEPARATOR).take(chosen)
        for names in (_CAPTIONS, _IMAGE_IDS)
    )
    if more is not None:
        captions = pc.binary_join_element_wise(captions, more, _SEPARATOR)
    return PairTexts(keys, captions, images)


def _joined(tables: Iterable[pa.Table]) -> dict[str, pa.Array]:
    """The columns of some tables, each as one array."""
    table = pa.concat_tables(list(tables)).combine_chunks()
    return {name: _one(table[name]) for name in table.column_names}


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.array([], column.type)
