"""What can be recomputed of the numbers and comparisons in CFMM's running text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from math import sqrt

from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.contradictions import Claim
from whatif.results.contradictions.formulas import about, equals, less_than, more_than, same
from whatif.results.contradictions.published_cells import Cells
from whatif.results.contradictions.quantity import Quantity, exactly, largest, mean, printed
from whatif.results.reporting.published_numbers import published

PROMPTS = {"direct": "0-shot", "icl": "1-shot ICL", "cot": "1-shot CoT"}
_SEVERAL = ("size", "direction")  # categories about several things (4.2, observation 2)
_SINGLE = ("count", "color")
_claim = partial(Claim, "CFMM")


def sizes() -> Iterator[Claim]:
    """Numbers of questions and images, and chance."""
    text = _text()

    def number(location: str, group: str, variant: str, metric: str, system: str = "none") -> tuple[str, ...]:
        return location, system, group, variant, metric

    images = text[number("sec1", "all", "all", "images")]
    questions = text[number("sec1", "all", "all", "questions")]
    of_image = {
        variant: exactly(text[number("sec1", group, variant, "questions")].value)
        for group, variant in (
            ("each-image", "basic"),
            ("each-image", "counterfactual"),
            ("each-image", "counterfactual-manual"),
            ("each-image", "counterfactual-generated"),
        )
    }
    both = of_image["basic"] + of_image["counterfactual"]
    found = equals(questions, exactly(images.value) * both, "images times questions for each")
    yield _claim("1", "questions", "product", found)
    parts = of_image["counterfactual-manual"] + of_image["counterfactual-generated"]
    found = equals(printed(str(of_image["counterfactual"].nominal)), parts, "labelled plus generated questions")
    yield _claim("1", "counterfactual questions for each image", "sum", found)
    pairs = text[number("sec3.3", "all", "all", "manually_annotated_question_pairs")]
    yield _claim("3.3", "labelled pairs", "same number", same(pairs, images, "section 1"))
    table1 = Cells(published(__package__, "table1"), "dataset", "metric")
    yield _claim("Table 1", "CFMM, questions", "same number", same(table1["CFMM", "questions"], questions, "section 1"))
    tasks = text[number("sec1", "all", "all", "tasks")]
    yield _claim(
        "Table 1", "CFMM, question types", "same number", same(table1["CFMM", "question_types"], tasks, "section 1")
    )
    yield _claim(
        "1", "tasks", "same number", equals(tasks, exactly(len(CATEGORIES)), "the number of categories in table 2")
    )
    systems = Cells(published(__package__, "table3"), "system", "strategy", "metric").names(0)
    models = text[number("sec4", "all", "all", "evaluated_models")]
    yield _claim("4", "models", "same number", equals(models, exactly(len(systems)), "the number of models in table 3"))
    chance = text[number("sec3.4", "all", "all", "accuracy", "random baseline")]
    of_both = text[number("sec3.4", "all", "all", "acc_plus", "random baseline")]
    found = equals(of_both, exactly(chance.value) * chance.value / 100, "chance twice")
    yield _claim("3.4", "chance of acc_plus", "product", found)
    for variant, name in (("basic", "acc_b"), ("counterfactual", "acc_c"), ("both", "acc_plus")):
        full = text[number("sec3.4", "total", variant, f"full_score_{name}")]
        found = equals(full, exactly(tasks.value) * 100, "categories times 100")
        yield _claim("3.4", f"full score of {name}", "product", found)


def results(cells: Cells, totals: Cells, sizes: Mapping[str, int]) -> Iterator[Claim]:
    """Section 4 against Tables 2 and 3."""
    text = _text()
    for system, category, variant, metric in (
        ("InfMLLM", "color", "basic", "acc_b"),
        ("LLaVA", "count", "counterfactual", "acc_c"),
        ("LLaVA", "count", "basic", "acc_b"),
    ):
        reported = text["sec4.1", system, category, variant, metric]
        found = same(reported, cells[system, "direct", category, metric], "table 2")
        yield _claim("4.1", f"{system}, {category}, {metric}", "same number", found, "numbers of table 2 in the text")
    yield from _levels(text, totals)
    yield from _falls(text, cells, totals)
    yield from _best(totals)
    yield from _prompts(totals)
    yield from _categories(cells)
    yield from _association(cells)


def _text() -> Cells:
    return Cells(published(__package__, "text"), "location", "system", "group", "variant", "metric")


def _levels(text: Cells, totals: Cells) -> Iterator[Claim]:
    """Basic questions are said to be at about 80%, counterfactual ones close to chance (4.1)."""
    for variant, metric, name in (("basic", "acc_b", "acc_b"), ("counterfactual", "acc_c_zero_shot", "acc_c")):
        reported = text["sec4.1", "all models", "all", variant, metric]
        for system in totals.names(0):
            found = about(reported, totals.q(system, "direct", name) / 6, f"the mean {name} of the six categories")
            yield _claim("4.1", f"{system}, 0-shot, {name}", "limit", found, f"level of {name}")


def _falls(text: Cells, cells: Cells, totals: Cells) -> Iterator[Claim]:
    reported = text["sec4.2-obs1", "all models", "total", "counterfactual", "mean_drop_of_total_score"]
    for strategies, which in ((("direct",), "0-shot"), (tuple(PROMPTS), "all prompts")):
        parts = [
            totals.q(system, strategy, "acc_b") - totals.q(system, strategy, "acc_c")
            for system in totals.names(0)
            for strategy in strategies
        ]
        found = equals(reported, mean(parts), "the mean of acc_b minus acc_c in table 3")
        yield _claim("4.2, Observation 1", f"mean drop, {which}", "mean", found, "mean drop")
    for system in totals.names(0):
        for strategy, prompt in PROMPTS.items():
            drop = totals.q(system, strategy, "acc_b") - totals.q(system, strategy, "acc_c")
            found = more_than("a drop", 0, drop, "acc_b minus acc_c in table 3")
            yield _claim("4.2, Observation 1", f"{system}, {prompt}", "order", found, "all models drop")
    for category in _SINGLE:
        least = text["sec4.2-obs2", "all models", category, "counterfactual", "acc_c_drop"].value
        for system in totals.names(0):
            drop = cells.q(system, "direct", category, "acc_b") - cells.q(system, "direct", category, "acc_c")
            found = more_than(f"more than {least}", least, drop, "acc_b minus acc_c")
            yield _claim("4.2, Observation 2", f"{system}, 0-shot, {category}", "limit", found, "drops above 20")
        everyone = [
            cells.q(system, "direct", category, "acc_b") - cells.q(system, "direct", category, "acc_c")
            for system in totals.names(0)
        ]
        found = more_than(f"more than {least}", least, mean(everyone), "the mean of acc_b minus acc_c")
        yield _claim("4.2, Observation 2", f"all models, 0-shot, {category}", "limit", found, "drops above 20")
    drops = {
        system: cells.q(system, "direct", "count", "acc_b") - cells.q(system, "direct", "count", "acc_c")
        for system in totals.names(0)
    }
    others = largest(drop for system, drop in drops.items() if system != "LLaVA")
    found = more_than("the largest of all", others, drops["LLaVA"], "acc_b minus acc_c")
    yield _claim("4.1", "LLaVA, 0-shot, count", "order", found)


def _best(totals: Cells) -> Iterator[Claim]:
    for best, metric, limit in (
        ("Monkey", "acc_b", "the best of all"),
        ("InfMLLM", "acc_c", "better than all others"),
    ):
        for strategy, prompt in PROMPTS.items():
            scores = {system: totals.q(system, strategy, metric) for system in totals.names(0) if system != best}
            rival = max(scores, key=lambda system: scores[system].nominal)
            value = totals.q(best, strategy, metric)
            note = f"the best other one is {rival} with {float(scores[rival].nominal):.2f}"
            found = more_than(limit, scores[rival], value, f"the total of {metric}", note)
            yield _claim("4.1", f"{best}, {prompt}, {metric}", "order", found, f"best in {metric}")


def _prompts(totals: Cells) -> Iterator[Claim]:
    """Observations 3 and 4: one-shot examples help Qwen-VL, hurt two models; chains of thought do not help much."""

    def gain(system: str, strategy: str, metric: str) -> Quantity:
        return totals.q(system, strategy, metric) - totals.q(system, "direct", metric)

    least = _text()["sec4.2-obs3", "Qwen-VL", "total", "counterfactual", "gain_from_one_shot_icl"].value
    what = "the total with an example minus that without"
    note = f"for acc_c it is {float(gain('Qwen-VL', 'icl', 'acc_c').nominal):.2f}"
    for metric in ("acc_c", "acc_plus"):  # the scores of counterfactual questions, which the sentence is about
        found = more_than(
            f"more than {least}", least, gain("Qwen-VL", "icl", metric), what, note if metric == "acc_plus" else ""
        )
        yield _claim("4.2, Observation 3", f"Qwen-VL, {metric}", "limit", found, "gain of Qwen-VL")
    for system in ("InstructBLIP", "BLIP2"):
        found = less_than("a loss", 0, gain(system, "icl", "acc_c"), what)
        yield _claim("4.2, Observation 3", f"{system}, acc_c", "order", found)
    for system in totals.names(0):
        found = less_than(
            f"not much (less than half of the {least} points of observation 3)",
            Fraction(least) / 2,
            gain(system, "cot", "acc_c"),
            "the total with a chain of thought minus that without",
        )
        yield _claim("4.2, Observation 4", f"{system}, acc_c", "limit", found, "gain by chain of thought")


def _categories(cells: Cells) -> Iterator[Claim]:
    """Basic questions about single things are said to be the easiest, those about several the hardest (4.2)."""
    means = {
        category: mean(cells.q(system, "direct", category, "acc_b") for system in cells.names(0))
        for category in CATEGORIES
    }
    what = "the mean acc_b of the seven models, 0-shot"
    for category in CATEGORIES:
        others = {name: value for name, value in means.items() if name != category}
        if category in _SINGLE:
            others = {name: value for name, value in others.items() if name not in _SINGLE}
            rival = max(others, key=lambda name: others[name].nominal)
            note = f"{rival} has {float(others[rival].nominal):.2f}"
            found = more_than("one of the two best categories", others[rival], means[category], what, note)
        elif category in _SEVERAL:
            others = {name: value for name, value in others.items() if name not in _SEVERAL}
            rival = min(others, key=lambda name: others[name].nominal)
            note = f"{rival} has {float(others[rival].nominal):.2f}"
            found = less_than("one of the two worst categories", others[rival], means[category], what, note)
        else:
            continue
        yield _claim("4.2, Observation 2", category, "order", found, "easy and hard categories")


def _association(cells: Cells) -> Iterator[Claim]:
    """A slight negative correlation between both answers: acc_plus gives it for each row of Table 2 (Observation 1)."""
    for strategy, prompt in PROMPTS.items():
        values = [
            _phi(
                *(
                    float(cells[system, strategy, category, share].value) / 100
                    for share in ("acc_b", "acc_c", "acc_plus")
                )
            )
            for system in cells.names(0)
            for category in CATEGORIES
        ]
        middle = exactly(Fraction(sum(values) / len(values)))
        note = f"it is negative in {sum(value < 0 for value in values)} of {len(values)} rows"
        found = less_than("a slight negative correlation", 0, middle, "the mean phi coefficient of table 2", note)
        yield _claim("4.2, Observation 1", prompt, "correlation", found, "negative correlation")


def _phi(first: float, second: float, both: float) -> float:
    """The correlation of two yes-or-no variables from their shares and the share of both."""
    return (both - first * second) / sqrt(first * (1 - first) * second * (1 - second))
