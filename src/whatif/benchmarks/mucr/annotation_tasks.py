"""The tasks of annotators: cue phrases and an explanation for a pair of captions (MuCR 3.1, A.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from whatif.benchmarks.mucr.schemas import SIDES
from whatif.engine.errors import WhatifError
from whatif.formats.mucr_texts import LONGEST_CUE
from whatif.people.exports.tasks import Answer, Interface, TaskSet, row_task_set
from whatif.people.imports.items import Items

Row = Mapping[str, Any]

ANNOTATED, UNFIT = "annotated", "unfit"  # decisions
NOT_A_CAUSE = "no cause and effect"  # the reason for the rejection of a pair with the decision `unfit`
CUE, FALSE_CUES = "cue", ("false_cue_1", "false_cue_2", "false_cue_3")
PARTS = ("cause", "effect", "link")  # of the explanation
EXPLANATION = "explanation"  # the whole of it, which a label file may have instead
FIELDS = (CUE, *FALSE_CUES, *PARTS)  # that annotators write, in this order

OF_PAIRS = Interface(
    title="Cause and effect",
    question="Why does the second sentence follow from the first?",
    answers=(
        Answer(ANNOTATED, "I can explain it."),
        Answer(UNFIT, "The second does not follow from the first. Leave all fields empty."),
    ),
    shown={"cause_caption": "Cause", "effect_caption": "Effect"},
    instructions=(
        "Read both sentences. The first is a cause, the second its effect. If there are images, look at them, too.",
        "If the effect does not follow from the cause, choose the second answer, write nothing, and go on.",
        "Write the right cue: one word, or a short phrase, for what makes the effect follow from the cause.",
        "Write three other cues. Each is something that anybody would notice in images of the two sentences, but that "
        "does not explain why the one follows from the other. Nobody may be able to defend one of them as right.",
        f"A cue has at most {LONGEST_CUE} words. All four differ. Their kinds of words do not tell which one is right.",
        "Explain in three steps: what the cause shows, what the effect shows, and the reason why one follows from the "
        "other. Name the details that distinguish this pair from similar ones: who it is, where, and with what.",
        "Do not write “Cause:” or “Effect:”; the fields have these headings.",
    ),
    corrections={
        CUE: "Right cue",
        FALSE_CUES[0]: "Another cue, not the reason (1)",
        FALSE_CUES[1]: "Another cue, not the reason (2)",
        FALSE_CUES[2]: "Another cue, not the reason (3)",
        PARTS[0]: "Cause: what the first sentence shows",
        PARTS[1]: "Effect: what the second sentence shows",
        PARTS[2]: "The causal link between them is that ...",
    },
    corrected_with=(ANNOTATED,),
    images=("Image of the cause", "Image of the effect"),
    examples=(
        "“A boy leaves his ice cream on a sunny bench.” “The ice cream has run over the bench.” Right cue: sun. "
        "Other cues: bench, boy, cone. Cause: a boy puts an ice cream on a bench in the sun. Effect: the ice cream "
        "has melted and runs over the bench. The causal link between them is that the heat of the sun melts it.",
        "“A dog shakes beside a white sofa after a walk in the rain.” “The sofa is covered with brown spots.” "
        "Right cue: wet fur. Other cues: sofa, window, lamp. Cause: a wet and dirty dog shakes itself beside a white "
        "sofa. Effect: the sofa has brown spots. The causal link between them is that dirty water flies off the fur.",
    ),
)


def without_annotation(pair: Row) -> bool:
    """Whether a pair lacks its cue phrases or its explanation."""
    return pair["cue"] is None or pair["false_cues"] is None or pair["explanation"] is None


def with_chosen_images(
    pairs: Iterable[Row], choices: Iterable[Row], candidates: Iterable[Row], styles: Sequence[str]
) -> list[Row]:
    """The pairs with `image_ids`: the chosen images in the first of the styles in which there are some, or none."""
    images = {row["candidate_id"]: row["image_id"] for row in candidates}
    chosen = {(row["pair_id"], row["style"]): row for row in choices}
    rows: list[Row] = []
    for pair in pairs:
        found = next((one for style in styles if (one := chosen.get((pair["pair_id"], style)))), None)
        names = [] if found is None else [found[f"{side}_candidate"] for side in SIDES]
        rows.append({**pair, "image_ids": [images[name] for name in names if name in images]})
    return rows


def annotation_task_set(pairs: Iterable[Row], seed: int) -> TaskSet:
    """One task for each pair without cue phrases or without an explanation; rows of `causal-pairs`, or those of
    `with_chosen_images`.

    Raises WhatifError when no pair lacks them, and when two pairs have the same task id.
    """
    rows = [row for row in pairs if without_annotation(row)]
    if not rows:
        raise WhatifError("mucr: all pairs have cue phrases and explanations; there is nothing to annotate")
    return row_task_set(
        OF_PAIRS,
        rows,
        seed,
        key="pair_id",
        images=lambda row: row.get("image_ids", ()),
        texts=lambda row: [row["cause_caption"], row["effect_caption"]],
    )


def annotation_items(pairs: Iterable[Row], seed: int) -> Items:
    """The pairs as the importer of labels needs them, with the tasks of `annotation_task_set`."""
    return Items.of_rows(
        [{"pair_id": row["pair_id"]} for row in pairs if without_annotation(row)],  # without what the source has of it
        key="pair_id",
        fields=(*FIELDS, EXPLANATION),
        decisions=(ANNOTATED, UNFIT),
        seed=seed,
        things="pairs",
    )
