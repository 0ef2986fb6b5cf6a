"""Geometry, colours and files of drawn images."""
