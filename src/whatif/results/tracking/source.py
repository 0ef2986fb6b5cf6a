"""Where results are from: the commit of the project, its time, and its page on the web."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from whatif.engine.graph.environment import printed_by

_SCP = re.compile(r"(?:[^@/:]+@)?([^@/:]{2,}):(?!/)(.+)")  # git@github.com:owner/name.git
_SCHEMES = ("http", "https", "ssh", "git")


@dataclass(frozen=True)
class Source:
    """A commit; all empty outside git.

    seconds: when it was committed, since 1970. repository: the address of the first remote (`origin`, if there is one)
    as a web page, empty if it is a folder. changed_files: how many tracked files differ from the commit.
    """

    commit: str = ""
    seconds: int = 0
    repository: str = ""
    changed_files: int = 0

    @property
    def address(self) -> str:
        """The page of the commit, as GitHub, GitLab and Gitea name it; empty without a repository on the web."""
        return f"{self.repository}/commit/{self.commit}" if self.repository else ""


def source_of(root: Path) -> Source:
    """The commit that is checked out in `root`."""
    commit, _, seconds = _git(root, "show", "--no-patch", "--format=%H %ct", "HEAD").partition(" ")
    if not commit:
        return Source()
    remotes = sorted(_git(root, "remote").split(), key=lambda name: (name != "origin", name))
    remote = _git(root, "remote", "get-url", remotes[0]) if remotes else ""
    changed = _git(root, "status", "--porcelain", "--untracked-files=no").splitlines()
    return Source(commit, int(seconds), web_address(remote), len(changed))


def web_address(remote: str) -> str:
    """The address of a remote as a web page, without user, password, token and query; empty if it is a folder."""
    if "://" not in remote:
        host, path = found.groups() if (found := _SCP.fullmatch(remote)) else ("", "")
        scheme = "https"
    else:
        try:
            parts = urlsplit(remote)
            port = f":{parts.port}" if parts.port and parts.scheme.startswith("http") else ""
        except ValueError:  # a port that is no number
            return ""
        host, path = f"{parts.hostname or ''}{port}" if parts.scheme in _SCHEMES else "", parts.path
        scheme = "http" if parts.scheme == "http" else "https"
    return f"{scheme}://{host}/{path.strip('/').removesuffix('.git')}" if host and path.strip("/") else ""


def _git(root: Path, *arguments: str) -> str:
    return printed_by("git", "-C", str(root), *arguments)
