"""How sure a number is: intervals for proportions and paired tests of original against counterfactual."""

from whatif.statistics.intervals import Interval, wilson
from whatif.statistics.paired import mcnemar_exact, paired_difference

__all__ = ["Interval", "mcnemar_exact", "paired_difference", "wilson"]
