"""What can be recomputed of the numbers in MuCR's running text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from whatif.results.contradictions import Claim
from whatif.results.contradictions.formulas import equals, same
from whatif.results.contradictions.published_cells import Cells
from whatif.results.contradictions.quantity import Quantity, exactly
from whatif.results.reporting.published_numbers import published

_claim = partial(Claim, "MuCR")


def sizes() -> Iterator[Claim]:
    """Numbers of captions, images, options and systems."""
    text = _text()

    def number(location: str, group: str, variant: str, metric: str) -> Quantity:
        return exactly(text[location, "none", group, variant, metric].value)

    pairs = number("sec3.1", "all", "text", "caption_pairs")
    styles = number("sec3.1", "all", "multimodal", "styles")
    for_sentence = number("sec3.1", "each-sentence-and-style", "multimodal", "images_generated")
    for_pair = text["sec3.1", "none", "each-pair-and-style", "multimodal", "images_generated"]
    yield _claim(
        "3.1",
        "images for each pair and style",
        "product",
        equals(for_pair, for_sentence * 2, "twice those of a sentence"),
    )
    generated = text["sec3.1", "none", "all", "multimodal", "images_generated"]
    found = equals(generated, pairs * styles * for_pair.value, "pairs times styles times images")
    yield _claim("3.1", "generated images", "product", found)
    image_pairs = text["sec3.1", "none", "all", "multimodal", "image_pairs"]
    yield _claim("3.1", "image pairs", "product", equals(image_pairs, pairs * styles, "caption pairs times styles"))
    options = text["sec5.2", "none", "contextual-variation", "multimodal", "random_distractors"]
    correct = number("sec5.2", "contextual-variation", "multimodal", "correct_options")
    chance = text["sec4.2", "random baseline", "all", "all", "accuracy"]
    found = equals(chance, exactly(100) / (correct + options.value), "100 divided by the number of options")
    yield _claim("5.2", "chance", "share", found)
    for key in (
        ("sec3.1", "each-pair", "all", "cue_phrase_options"),
        ("sec3.2", "each-item", "all", "effect_options"),
        ("sec3.2", "each-item", "all", "explanation_options"),
    ):
        found = equals(chance, exactly(100) / number(*key), "100 divided by the number of options")
        yield _claim("4.2", f"chance, {key[3].replace('_', ' ')}", "share", found)
    classes = Cells(published(__package__, "table6"), "system", "form", "metric")
    of_class = {row["system"]: row["model_class"] for row in published(__package__, "table6")}
    for group in ("popular-mllm", "lightweight-open-source"):
        listed = exactly(sum(of_class[system] == group for system in classes.names(0)))
        found = equals(text["sec4.1", "none", group, "all", "evaluated_models"], listed, "the number in table 6")
        yield _claim("4.1", f"models, {group}", "same number", found)


def scores(main: Cells) -> Iterator[Claim]:
    """The scores that 4.2 repeats from Table 6 as whole percentages, which are exact there: shares of 400 items."""
    text = _text()
    for key in (key for key in text if key[0] == "sec4.2" and key[1] != "random baseline"):
        _, system, _, form, score = key
        found = same(text[key], main[system, form, score], "table 6")
        yield _claim("4.2", f"{system}, {form}, {score}", "same number", found, "rounding in the text")


def _text() -> Cells:
    return Cells(published(__package__, "text"), "location", "system", "group", "variant", "metric")
