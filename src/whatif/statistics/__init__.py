"""How sure a number is: intervals for proportions and paired tests of original against counterfactual."""

from whatif.statistics.clustered import RobustAccuracy, cluster_bootstrap, cluster_robust
from whatif.statistics.group_gap import GroupGap, group_gap
from whatif.statistics.intervals import Interval, newcombe, square_and_add, wilson
from whatif.statistics.multiple import Corrected, holm
from whatif.statistics.paired import (
    Drop,
    DropDifference,
    difference_of_drops,
    drop,
    mcnemar_exact,
    paired_difference,
)

__all__ = [
    "Corrected",
    "Drop",
    "DropDifference",
    "GroupGap",
    "Interval",
    "RobustAccuracy",
    "cluster_bootstrap",
    "cluster_robust",
    "difference_of_drops",
    "drop",
    "group_gap",
    "holm",
    "mcnemar_exact",
    "newcombe",
    "paired_difference",
    "square_and_add",
    "wilson",
]
