"""Rejects questions that give their answer away or have no certain one, and orders the two options (CFMM 3.3)."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.benchmarks.cfmm.leakage import leak
from whatif.benchmarks.cfmm.options import right_option, wrong_options
from whatif.benchmarks.cfmm.schemas import BASIC, VARIANTS
from whatif.benchmarks.cfmm.settings import FilterCfmm
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.language.if_clauses import if_clause
from whatif.engine.language.wording import one_line, plain, same
from whatif.engine.random_streams import stream

Row = Mapping[str, Any]

NO_IF_CLAUSE = "no if clause"
LEAKAGE = "leakage"
EQUAL_OPTIONS = "answer equals the other option"
AMBIGUOUS = "ambiguous answer"
ASKED_BEFORE = "asked before"
NO_BASIC_QUESTION = "no basic question"
TOO_FEW = "too few counterfactual questions"
SAME_AS_BASIC = "same as basic too often"
_ORDER = {variant: place for place, variant in enumerate(VARIANTS)}
_UNCERTAIN = re.compile(
    r"\b(?:it depends|depends on|depending|depend|maybe|perhaps|possibly|probably|presumably|apparently|unknown|"
    r"unclear|uncertain|unsure|not sure|not clear|not certain|not known|not specified|not visible|unspecified|"
    r"undetermined|indeterminate|ambiguous|(?:can ?not|can t|cant|could not|impossible to|hard to|difficult to|"
    r"unable to) "
    r"(?:be )?(?:say|tell|know|determined?|answer(?:ed)?|known|told|said|seen?|identif(?:y|ied))|"
    r"insufficient|not enough (?:information|detail|context)|not applicable|n a|none of (?:the above|these|them)|"
    r"all of the above|could be|might be|may be|could vary|varies|vary|either|some ?what|any color|no idea|"
    r"(?:most|more|very) likely|about \d+|around \d+|approximately|roughly|at least|at most|more than \d+|"
    r"less than \d+|fewer than \d+|up to \d+|over \d+|or so|or more|or less|or fewer)\b"
)
_VAGUE = re.compile(  # as a whole answer, or before what is counted
    r"(?:several|some|many|few|lots?|plenty|numerous|various|countless|multiple|dozens|hundreds|thousands|"
    r"couple of \w+|a few|something|anything|somewhere|any|other|others|else|etc|same or \w+)(?: (?:of )?\w+)?"
)
_RANGE = re.compile(r"\d\s*(?:-|–|—|to)\s*\d|\d\s*\+|[?~\u2248]|\bor\b|/")


def filtered(
    questions: Iterable[Row], settings: FilterCfmm, *, seed: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The questions that are kept, sorted by id, with their options in order; and a rejection for each other question.

    `questions` are rows of the table `questions`, of which the basic question of an item and its counterfactual ones
    share `pair_id`. Every question has one row in one of the two lists. The reasons, the first that applies:

    - `no if clause`: a counterfactual question without a presupposition (`whatif.engine.language.if_clauses`);
    - `leakage`: its if clause contains the answer (`whatif.benchmarks.cfmm.leakage`);
    - `answer equals the other option`, numbers in words and in digits alike;
    - `ambiguous answer`: one of the options is uncertain, or longer than `longest_answer` words;
    - `asked before`: an earlier kept question of the item is the same but for case, punctuation and articles;
    - `no basic question`: the basic question of the item was rejected, or is missing;
    - `same as basic too often`: of the counterfactual questions of a category, more than `highest_same_as_basic` have
      the answer to the basic question. As many of these as are too many are rejected, in a random order by seed and id;
    - `too few counterfactual questions`: fewer than `least_counterfactuals` of the item are left. This rejects all
      questions of the item.

    At the end the options are put in a random order, in which each letter is right equally often in every category and
    variant (the numbers differ by one at most). `same_as_basic` in `provenance` says whether the answers are the same.
    """
    sieve = _Sieve(settings, seed)
    by_item: dict[str, list[Row]] = defaultdict(list)
    for row in questions:
        by_item[row["pair_id"]].append(row)
    for item in sorted(by_item):
        sieve.check(sorted(by_item[item], key=_place))
    sieve.balance()
    kept = [_with_note(question) for item in sieve.items.values() for question in item.kept]
    return sorted(_in_order(kept, seed), key=lambda row: str(row["question_id"])), sieve.rejections


def remedy_for(questions: Iterable[Row], settings: FilterCfmm) -> str:
    """What to change in params.yaml when no question is left."""
    numbers = Counter(row["pair_id"] for row in questions if row["variant"] != BASIC)
    most, least = max(numbers.values(), default=0), settings.least_counterfactuals
    if most < least:
        return (
            f"no item has more than {most} before the filter: set filter.cfmm.least_counterfactuals to {max(most, 1)}, "
            "or name a model that writes more as generate.cfmm.expansion"
        )
    return "loosen filter.cfmm in params.yaml"


@dataclass(frozen=True)
class _Question:
    """A question that is kept so far, and whether its answer is that of the basic question (None for the basic one)."""

    row: Row
    same_as_basic: bool | None


@dataclass
class _Item:
    kept: list[_Question]  # the basic question first

    @property
    def category(self) -> str:
        return str(self.kept[0].row["group"])

    @property
    def counterfactuals(self) -> list[_Question]:
        return self.kept[1:]


