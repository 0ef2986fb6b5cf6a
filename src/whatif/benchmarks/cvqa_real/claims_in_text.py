"""What can be recomputed of the numbers in C-VQA's running text and supplement."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from whatif.results.contradictions import Claim
from whatif.results.contradictions.counts import possible
from whatif.results.contradictions.formulas import about, at_most, equals, more_than, same, up_to
from whatif.results.contradictions.published_cells import Cells
from whatif.results.contradictions.quantity import exactly, largest, printed, total
from whatif.results.reporting.published_numbers import published

_REAL, _SYNTHETIC = "C-VQA-Real", "C-VQA-Synthetic"
_GROUPS = ("numerical-direct", "numerical-indirect", "boolean")
_HUNDRED = printed("100")
_claim = partial(Claim, "C-VQA")


def claims() -> Iterator[Claim]:
    """Claims about the text, in the order of the paper."""
    text = Cells(published(__package__, "text"), "location", "system", "subset", "group", "variant", "metric")
    tables = {
        number: Cells(published(__package__, f"table{number}"), "system", "group", "variant")
        for number in ("3", "4", "6")
    }
    yield from _largest_drop(text, tables)
    yield from _sizes(text)
    yield from _drops(text, tables["3"])
    yield from _worked_examples()


def _largest_drop(text: Cells, tables: dict[str, Cells]) -> Iterator[Claim]:
    """The abstract's largest drop, among the systems of each table."""
    reported = text["abstract", "all models", "C-VQA", "all", "counterfactual", "max_drop"]
    symbolic = ("VisProg", "ViperGPT")
    for number, cells in tables.items():
        systems = {"all systems": cells.names(0)}
        if number == "3":
            systems["end-to-end systems"] = [name for name in cells.names(0) if name not in symbolic]
        for which, names in systems.items():
            drops = [
                cells.q(name, group, "original") - cells.q(name, group, "counterfactual")
                for name in names
                for group in _GROUPS
            ]
            found = up_to(reported, largest(drops), f"the largest drop in table {number} in points")
            yield _claim("Abstract", f"largest drop, Table {number}, {which}", "limit", found, "largest drop")
    cells = tables["3"]
    before = {
        (name, group): cells.q(name, group, "original")
        for name in cells.names(0)
        if name not in symbolic
        for group in _GROUPS
    }
    shares = {key: (value - cells.q(*key, "counterfactual")) / value * 100 for key, value in before.items()}
    name, group = max(shares, key=lambda key: shares[key].nominal)
    what = f"the largest relative loss ({name}, {group.replace('-', ' ')}) in percent"
    found = up_to(reported, largest(list(shares.values())), what)
    yield _claim(
        "Abstract", "largest drop as a relative change, Table 3, end-to-end systems", "limit", found, "largest drop"
    )


