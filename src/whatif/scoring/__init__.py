"""Turns questions into predictions and predictions into numbers: asking, reading answers, ranking, statistics.

Begin with `asking.py` (how a model is asked) and `extraction/answer.py` (how a response is read); `rank.py`,
`retrieve.py`, `match.py` and `zero_shot.py` score the other tasks. `published_extraction/` has the rules of papers and
toolkits, `statistics/` intervals and paired tests, `shortcuts/` what the text alone gives away, `judging.py` a judge.

It imports `engine` and `models`; `people`, `results`, `benchmarks` and `commands` import it.
"""
