"""From questions to predictions: how a model's answers are taken and judged."""

from whatif.scoring.rank import majority_letters, predictions

__all__ = ["majority_letters", "predictions"]
