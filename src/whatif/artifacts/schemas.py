"""The shared tables: columns, key and version of everything that stages pass on."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import pyarrow as pa


@dataclass(frozen=True)
class Table:
    """A kind of artifact.

    Raise `version` when a column is added, removed or changes its meaning; artifacts of other versions are refused.
    `row_group_rows` limits the rows that a reader or writer holds at once; it is small for tables with images.
    """

    name: str
    version: int
    key: tuple[str, ...]
    schema: pa.Schema
    row_group_rows: int = 16_384

    @property
    def label(self) -> str:
        """Name and version as written in the footer, for example `questions/1`."""
        return f"{self.name}/{self.version}"

    @property
    def layout(self) -> str:
        """A hash of everything that determines how the rows of this table are encoded; part of every fingerprint."""
        text = f"{self.label}\n{self.key}\n{self.row_group_rows}\n{self.schema.to_string()}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def hugging_face_features(self) -> str:
        """The `huggingface` footer entry, which makes the datasets library show the column `image` as images."""
        features = {field.name: _hugging_face_feature(field) for field in self.schema}
        return json.dumps({"info": {"features": features}}, sort_keys=True)


def _hugging_face_feature(field: pa.Field) -> dict[str, Any]:
    if field.type == IMAGE:
        return {"_type": "Image"}
    return _hugging_face_value(field.type)


def _hugging_face_value(kind: pa.DataType) -> dict[str, Any]:
    if pa.types.is_struct(kind):
        return {member.name: _hugging_face_value(member.type) for member in kind}
    if pa.types.is_list(kind):
        return {"_type": "List", "feature": _hugging_face_value(kind.value_type)}
    return {"_type": "Value", "dtype": {"double": "float64", "float": "float32"}.get(str(kind), str(kind))}


def _schema(*columns: tuple[str, pa.DataType] | tuple[str, pa.DataType, bool]) -> pa.Schema:
    """Columns as (name, type) or (name, type, nullable); columns are not nullable by default."""
    return pa.schema([pa.field(c[0], c[1], nullable=len(c) == 3 and bool(c[2])) for c in columns])


NULLABLE = True
IMAGE = pa.struct([pa.field("bytes", pa.binary()), pa.field("path", pa.string())])
POINT = pa.struct([pa.field("x", pa.float64(), nullable=False), pa.field("y", pa.float64(), nullable=False)])

IMAGES = Table(
    name="images",
    version=1,
    key=("image_id",),
    schema=_schema(
        ("image_id", pa.string()),  # SHA-256 of the encoded bytes, in hexadecimal
        ("image", IMAGE, NULLABLE),  # never null, but the datasets library needs nullable image columns
        ("width", pa.int32()),  # pixels
        ("height", pa.int32()),
        ("source", pa.string()),  # origin of the image: `drawn:daisy`, `icons-50:flower/apple_12.png`
        ("licence", pa.string()),
    ),
    row_group_rows=128,
)

QUESTIONS = Table(
    name="questions",
    version=1,
    key=("question_id",),
    schema=_schema(
        ("question_id", pa.string()),  # "<pair_id>-<variant>"
        ("pair_id", pa.string()),  # shared by an original question and its counterfactual
        ("group", pa.string()),  # the group that tables break results down by
        ("variant", pa.string()),  # `original` or `counterfactual`
        ("question", pa.string()),  # without its options
        ("choices", pa.list_(pa.string()), NULLABLE),  # texts of the options A, B, C, ...; null when open
        ("answer", pa.string()),  # a letter when there are choices
        ("answer_kind", pa.string()),  # `choice`, `number`, `boolean`, `text`
        ("image_ids", pa.list_(pa.string())),
        ("provenance", pa.string()),  # JSON object with sorted keys: further information from the source
    ),
)

PUZZLES = Table(
    name="puzzles",
    version=1,
    key=("pair_id",),
    schema=_schema(
        ("pair_id", pa.string()),
        ("image_id", pa.string()),
        ("group", pa.string()),  # the template of C-VQA Table 2
        ("image_size", pa.int32()),  # side of the square image; all lengths below are in its pixels
        (
            "polygons",  # flower puzzles: two, the first is the one that the question names
            pa.list_(pa.struct([pa.field("colour", pa.string()), pa.field("points", pa.list_(POINT))])),
        ),
        (
            "flowers",
            pa.list_(
                pa.struct(
                    [
                        pa.field("image_id", pa.string()),  # the image of the flower
                        pa.field("x", pa.float64()),
                        pa.field("y", pa.float64()),
                        pa.field("radius", pa.float64()),
                        pa.field("inside_first", pa.bool_()),  # whether it is inside each polygon
                        pa.field("inside_second", pa.bool_()),
                    ]
                )
            ),
        ),
        (
            "circles",  # dot puzzles: six, row by row from the top, each row from the left
            pa.list_(
                pa.struct(
                    [
                        pa.field("row", pa.int32()),
                        pa.field("column", pa.int32()),
                        pa.field("x", pa.float64()),
                        pa.field("y", pa.float64()),
                        pa.field("radius", pa.float64()),
                        pa.field("dots", pa.list_(POINT)),
                    ]
                )
            ),
        ),
        ("dot_radius", pa.float64(), NULLABLE),  # null for flower puzzles
        ("removed", pa.int32(), NULLABLE),  # the N of "if N dots were removed"; null in other templates
        ("original_answer", pa.int32()),  # a number, computed from the scene
        ("counterfactual_answer", pa.int32()),
    ),
    row_group_rows=1_024,
)

CAPTIONS = Table(
    name="captions",
    version=1,
    key=("caption_id",),
    schema=_schema(
        ("caption_id", pa.string()),
        ("caption", pa.string()),
        ("image_id", pa.string(), NULLABLE),  # the image that it was written for, if there is one
        ("tagger", pa.string()),  # what tagged the nouns: `nltk`, `pattern`, `spacy:en_core_web_sm`
        (
            "nouns",  # in the order of the caption; the noun is characters `start` to `end`
            pa.list_(
                pa.struct([pa.field("start", pa.int32()), pa.field("end", pa.int32()), pa.field("noun", pa.string())])
            ),
        ),
        ("provenance", pa.string()),  # JSON object with sorted keys: further information from the source
    ),
)

CAPTION_CANDIDATES = Table(
    name="caption_candidates",
    version=1,
    key=("caption_id", "place", "rank"),
    schema=_schema(
        ("caption_id", pa.string()),
        ("place", pa.int32()),  # index of the masked noun in the caption, from 0
        ("rank", pa.int32()),  # rank of the replacement by probability, from 0
        ("caption_0", pa.string()),  # caption_0 is the original, caption_1 has the replacement
        ("caption_1", pa.string()),
        ("subject_0", pa.string()),
        ("subject_1", pa.string()),
        ("probability", pa.float64()),  # of the replacement, by the masked language model
        ("status", pa.string()),  # `ok`, `same word`, `not a word`, `repeated` or `not a noun`
        ("similarity", pa.float64(), NULLABLE),  # cosine of the captions; null if not measured or not `ok`
        ("perplexity", pa.float64(), NULLABLE),  # of caption 1
    ),
)

CAPTION_PAIRS = Table(
    name="caption_pairs",
    version=1,
    key=("pair_id",),
    schema=_schema(
        ("pair_id", pa.string()),  # the id of the original caption
        ("caption_0", pa.string()),  # 0 is the original, 1 its counterfactual
        ("caption_1", pa.string()),
        ("subject_0", pa.string()),  # the noun in which the captions differ
        ("subject_1", pa.string()),
        ("provenance", pa.string()),  # JSON object with sorted keys: similarity, perplexity, relation, human, image_id
    ),
)

COUNTS = Table(
    name="counts",
    version=1,
    key=("what", "outcome"),
    schema=_schema(("what", pa.string()), ("outcome", pa.string()), ("number", pa.int64())),
)

SHORTCUTS = Table(
    name="shortcuts",
    version=1,
    key=("set", "variant", "rule"),
    schema=_schema(
        ("set", pa.string()),  # question set: `ours` or `released`
        ("variant", pa.string()),
        ("rule", pa.string()),  # `letter`, `rank` or `forest`
        ("choice", pa.string()),  # best letter or rank; empty for the forest
        ("right", pa.int64()),  # questions that it answers correctly without the image
        ("n", pa.int64()),  # number of questions
    ),
)

PAIRS = Table(
    name="pairs",
    version=1,
    key=("pair_id", "candidate"),
    schema=_schema(
        ("pair_id", pa.string()),
        ("candidate", pa.int32()),  # its number among the candidates of this caption pair
        ("caption_0", pa.string()),  # 0 is the original, 1 its counterfactual
        ("caption_1", pa.string()),
        ("subject_0", pa.string()),  # the noun in which the captions differ
        ("subject_1", pa.string()),
        ("image_id_0", pa.string()),
        ("image_id_1", pa.string()),
        ("p", pa.float64()),  # share of the denoising steps with shared self-attention
        ("guidance", pa.float64()),
        ("seed", pa.int64()),  # seed of the noise
        ("caption_image_0", pa.float64(), NULLABLE),  # similarities by CLIP; null if not measured
        ("caption_image_1", pa.float64(), NULLABLE),
        ("image_image", pa.float64(), NULLABLE),
        ("directional", pa.float64(), NULLABLE),
        ("provenance", pa.string()),  # JSON object with sorted keys: further information from the source
    ),
)

JUDGEMENTS = Table(
    name="judgements",
    version=1,
    key=("item_id", "annotator"),
    schema=_schema(
        ("item_id", pa.string()),
        ("annotator", pa.string()),  # a person, or `automatic:<name of the check>`
        ("decision", pa.string()),  # `accept`, `reject`; for an image `caption_0`, `caption_1`, `both`, `neither`
        ("corrected", pa.string()),  # JSON object of corrected fields, `{}` if none
        ("comment", pa.string()),
        ("time", pa.string(), NULLABLE),  # ISO 8601; null for automatic judgements
    ),
)

REJECTIONS = Table(
    name="rejections",
    version=1,
    key=("item_id",),
    schema=_schema(("item_id", pa.string()), ("reason", pa.string()), ("detail", pa.string())),
)

OPTION_SCORE = pa.struct(
    [
        pa.field("log_likelihood", pa.float64(), nullable=False),  # sum over its tokens, in nats
        pa.field("tokens", pa.int32(), nullable=False),
        pa.field("mean", pa.float64(), nullable=False),  # log-likelihood per token
    ]
)

PREDICTIONS = Table(
    name="predictions",
    version=2,
    key=("question_id", "model", "strategy"),
    schema=_schema(
        ("question_id", pa.string()),
        ("model", pa.string()),  # key in params.yaml
        ("strategy", pa.string()),  # `direct`, ...
        ("response", pa.string(), NULLABLE),  # text of the model; null if it only ranked options
        ("choice_scores", pa.list_(OPTION_SCORE), NULLABLE),  # per option, higher is better; null if nothing was ranked
        ("answer", pa.string(), NULLABLE),
        ("status", pa.string()),  # `ok`, `ambiguous`, `none` or `error`
        ("reason", pa.string(), NULLABLE),  # why, when the status is not `ok`
        ("correct", pa.bool_()),
        ("request_key", pa.string(), NULLABLE),  # key in the response store; null if nothing was sent
        ("prompt_tokens", pa.int64(), NULLABLE),
        ("response_tokens", pa.int64(), NULLABLE),
    ),
)

MATCHES = Table(
    name="matches",
    version=1,
    key=("pair_id", "model"),
    schema=_schema(
        ("pair_id", pa.string()),
        ("model", pa.string()),  # key in params.yaml
        ("caption_0_image_0", pa.float64(), NULLABLE),  # matching score, higher is better; null after an error
        ("caption_0_image_1", pa.float64(), NULLABLE),
        ("caption_1_image_0", pa.float64(), NULLABLE),
        ("caption_1_image_1", pa.float64(), NULLABLE),
        ("status", pa.string()),  # `ok` or `error`
        ("reason", pa.string(), NULLABLE),  # why, when the status is not `ok`
    ),
)

RANKS = Table(
    name="ranks",
    version=1,
    key=("model", "subset", "direction", "query_id"),
    schema=_schema(
        ("model", pa.string()),  # key in params.yaml
        ("subset", pa.string()),  # searched set: `counterfactuals`, `human-evaluated` or `originals`
        ("direction", pa.string()),  # `text-retrieval` (from image to caption) or `image-retrieval`
        ("query_id", pa.string()),  # image or caption: "<pair_id>-<side>", or the id of the caption
        ("rank", pa.int32(), NULLABLE),  # of the first correct result, from 1; null after an error
        ("candidates", pa.int32()),  # number of searched items
        ("status", pa.string()),  # `ok` or `error`
        ("reason", pa.string(), NULLABLE),  # why, when the status is not `ok`
    ),
)

FILES = Table(
    name="files",
    version=1,
    key=("path",),
    schema=_schema(("path", pa.string()), ("bytes", pa.binary()), ("sha256", pa.string())),
    row_group_rows=16,
)

_ALL = (
    IMAGES,
    QUESTIONS,
    PUZZLES,
    CAPTIONS,
    CAPTION_CANDIDATES,
    CAPTION_PAIRS,
    COUNTS,
    SHORTCUTS,
    PAIRS,
    JUDGEMENTS,
    REJECTIONS,
    PREDICTIONS,
    MATCHES,
    RANKS,
    FILES,
)
TABLES = {table.label: table for table in _ALL}
