"""Texts that readers of other tools change, drop or run: what an export has to carry, or to refuse."""

from __future__ import annotations

READ_AS_NOTHING = ("None", "NA", "null", "nan", "N/A", "NaN", "<NA>", "#N/A", "-nan", "1.#IND", "n/a", "NULL")
READ_AS_ANOTHER = ("007", "1.50", "1e3", "TRUE", "1/2", "3-4", "2020-01-01", "1" * 20)  # where all of a column are so
MARKUP = (
    *("{{braces}} {one}", "{% raw %}jinja{% endraw %}", "$text", "${image}", "<image>", "<b>&amp;</b>", "]]>", "---"),
    *("\"quoted\", 'so'", "\\n \\", "| a | b |", "# a\n### b\n\nc", "- a: b", "!!int 7", "literal:A", "\u202eleft"),
)
WHITE_SPACE = (" x ", "a\tb", "a\nb", "a\r\nb", "a\rb", "a\u2028b", "a\u2029b", "\u00a0x", "a  b", "\ufeffx")
CONTROL = ("a\x00b", "a\x07b", "a\x1bb", "a\x85b", "a\x9fb", "a\ufffeb")
LONG = "long " * 8_000 + "text"  # more than the 32,767 characters of a spreadsheet's cell

AWKWARD = (*READ_AS_NOTHING, *READ_AS_ANOTHER, *MARKUP, *WHITE_SPACE, *CONTROL, LONG, "")
