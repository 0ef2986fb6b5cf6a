"""What a user can put right: one clear line, exit code 2."""

from __future__ import annotations


class WhatifError(Exception):
    """Something that the user can mend.

    The message is one line (or one line a finding) that says what is wrong, where (file, row, field), and what
    would be right. The command line prints it without a traceback and ends with `exit_code`.
    """

    exit_code = 2
