"""The tables of COCO-Counterfactuals alone: captions, their candidates, and the logit scales of models."""

from __future__ import annotations

import pyarrow as pa

from whatif.engine.artifacts.schemas import NULLABLE, Table, schema_of

CAPTIONS = Table(
    name="captions",
    version=1,
    key=("caption_id",),
    schema=schema_of(
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
    schema=schema_of(
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
    schema=schema_of(
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
    schema=schema_of(("what", pa.string()), ("outcome", pa.string()), ("number", pa.int64())),
)

LOGIT_SCALES = Table(
    name="logit_scales",
    version=1,
    key=("model",),
    schema=schema_of(
        ("model", pa.string()),  # key in params.yaml
        ("logit_scale", pa.float64(), NULLABLE),  # its logits are its scores times this; null if the scores are logits
    ),
)
