"""Figure 8 of C-VQA: word clouds of the nouns and verbs of the questions, beside those of a reference text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from whatif.benchmarks.cvqa_real.reference_text import Words, read_reference
from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.benchmarks.cvqa_real.schemas import COUNTERFACTUAL
from whatif.benchmarks.cvqa_real.words import CLASSES, WordClass, word_classes
from whatif.engine.files.inputs import user_path
from whatif.engine.language.tagging import tagger
from whatif.results.reporting import declared
from whatif.results.reporting.svg import new_figure, svg
from whatif.results.reporting.table import Table
from whatif.results.reporting.word_cloud import draw_cloud, word_cloud

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OURS = "the counterfactual questions"
_SHOWN = 60  # most frequent words of a class in a cloud
_WIDTH, _HEIGHT = 260.0, 160.0  # points of a cloud
_SPACE = 20.0  # points between clouds
_ROW = _HEIGHT + 48.0  # points of a cloud with its caption
_LONGEST_NAME = 40  # characters


def word_clouds(questions: Sequence[Mapping[str, Any]], reference: Words | None) -> bytes:
    """Figure 8 as an SVG: a row with the nouns and the verbs of each text; words are drawn as outlines (C-VQA E).

    questions: rows of the table `questions`, of which the counterfactual ones are shown. The caption of a cloud has the
    number of its words, of different words, and their ratio (type-token ratio). The tagger is `pattern`, as in the
    table `words`. The same texts give the same bytes on every machine.
    """
    own = Words(OURS, tuple(str(row["question"]) for row in questions if row["variant"] == COUNTERFACTUAL))
    texts = [own] if reference is None else [own, reference]
    tag = tagger("pattern")
    found = [word_classes(text.texts, tag, top=_SHOWN) for text in texts]

    def draw() -> Figure:
        columns = len(CLASSES) * (_WIDTH + _SPACE) - _SPACE
        figure = new_figure(columns / 72, len(texts) * _ROW / 72)
        figure.set_layout_engine("none")  # the clouds have fixed places
        for row, (text, classes) in enumerate(zip(texts, found, strict=True)):
            for column, (name, words) in enumerate(classes.items()):
                left, bottom = column * (_WIDTH + _SPACE), (len(texts) - 1 - row) * _ROW
                draw_cloud(figure, word_cloud(words.top, _WIDTH, _HEIGHT), (left, bottom))
                middle = (left + _WIDTH / 2) / columns
                top = (bottom + _HEIGHT + _SPACE / 2) / (len(texts) * _ROW)
                figure.text(middle, top, _caption(text.name, name, words), fontsize=8, ha="center", parse_math=False)
        return figure

    return svg(draw)


def _caption(text: str, of_class: str, words: WordClass) -> str:
    short = text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}..."
    if not words.tokens:
        return f"{of_class.capitalize()} of {short}\nnone"
    ratio = f"type-token ratio {words.type_token_ratio:.3f}"
    return f"{of_class.capitalize()} of {short}\n{words.tokens:,} words, {words.types:,} different, {ratio}"


def _draw(found: RealResults, tables: Mapping[str, Table]) -> bytes:
    reference = found.settings.reference_text
    return word_clouds(found.main_set, None if reference is None else read_reference(user_path(reference)))


FIGURE = declared.Figure(_draw, above="words")