def _sizes(text: Cells) -> Iterator[Claim]:
    def number(location: str, subset: str, group: str, variant: str, metric: str) -> tuple[str, ...]:
        return location, "none", subset, group, variant, metric

    of_group = {group: number("sec3.4", _REAL, group, "counterfactual", "questions") for group in _GROUPS}
    numerical = number("sec3.4", _REAL, "numerical", "counterfactual", "questions")
    everything = number("sec3.4", _REAL, "all", "counterfactual", "questions")
    direct, indirect, boolean = (exactly(text[key].value) for key in of_group.values())
    found = equals(text[numerical], direct + indirect, "direct plus indirect questions")
    yield _claim("3.4", "numerical questions", "sum", found)
    found = equals(text[everything], direct + indirect + boolean, "the sum of the three groups")
    yield _claim("3.4", "questions of C-VQA-Real", "sum", found)
    pairs = text[number("sec3", _REAL, "all", "all", "image_question_pairs")]
    yield _claim("3", "pairs of C-VQA-Real", "same number", same(pairs, text[everything], "section 3.4"))
    yes, no = (number("sec3.4", _REAL, "boolean", "counterfactual", f"share_{answer}") for answer in ("yes", "no"))
    hundred = total([text[yes].quantity, text[no].quantity])
    yield _claim("3.4", "shares of yes and no", "sum", equals(_HUNDRED, hundred, "the sum of both shares"))
    for key, answer in ((yes, "yes"), (no, "no")):
        found = possible(text[key], int(boolean.nominal), "boolean questions")
        yield _claim("3.4", f"share of {answer}", "possible percentage", found)
    collected = text[number("sec1", _REAL, "all", "all", "images_collected")].quantity
    found = more_than(
        f"more than {int(collected.nominal):,}",
        collected.nominal,
        exactly(text[everything].value),
        "the number of pairs",
    )
    yield _claim("1", "images of C-VQA-Real", "limit", found)

    made = number("sec3.3", _SYNTHETIC, "all", "all", "images")
    created = text[number("sec1", _SYNTHETIC, "all", "all", "images_created")]
    found = more_than(
        f"more than {int(created.value):,}", created.value, exactly(text[made].value), "the number in 3.3"
    )
    yield _claim("1", "images of C-VQA-Synthetic", "limit", found, "number of synthetic images")
    templates = number("sec3.3", _SYNTHETIC, "all", "all", "question_templates")
    each = number("table2-caption", _SYNTHETIC, "each-template", "all", "instances")
    found = equals(text[made], exactly(text[templates].value) * text[each].value, "templates times instances")
    yield _claim("3.3", "images of C-VQA-Synthetic", "product", found)
    halves = [
        number("sec3.3", _SYNTHETIC, half, "all", "question_templates") for half in ("flower-counting", "dot-counting")
    ]
    found = equals(text[templates], total(exactly(text[half].value) for half in halves), "flower plus dot templates")
    yield _claim("3.3", "templates", "sum", found)
    for metric, location, variant in (
        ("image_question_pairs", "sec3", "all"),
        ("questions", "sec3.4", "counterfactual"),
    ):
        found = same(text[number(location, _SYNTHETIC, "all", variant, metric)], text[made], "section 3.3")
        yield _claim(location.removeprefix("sec"), "questions of C-VQA-Synthetic", "same number", found)
    for subset, metric, variant, key in (
        (_REAL, "questions", "counterfactual", everything),
        (_SYNTHETIC, "images", "all", made),
    ):
        rough = text[number("supp-F", subset, "all", variant, metric)]
        found = about(rough, exactly(text[key].value), "the number in section 3")
        yield _claim("Supplement F", f"size of {subset}", "same number", found)

    single, male, female = (
        number("sec4.3", _REAL, group, "all", "images") for group in ("single-gender", "male", "female")
    )
    found = equals(text[single], exactly(text[male].value) + text[female].value, "male plus female images")
    yield _claim("4.3", "images with one gender", "sum", found)
    labelled = text[number("sec4.3", _REAL, "all", "all", "images_with_gender_and_skin_labels")]
    found = at_most(
        "at most all labelled images", labelled.value, exactly(text[single].value), "the number with one gender"
    )
    yield _claim("4.3", "images with one gender", "bounds", found)


def _drops(text: Cells, table: Cells) -> Iterator[Claim]:
    """Drops and accuracies that the text repeats from Table 3."""
    for group in ("numerical-direct", "numerical-indirect"):
        drop = table.q("ViperGPT", group, "original") - table.q("ViperGPT", group, "counterfactual")
        reported = text["sec4.1", "ViperGPT", _REAL, group, "counterfactual", "accuracy_drop"]
        found = equals(reported, drop, "the drop in table 3")
        yield _claim("4.1", f"ViperGPT, {group.replace('-', ' ')}", "drop", found)
    system = "LLaVA-13B (Vicuna-13B)"
    for variant in ("original", "counterfactual"):
        reported = text["supp-C", system, _REAL, "numerical-direct", variant, "accuracy"]
        found = same(reported, table[system, "numerical-direct", variant], "table 3")
        yield _claim("Supplement C", f"{system}, numerical direct, {variant}", "same number", found)


def _worked_examples() -> Iterator[Claim]:
    """The arithmetic of the examples in the prompt for numerical direct questions."""
    cells = Cells(published(__package__, "statements"), "location", "variant", "metric")
    for location, example in dict.fromkeys(key[:2] for key in cells):
        start, change, computed, answer = (
            cells[location, example, metric] for metric in ("original_answer", "change", "computed", "new_answer")
        )
        place = location.replace("supp-B", "Supplement B.")
        cell = example.replace("-", " ")
        found = equals(computed, exactly(start.value) + change.value, "the original answer plus the change")
        yield _claim(place, f"{cell}, step 2", "sum", found)
        yield _claim(
            place, f"{cell}, new answer", "same number", same(answer, computed, "its step 2"), "worked examples"
        )
