"""The writer `rules` of C-VQA-Real: counterfactual questions from the text of a question and its answer.

`rules_writer` calls one module for each group: `numerical_rules`, `indirect_rules` and `boolean_rules`. The others hold
what these share: `question_words` (words and phrases), `numerical_grammar` (questions that count), `boolean_clauses`,
`boolean_existence`, `boolean_predicates` and `boolean_states` (yes-or-no questions).
"""
