"""Training of the checkpoints that ship with the package: recipes, examples, one module a kind of model."""
