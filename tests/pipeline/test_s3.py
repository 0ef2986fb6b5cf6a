"""A team's remote on a real S3 server: artifacts and paid answers of one clone are found in another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.chat_server import ChatServer, Message
from tests.pipeline.checkouts import Checkout
from tests.s3_server import S3

pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(1800)]


class Letters(ChatServer):
    """A model at an endpoint that answers each question with a letter."""

    def __init__(self) -> None:
        super().__init__(lambda asked, number: "B")

    def asked_in(self, messages: Sequence[Message]) -> None:
        """Nothing: its answers do not depend on what is asked."""


def test_another_clone_pulls_the_artifacts_and_asks_nothing_again(
    checkout: Checkout, tmp_path: Path, s3: S3, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3.use(monkeypatch, tmp_path)
    ours, colleague = checkout, Checkout(tmp_path / "colleague")
    asks = ("whatif", "evaluate", "cvqa-synthetic", "--model", "letters")
    # As docs/cluster.md says, "Share results".
    ours.run("dvc", "remote", "add", "--force", "--default", "team", "s3://bucket/whatif")
    ours.run("dvc", "remote", "modify", "team", "endpointurl", s3.endpoint)
    ours.run("dvc", "push")
    ours.commit("a remote on S3")
    ours.run("git", "clone", "--quiet", str(ours.path), str(colleague.path))
    configuration = (colleague.path / ".dvc/config").read_text(encoding="utf-8")
    assert s3.endpoint in configuration and s3.environment["AWS_ACCESS_KEY_ID"] not in configuration
    colleague.run("dvc", "pull")
    assert colleague.results() == ours.results()
    colleague.run("whatif", "status", "--check")  # nothing is due

    with Letters() as server:
        entry = {"models.letters": server.entry(benchmarks=["cvqa-synthetic"])}
        ours.set(entry)
        ours.run(*asks)
        asked = len(server.conversations)
    assert asked > 0
    assert ours.run("whatif", "responses", "push").stdout == f"s3://bucket/whatif/responses: {asked} answers added\n"
    colleague.set(entry)
    pulled = colleague.run("whatif", "responses", "pull").stdout
    assert pulled == f".whatif/responses.sqlite: {asked} answers added, 0 already stored\n"
    # The server is gone: each answer is the one that was pulled.
    colleague.run(*asks)
    answers = {path: data for path, data in ours.results().items() if path.startswith("data/evaluate/letters/")}
    assert answers and answers.items() <= colleague.results().items()
