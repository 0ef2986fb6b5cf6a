"""Verification of images and questions by people or automatic checks: tasks, labels, judgements and decisions."""
