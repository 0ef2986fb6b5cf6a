"""The tables of C-VQA-Synthetic alone."""

from __future__ import annotations

import pyarrow as pa

from whatif.engine.artifacts.schemas import NULLABLE, Table, schema_of

POINT = pa.struct([pa.field("x", pa.float64(), nullable=False), pa.field("y", pa.float64(), nullable=False)])

PUZZLES = Table(
    name="puzzles",
    version=1,
    key=("pair_id",),
    schema=schema_of(
        ("pair_id", pa.string()),
        ("image_id", pa.string()),
        ("group", pa.string()),  # the template of C-VQA Table 2
        ("image_size", pa.int32()),  # side of the square image; all lengths below are in its pixels
        (
            "polygons",  # flower puzzles: two, the first is the one that the question names
            pa.list_(pa.struct([pa.field("colour", pa.string()), pa.field("points", pa.list_(POINT))])),
        ),
        (
            "flowers",
            pa.list_(
                pa.struct(
                    [
                        pa.field("image_id", pa.string()),  # the image of the flower
                        pa.field("x", pa.float64()),
                        pa.field("y", pa.float64()),
                        pa.field("radius", pa.float64()),
                        pa.field("inside_first", pa.bool_()),  # whether it is inside each polygon
                        pa.field("inside_second", pa.bool_()),
                    ]
                )
            ),
        ),
        (
            "circles",  # dot puzzles: six, row by row from the top, each row from the left
            pa.list_(
                pa.struct(
                    [
                        pa.field("row", pa.int32()),
                        pa.field("column", pa.int32()),
                        pa.field("x", pa.float64()),
                        pa.field("y", pa.float64()),
                        pa.field("radius", pa.float64()),
                        pa.field("dots", pa.list_(POINT)),
                    ]
                )
            ),
        ),
        ("dot_radius", pa.float64(), NULLABLE),  # null for flower puzzles
        ("removed", pa.int32(), NULLABLE),  # the N of "if N dots were removed"; null in other templates
        ("original_answer", pa.int32()),  # a number, computed from the scene
        ("counterfactual_answer", pa.int32()),
    ),
    row_group_rows=1_024,
)
