"""The figures of C-VQA-Real: one module each. Those of accuracies, one for each group, are made in `report`."""
