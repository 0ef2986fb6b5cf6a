"""The interval of the share of ignored presuppositions allows for its random denominator, and for clusters."""

from __future__ import annotations

import pytest

from tests.statistics.ignored_coverage import held


def test_the_interval_by_image_holds_the_truth_and_that_by_pair_does_not() -> None:
    """With 300 samples, the standard error is 1.3 points."""
    found = held(images=60, most=6, samples=300)
    assert 91 <= found.by_image <= 98.5
    assert found.by_pair < 88


@pytest.mark.soak
@pytest.mark.parametrize(
    ("images", "most", "by_image"), [(30, 1, (92.5, 97.5)), (60, 6, (93.5, 96.5)), (200, 6, (93.5, 96.5))]
)
def test_coverage_is_as_in_the_documentation(images: int, most: int, by_image: tuple[float, float]) -> None:
    low, high = by_image
    assert low <= held(images, most, samples=3_000).by_image <= high
