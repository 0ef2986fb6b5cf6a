"""Training of the embedded checkpoints: recipes, examples, and one module for each kind of model.

`names.py` is the place to start: each checkpoint with the functions that train and measure it. `whatif train` calls
them in a clone; the package `whatif` imports nothing from here. The values of the recipes are in training/recipes.yaml,
their types in `recipes.py`; examples are drawn by `whatif.world` and the puzzles of C-VQA-Synthetic.
"""
