"""How many claims about reported numbers hold, for docs/contradictions.md."""

from __future__ import annotations

from collections.abc import Callable

from docs.numbers.markdown import markdown
from whatif.results.contradictions import Verdict


def _claims() -> str:
    """How many claims about reported numbers there are by paper and verdict."""
    from whatif.benchmarks import contradictions
    from whatif.results.contradictions import VERDICTS
    from whatif.results.contradictions.report import by_paper
    from whatif.results.contradictions.rows import by_verdict

    rows = contradictions.rows()
    table = [("paper", "claims", *VERDICTS)]
    for paper, of_paper in [*by_paper(rows).items(), ("all", rows)]:
        table.append((paper, *(f"{number:,}" for number in (len(of_paper), *by_verdict(of_paper).values()))))
    return markdown(table, text_columns=1)


def _number_of_claims(verdict: Verdict | None = None, kind: str | None = None) -> Callable[[], str]:
    """The number of claims with a verdict, and of a kind."""

    def shown() -> str:
        from whatif.benchmarks import contradictions

        rows = contradictions.rows()
        return f"{sum(verdict in (None, row.verdict) and kind in (None, row.kind) for row in rows):,}"

    return shown


NUMBERS: dict[str, Callable[[], str]] = {
    "claims": _number_of_claims(),
    "claims that do not hold": _number_of_claims("does not hold"),
    "possible percentages": _number_of_claims(kind="possible percentage"),
    "impossible percentages": _number_of_claims("does not hold", "possible percentage"),
    "claims by verdict": _claims,
}
