"""The figures of COCO-Counterfactuals, one module each."""
