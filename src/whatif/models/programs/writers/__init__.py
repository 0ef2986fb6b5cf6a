"""Who writes programs: rules, language models, and files of programs that were written elsewhere."""
