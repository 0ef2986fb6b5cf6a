"""What is made of stored answers: tables, figures, pages, comparisons, audits, and what is published.

Begin with `reporting/table.py` (a table is a data frame and how it is printed) and `reporting/report.py` (all files of
a benchmark's results). `site/` makes the pages, `comparison/` compares two commits, `auditing/` looks for shortcuts in
a question set, `contradictions/` checks a paper's numbers against each other, `publishing/` and `harnesses/` hand a
benchmark to the Hugging Face hub and to the tools of others, `demo/` shows bundled results.

It imports `engine`, `formats`, `models`, `scoring` and `people`; `benchmarks` and `commands` import it.
"""
