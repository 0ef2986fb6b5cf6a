"""Verification of images by people or by automatic checks: annotation tasks, judgements and consensus decisions."""
