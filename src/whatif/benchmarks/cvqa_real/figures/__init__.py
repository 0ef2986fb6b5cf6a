"""The figures of C-VQA-Real that are drawn from more than one table's rows: one module each."""
