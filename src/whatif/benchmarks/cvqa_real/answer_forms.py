"""The form of answers: a whole number from 0 in figures, yes or no; any other answer cannot be compared exactly."""

from __future__ import annotations

import re

WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
ANSWER_FORMS = {  # answer kind -> its form, in words and as a pattern
    "number": ("a whole number in figures", WHOLE_NUMBER),
    "boolean": ("yes or no", re.compile("yes|no")),
}
