"""The tables of C-VQA-Real: one module each."""
