"""The numbers of Figures 8, 11 and 14 of MuCR: styles, rejected siblings, and languages (MuCR 5).

The paper shows these values in figures only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from whatif.benchmarks.mucr import reported
from whatif.benchmarks.mucr.asked_items import IN_IMAGES, Way
from whatif.benchmarks.mucr.main_tables import BY_PEOPLE, WAYS
from whatif.benchmarks.mucr.outcomes import Outcomes
from whatif.benchmarks.mucr.results import Results, Row
from whatif.benchmarks.mucr.schemas import CONTEXT, MAIN_FORM, STYLES, Style
from whatif.benchmarks.mucr.score_tables import changes_view, intervals_view, score_table
from whatif.results.reporting.table import Table

C2E = "C2E"
_HIDDEN = {"metric": ""}  # where it is C2E in all rows
_IN_IMAGE = "The paper's values are in its {figure} only."
_FIRST: Style = "photograph"  # with which other styles are compared
# The answers by metric to the questions about some metrics that are shown in a way.
Answers = Callable[[Way, Sequence[str]], Mapping[str, Outcomes]]


def answerers(results: Results) -> Iterator[tuple[Row, Answers]]:
    """Each system of the main tables, and people if there are some, with their answers."""
    for system in results.main:

        def of_system(way: Way, metrics: Sequence[str], system: tuple[str, str] = system) -> Mapping[str, Outcomes]:
            return results.metrics(system, way, metrics)

        yield results.place(system), of_system

    if results.people is not None:
        yield BY_PEOPLE, results.by_people


def styles(results: Results) -> Table:
    """The table `styles` (MuCR 5.1, Figure 8): C2E by style of the images."""

    def rows() -> Iterable[Row]:
        for place, answers in answerers(results):
            first = answers(Way(MAIN_FORM, _FIRST), (C2E,))
            for style in STYLES:
                found = answers(Way(MAIN_FORM, style), (C2E,))
                yield from results.scores(found, {**place, "style": style})
                if style != _FIRST:
                    yield from results.changes(first, found, {**place, "style": style})

    shown = {"style": "Style"}
    views = (
        intervals_view(
            f"C2E in percent by style of the images, with {results.level} intervals by group (MuCR Figure 8).",
            f"{_IN_IMAGE.format(figure='Figure 8')} Its text finds a slight drop for black-white images.",
            (C2E,),
            **shown,
        ),
        changes_view(
            f"C2E minus that with photographs in points, over the same pairs, with {results.level} intervals by group.",
            **_HIDDEN,
            **shown,
        ),
    )
    return score_table("styles", "Styles", results.corrected(rows()), ("style",), views)


def context(results: Results) -> Table:
    """The table `context` (MuCR 5.2, Figure 11): the chosen effect image found among three rejected siblings."""

    def rows() -> Iterable[Row]:
        for place, answers in answerers(results):
            found = answers(IN_IMAGES, (CONTEXT, C2E))
            if CONTEXT in found:
                yield from results.scores(found, place)

    view = intervals_view(
        "Questions answered correctly in percent: which of four images of the same effect was chosen as the sibling of "
        f"the cause; beside C2E, with {results.level} intervals by group (MuCR Figure 11).",
        f"Chance is {reported.in_text('accuracy')}%. The chosen image counts as right; where CLIP chose, a score says "
        f"how far a model agrees with CLIP. {_IN_IMAGE.format(figure='Figure 11')} Its text orders "
        f"{reported.in_text('models_tested')} models, GPT-o1 first and Claude-3.0 last.",
        (CONTEXT, C2E),
    )
    return score_table("context", "Contextual variation", rows(), (), (view,))


def languages(results: Results) -> Table:
    """The table `language` (MuCR Figure 14): C2E asked in English and in Chinese."""
    known = [str(one) for one in dict.fromkeys(sorted(set(results.questions.language.tolist()) | {"en"}))]

    def rows() -> Iterable[Row]:
        for place, answers in answerers(results):
            for way in WAYS:
                first = answers(way, (C2E,))
                for language in known if len(known) > 1 else ():
                    found = answers(way._replace(language=language), (C2E,))  # type: ignore[arg-type]
                    labels = {**place, "form": way.form, "language": language}
                    yield from results.scores(found, labels)
                    if language != way.language:
                        yield from results.changes(first, found, labels)

    shown = {"form": "Form", "language": "Language"}
    views = (
        intervals_view(
            f"C2E in percent by language of the question, with {results.level} intervals by group (MuCR Figure 14).",
            f"{_IN_IMAGE.format(figure='Figure 14')} Captions are in the language of the source.",
            (C2E,),
            **shown,
        ),
        changes_view(
            f"C2E minus that in English in points, over the same pairs, with {results.level} intervals by group.",
            **_HIDDEN,
            **shown,
        ),
    )
    return score_table("language", "Languages", results.corrected(rows()), ("form", "language"), views)
