"""Panels of pairs: what a matcher scores higher is what it is shown to find."""

from __future__ import annotations

from typing import Any, cast

from whatif.artifacts.images import ImageStore
from whatif.benchmarks.shared.pair_panels import pair_panels
from whatif.reporting.gallery import Reply

PAIR = {
    **{f"{column}_{side}": f"{column} {side}" for column in ("caption", "subject", "image_id") for side in (0, 1)},
    "pair_id": "p",
    "directional": None,
}


class Pictures:
    def encoded(self, image_id: str) -> bytes:
        return image_id.encode()


def match(**changes: Any) -> dict[str, Any]:
    scores = {f"caption_{caption}_image_{image}": float(caption == image) for caption in (0, 1) for image in (0, 1)}
    return {"pair_id": "p", "model": "m", "status": "ok", **scores, **changes}


def replies(row: dict[str, Any]) -> list[Reply]:
    [panel] = pair_panels([PAIR], [row], {"m": "M"}, cast(ImageStore, Pictures()), 1)
    return [asked.replies["M"] for asked in panel.asked]


def test_a_tie_is_shown_as_the_wrong_one() -> None:
    right = [Reply("first", True), Reply("second", True)] * 2
    assert replies(match()) == right
    # Both images are equally like caption 0, and so both captions equally like the second image.
    assert replies(match(caption_0_image_1=1.0)) == [Reply("second", False), right[1], right[2], Reply("first", False)]


def test_a_pair_that_was_not_scored_has_no_answers() -> None:
    assert replies(match(status="error")) == [Reply(None, False)] * 4
