"""Imports the labels of people, in the formats of annotation tools, as judgements."""
