"""The order of rows beside those of a paper."""

from __future__ import annotations

from whatif.results.reporting.beside import rows_beside


def test_ours_follow_the_reported_system_of_their_name() -> None:
    reported = [{"name": "BLIP2", "n": 1}, {"name": "Qwen-VL"}, {"name": "BLIP2", "n": 2}]
    ours = [{"name": "Other"}, {"name": "BLIP2 (OPT)"}, {"name": "Qwen-VL-Chat"}]
    assert [row["name"] for row in rows_beside(reported, ours)] == [
        *("BLIP2", "BLIP2", "BLIP2 (OPT)"),
        *("Qwen-VL", "Other", "Qwen-VL-Chat"),
    ]
