"""Prints what docs/statistics.md says of the two-parameter logistic model (2PL).

`python -m tests.scoring.item_response_simulation` compares this model, fitted by mirt (`pip install mirt==1.2.0`, which
is no requirement of whatif), with what `whatif subset` reports: how well each orders questions and models.
"""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np

from whatif.scoring.items import discrimination

SETS, QUESTIONS = 30, 300


def correlations(seed: int, models: int) -> list[float]:
    """Spearman's correlation with the true difficulty, discrimination and ability, of ours and of the 2PL in turn."""
    from scipy.stats import spearmanr

    mirt: Any = importlib.import_module("mirt")
    draw = np.random.default_rng(seed)
    steep, hard = np.exp(draw.normal(0, 0.4, QUESTIONS)), draw.normal(-0.5, 1, QUESTIONS)
    able = draw.normal(0, 1, models)
    right = draw.random((models, QUESTIONS)) < 1 / (1 + np.exp(-steep * (able[:, None] - hard)))
    fit = mirt.fit_mirt(right.astype(int), model="2PL")
    found, known = discrimination(right), fit.model.parameters
    some = ~np.isnan(found)  # all models answer the others alike
    pairs = (
        (-right.mean(axis=0), hard),
        (known["difficulty"], hard),
        (found[some], steep[some]),
        (np.ravel(known["discrimination"])[some], steep[some]),
        (right.mean(axis=1), able),
        (mirt.fscores(fit, right.astype(int)).theta, able),
    )
    return [float(spearmanr(np.ravel(one), truth).statistic) for one, truth in pairs]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for number in (5, 20, 100):
        means = np.mean([correlations(seed, number) for seed in range(SETS)], axis=0)
        print(f"| {number} | {' | '.join(f'{mean:.2f}' for mean in means)} |", flush=True)
