"""Errors that the user can fix: one clear line and exit code 2."""

from __future__ import annotations


class WhatifError(Exception):
    """An error that the user can fix.

    The message has one line, or one line per finding. It says what is wrong, where (file, row, field), and what would
    be right. The command line prints it without a traceback and ends with `exit_code`.
    """

    exit_code = 2
