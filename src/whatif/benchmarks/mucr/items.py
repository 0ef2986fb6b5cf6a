"""The questions of an item: one pair and metric, asked in all forms with the same options in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from whatif.benchmarks.mucr.askable import Fault, description_fault, fault_of
from whatif.benchmarks.mucr.members import Member
from whatif.benchmarks.mucr.schemas import (
    CONTEXT,
    MAIN_FORM,
    METRICS,
    SCORES,
    TEXT,
    WITH_HINTS,
    Form,
    Language,
    Metric,
    Style,
)
from whatif.benchmarks.mucr.settings import Questions


@dataclass(frozen=True)
class Asked:
    """How an item is asked once: in a form and language, with images in a style (None as text), with hints or not.

    `mixture` marks questions with images in the mixed style of the pair. `fault` says why it cannot be asked.
    """

    form: Form
    style: Style | None
    mixture: bool
    hints: bool = False
    language: Language = "en"
    fault: Fault | None = None

    @property
    def variant(self) -> str:
        """The form, followed by `hints` or the language if it is not English."""
        more = WITH_HINTS if self.hints else self.language
        return self.form if more == "en" else f"{self.form}-{more}"


@dataclass(frozen=True)
class Item:
    """A pair and a metric, with all ways to ask it."""

    member: Member
    group: Sequence[Member]
    metric: Metric
    asked: tuple[Asked, ...]

    @property
    def item_id(self) -> str:
        """`<pair>-<metric>`, the metric in lower case."""
        return f"{self.member.pair_id}-{self.metric.lower()}"

    def question_id(self, asked: Asked) -> str:
        """`<pair>-<metric>-<variant>[-<style>]`."""
        return "-".join([self.item_id, asked.variant, *([asked.style] if asked.style else [])])


def items_of(
    member: Member,
    group: Sequence[Member],
    style: Style | None,
    settings: Questions,
    styles: Sequence[Style],
    *,
    train: bool,
) -> Iterator[Item]:
    """The items of a pair whose mixed style is `style` (None if it has no images), also those that cannot be asked.

    Pairs of train groups are asked C2E, CP and EXP in each form in the mixed style. Those of test groups also C2E in
    the other `styles` on a composite, and in other languages as text and on a composite; all three with hints on a
    composite; and the contextual variation on a composite.
    """
    for metric in SCORES if train or not settings.context else METRICS:
        fault = fault_of(member, group, metric, style)
        forms: Sequence[Form] = (MAIN_FORM,) if metric == CONTEXT else settings.forms
        asked = [_in_form(form, style, fault) for form in forms]
        if not train and metric != CONTEXT:
            asked += _more(member, group, metric, style, fault, settings, styles)
        yield Item(member, group, metric, tuple(asked))


def _in_form(form: Form, style: Style | None, fault: Fault | None, language: Language = "en") -> Asked:
    shown = None if form == TEXT else style
    return Asked(form, shown, mixture=form != TEXT, language=language, fault=fault)


def _more(  # noqa: PLR0917
    member: Member,
    group: Sequence[Member],
    metric: Metric,
    style: Style | None,
    fault: Fault | None,
    settings: Questions,
    styles: Sequence[Style],
) -> Iterator[Asked]:
    if settings.hints:
        without = fault or description_fault(member, group, metric)
        yield Asked(MAIN_FORM, style, mixture=True, hints=True, fault=without)
    if metric != "C2E":
        return
    for language in settings.languages:
        if language != "en":
            yield from (_in_form(form, style, fault, language) for form in (TEXT, MAIN_FORM))
    # A pair without images has no mixed style; so many questions are planned for it as for any other.
    for other in [one for one in styles if one != style][: len(styles) - 1]:
        yield Asked(MAIN_FORM, other, mixture=False, fault=fault or fault_of(member, group, metric, other))
