"""The tables of COCO-Counterfactuals, of our pairs as of the released ones: one module each."""
