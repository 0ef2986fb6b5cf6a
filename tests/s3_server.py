"""A real S3 server on loopback (moto's), which checks the signature of each request."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

_ALL_OF_S3 = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}


@dataclass(frozen=True)
class S3:
    """A server with one empty bucket, `bucket`, and the key of an account that may use it."""

    endpoint: str
    environment: dict[str, str]

    def use(self, patch: pytest.MonkeyPatch, home: Path) -> None:
        """Sets the key in the environment, where no other one is found."""
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        for name, value in self.environment.items():
            patch.setenv(name, value)

    def remote(self, name: str, url: str) -> str:
        """The section of .dvc/config with a remote here."""
        return f"['remote \"{name}\"']\n    url = {url}\n    endpointurl = {self.endpoint}\n"


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3]:
    """The server, for all tests: each uses a folder of its own in the bucket."""
    log = tmp_path_factory.mktemp("s3") / "log"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], stdout=out, stderr=out
        )
        try:
            while not _listens(port):
                assert server.poll() is None, log.read_text(encoding="utf-8")
                time.sleep(0.05)
            yield _with_account(f"http://127.0.0.1:{port}")
        finally:
            server.terminate()
            server.wait()


def _with_account(endpoint: str) -> S3:
    import boto3

    anyone = {"endpoint_url": endpoint, "region_name": "us-east-1", "aws_access_key_id": "a"}
    session = {**anyone, "aws_secret_access_key": "b"}
    boto3.client("s3", **session).create_bucket(Bucket="bucket")
    accounts = boto3.client("iam", **session)
    accounts.create_user(UserName="team")
    accounts.put_user_policy(UserName="team", PolicyName="s3", PolicyDocument=json.dumps(_ALL_OF_S3))
    key = accounts.create_access_key(UserName="team")["AccessKey"]
    # From here on, every request needs a key.
    checks = urllib.request.Request(f"{endpoint}/moto-api/reset-auth", b"0", {"Content-Type": "text/plain"})
    urllib.request.urlopen(checks).close()
    environment = {
        "AWS_ACCESS_KEY_ID": key["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_MAX_ATTEMPTS": "1",
    }
    return S3(endpoint, environment)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
