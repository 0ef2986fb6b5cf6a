"""Artifacts: Parquet files with explicit schemas, the images in them, and their content hashes."""

from whatif.engine.artifacts.reader import (
    Footer,
    batches,
    canonical_json,
    content_hasher,
    content_of,
    first_line,
    footer_of,
    read,
    remedy,
    rows_of,
)

__all__ = [
    "Footer",
    "batches",
    "canonical_json",
    "content_hasher",
    "content_of",
    "first_line",
    "footer_of",
    "read",
    "remedy",
    "rows_of",
]
