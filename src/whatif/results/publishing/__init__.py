"""Composes data sets that are ready to upload, from the artifacts of a project: what may be published, and its card."""
