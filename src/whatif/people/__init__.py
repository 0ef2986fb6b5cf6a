"""What people do: tasks out, labels in, and from several labels a judgement and its agreement.

Begin with `items.py` and `consensus.py`; `exports/` writes tasks for Label Studio, spreadsheets and the like,
`imports/` reads labels back and names each row that does not fit, `quality.py` has agreement and the competence of
annotators, `resolution.py` the rules that turn several labels into one (Fleiss' kappa is in `scoring/statistics`).

It imports `engine`, `formats` and `scoring`; `results`, `world`, `benchmarks` and `commands` import it.
"""
