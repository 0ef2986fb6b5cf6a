"""A real Slurm on this machine: Debian's munged, slurmctld and slurmd, on loopback, for as long as a test needs it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

PROGRAMS = ("munged", "munge", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol", "scancel")
INSTALL = "apt-get install --no-install-recommends slurm-wlm munge"
# The place where the job steps of Snakemake's plugin look: they drop SLURM_CONF from the environment.
CONFIGURATION = Path("/etc/slurm/slurm.conf")
MUNGE = Path("/run/munge")
SOCKET = MUNGE / "munge.socket.2"
MUNGED_PID = MUNGE / "whatif" / "munged.pid"
PARTITION = "main"
SNAKEMAKE = ["snakemake", "--cores", "8", "--profile", "slurm"]
# Not to wait long for jobs of a second.
AT_ONCE = ["--slurm-init-seconds-before-status-checks", "2", "--latency-wait", "20"]
_OURS = "# For tests of whatif, in "
SECONDS_TO_START = 60.0


def why_not() -> str:
    """Why no Slurm can be started here, and what to do; empty when it can."""
    places = ["/usr/sbin", "/usr/local/sbin", *os.environ.get("PATH", "").split(os.pathsep)]
    missing = [name for name in PROGRAMS if not shutil.which(name, path=os.pathsep.join(places))]
    if missing:
        return f"no {missing[0]} here; install Slurm as root: {INSTALL}"
    if os.geteuid() != 0:
        return "only root can start slurmctld and slurmd; run the tests as root in a container or a virtual machine"
    if CONFIGURATION.exists() and not CONFIGURATION.read_text(encoding="utf-8").startswith(_OURS):
        return f"{CONFIGURATION} is there already: this machine belongs to a cluster"
    return ""


@dataclass
class Cluster:
    """A running Slurm of one node; `folder` holds its logs, states and pid files."""

    folder: Path

    def run(self, *command: str) -> str:
        """Runs a command of Slurm, at most half a minute; returns what it printed."""
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def queue(self) -> list[str]:
        """The ids of jobs that wait or run."""
        return self.run("squeue", "--noheader", "--format=%i").split()

    def running(self) -> list[str]:
        """The ids of jobs that run."""
        return self.run("squeue", "--noheader", "--states=RUNNING,COMPLETING", "--format=%i").split()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """No job begins in the block."""
        self.run("scontrol", "update", f"PartitionName={PARTITION}", "State=DOWN")
        try:
            yield
        finally:
            self.run("scontrol", "update", f"PartitionName={PARTITION}", "State=UP")

    def kill_node(self) -> None:
        """Kills slurmd and all that runs below it, as a node without power."""
        for process in _of_node():
            with contextlib.suppress(psutil.Error):
                process.kill()

    def start_node(self) -> None:
        """Starts slurmd as after a start of the machine, and waits until the node takes jobs.

        Jobs that ran there before are queued again by Slurm, to begin at once.
        """
        _start([_program("slurmd"), "-b"])
        _wait_for(self._is_ready, "a node that takes jobs", self.folder)
        _wait_for(self._misses_jobs, "a node that knows of no job", self.folder)
        for job in self.queue():
            self.run("scontrol", "update", f"JobId={job}", "StartTime=now")

    def _misses_jobs(self) -> bool:
        if not self.running():
            return True
        # The node says anew what runs there. Slurm believes that a job is lost when it began some seconds ago.
        self.run("scontrol", "reconfigure")
        time.sleep(2)
        return False

    def _is_ready(self) -> bool:
        done = subprocess.run(["sinfo", "-h", "-o", "%T"], capture_output=True, text=True, timeout=30, check=False)
        return done.stdout.split()[:1] in (["idle"], ["mixed"], ["allocated"])


def _of_node() -> set[psutil.Process]:
    """The daemons of the node with all that runs below them."""
    while True:
        daemons = [one for one in psutil.process_iter(["name"]) if one.info["name"] in ("slurmd", "slurmstepd")]
        try:
            return {one for daemon in daemons for one in (daemon, *daemon.children(recursive=True))}
        except psutil.NoSuchProcess:
            continue  # one ended while it was looked at: look again


@contextlib.contextmanager
def slurm(folder: Path, *, processors: int = 8, memory_mb: int = 20_000, lines: str = "") -> Iterator[Cluster]:
    """A Slurm with one node and one partition, `main`; it is gone with its configuration when the block ends.

    `lines` are added to its configuration. A second one waits until the first has ended. Raises RuntimeError with the
    ends of the logs when it does not come up within a minute.
    """
    with Path("/run/lock/whatif-slurm.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if reason := why_not():
            raise RuntimeError(reason)
        if CONFIGURATION.exists():  # of tests that were killed
            _stop_all(Path(CONFIGURATION.read_text(encoding="utf-8").splitlines()[0].removeprefix(_OURS)))
        for name in ("state", "spool"):
            (folder / name).mkdir(parents=True)
        cluster = Cluster(folder)
        try:
            _start_munge(folder)
            CONFIGURATION.parent.mkdir(exist_ok=True)
            CONFIGURATION.write_text(_configuration(folder, processors, memory_mb) + lines + "\n", encoding="utf-8")
            _start([_program("slurmctld"), "-c"])
            cluster.start_node()
            yield cluster
        finally:
            with contextlib.suppress(RuntimeError, subprocess.TimeoutExpired):
                cluster.run("scancel", "--user=root")
            _stop_all(folder)


def _stop_all(folder: Path) -> None:
    for pid_file in (folder / "slurmd.pid", folder / "slurmctld.pid", MUNGED_PID):
        _stop(pid_file, signal.SIGTERM)
    CONFIGURATION.unlink(missing_ok=True)


def _configuration(folder: Path, processors: int, memory_mb: int) -> str:
    host = socket.gethostname()
    return f"""{_OURS}{folder}
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={SOCKET}
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill,UsePss
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=300
KillWait=2
BatchStartTimeout=1
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 CPUs={processors} RealMemory={memory_mb} State=UNKNOWN
PartitionName={PARTITION} Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def _start_munge(folder: Path) -> None:
    """Starts munged, unless the system's own runs."""
    if SOCKET.exists() and subprocess.run(["munge", "--no-input"], capture_output=True, check=False).returncode == 0:
        return
    # Folders of its own, because munged wants no other user to be able to write to them or above them.
    for place in (MUNGE, MUNGED_PID.parent):
        place.mkdir(exist_ok=True)
        shutil.chown(place, "munge", "munge")
    files = [f"--{kind}-file={MUNGED_PID.with_suffix(f'.{kind}')}" for kind in ("pid", "log", "seed")]
    _start(["runuser", "-u", "munge", "--", _program("munged"), *files])
    _wait_for(lambda: MUNGED_PID.exists() and SOCKET.exists(), "munged", folder)


def _program(name: str) -> str:
    return shutil.which(name) or f"/usr/sbin/{name}"


def _start(command: list[str]) -> None:
    """Starts a program that goes into the background by itself."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, cwd="/", check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")


def _stop(pid_file: Path, how: signal.Signals) -> None:
    """Ends the program of a pid file, in at most ten seconds, and waits until it is gone."""
    try:
        pid = int(pid_file.read_text())
        if Path(f"/proc/{pid}/comm").read_text().strip() != pid_file.stem:
            return  # the number was given to another program since
    except (OSError, ValueError):
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, how)
        for _ in range(100):
            if not Path(f"/proc/{pid}").exists() or _is_zombie(pid):
                return
            time.sleep(0.1)
        os.kill(pid, signal.SIGKILL)


def _is_zombie(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return True


def _wait_for(ready: Callable[[], bool], what: str, folder: Path) -> None:
    end = time.monotonic() + SECONDS_TO_START
    while not ready():
        if time.monotonic() > end:
            logs = "\n".join(f"{log}: {log.read_text()[-500:]}" for log in sorted(folder.rglob("*.log")))
            raise RuntimeError(f"{what} did not come up in {SECONDS_TO_START:.0f} s\n{logs}")
        time.sleep(0.2)
