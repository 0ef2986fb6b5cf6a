"""The tables of agreement and of annotators' work: their numbers, their views, and where there is nothing to say."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from tests.scoring.statistics.annotator_simulation import AT_RANDOM, MAIN, simulated
from whatif.engine.params.resolution import Resolution
from whatif.people.quality import quality_of_work
from whatif.results.reporting.annotators import annotator_agreement, annotators
from whatif.results.reporting.rendering import WIDTH, to_markdown
from whatif.results.reporting.table import from_csv, to_csv
from whatif.scoring.statistics.agreement import fleiss_kappa
from whatif.scoring.statistics.pair_agreement import krippendorff_alpha, pair_agreement, resampled_cohen_kappa
from whatif.scoring.statistics.random_annotators import BETTER, RANDOM, UNCLEAR

pytestmark = pytest.mark.slow

SETTINGS: Any = SimpleNamespace(confidence=0.9, resamples=999)
HOW = {"confidence": 0.9, "resamples": 999, "seed": 3}


def rows(labels: dict[str, dict[str, str]], seconds: float | None = 3.5) -> list[dict[str, Any]]:
    return [
        {
            "item_id": item,
            "annotator": name,
            "decision": decision,
            "corrected": "{}",
            "comment": "",
            "time": None,
            "seconds": seconds,
        }
        for item, of_item in labels.items()
        for name, decision in of_item.items()
    ]


def number(frame: pd.DataFrame, measure: str, column: str = "value", **where: str) -> Any:
    chosen = frame[frame["measure"] == measure]
    for name, value in where.items():
        chosen = chosen[chosen[name] == value]
    (found,) = chosen[column]
    return found


def test_agreement_has_the_numbers_of_the_statistics() -> None:
    labels = simulated(MAIN, 1)
    labels |= {"two": {"annotator-05": "a", "annotator-06": "b"}, "one": {"annotator-05": "a"}}
    table = annotator_agreement(rows(labels), SETTINGS, 3, least_shared=10)
    frame = table.frame
    ratings = [list(of_item.values()) for of_item in labels.values() if len(of_item) > 1]
    three = [item for item in ratings if len(item) == 3]
    for measure, interval, n, scale in (
        ("agreement", pair_agreement(ratings, **HOW), 401, 100),
        ("krippendorff", krippendorff_alpha(ratings, **HOW), 401, 1),
        ("fleiss", fleiss_kappa(three, **HOW), 400, 1),
    ):
        assert interval is not None
        ends = (interval.estimate, interval.low, interval.high)
        found = [number(frame, measure, column) for column in ("value", "low", "high")]
        assert found == pytest.approx([scale * end for end in ends], abs=1e-4)
        assert number(frame, measure, "n") == n
    items = frame[frame["measure"] == "items"].set_index("annotators")["value"].to_dict()
    assert items == {"1": 1, "2": 1, "3": 400}
    cohen = frame[frame["measure"] == "cohen"]
    assert len(cohen) == number(frame, "pairs") > 10 and (cohen["n"] >= 10).all()
    assert number(frame, "pairs", "n") > len(cohen)
    assert number(frame, "lowest") == cohen["value"].min() and number(frame, "highest") == cohen["value"].max()
    names = cohen["annotators"].iloc[0]
    both = [of for of in labels.values() if set(names.split(" and ")) <= set(of)]
    first, second = ([of[name] for of in both] for name in names.split(" and "))
    kappa = resampled_cohen_kappa(first, second, **HOW)
    assert kappa is not None and cohen["value"].iloc[0] == pytest.approx(kappa.estimate, abs=1e-4)
    assert from_csv(to_csv(frame)).equals(frame)


def test_the_work_of_each_annotator() -> None:
    labels = simulated(MAIN, 1)
    gold = {item: next(iter(of_item.values())) for item, of_item in list(labels.items())[:60]}
    table = annotators(rows(labels), SETTINGS, 3, gold=gold)
    frame = table.frame
    verdicts = frame.groupby("annotator")["work"].unique()
    assert {name: list(found) for name, found in verdicts.items()} == {
        f"annotator-{place:02d}": [RANDOM if place < AT_RANDOM else BETTER] for place in range(20)
    }
    works = {one.annotator: one for one in quality_of_work(rows(labels), gold=gold, **HOW)}
    for name, work in works.items():
        assert number(frame, "items", annotator=name) == work.items
        assert work.agreement is not None and work.gold is not None
        assert number(frame, "agreement", annotator=name) == pytest.approx(100 * work.agreement.estimate, abs=1e-4)
        assert number(frame, "agreement", "n", annotator=name) == work.compared
        assert number(frame, "gold", "low", annotator=name) == pytest.approx(100 * work.gold.low, abs=1e-4)
        assert number(frame, "seconds", annotator=name) == 3.5
        assert number(frame, "too fast", annotator=name) == 0.0
        assert work.competence is not None
        assert number(frame, "knows", "p", annotator=name) == pytest.approx(work.competence.p_chance, rel=1e-3)
        confusion = frame[(frame["annotator"] == name) & (frame["measure"] == "confusion")]
        assert {(row.others, row.own): row.value for row in confusion.itertuples()} == work.confusion
    assert from_csv(to_csv(frame)).equals(frame)


def test_printed_views_fit_the_page() -> None:
    labels = simulated(MAIN, 2)
    few = {item: {name: of[name] for name in of if name < "annotator-05"} for item, of in labels.items()}
    few = {item: of for item, of in few.items() if of}
    for judged in (labels, few):
        texts = [
            to_markdown(annotator_agreement(rows(judged), SETTINGS, 0, least_shared=5)),
            to_markdown(annotators(rows(judged), SETTINGS, 0, gold={"item-0000": "a"})),
        ]
        assert all(len(line) <= WIDTH for text in texts for line in text.split("\n"))
        assert ("annotator-00 and annotator-01" in texts[0]) == (judged is few)
        assert ("| Others |" in texts[1]) == (judged is few)
        assert "at random" in texts[1]


def test_an_adjudicator_does_not_count() -> None:
    labels = simulated(MAIN, 1)
    judged = rows(labels) + [{**row, "annotator": "chief"} for row in rows({item: {"x": "a"} for item in labels})]
    rule = Resolution(rule="adjudicated", adjudicator="chief")
    few: Any = SimpleNamespace(confidence=0.9, resamples=99)
    for make in (annotator_agreement, annotators):
        alone = make(rows(labels), few, 0).frame
        assert make(judged, few, 0, resolution=rule).frame.equals(alone)
        assert not make(judged, few, 0).frame.equals(alone)


def test_without_anything_to_compare() -> None:
    nothing = annotator_agreement([], SETTINGS, 0)
    assert number(nothing.frame, "krippendorff", "n") == 0 and pd.isna(number(nothing.frame, "krippendorff"))
    assert to_markdown(nothing) and to_markdown(annotators([], SETTINGS, 0))
    alone = rows({"p": {"ann": "accept"}}, seconds=None)
    found = annotators(alone, SETTINGS, 0).frame
    assert set(found["measure"]) == {"items", "compared"} and set(found["work"]) == {UNCLEAR}
    assert to_markdown(annotator_agreement(alone, SETTINGS, 0))
    same = annotator_agreement(rows({f"p-{n}": {"ann": "a", "ben": "a"} for n in range(30)}), SETTINGS, 0)
    assert number(same.frame, "agreement") == 100.0 and pd.isna(number(same.frame, "fleiss"))
    assert number(same.frame, "pairs") == 1 and pd.isna(number(same.frame, "median"))
