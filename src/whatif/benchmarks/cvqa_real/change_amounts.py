"""The amounts in an if clause: which numbers they can make of an original answer (C-VQA 3.1, the direct group)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from whatif.benchmarks.cvqa_real.question_parts import missing

_PAIRS = re.compile(r"\b(\d{1,6}) (?:pairs|couples) of\b")
_ALL_BUT = re.compile(r"\b(?:all|every\w*) (?:\w+ ){0,2}?(?:but|except(?: for)?) (?:the |for )?(\d{1,9})\b")
_ONLY_ONE = re.compile(r"\bonly (?:the|an?|his|her) (?:[\w-]+ ){1,3}(?:stayed|remained|was left|were left|was there)\b")
_REPLACED = re.compile(r"\b(they|them|he|she|it)\b.* replaced\b")
_JOINS = re.compile(r"(?:, |; | )(?:and|but)(?: then| also)? |, (?:then )?|; | then | before ")
_FACTORS = {  # by how much a word multiplies
    2: re.compile(r"\b(?:twice|double[ds]?|doubling|another such|same number|(?<!times )as many)\b"),
    3: re.compile(r"\b(?:triple[ds]?|thrice)\b"),
    4: re.compile(r"\bquadruple[ds]?\b"),
}
_TIMES = re.compile(r"\b(\d+) times\b|\bmultiplied by (\d+)\b|\bby a factor of (\d+)\b")
_PORTIONS = {  # into how many a word divides
    2: re.compile(r"\b(?:half|halves?|halved)\b"),
    3: re.compile(r"\b(?:a|1) third of\b"),
    4: re.compile(r"\b(?:a|1) (?:quarter|fourth) of\b"),
}
_FOR_EACH = re.compile(r"\b(?:each|every)\b")
_ANOTHER = re.compile(r"\b(?:another(?! \d)|an? (?:additional|extra|new|further))\b")
_ONE = r"\b(?:a|an|the|this|that|his|her)\b"
_NAMES_ONE = re.compile(rf"{_ONE}|\bit\b")
_THE_SAME = re.compile(r"\b(?:the|these|those) (\d{1,9})\b(?! (?:more|other|others)\b)")
_EVERY = re.compile(r"\b(?:all|both)(?: of)?(?: the| these| those)? (\d{1,9})\b")
_SIGNS = {  # words of a change to more, and to fewer
    1: re.compile(
        r"\b(?:more|added|add|adding|c[ao]me(?! (?:down|off)\b)|appear\w*|join\w*|arriv\w*|brought|bring|placed?|put|"
        r"another|additional|extra|new|built|planted|parked|grew|there (?:was|were)(?! (?:\w+ ){0,2}(?:less|fewer)\b)|"
        r"showed|revealed|bought|got(?= (?:\d|an?\b|another|more|new))|too|also)\b"
    ),
    -1: re.compile(
        r"\b(?:less|fewer|remov\w+|disappear\w*|vanish\w*|left|leav\w+|away|gone|missing|eaten|ate|off|out|lost|took|taken|"
        r"not|0|without|\w+n't|cut|cover\w*|hid\w*|stop\w*|clos\w+|delet\w+|reduc\w+|decreas\w+|subtract\w*|fell|"
        r"broke\w*|sold|sank|seal\w*|stolen|swap\w*|instead|replac\w+|turn\w*|chang\w+|combin\w+|"
        r"half|let|went|go|c[ao]me (?:down|off))\b"
    ),
}
_DONE = re.compile(r"\b\d.* (?:(?:was|were) \w+|\w+ed)\b")  # `3 trees were felled`
_OF_THEM = re.compile(r"\b\d{1,9} of (?:the|them|these|those)\b")  # `put 3 of them in a drawer`
_MOST_AMOUNTS = 6
_ALL = re.compile(r"\b(?:all|every|everyone|everybody|everything|both|0|none)\b")
_WHOLE = re.compile(r"\b(?:the|they|it|them|he|she)\b")  # may mean all of them, where no amount is named


def can_change(clause: str, before: int, after: int, *, asked: Iterable[str], counted: list[str]) -> bool:
    """Whether the amounts that a clause names, all of them, can turn the number `before` into `after`.

    `clause` is an if clause in lower case with its numbers in figures. It is read part by part (`1 dog left` and
    `3 others came`), each with its own words for more and fewer; a part without such words may be either. `asked` are
    figures that belong to what is asked, `counted` the words for what is counted.
    """
    clause = _PAIRS.sub(lambda found: f"{2 * int(found[1])}", clause)
    if (kept := _ALL_BUT.search(clause)) is not None:
        return after == int(kept[1])
    if _ONLY_ONE.search(clause):
        return after == 1
    named = [_Amounts(part, set(asked), counted) for part in _parts(clause)]
    known = any(part.is_known for part in named)
    if (
        not known
        and before > after == 0
        and _WHOLE.search(clause)
        and not (before > 1 and any(part.one for part in named))
    ):
        return True
    reached = {before}
    for part in named:
        reached = part.after(reached, alone=not known, only=len(named) == 1)
    changed = known or any(part.one or part.may_be_one for part in named)
    return after in reached and (changed or after in (0, before))


def _parts(clause: str) -> list[str]:
    """The parts of a clause that say what happens; what says nothing by itself belongs to the next, or is the last."""
    found: list[str] = []
    held = ""
    for piece in _JOINS.split(clause):
        held = f"{held} and {piece}" if held else piece
        if any(words.search(held) for words in _SIGNS.values()) or _DONE.search(held):
            found.append(held)
            held = ""
    return [*found, held] if held else found


class _Amounts:
    """The amounts in a part of a clause."""

    def __init__(self, part: str, asked: set[str], counted: list[str]) -> None:
        of_them = {-1} if _OF_THEM.search(part) else set()
        self._signs = [sign for sign, words in _SIGNS.items() if sign in of_them or words.search(part)]
        named = re.findall(r"\b(\d{1,9})\b( (?:more|other)\b)?", _TIMES.sub(" ", part))
        figures = [figure for figure, more in named if more or figure not in asked]  # `1 more 1 way sign`
        self._amounts = [int(figure) for figure in figures[:_MOST_AMOUNTS] if figure != "0"]
        self._same = {int(figure) for figure in _THE_SAME.findall(part)}
        self._every = {int(figure) for figure in _EVERY.findall(part)}
        self._factors = [factor for factor, words in _FACTORS.items() if words.search(part)]
        self._factors += [int(figure) for found in _TIMES.findall(part) for figure in found if figure]
        self._portions = [portion for portion, words in _PORTIONS.items() if words.search(part)]
        self._replaced = {found[1] for found in _REPLACED.finditer(part)}
        self._each = _FOR_EACH.search(part) is not None
        self._another = _ANOTHER.search(part) is not None
        self._all = _ALL.search(part) is not None
        is_counted = [word for word in _singular_words(part) if counted and not missing([word], counted[-1:])]
        first = re.match(rf"(?:if )?(?:only )?{_ONE} (?:[a-z-]+ ){{0,2}}?({'|'.join(is_counted)})\b(?!'s| of)", part)
        self.one = bool(is_counted and first) and not self._amounts
        self._names = bool(is_counted)
        several = re.escape(counted[-1]) if counted and counted[-1].endswith("s") else r"\b\B"  # not `the kites`
        self.may_be_one = _NAMES_ONE.search(re.sub(rf"{_ONE} (?:[a-z-]+ ){{0,2}}{several}\b", "", part)) is not None
        self._ones = max(len(re.findall(rf"(?:^|\bif |, |\band |\bplus ){_ONE}", part)), 1)  # `a ring and the flag`

    @property
    def is_known(self) -> bool:
        """Whether it names an amount, or all of them."""
        other = self._factors or self._portions or self._another or self._each
        return bool(self._amounts or other or (self._all and self._signs == [-1]))

    def after(self, values: set[int], *, alone: bool, only: bool) -> set[int]:
        """The numbers that it can make of `values`.

        `alone`: no part of the clause names an amount; `only`: it is the only part.
        """
        if self._each:
            return self._for_each(values)
        if self._all and not self._amounts and not self._factors and not self._portions:
            gone = {0} if -1 in self._either else set()
            return gone if self._signs == [-1] else values | gone
        if self._factors:
            values = {factor * value for factor in self._factors for value in values}
        if self._portions:
            values = {
                value // portion * kept
                for portion in self._portions
                for value in values
                if value % portion == 0
                for kept in (1, portion - 1)
            }
            self._amounts = [amount for amount in self._amounts if amount != 1]  # of `1 third`
        changed = self._with_amounts(values, self._amounts)
        if len(self._amounts) > 1 and any(
            value in self._same for value in values
        ):  # `the 3 dogs were joined by 2 others`
            changed |= self._with_amounts(values, [amount for amount in self._amounts if amount not in self._same])
        of_one = bool(self._replaced) and values == {1}  # he was replaced by 5 others
        if (self._all and -1 in self._signs) or of_one or self._replaced & {"they", "them"}:
            changed = changed | {sum(amount for amount in self._amounts if amount not in self._every)}
        if self._another:
            more = {value + sign for value in changed for sign in self._either}
            changed = changed | more if self._amounts else more
        elif alone and self._ones > 1:
            changed = {value + sign * self._ones for value in changed for sign in self._either}
        elif self.one or (alone and self.may_be_one):
            changed = {value + sign for value in changed for sign in self._either} | (
                set() if self.one or only else changed
            )
        elif self._names:  # `the owner of a dog took 2 others`
            changed |= {value + sign for value in changed for sign in self._either}
        return {value for value in changed if value >= 0}

    @property
    def _either(self) -> list[int]:
        return self._signs or list(_SIGNS)

    def _with_amounts(self, values: set[int], amounts: Iterable[int]) -> set[int]:
        for amount in amounts:
            values = {value + sign * amount for value in values for sign in self._either}
        return values

    def _for_each(self, values: set[int]) -> set[int]:
        """Each brought 2, each was cut into 2, 2 people took 1 each."""
        amounts = self._amounts or ([1] if self.may_be_one or self._another else [])
        factors = [*self._factors, *amounts, *(amount + 1 for amount in amounts), *([2] if self._portions else [])]
        found = {factor * value for factor in factors for value in values}
        product = 1
        for amount in amounts:
            product *= amount
        for steps in {product, product * 2} if self._amounts else set():
            found |= {value + sign * steps for value in values for sign in self._either}
        if self._all and -1 in self._either and not self._amounts:
            found.add(0)
        return {value for value in found if value >= 0} or values


def _singular_words(text: str) -> list[str]:
    """The words after `a`, `the` and their kin, up to the second, that can be a noun in the singular."""
    named = re.findall(rf"{_ONE} (?!additional|extra|new|further)(?=([^\W\d_]+)(?: ([^\W\d_]+))?)", text)
    return [
        word for words in named for word in words if word and (word.endswith(("ss", "us")) or not word.endswith("s"))
    ]
