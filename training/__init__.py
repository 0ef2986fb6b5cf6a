"""Training of the embedded checkpoints: recipes, examples, and one module for each kind of model."""
