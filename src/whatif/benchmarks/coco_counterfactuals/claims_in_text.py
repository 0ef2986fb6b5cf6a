"""What can be recomputed of the numbers in COCO-Counterfactuals' running text: sizes, splits and seeds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from whatif.results.contradictions import Claim
from whatif.results.contradictions.formulas import about, at_most, equals, same
from whatif.results.contradictions.published_cells import Cells
from whatif.results.contradictions.quantity import Printed, Quantity, exactly, printed, total
from whatif.results.reporting.published_numbers import published

_MIXTURES = ("b-base", "c-medium", "d-all")
_claim = partial(Claim, "COCO-Counterfactuals")


def numbers() -> Cells:
    """The numbers of the text by section, system, group, variant and metric."""
    return Cells(published(__package__, "text"), "location", "system", "group", "variant", "metric")


def claims(text: Cells) -> Iterator[Claim]:
    """Claims about the text that no table is needed for, in the order of the paper."""
    yield from _set(text)
    yield from _splits(text)
    yield from _mixtures(text)
    yield from _seeds(text)


def _set(text: Cells) -> Iterator[Claim]:
    def number(metric: str, group: str = "all", variant: str = "all") -> Printed:
        return text["sec3.3", "none", group, variant, metric]

    captions = number("captions", "validation-5k", "original")
    filtered, kept = number("caption_pairs_after_caption_filter"), number("caption_pairs_after_image_filter")
    found = at_most("at most one for each caption", captions.value, _exact(filtered), "the number of caption pairs")
    yield _claim("3.3", "caption pairs", "bounds", found)
    found = at_most("at most those before", filtered.value, _exact(kept), "the number of pairs after the image filter")
    yield _claim("3.3", "pairs after the image filter", "bounds", found)
    each = text["sec3.2", "none", "each-caption-pair", "all", "image_pairs_generated"]
    found = about(number("candidate_image_pairs"), _exact(filtered) * each.value, "caption pairs times candidates")
    yield _claim("3.3", "candidate image pairs", "product", found)
    samples = number("image_caption_pairs")
    yield _claim("3.3", "images", "product", equals(samples, _exact(kept) * 2, "twice the number of pairs"))
    for metric, other in (("samples", samples), ("paired_samples", kept)):
        found = same(text["appB.3.1", "none", "all", "all", metric], other, "section 3.3")
        yield _claim("B.3.1", metric.replace("_", " "), "same number", found)
    found = same(text["appB.3.1", "none", "a-MS-COCO", "original", "samples"], kept, "section 3.3")
    yield _claim("B.3.1", "samples of MS-COCO", "same number", found)


def _splits(text: Cells) -> Iterator[Claim]:
    hundred = printed("100")
    shares = [
        text["appA.1", "none", f"{part}-split", "all", "share_of_dataset"] for part in ("test", "train", "development")
    ]
    found = equals(hundred, total(map(_exact, shares)), "the sum of the three parts")
    yield _claim("A.1", "parts of the data set", "sum", found)
    shares = [text["appB.3.1", "none", "each-dataset", "all", f"{part}_share"] for part in ("train", "validation")]
    found = equals(hundred, total(map(_exact, shares)), "the sum of both parts")
    yield _claim("B.3.1", "parts of a mixture", "sum", found)


def _mixtures(text: Cells) -> Iterator[Claim]:
    """The four training sets of B.3.1, and what is used for training of them (80%)."""

    def number(group: str, variant: str, metric: str) -> Printed:
        return text["appB.3.1", "none", group, variant, metric]

    photographs = number("a-MS-COCO", "original", "samples")
    everything, pairs = number("all", "all", "samples"), number("all", "all", "paired_samples")
    half = _exact(number("b-base", "original", "share_of_ms_coco")) / 100
    found = equals(number("b-base", "original", "samples"), _exact(photographs) * half, "half of MS-COCO")
    yield _claim("B.3.1", "base, samples of MS-COCO", "share", found)
    quarter = _exact(number("b-base", "counterfactual-pairs", "share_of_coco_cfs")) / 100
    chosen = number("b-base", "counterfactual-pairs", "pairs")
    found = equals(chosen, _exact(pairs) * quarter, "a quarter of the pairs")
    yield _claim("B.3.1", "base, pairs", "share", found)
    found = equals(number("b-base", "counterfactual-pairs", "samples"), _exact(chosen) * 2, "twice the pairs")
    yield _claim("B.3.1", "base, counterfactual samples", "product", found)
    part = _exact(number("c-medium", "counterfactual-pairs", "share_of_coco_cfs")) / 100
    found = equals(number("c-medium", "counterfactual-pairs", "samples"), _exact(everything) * part, "its share of all")
    yield _claim("B.3.1", "medium, counterfactual samples", "share", found)
    found = same(number("d-all", "counterfactual-pairs", "samples"), everything, "the data set")
    yield _claim("B.3.1", "all, counterfactual samples", "same number", found)
    for group in _MIXTURES:
        parts = [number(group, variant, "samples") for variant in ("original", "counterfactual-pairs")]
        found = equals(number(group, "all", "samples"), total(map(_exact, parts)), "the sum of both sources")
        yield _claim("B.3.1", f"{group[2:]}, samples", "sum", found)
    best = text["sec5.1", "CLIP", "best-training-set", "all", "counterfactual_training_pairs"]
    other = text["appA.5", "CLIP", "MS-COCO-test", "all", "counterfactual_training_pairs"]
    yield _claim(
        "A.5", "counterfactual training samples", "same number", same(other, best, "section 5.1"), "training samples"
    )


def _seeds(text: Cells) -> Iterator[Claim]:
    reported = text["sec5", "CLIP", "training", "all", "random_seeds"]
    for name in ("seed", "data_seed"):
        first, last = (text["appB.3.2", "CLIP", "training", "all", f"{name}_{end}"] for end in ("first", "last"))
        found = equals(reported, _exact(last) - first.value + 1, f"the length of the range of {name}")
        yield _claim("B.3.2", name, "difference", found)


def _exact(number: Printed) -> Quantity:
    """A count, which is not rounded."""
    return exactly(Fraction(number.value))
