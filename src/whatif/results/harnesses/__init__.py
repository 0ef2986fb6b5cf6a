"""Published data sets as tasks of other harnesses: inspect_ai, lmms-eval, VLMEvalKit and the Hugging Face hub."""
