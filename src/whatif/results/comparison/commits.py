"""The run that a commit recorded: its artifacts in DVC's cache, its result tables in git. Nothing is checked out."""

from __future__ import annotations

import configparser
import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.results.comparison.runs import DATA, METRICS, Run, is_metrics, is_table

LOCK = "dvc.lock"
_MD5 = re.compile(r"[0-9a-f]{32}")
_REMEDY = "`dvc fetch --all-commits` brings what a remote has"


def commit_of(root: Path, revision: str) -> str | None:
    """The id of the commit that a revision names, or None if it names none or there is no git repository."""
    if not revision or revision.startswith("-") or "\0" in revision:
        return None
    done = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return done.stdout.decode().strip() if done.returncode == 0 else None


def why_unknown(root: Path) -> str:
    """What may be the reason why a revision names no commit; empty if nothing is known."""
    done = _git(root, "rev-parse", "--is-shallow-repository")
    if done.returncode:
        said = " ".join(done.stderr.decode(errors="replace").split())
        is_none = not said or "not a git repository" in said
        return ", and there is no git repository" if is_none else f", and git cannot read this repository: {said}"
    if done.stdout.strip() == b"true":
        return ", and this clone has no older commits (`git fetch --unshallow` brings them)"
    return ""


def of_commit(root: Path, revision: str) -> Run:
    """The run that a commit of the project in `root` recorded.

    `dvc.lock` of the commit names the artifacts, which are read from DVC's cache. Artifacts that the cache lacks are
    `lacking`. Raises WhatifError when the revision names no commit, or when its `dvc.lock` is absent or damaged.
    """
    commit = commit_of(root, revision)
    if commit is None:
        raise WhatifError(
            f"{revision}: names no commit{why_unknown(root)}; `git log --oneline` lists those of this branch"
        )
    lock = _git(root, "show", f"{commit}:./{LOCK}")
    if lock.returncode:
        raise WhatifError(f"{revision}: its commit {commit[:8]} has no {LOCK}; name a commit made after `dvc repro`")
    files: dict[str, Path] = {}
    lacking: list[str] = []
    objects = _cache(root) / "files" / "md5"
    for path, md5 in _outputs(lock.stdout, f"{revision}:{LOCK}"):
        for name, digest in _members(objects, path, md5, lacking):
            place = objects / digest[:2] / digest[2:]
            if not name.endswith(".parquet"):
                continue
            if place.is_file():
                files[name] = place
            else:
                lacking.append(name)
    name = commit[:8] if commit.startswith(revision) else f"{revision} ({commit[:8]})"
    published = _published(root, commit)
    tables, metrics = (
        {path: data for path, data in published.items() if kind(path)} for kind in (is_table, is_metrics)
    )
    return Run(name, dict(sorted(files.items())), tables, tuple(sorted(lacking)), _REMEDY, metrics)


def _outputs(text: bytes, place: str) -> Iterator[tuple[str, str]]:
    """The outputs below data/ of all stages: path and hash."""
    import yaml

    try:
        stages = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))["stages"]
        found = [(str(out["path"]), str(out["md5"])) for stage in stages.values() for out in stage.get("outs") or ()]
    except (yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise WhatifError(f"{place}: is not a record of DVC ({type(error).__name__}); name another commit") from None
    for path, md5 in found:
        if not _MD5.fullmatch(md5.removesuffix(".dir")):
            raise WhatifError(f"{place}: {path} has the hash {md5!r}, not an MD5; name another commit")
        if path.split("/")[0] == DATA:
            yield path, md5


def _members(objects: Path, path: str, md5: str, lacking: list[str]) -> list[tuple[str, str]]:
    """The files of an output: path and hash. A folder whose list is not in the cache is added to `lacking`."""
    if not md5.endswith(".dir"):
        return [(path, md5)]
    place = objects / md5[:2] / md5[2:]
    try:
        listed: list[Mapping[str, Any]] = json.loads(place.read_bytes())
        found = [(f"{path}/{one['relpath']}", str(one["md5"])) for one in listed]
    except FileNotFoundError:
        lacking.append(f"{path}/")
        return []
    except (ValueError, KeyError, TypeError) as error:
        raise WhatifError(f"{place}: is not a list of files ({error}); delete it, and {_REMEDY}") from None
    if bad := next((digest for _, digest in found if not _MD5.fullmatch(digest)), None):
        raise WhatifError(f"{place}: lists the hash {bad!r}, not an MD5; delete it, and {_REMEDY}")
    return found


def _cache(root: Path) -> Path:
    """DVC's cache: `cache.dir` of its configuration, where the files nearer to the project take precedence."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "dvc"
    of_user = Path(os.environ.get("DVC_GLOBAL_CONFIG_DIR") or home)
    of_system = Path(os.environ.get("DVC_SYSTEM_CONFIG_DIR") or "/etc/xdg/dvc")
    for file in (root / ".dvc/config.local", root / ".dvc/config", of_user / "config", of_system / "config"):
        settings = configparser.RawConfigParser(strict=False)
        try:
            settings.read_string(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, configparser.Error):
            continue
        if folder := settings.get("cache", "dir", fallback="").strip("\"' "):
            return (file.parent / Path(folder).expanduser()).resolve()
    return root / ".dvc/cache"


def _published(root: Path, commit: str) -> dict[str, bytes]:
    """The result tables and headline numbers of a commit, in order of their paths."""
    listed = _git(root, "ls-tree", "-r", "-z", commit, "--", f"{METRICS}/")
    entries = [entry.partition(b"\t") for entry in listed.stdout.split(b"\0") if entry]
    wanted = {os.fsdecode(path): head.split()[2] for head, _, path in entries if path.endswith((b".csv", b".json"))}
    text = b"".join(blob + b"\n" for blob in wanted.values())
    contents = _git(root, "cat-file", "--batch", given=text).stdout
    found, place = {}, 0
    for path in wanted:
        end = contents.index(b"\n", place)
        size = int(contents[place:end].split()[2])
        found[path] = contents[end + 1 : end + 1 + size]
        place = end + size + 2
    return dict(sorted(found.items()))


def _git(root: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command: Sequence[str] = ("git", "-C", str(root), *arguments)
    try:
        return subprocess.run(command, input=given, capture_output=True, check=False)
    except FileNotFoundError:
        return subprocess.CompletedProcess(command, 127, b"", b"git is not installed")
