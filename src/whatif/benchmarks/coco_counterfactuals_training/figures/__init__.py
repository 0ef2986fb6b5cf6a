"""The figures of training with counterfactuals, one module each."""
