"""After a cluster run, the record: what Snakemake made goes into DVC and over a remote to a colleague, all fresh."""

from __future__ import annotations

import getpass
import importlib.util
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.pipeline.checkouts import ENTRY_POINTS, Checkout

pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(1800)]

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
# To be given to options of `dvc remote modify`, and to HOME, where the known hosts are.
Settings = dict[str, str]


@dataclass(frozen=True)
class Remote:
    """Where a DVC remote is, and what it takes to reach it."""

    url: str
    options: Settings
    home: Path | None = None


@contextmanager
def _ssh_server(folder: Path) -> Iterator[Remote]:
    """Debian's sshd on a free port of loopback, with keys of its own, that lets nobody in but the test's key."""
    home = folder / "home"
    (home / ".ssh").mkdir(parents=True, mode=0o700)
    for key in (folder / "host_key", home / "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    (folder / "authorized_keys").write_bytes((home / "key.pub").read_bytes())
    (folder / "authorized_keys").chmod(0o600)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    host_key = (folder / "host_key.pub").read_text(encoding="utf-8").split()
    (home / ".ssh/known_hosts").write_text(f"[127.0.0.1]:{port} {host_key[0]} {host_key[1]}\n", encoding="utf-8")
    (folder / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {folder}/host_key\nPidFile none\nUsePAM no\n"
        f"AuthorizedKeysFile {folder}/authorized_keys\nStrictModes no\nPasswordAuthentication no\n"
        "KbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\nSubsystem sftp internal-sftp\n",
        encoding="utf-8",
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # sshd's own folder, which the start of the service would make
    assert SSHD is not None
    with (folder / "sshd.log").open("wb") as log:
        server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(folder / "sshd_config")], stdout=log, stderr=log)
        try:
            while not _listens(port):
                assert server.poll() is None, (folder / "sshd.log").read_text(encoding="utf-8")
                time.sleep(0.05)
            options = {"keyfile": str(home / "key"), "user": getpass.getuser()}
            yield Remote(f"ssh://127.0.0.1:{port}{folder}/storage", options, home)
        finally:
            server.terminate()
            server.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(params=["ssh", pytest.param("folder", marks=pytest.mark.soak)])
def remote(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Remote]:
    """A remote over SSH; a folder, which every `fresh_clone` pulls from, is left to the soak."""
    if request.param == "folder":
        yield Remote(str(tmp_path / "storage"), {})
        return
    if SSHD is None:
        pytest.skip("no sshd: apt-get install --no-install-recommends openssh-server")
    if importlib.util.find_spec("dvc_ssh") is None:
        pytest.skip("DVC cannot speak SSH: pip install --constraint constraints.txt 'dvc[ssh]'")
    with _ssh_server(tmp_path) as running:
        yield running


def test_a_run_by_snakemake_is_recorded_shared_and_found_fresh_elsewhere(
    finished_checkout: Checkout, checkout: Checkout, tmp_path: Path, remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    if remote.home is not None:
        monkeypatch.setenv("HOME", str(remote.home))
    shared = tmp_path / "shared.git"
    finished_checkout.run("git", "clone", "--quiet", "--bare", str(finished_checkout.path), str(shared))
    ours, colleague = checkout, Checkout(tmp_path / "colleague")
    ours.run("git", "remote", "add", "origin", str(shared))
    # Nothing of this run was ever recorded: DVC knows no lock and has nothing in its cache.
    (ours.path / "dvc.lock").unlink()
    shutil.rmtree(ours.path / ".dvc/cache")
    ours.set({"aggregate.cvqa-synthetic.confidence": 0.9})
    ours.run(*ENTRY_POINTS["snakemake"])
    made = ours.results()

    # As docs/cluster.md says, "Share results".
    assert ours.jobs(["dvc", "repro"]) == {}
    assert ours.results() == made
    ours.run("dvc", "remote", "add", "--force", "--default", "team", remote.url)
    for option, value in remote.options.items():
        ours.run("dvc", "remote", "modify", "--local", "team", option, value)
    ours.run("dvc", "push")
    ours.commit("a cluster run")
    ours.run("git", "push", "--quiet", "origin", "main")

    finished_checkout.run("git", "clone", "--quiet", str(shared), str(colleague.path))
    for option, value in remote.options.items():
        colleague.run("dvc", "remote", "modify", "--local", "team", option, value)
    colleague.run("dvc", "pull")
    assert colleague.results() == made
    assert colleague.run("whatif", "status", "--check").returncode == 0
    assert colleague.jobs(["dvc", "repro"]) == {}
    assert colleague.run("git", "status", "--short").stdout == ""
