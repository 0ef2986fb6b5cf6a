"""Questions of MuCR with their items, pairs and drawn images, as rows, for tests of what is asked and shown."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field

from PIL import Image

from tests.benchmarks.mucr.rows import Row, causal_pair
from tests.choice_questions import choice_question
from whatif.benchmarks.mucr.schemas import STYLES, VISUAL_FORMS
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.reader import canonical_json

CATEGORIES = ("human", "animal")
LABELS = {"separate": ["Cause", "A", "B", "C", "D"], "cause-and-composite": ["Cause", "Effects"]}


@dataclass
class Set:
    """Groups of four pairs, the last one of them for training, with all their questions and images.

    Every pair is asked C2E in all forms, as composite in all styles, with hints and in Chinese; CP as text and as
    composite; contextual variation as composite. The right option of the first pair of a group is A, and so on.
    """

    groups: int = 3
    questions: list[Row] = field(default_factory=list)
    training: list[Row] = field(default_factory=list)
    items: list[Row] = field(default_factory=list)
    pairs: list[Row] = field(default_factory=list)
    images: dict[str, Row] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number in range(4 * self.groups):
            group, place = divmod(number, 4)
            train = group == self.groups - 1
            self._add_pair(f"g{group}-p{place}", f"g{group}", "ABCD"[place], STYLES[number % 3], train=train)
        for rows in (self.questions, self.training, self.items):
            rows.sort(key=lambda row: str(row["question_id"]))

    def _add_pair(self, pair: str, group: str, answer: str, mixed: str, *, train: bool) -> None:
        self.pairs.append(
            causal_pair(
                pair,
                group,
                f"The cup of {pair} falls.",
                f"The cup of {pair} is broken.",
                category=CATEGORIES[int(group[1:]) % 2],
                cue="fall",
                false_cues=["red", "table", "night"],
                explanation=f"Cause: the cup of {pair} falls. Effect: it breaks. "
                "The causal link between them is that the floor is hard.",
                provenance=canonical_json({"origin": "scenes"}),
            )
        )
        for metric, variant, style in _asked(mixed, train=train):
            self._add(self.pairs[-1], metric, variant, style, answer, mixture=style == mixed, train=train)

    def _add(  # noqa: PLR0917
        self, pair: Row, metric: str, variant: str, style: str | None, answer: str, mixture: bool, train: bool
    ) -> None:
        form = variant.removesuffix("-hints").removesuffix("-zh")
        parts = [pair["pair_id"], metric.lower(), variant, *([style] if style else [])]
        question_id = "-".join(parts)
        number = 0 if form == "text" else len(LABELS.get(form, [""]))
        row = choice_question(
            question_id,
            pair["pair_id"],
            metric,
            variant,
            f"{metric}, {variant}: which one follows from this? {pair['cause_caption']}",
            [f"Image {letter}" for letter in "ABCD"],
            answer=answer,
            image_ids=[self._image(f"{question_id} {place}") for place in range(number)],
            provenance={"image_labels": LABELS[form]} if form in LABELS else {},
        )
        (self.training if train else self.questions).append(row)
        self.items.append(
            {
                "question_id": question_id,
                **{name: pair[name] for name in ("pair_id", "group_id", "category")},
                "metric": metric,
                "form": form,
                "style": style,
                "mixture": mixture,
                "hints": variant.endswith("-hints"),
                "language": "zh" if variant.endswith("-zh") else "en",
                "generator": None if style is None else "scenes",
                "split": "train" if train else "test",
            }
        )

    def _image(self, name: str) -> str:
        row = drawn(name)
        self.images[row["image_id"]] = row
        return str(row["image_id"])


def drawn(name: str, side: int = 24) -> Row:
    """A row of `images`: an image of one colour, which depends on the name."""
    seed = sum((place + 1) * ord(one) for place, one in enumerate(name))
    out = io.BytesIO()
    Image.new("RGB", (side, side), (seed % 256, seed // 7 % 256, seed // 49 % 256)).save(out, "PNG")
    return image_row(out.getvalue(), side, side, f"drawn:{name}", "CC0-1.0")


def _asked(mixed: str, *, train: bool) -> Iterator[tuple[str, str, str | None]]:
    """Metric, variant and style of the questions of a pair."""
    for metric in ("C2E", "CP"):
        yield metric, "text", None
        for form in VISUAL_FORMS if metric == "C2E" else VISUAL_FORMS[:1]:
            yield metric, form, mixed
    if train:
        return
    yield from (("C2E", "composite", style) for style in STYLES if style != mixed)
    yield from [("C2E", "composite-hints", mixed), ("C2E", "composite-zh", mixed), ("C2E", "text-zh", None)]
    yield "context", "composite", mixed