class _Sieve:
    """The items that are kept so far, and the rejections."""

    def __init__(self, settings: FilterCfmm, seed: int) -> None:
        self._settings = settings
        self._seed = seed
        self.items: dict[str, _Item] = {}
        self.rejections: list[dict[str, Any]] = []

    def check(self, rows: Sequence[Row]) -> None:
        """Checks the questions of one item, the basic one first."""
        basic = next((row for row in rows if row["variant"] == BASIC), None)
        answer = "" if basic is None else right_option(basic)
        kept: list[_Question] = []
        asked: dict[str, str] = {}
        for row in rows:
            fault = self._fault(row, answer, asked)
            if fault is not None:
                self._reject(row, *fault)
            else:
                asked[plain(row["question"])] = row["variant"]
                kept.append(_Question(row, None if row is basic else same(right_option(row), answer)))
        if not kept or kept[0].row is not basic:
            state = "is missing" if basic is None else "was rejected"
            for question in kept:
                self._reject(question.row, NO_BASIC_QUESTION, f"the basic question of the item {state}")
            return
        item_id = str(kept[0].row["pair_id"])
        self.items[item_id] = _Item(kept)
        self._drop_if_too_few(item_id)

    def balance(self) -> None:
        """Rejects questions with the answer of the basic one until each category has few enough of them."""
        for category in sorted({item.category for item in self.items.values()}):
            order = sorted(
                (
                    (stream(self._seed, "same as basic", str(one.row["question_id"])).random(), item_id, one)
                    for item_id, item in self.items.items()
                    if item.category == category
                    for one in item.counterfactuals
                    if one.same_as_basic
                ),
                key=lambda entry: entry[:2],
            )
            for _, item_id, question in order:
                same_ones, total = self._counts(category)
                if not total or same_ones <= self._settings.highest_same_as_basic * total:
                    break
                if item_id in self.items:
                    self.items[item_id].kept.remove(question)
                    share = f"{same_ones:,} of the {total:,} counterfactual questions of the category {category}"
                    self._reject(question.row, SAME_AS_BASIC, f"{share} have the answer to the basic question")
                    self._drop_if_too_few(item_id)

    def _counts(self, category: str) -> tuple[int, int]:
        """How many counterfactual questions of a category have the answer of the basic one, and how many there are."""
        flags = [
            one.same_as_basic
            for item in self.items.values()
            if item.category == category
            for one in item.counterfactuals
        ]
        return sum(map(bool, flags)), len(flags)

    def _fault(self, row: Row, basic_answer: str, asked: Mapping[str, str]) -> tuple[str, str] | None:
        """Why a question is rejected by itself: reason and detail."""
        answer, others = right_option(row), wrong_options(row)
        if row["variant"] != BASIC:
            clause = if_clause(row["question"])
            if clause is None:
                return NO_IF_CLAUSE, f"{row['question']!r} states no presupposition"
            if self._settings.leakage and (found := leak(clause, answer, basic_answer=basic_answer)) is not None:
                return LEAKAGE, f"{found!r} in the if clause {clause!r} gives the answer {answer!r} away"
        if same_answer := next((other for other in others if same(other, answer)), None):
            return EQUAL_OPTIONS, f"{answer!r} and {same_answer!r} are the same answer"
        for option in (answer, *others):
            if (why := ambiguity(option, self._settings.longest_answer)) is not None:
                return AMBIGUOUS, f"the option {option!r} {why}"
        before = asked.get(plain(row["question"]))
        return None if before is None else (ASKED_BEFORE, f"the {before} question of the item is the same")

    def _drop_if_too_few(self, item_id: str) -> None:
        least, left = self._settings.least_counterfactuals, len(self.items[item_id].counterfactuals)
        if left < least:
            for question in self.items.pop(item_id).kept:
                number = "1 counterfactual question is" if left == 1 else f"{left:,} counterfactual questions are"
                detail = f"{number} left of the item; least_counterfactuals is {least:,}"
                self._reject(question.row, TOO_FEW, detail)

    def _reject(self, row: Row, reason: str, detail: str) -> None:
        self.rejections.append({"item_id": row["question_id"], "reason": reason, "detail": detail})


def _place(row: Row) -> tuple[int, str]:
    return _ORDER.get(row["variant"], len(VARIANTS)), str(row["question_id"])


def _with_note(question: _Question) -> dict[str, Any]:
    """The row with `same_as_basic` as the answers are now; people may have corrected one of them."""
    if question.same_as_basic is None:
        return dict(question.row)
    provenance = {**json.loads(question.row["provenance"]), "same_as_basic": question.same_as_basic}
    return {**question.row, "provenance": canonical_json(provenance)}


def _in_order(rows: Iterable[Row], seed: int) -> Iterator[dict[str, Any]]:
    """The rows with their options in a random order, balanced in each category and variant."""
    cells: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        cells[row["group"], row["variant"]].append(row)
    for cell, of_cell in sorted(cells.items()):
        of_cell.sort(key=lambda row: str(row["question_id"]))
        generator = stream(seed, "order of the options", *cell)
        first = int(generator.integers(2))  # the letter that is right once more often in an odd number of questions
        for rank, place in enumerate(generator.permutation(len(of_cell))):
            row = of_cell[place]
            answer, (other,) = right_option(row), wrong_options(row)
            is_first = (rank + first) % 2 == 0
            yield {**row, "choices": [answer, other] if is_first else [other, answer], "answer": "AB"[not is_first]}


def ambiguity(answer: str, longest: int) -> str | None:
    """Why an answer is ambiguous: it has more than `longest` words, or is no certain answer; None if it is neither."""
    text, words = one_line(answer).lower(), plain(answer)
    if not words:
        return "is empty"
    if (found := _UNCERTAIN.search(words) or _UNCERTAIN.search(text)) is not None:
        return f"says {found[0]!r}"
    if _VAGUE.fullmatch(words):
        return "is vague"
    if _RANGE.search(text):
        return "names more than one"
    length = len(text.split())
    return f"has {length:,} words, more than {longest:,}" if length > longest else None
