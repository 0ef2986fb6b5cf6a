"""Turns questions into predictions: how models are asked, and how their answers are scored."""

from whatif.scoring.rank import majority_answers, predictions

__all__ = ["majority_answers", "predictions"]
