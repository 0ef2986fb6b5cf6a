"""What can be recomputed of C-VQA-Real's reported tables: drops, possible percentages, significance, and orders."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from whatif.benchmarks.cvqa_real import claims_in_text
from whatif.results.contradictions import Claim, Outcome
from whatif.results.contradictions.counts import can_fail, possible, sizes_that_fit
from whatif.results.contradictions.formulas import at_most, equals, less_than, more_than, same
from whatif.results.contradictions.published_cells import Cells
from whatif.results.contradictions.quantity import exactly, largest, printed
from whatif.results.contradictions.significance import paired_fall
from whatif.results.reporting.published_numbers import published

_GROUPS = {"numerical-direct": 1150, "numerical-indirect": 864, "boolean": 1130}  # questions (C-VQA 3.4)
_SYMBOLIC = ("VisProg", "ViperGPT")
_STEP_BY_STEP = {  # names of Table 4 -> of Table 3
    "InstructBLIP-13B": "InstructBLIP (Vicuna-13B)",
    "MiniGPT-v2-7B": "MiniGPT-v2 (Llama2-Chat-7B)",
    "LLaVA-1.5-13B": "LLaVA-1.5-13B (Vicuna-13B)",
    "Qwen-VL-Chat": "Qwen-VL-Chat",
}
_GPT = "GPT-3.5-turbo"
_SIZES = range(1, 500)  # questions of a group that a sample of 10% may have
_claim = partial(Claim, "C-VQA")


def claims() -> Iterator[Claim]:
    """All claims about C-VQA-Real, in the order of the paper."""
    tables = {number: _cells(number) for number in ("3", "4", "5", "6")}
    for number, cells in tables.items():
        yield from _drops(number, cells)
    for number in ("3", "4", "6"):
        yield from _possible(number, tables[number])
    yield from _significant("Table 3", tables["3"])
    yield from _significant("4.1, Table 6", tables["6"])
    yield from _a_tenth(tables["5"])
    yield from _kinds_of_systems(tables["3"])
    yield from _step_by_step(tables["3"], tables["4"])
    yield from _writers(tables["3"], tables["6"])
    yield from claims_in_text.claims()


def _cells(number: str) -> Cells:
    return Cells(published(__package__, f"table{number}"), "system", "group", "variant")


def _cell(system: str, group: str) -> str:
    return f"{system}, {group.replace('-', ' ')}"


def _drops(number: str, cells: Cells) -> Iterator[Claim]:
    for system in cells.names(0):
        for group in _GROUPS:
            change = cells.q(system, group, "counterfactual") - cells.q(system, group, "original")
            found = equals(
                cells.delta(system, group, "counterfactual"), change, "counterfactual minus original accuracy"
            )
            yield _claim(f"Table {number}", _cell(system, group), "drop", found)


def _possible(number: str, cells: Cells) -> Iterator[Claim]:
    """Only where a percentage can be impossible: 1,150 and 1,130 questions give every number with one decimal."""
    for system, group, variant in cells:
        percent = cells[system, group, variant]
        if can_fail(percent, _GROUPS[group]):
            found = possible(percent, _GROUPS[group], "questions")
            yield _claim(f"Table {number}", f"{_cell(system, group)}, {variant}", "possible percentage", found)


def _significant(place: str, cells: Cells) -> Iterator[Claim]:
    """The caption of Table 3 and 4.1 (of Table 6) say that all drops are significant; no test is reported."""
    for system in cells.names(0):
        for group, questions in _GROUPS.items():
            found = paired_fall(
                cells[system, group, "original"], cells[system, group, "counterfactual"], questions, "questions"
            )
            yield _claim(place, _cell(system, group), "significance", found, "all drops significant")


def _a_tenth(cells: Cells) -> Iterator[Claim]:
    """Table 5 is about 10% of the questions, chosen at random (4.1); how many of each group is not printed."""
    fewest = {
        group: sizes_that_fit([cells["GPT-4V", group, v] for v in ("original", "counterfactual")], _SIZES)[0]
        for group in _GROUPS
    }
    everything = sum(_GROUPS.values())
    share = exactly(sum(fewest.values())) / everything * 100
    note = f"{' + '.join(map(str, fewest.values()))} questions are the fewest that give the percentages"
    found = at_most("10%", printed("10").quantity, share, "the least share asked in percent", note)
    yield _claim("4.1, Table 5", "number of questions", "sample size", found, "a tenth")
    for group in _GROUPS:
        drop = cells.q("GPT-4V", group, "original") - cells.q("GPT-4V", group, "counterfactual")
        yield _claim("4.1", _cell("GPT-4V", group), "limit", more_than("more than 10 points", 10, drop, "the drop"))


def _kinds_of_systems(cells: Cells) -> Iterator[Claim]:
    end_to_end = [system for system in cells.names(0) if system not in _SYMBOLIC]
    drops = {
        (system, group): cells.q(system, group, "original") - cells.q(system, group, "counterfactual")
        for system in cells.names(0)
        for group in _GROUPS
    }
    for group in ("numerical-indirect", "boolean"):
        for system in _SYMBOLIC:
            others = [drops[other, group] for other in end_to_end]
            more = sum(other.nominal > drops[system, group].nominal for other in others)
            note = f"{more} of {len(end_to_end)} end-to-end systems lose more" if more else ""
            limit = "more than that of any end-to-end system"
            found = more_than(limit, largest(others), drops[system, group], "the drop in points", note)
            yield _claim("4.1", _cell(system, group), "order", found, "larger gap of neuro-symbolic systems")
            accuracy = cells.q(system, group, "counterfactual")
            scores = [cells.q(other, group, "counterfactual") for other in end_to_end]
            worse = sum(score.nominal < accuracy.nominal for score in scores)
            note = f"{worse} of {len(end_to_end)} end-to-end systems are worse" if worse else ""
            least = -largest([-score for score in scores])
            found = less_than(
                "below all end-to-end systems", least, accuracy, "accuracy on counterfactual questions", note
            )
            yield _claim("4.1, Finding 1", _cell(system, group), "order", found, "finding 1")
    for system in end_to_end:
        direct = drops[system, "numerical-direct"]
        for group in ("numerical-indirect", "boolean"):
            limit = "the smaller one"
            note = f"of {group.replace('-', ' ')} ones, {float(drops[system, group].nominal):.1f}"
            found = less_than(limit, drops[system, group], direct, "the drop of direct questions", note)
            yield _claim("4.1", _cell(system, group), "order", found, "smaller drop of direct questions")


def _step_by_step(plain: Cells, prompted: Cells) -> Iterator[Claim]:
    """Chain of thought leaves accuracies constant or lowers them (4.1)."""
    for system, name in _STEP_BY_STEP.items():
        for group in _GROUPS:
            for variant in ("original", "counterfactual"):
                gain = prompted.q(system, group, variant) - plain.q(name, group, variant)
                found = at_most("no gain", 0, gain, "accuracy with the prompt minus accuracy without it")
                cell = f"{_cell(system, group)}, {variant}"
                yield _claim("4.1, Table 4", cell, "difference", found, "no gain by chain of thought")


def _writers(systems: Cells, writers: Cells) -> Iterator[Claim]:
    """Table 6: its first row is a row of Table 3; the rest are comparisons in 4.1."""
    for _, group, variant in (key for key in writers if key[0] == _GPT):
        found = same(writers[_GPT, group, variant], systems["ViperGPT", group, variant], "table 3 (ViperGPT)")
        yield _claim("Table 6", f"{_cell(_GPT, group)}, {variant}", "same number", found)
    names = writers.names(0)
    for group in _GROUPS:
        scores = {name: writers.q(name, group, "original") for name in names}
        best_other = largest(score for name, score in scores.items() if name != _GPT)
        found = more_than("the best of all", best_other, scores[_GPT], "accuracy on original questions")
        yield _claim("4.1, Table 6", _cell(_GPT, group), "order", found, "best on original questions")
        of_gpt = systems.q("ViperGPT", group, "original") - systems.q("ViperGPT", group, "counterfactual")
        for name in (name for name in names if name.startswith("CodeLlama")):
            drop = scores[name] - writers.q(name, group, "counterfactual")
            note = f"that one is {float(of_gpt.nominal):.1f}"
            limit = "smaller than that of GPT-3.5-turbo"
            found = less_than(limit, of_gpt, drop, "the drop in points", note)
            yield _claim("4.1, Table 6", _cell(name, group), "order", found, "moderate drops of CodeLlama")
        for variant in ("original", "counterfactual"):
            found = _wizard_is_weakest(writers, group, variant)
            cell = f"WizardCoder, {group.replace('-', ' ')}, {variant}"
            yield _claim("4.1, Table 6", cell, "order", found, "WizardCoder is weakest")


def _wizard_is_weakest(writers: Cells, group: str, variant: str) -> Outcome:
    values = {name: writers.q(name, group, variant) for name in writers.names(0)}
    wizard = {name: value for name, value in values.items() if name.startswith("WizardCoder")}
    others = {name: value for name, value in values.items() if name not in wizard}
    lowest, weakest = (min(each, key=lambda name: each[name].nominal) for each in (wizard, others))
    note = f"{weakest} has {float(others[weakest].nominal):.1f}"
    return less_than("the lowest of all", others[weakest], wizard[lowest], "their lowest accuracy", note)
