"""One decision a picture where several people made one, and what follows: the right ones and the errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from whatif.errors import WhatifError
from whatif.verification.items import Row, outcome

UNDECIDED = "undecided"  # several annotators, and no decision that most of them made
AUTOMATIC = "automatic:"  # what the names of annotators begin with that are no people


def decisions_of(judgements: Iterable[Row]) -> dict[str, dict[str, str]]:
    """Item -> annotator -> decision, both in ascending order. Raises WhatifError when one judges an item twice."""
    found: dict[str, dict[str, str]] = {}
    for row in judgements:
        of_item = found.setdefault(row["item_id"], {})
        if row["annotator"] in of_item:
            raise WhatifError(
                f"item {row['item_id']}: {row['annotator']} judged it twice; a picture has one label an annotator"
            )
        of_item[row["annotator"]] = row["decision"]
    return {item: dict(sorted(of_item.items())) for item, of_item in sorted(found.items())}


def made_by(judgements: Iterable[Row]) -> str | None:
    """`people` or `automatic`, whoever made the judgements; None where there are none.

    Raises WhatifError when both did: a check and a person are not to be counted as the same.
    """
    kinds = {"automatic" if row["annotator"].startswith(AUTOMATIC) else "people" for row in judgements}
    if len(kinds) > 1:
        raise WhatifError("judgements: some are of people and some are automatic; take the ones or the others")
    return next(iter(kinds), None)


def consensus(judgements: Iterable[Row]) -> dict[str, str]:
    """Item -> its one decision, or `undecided`; items in ascending order.

    The paper (COCO-Counterfactuals 4.1) does not say how the three labels of a picture become one. Here the decision of
    more than half of its annotators counts; where there is none (three that all differ, two that differ) the picture
    is undecided, which is not correct.
    """
    decided = {}
    for item, of_item in decisions_of(judgements).items():
        decision, votes = Counter(of_item.values()).most_common(1)[0]
        decided[item] = decision if 2 * votes > len(of_item) else UNDECIDED
    return decided


def outcomes_of(decided: Mapping[str, str]) -> dict[str, str]:
    """Item -> `correct`, `incorrect`, `neither`, `both` or `undecided`, of what `consensus` gives."""
    return {item: UNDECIDED if one == UNDECIDED else outcome(item, one) for item, one in decided.items()}


def human_evaluated(judgements: Iterable[Row]) -> list[str]:
    """The items whose caption was chosen for their picture: the human-evaluated subset of the paper's 4.2.1.

    It holds captions with their pictures one by one: a pair may be in it with one side alone.
    """
    return [item for item, one in outcomes_of(consensus(judgements)).items() if one == "correct"]


def errors(judgements: Iterable[Row]) -> list[str]:
    """The items that were judged otherwise (A.3); those that nobody judged are neither here nor there."""
    return [item for item, one in outcomes_of(consensus(judgements)).items() if one != "correct"]
