"""The tables of training with counterfactuals, one module each."""
