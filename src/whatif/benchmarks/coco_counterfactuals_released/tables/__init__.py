"""The tables that only the released pairs have, whose captions are not unique: one module each."""
