"""Exports items as tasks for annotators, in the formats of annotation tools."""
