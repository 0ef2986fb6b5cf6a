"""Uncertainty of numbers: intervals for proportions and paired tests of original against counterfactual."""

from whatif.scoring.statistics.association import Association, association, phi_of
from whatif.scoring.statistics.clustered import clustered_share
from whatif.scoring.statistics.group_gap import GroupGap, group_gap
from whatif.scoring.statistics.intervals import Interval, added, square_and_add, tango, wilson
from whatif.scoring.statistics.means import mean_interval
from whatif.scoring.statistics.multiple import Corrected, holm
from whatif.scoring.statistics.paired import Difference, difference_of_drops, paired_difference, paired_drop
from whatif.scoring.statistics.relative_change import relative_change

__all__ = [
    "Association",
    "Corrected",
    "Difference",
    "GroupGap",
    "Interval",
    "added",
    "association",
    "clustered_share",
    "difference_of_drops",
    "group_gap",
    "holm",
    "mean_interval",
    "paired_difference",
    "paired_drop",
    "phi_of",
    "relative_change",
    "square_and_add",
    "tango",
    "wilson",
]
