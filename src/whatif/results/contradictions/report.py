"""A part of a page that shows checked claims: counts, what does not hold by paper, and the rest on demand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from whatif.results.contradictions.claim import DOES_NOT_HOLD, VERDICTS, Verdict
from whatif.results.contradictions.rows import SAYS, Row, by_verdict

if TYPE_CHECKING:
    from markupsafe import Markup

MEANINGS: dict[Verdict, str] = {
    "holds": "follows from the printed numbers as they are",
    "within rounding": "does not follow from the printed numbers, but from values that are printed like these",
    "does not hold": "follows from neither",
    "cannot be checked": "needs numbers that the paper does not print",
}
_MOST_DIGITS = 4
_FRAGMENT = """\
{% macro table(rows, caption) %}
<table class="contradictions">
<caption>{{ caption }}</caption>
<thead>
<tr><th scope="col">Place</th><th scope="col">Reported</th><th scope="col">Recomputed</th>
<th scope="col">What was found</th></tr>
</thead>
<tbody>
{% for row in rows %}
<tr><th scope="row">{{ row.place }}</th><td>{{ row.reported }}</td><td>{{ span(row) }}</td>
<td>{{ row.explanation }}</td></tr>
{% endfor %}
</tbody>
</table>
{% endmacro %}
<section aria-labelledby="contradictions-summary">
<h2 id="contradictions-summary">Summary</h2>
<p>{{ "{:,}".format(number) }} claims about reported numbers were recomputed from other reported numbers.
Each input may lie within half a unit of its last digit.</p>
<table class="contradictions">
<caption>Claims by paper and verdict</caption>
<thead>
<tr><th scope="col">Paper</th>
{% for verdict in verdicts %}<th scope="col">{{ verdict }}</th>{% endfor %}</tr>
</thead>
<tbody>
{% for paper in papers %}
<tr><th scope="row">{{ paper.name }}</th>
{% for verdict in verdicts %}<td>{{ "{:,}".format(paper.counts[verdict]) }}</td>{% endfor %}</tr>
{% endfor %}
<tr><th scope="row">all</th>
{% for verdict in verdicts %}<td>{{ "{:,}".format(counts[verdict]) }}</td>{% endfor %}</tr>
</tbody>
</table>
<dl>
{% for verdict in verdicts %}
<dt>{{ verdict }}</dt><dd>{{ meanings[verdict] }}</dd>
{% endfor %}
</dl>
</section>
{% for paper in papers %}
<section aria-labelledby="contradictions-{{ loop.index }}">
<h2 id="contradictions-{{ loop.index }}">{{ paper.name }}</h2>
{% if paper.wrong %}
{{ table(paper.wrong, "What does not hold in " ~ paper.name) }}
{% else %}
<p>All claims that can be checked hold, at least within rounding.</p>
{% endif %}
{% for verdict, rows in paper.others %}
<details>
<summary>{{ paper.name }}: {{ "{:,}".format(rows | length) }} that {{ says[verdict] }}</summary>
{{ table(rows, paper.name ~ ": " ~ verdict) }}
</details>
{% endfor %}
</section>
{% endfor %}
"""


def by_paper(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each paper, papers in the order of their names; the order within a paper is kept."""
    ordered = sorted(rows, key=lambda row: row.paper)
    return {paper: list(group) for paper, group in groupby(ordered, key=lambda row: row.paper)}


def recomputed(row: Row) -> str:
    """The recomputed value as text: one number, or the least and the greatest that rounding allows."""
    if row.low is None or row.high is None:
        return "none"
    low, high = (_number(value) for value in (row.low, row.high))
    return low if low == high else f"{low} to {high}"


def fragment(rows: Sequence[Row]) -> Markup:
    """Sections of HTML for a page: no heading above `h2`, no style. All text is escaped."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    papers = [
        {
            "name": name,
            "counts": by_verdict(of_paper),
            "wrong": [row for row in of_paper if row.verdict == DOES_NOT_HOLD],
            "others": [
                (verdict, found)
                for verdict in reversed(VERDICTS)
                if verdict != DOES_NOT_HOLD and (found := [row for row in of_paper if row.verdict == verdict])
            ],
        }
        for name, of_paper in by_paper(rows).items()
    ]
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    text = environment.from_string(_FRAGMENT).render(
        number=len(rows),
        verdicts=VERDICTS,
        counts=by_verdict(rows),
        meanings=MEANINGS,
        papers=papers,
        says=SAYS,
        span=recomputed,
    )
    return Markup(text)  # rendered with autoescape


def _number(value: float) -> str:
    text = f"{value:,.0e}" if 0 < abs(value) < 10**-_MOST_DIGITS else f"{value:,.{_MOST_DIGITS - 1}f}"
    return text if "e" in text else text.rstrip("0").removesuffix(".")
