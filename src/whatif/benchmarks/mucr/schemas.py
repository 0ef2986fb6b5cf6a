"""The tables that only MuCR has, and the names in its tables."""

from __future__ import annotations

from typing import Literal, TypeAlias

import pyarrow as pa

from whatif.engine.artifacts.schemas import NULLABLE, Table, schema_of

Style: TypeAlias = Literal["photograph", "comic", "black-white"]
Form: TypeAlias = Literal["text", "composite", "cause-and-composite", "separate", "strip"]
Metric: TypeAlias = Literal["C2E", "CP", "EXP", "context"]
Language: TypeAlias = Literal["en", "zh"]

STYLES: tuple[Style, ...] = ("photograph", "comic", "black-white")
CATEGORIES = ("human", "animal", "plant", "character", "mixture", "object")  # the last one is of drawn scenes only
SIDES = ("cause", "effect")
RELEASED = "released"  # the origin of pairs of the released form, and the generator of images that people chose already
BY_CLIP, BY_SCENE = "clip", "scenes"  # who chose a pair of images that people did not: the latter is known as drawn
TEXT: Form = "text"
MAIN_FORM: Form = "composite"  # all images on one canvas, as in the paper's main results (MuCR 4.1, Form-1)
VISUAL_FORMS: tuple[Form, ...] = (MAIN_FORM, "cause-and-composite", "separate", "strip")
SCORES: tuple[Metric, ...] = ("C2E", "CP", "EXP")
CONTEXT: Metric = "context"  # the effect image that people chose, among rejected ones (MuCR 5.2, Figure 11)
METRICS: tuple[Metric, ...] = (*SCORES, CONTEXT)
WITH_HINTS = "hints"  # a variant with the contextual descriptions as text (MuCR 5.2, Table 2): `composite-hints`
MEMBERS = 4  # pairs of a group, and options of a question

CAUSAL_PAIRS = Table(
    name="causal-pairs",
    version=1,
    key=("pair_id",),
    schema=schema_of(
        ("pair_id", pa.string()),
        ("group_id", pa.string()),  # shared by four pairs with the same causality and different cues
        ("category", pa.string()),
        ("cause_caption", pa.string()),
        ("effect_caption", pa.string()),
        ("cue", pa.string(), NULLABLE),  # the right cue phrase; null until people write it
        ("false_cues", pa.list_(pa.string()), NULLABLE),  # three striking elements of the images that explain nothing
        ("explanation", pa.string(), NULLABLE),  # `Cause: ... Effect: ... The causal link between them is that ...`
        ("provenance", pa.string()),  # JSON object with sorted keys: origin, history of refinement, ...
    ),
)

DESCRIPTIONS = Table(
    name="descriptions",
    version=1,
    key=("pair_id",),
    schema=schema_of(
        ("pair_id", pa.string()),
        ("cause_description", pa.string()),
        ("effect_description", pa.string()),
        ("writer", pa.string()),  # key of the model, or `scenes`
        ("provenance", pa.string()),
    ),
)

CANDIDATES = Table(
    name="image-candidates",
    version=1,
    key=("candidate_id",),
    schema=schema_of(
        ("candidate_id", pa.string()),  # `<pair_id>-<style>-<side>-<generator>-<place>`
        ("pair_id", pa.string()),
        ("style", pa.string()),
        ("side", pa.string()),  # `cause` or `effect`
        ("place", pa.int32()),  # its number among those of this generator for the sentence and style
        ("generator", pa.string()),  # key in params.yaml, or `released`
        ("prompt", pa.string()),
        ("seed", pa.int64(), NULLABLE),
        ("image_id", pa.string()),
        ("provenance", pa.string()),
    ),
)

CHOICES = Table(
    name="siamese-choices",
    version=1,
    key=("pair_id", "style", "place"),
    schema=schema_of(
        ("pair_id", pa.string()),
        ("style", pa.string()),
        ("place", pa.int32()),  # rank; 0 is the best. Of chosen pairs of images there is one for each style
        ("cause_candidate", pa.string()),
        ("effect_candidate", pa.string()),
        ("chosen_by", pa.string()),  # `released`, `clip`, `scenes` or `people`
        ("caption_cause", pa.float64(), NULLABLE),  # similarities by CLIP; null if not measured
        ("caption_effect", pa.float64(), NULLABLE),
        ("likeness", pa.float64(), NULLABLE),  # of the two images
    ),
)

ITEMS = Table(
    name="causal-items",
    version=1,
    key=("question_id",),
    schema=schema_of(
        ("question_id", pa.string()),
        ("pair_id", pa.string()),
        ("group_id", pa.string()),
        ("category", pa.string()),
        ("metric", pa.string()),
        ("form", pa.string()),
        ("style", pa.string(), NULLABLE),  # null in the form `text`
        ("mixture", pa.bool_()),  # whether the question belongs to the set in mixed styles: one style for each pair
        ("hints", pa.bool_()),
        ("language", pa.string()),
        ("generator", pa.string(), NULLABLE),  # of the images
        ("split", pa.string()),  # `test`, or `train` for fine-tuning and examples
    ),
)

TRAINING = Table(
    name="fine-tuning",
    version=1,
    key=("step",),
    schema=schema_of(
        ("step", pa.int64()),  # from 1; 0 is before training
        ("loss", pa.float64(), NULLABLE),  # mean over the step's answer tokens before its update, in nats
        ("held_out_loss", pa.float64(), NULLABLE),  # the same of all held-out groups after the update, now and then
        ("learning_rate", pa.float64()),
    ),
)
