"""Geometry, colours and encoding of drawn images."""
