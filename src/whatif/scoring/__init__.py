"""From questions to predictions: how a model's answers are taken and judged."""

from whatif.scoring.rank import majority_answers, predictions

__all__ = ["majority_answers", "predictions"]
