"""Artifacts: Parquet files with an explicit schema, their images, and the hashes of what they hold."""

from whatif.artifacts.reader import (
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
