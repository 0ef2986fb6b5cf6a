"""The shared tables: columns, key and version of everything that stages pass on."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

TABLES: dict[str, Table] = {}  # every table that is declared, here and in benchmarks, by its label


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

    def __post_init__(self) -> None:
        if TABLES.setdefault(self.label, self).schema != self.schema:
            raise ValueError(f"table {self.label}: two packages declare it with different columns; rename one of them")

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


def schema_of(*columns: tuple[str, pa.DataType] | tuple[str, pa.DataType, bool]) -> pa.Schema:
    """Columns as (name, type) or (name, type, nullable); columns are not nullable by default."""
    return pa.schema([pa.field(c[0], c[1], nullable=len(c) == 3 and bool(c[2])) for c in columns])


NULLABLE = True
IMAGE = pa.struct([pa.field("bytes", pa.binary()), pa.field("path", pa.string())])

IMAGES = Table(
    name="images",
    version=1,
    key=("image_id",),
    schema=schema_of(
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
    schema=schema_of(
        ("question_id", pa.string()),  # "<pair_id>-<variant>"
        ("pair_id", pa.string()),  # shared by an original question and its counterfactual
        ("group", pa.string()),  # the group that tables break results down by
        ("variant", pa.string()),  # `original` or `counterfactual`; a benchmark may have others
        ("question", pa.string()),  # without its options
        ("choices", pa.list_(pa.string()), NULLABLE),  # texts of the options A, B, C, ...; null when open
        ("answer", pa.string()),  # a letter when there are choices
        ("answer_kind", pa.string()),  # `choice`, `number`, `boolean`, `text`
        ("image_ids", pa.list_(pa.string())),
        ("provenance", pa.string()),  # JSON object with sorted keys: further information from the source
    ),
)

SHORTCUTS = Table(
    name="shortcuts",
    version=1,
    key=("set", "variant", "rule"),
    schema=schema_of(
        ("set", pa.string()),  # question set: `ours` or `released`
        ("variant", pa.string()),
        ("rule", pa.string()),  # `letter`, `rank`, `forest` or another (`whatif.scoring.shortcuts.audit`)
        ("choice", pa.string()),  # best letter, rank, ...; empty for a model
        ("right", pa.int64()),  # questions that it answers correctly without the image
        ("n", pa.int64()),  # number of questions to which it applies
    ),
)

PAIRS = Table(
    name="pairs",
    version=1,
    key=("pair_id", "candidate"),
    schema=schema_of(
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
    version=2,
    key=("item_id", "annotator"),
    schema=schema_of(
        ("item_id", pa.string()),
        ("annotator", pa.string()),  # a person, or `automatic:<name of the check>`
        ("decision", pa.string()),  # `accept`, `reject`; for an image `caption_0`, `caption_1`, `both`, `neither`
        ("corrected", pa.string()),  # JSON object: corrected field -> its new value; `{}` if none
        ("comment", pa.string()),
        ("time", pa.string(), NULLABLE),  # ISO 8601; null for automatic judgements
        ("seconds", pa.float64(), NULLABLE),  # that the annotator needed; null if not recorded
    ),
)

CORRECTIONS = Table(
    name="corrections",
    version=1,
    key=("item_id", "field"),
    schema=schema_of(
        ("item_id", pa.string()),
        ("field", pa.string()),  # column of the corrected table
        ("annotators", pa.list_(pa.string())),  # who gave the new value, in ascending order
        ("before", pa.string()),  # JSON value
        ("after", pa.string()),  # JSON value
    ),
)

REJECTIONS = Table(
    name="rejections",
    version=1,
    key=("item_id",),
    schema=schema_of(("item_id", pa.string()), ("reason", pa.string()), ("detail", pa.string())),
)

OPTION_SCORE = pa.struct(
    [
        pa.field("log_likelihood", pa.float64()),  # sum over its tokens, in nats; null if only the mean is known
        pa.field("tokens", pa.int32()),  # null if only the mean is known
        pa.field("mean", pa.float64(), nullable=False),  # log-likelihood per token
        pa.field("at_most", pa.bool_(), nullable=False),  # whether the values are only an upper bound
        # Sums over the same tokens without a condition (`whatif.scoring.ranking_rules`); null where not known.
        pa.field("without_image", pa.float64()),  # after the same conversation without its images
        pa.field("without_prompt", pa.float64()),  # after an empty message
    ]
)

IMAGE_SIZE = pa.struct(
    [pa.field("width", pa.int32(), nullable=False), pa.field("height", pa.int32(), nullable=False)]  # pixels
)
SAMPLE = pa.struct(
    [
        pa.field("response", pa.string()),
        pa.field("answer", pa.string()),
        pa.field("status", pa.string(), nullable=False),  # as that of the prediction
        pa.field("request_key", pa.string()),
    ]
)
EARLIER_TURN = pa.struct([pa.field("response", pa.string(), nullable=False), pa.field("request_key", pa.string())])

TOOL_CALL = pa.struct([pa.field(name, pa.string(), nullable=False) for name in ("tool", "arguments", "value")])
PROGRAM = pa.struct(
    [
        pa.field("code", pa.string(), nullable=False),
        pa.field("outcome", pa.string(), nullable=False),  # `ok`, `syntax`, ... (`whatif.models.program_runs`)
        pa.field("reason", pa.string()),  # why, when the outcome is not `ok`; why a fallback ran
        pa.field("sandbox", pa.string(), nullable=False),  # `bubblewrap`, `none`, `interpreter` or `elsewhere`
        pa.field("fallback", pa.bool_(), nullable=False),  # whether it stands in for a reply without a program
        pa.field("calls", pa.list_(TOOL_CALL), nullable=False),  # of its tools, in order
    ]
)

PREDICTIONS = Table(
    name="predictions",
    version=7,
    key=("question_id", "model", "strategy"),
    schema=schema_of(
        ("question_id", pa.string()),
        ("model", pa.string()),  # key in params.yaml
        ("strategy", pa.string()),  # `direct`, ...
        ("response", pa.string(), NULLABLE),  # text of the model after its reasoning; null if it only ranked options
        ("reasoning", pa.string(), NULLABLE),  # never read as an answer; null if the model gave none
        ("choice_scores", pa.list_(OPTION_SCORE), NULLABLE),  # per option, higher is better; null if nothing was ranked
        ("answer", pa.string(), NULLABLE),  # of ranked options the one with the highest mean; so is `correct`
        ("status", pa.string()),  # `ok`, `ambiguous`, `none` or `error`
        ("reason", pa.string(), NULLABLE),  # why, when the status is not `ok`
        ("correct", pa.bool_()),
        ("read_by", pa.string(), NULLABLE),  # `strict`, `agreement`, `other language`; null: nothing was read
        ("request_key", pa.string(), NULLABLE),  # key in the response store; null if nothing was sent
        ("prompt_tokens", pa.int64(), NULLABLE),
        ("response_tokens", pa.int64(), NULLABLE),
        ("finish", pa.string(), NULLABLE),  # why the response ended: `stop`, `length`, or the endpoint's word
        ("image_form", pa.string(), NULLABLE),  # `in place`, `first` or `composite` (see `whatif.models.ImageForm`)
        ("image_sizes", pa.list_(IMAGE_SIZE), NULLABLE),  # as the model's processor made the images; null if not known
        ("image_tokens", pa.int64(), NULLABLE),  # of all images together
        ("earlier_turns", pa.list_(EARLIER_TURN), NULLABLE),  # of a strategy with several turns
        ("example_ids", pa.list_(pa.string()), NULLABLE),  # examples shown before the question; null if there are none
        ("samples", pa.list_(SAMPLE), NULLABLE),  # responses of which the majority counts; null if there is only one
        ("program", PROGRAM, NULLABLE),  # whose result is the response; null if the model writes none
    ),
)

# The predictions to the changed questions of a probe, apart from the others, so that nothing counts them as answers.
PROBED = Table(name="probed", version=1, key=PREDICTIONS.key, schema=PREDICTIONS.schema)

JUDGED = Table(
    name="judged",
    version=2,
    key=("question_id", "model", "strategy", "judge", "prompt"),
    schema=schema_of(
        ("question_id", pa.string()),
        ("model", pa.string()),  # key in params.yaml of the model whose response was judged
        ("strategy", pa.string()),
        ("judge", pa.string()),  # key in params.yaml of the model that judged it
        ("prompt", pa.string()),  # name of the judge's prompt
        ("by_rules", pa.string()),  # status of the prediction: `none`, `ambiguous`, or `ok` for a sentence
        # `ok`: the judge found an answer; `none`: it did not; `not in the response`: it made one up; `error`: not asked
        ("status", pa.string()),
        ("answer", pa.string(), NULLABLE),
        ("correct", pa.bool_()),
        ("reason", pa.string(), NULLABLE),  # why, when the status is not `ok`
        ("response", pa.string(), NULLABLE),  # the judge's reply
        ("request_key", pa.string(), NULLABLE),  # key in the response store
        ("prompt_tokens", pa.int64(), NULLABLE),
        ("response_tokens", pa.int64(), NULLABLE),
        ("finish", pa.string(), NULLABLE),  # why the reply ended
    ),
)

ATTEMPTS = Table(
    name="human-attempts",
    version=1,
    key=("question_id", "attempt"),
    schema=schema_of(
        ("question_id", pa.string()),
        ("attempt", pa.string()),  # who answered, or the number of the attempt (MuCR Figure 5: ten attempts)
        ("answer", pa.string()),  # in its usual form; in own words where none is found in these
        ("correct", pa.bool_()),
    ),
)

MATCHES = Table(
    name="matches",
    version=1,
    key=("pair_id", "model"),
    schema=schema_of(
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
    schema=schema_of(
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
    schema=schema_of(("path", pa.string()), ("bytes", pa.binary()), ("sha256", pa.string())),
    row_group_rows=16,
)
# Larger row groups: every plan reads the paths of all pictures, of which there may be tens of thousands.
PICTURE_FILES = Table(
    name="picture-files",
    version=2,
    key=("path",),
    schema=schema_of(
        ("path", pa.string()),
        ("bytes", pa.binary(), NULLABLE),  # null if it is an image of the step's inputs, whose id is `sha256`
        ("sha256", pa.string()),
    ),
    row_group_rows=256,
)
