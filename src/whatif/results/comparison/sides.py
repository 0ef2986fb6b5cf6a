"""What the user named as A and B: two runs, or two models of runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.engine.files.project_folder import typed_path
from whatif.results.comparison import commits
from whatif.results.comparison.runs import Run, of_folder

HERE = "working tree"
_SUFFIXES = (".yaml", ".yml")

OfParameters = Callable[[Path], Run]  # the run of a file of parameters (`whatif.results.comparison.parameter_sets`)


@dataclass(frozen=True)
class Side:
    """One of the two sides: a run, or one model of it, perhaps with one strategy."""

    run: Run
    model: str = ""
    setting: str = ""

    @property
    def name(self) -> str:
        """As shown to users."""
        chosen = "@".join(filter(None, [self.model, self.setting]))
        if not chosen:
            return self.run.name
        return chosen if self.run.name == HERE else f"{chosen} of {self.run.name}"


def sides(root: Path, first: str, second: str | None, of_parameters: OfParameters) -> tuple[Side, Side]:
    """The sides that A and B name, in the project at `root`; without B, the second side is the working tree.

    Each is a commit, a model with results (`KEY`, `KEY@STRATEGY`, `KEY@COMMIT`), the folder of a project, or a YAML
    file with parameters. Raises WhatifError when a name is none of these or more than one, and when a model is to be
    compared with a run.
    """
    reader = _Reader(root, of_parameters)
    a = reader.side(first)
    if second is not None:
        b = reader.side(second)
    elif a.model and a.run.name != HERE:
        b = Side(reader.here(), a.model)
        reader.check_model(b, first)
    elif a.model:
        raise WhatifError(
            f"{first}: is a model; name another to compare it with, as in `whatif diff {first} "
            f"{next((key for key in a.run.models if key != a.model), 'OTHER')}`, or give {a.model}@COMMIT"
        )
    else:
        b = Side(reader.here())
    if bool(a.model) != bool(b.model):
        model, run = (first, second) if a.model else (second, first)
        raise WhatifError(
            f"{model} is a model and {run} is a run; compare two models, two runs, or KEY@COMMIT with KEY"
        )
    return a, b


class _Reader:
    """Finds out what names mean, and reads each run once."""

    def __init__(self, root: Path, of_parameters: OfParameters) -> None:
        self._root = root
        self._of_parameters = of_parameters
        self._runs: dict[str, Run] = {}

    def here(self) -> Run:
        return self._run("", lambda: of_folder(self._root, HERE))

    def side(self, text: str) -> Side:
        path = Path(text).expanduser() if text.startswith(("./", "../", "/", "~")) or text in (".", "..") else None
        if path is not None or text.endswith(_SUFFIXES):
            return Side(self._at_path(typed_path(path or text), text))
        meanings: dict[str, Callable[[], Side]] = {}
        if (commit := commits.commit_of(self._root, text)) is not None:
            meanings[f"the commit {commit[:8]} (write refs/heads/{text} or {commit[:8]})"] = lambda: self._commit(text)
        elif (typed_path(text) / "params.yaml").is_file() or (typed_path(text) / "data").is_dir():
            meanings[f"a folder (write ./{text})"] = lambda: Side(self._at_path(typed_path(text), text))
        key, _, rest = text.partition("@")
        if key in self._models_here():
            meanings[f"a model (write {key}@{HEAD} for its results in that commit)"] = lambda: self._model(key, rest)
        elif rest and (run := self._commit_run(rest)) is not None and key in run.models:
            meanings[f"a model of {rest}"] = lambda: Side(run, key)
        if len(meanings) > 1:
            raise WhatifError(f"{text}: is {' and '.join(sorted(meanings))}; give a name with one meaning")
        if not meanings:
            raise WhatifError(self._unknown(text))
        return next(iter(meanings.values()))()

    def check_model(self, side: Side, text: str) -> None:
        """Raises WhatifError when the side's run has no results of its model."""
        if side.model not in side.run.models:
            known = ", ".join(side.run.models) or "none"
            raise WhatifError(f"{text}: {side.run.name} has no results of {side.model}; it has those of {known}")

    def _model(self, key: str, rest: str) -> Side:
        if not rest:
            return Side(self.here(), key)
        is_setting, run = rest in self.here().settings_of(key), self._commit_run(rest)
        if is_setting and run is not None:
            raise WhatifError(
                f"{key}@{rest}: {rest} is a strategy and a commit; write {key}@refs/heads/{rest}, or its id"
            )
        if is_setting:
            return Side(self.here(), key, rest)
        if run is None:
            known = ", ".join(self.here().settings_of(key)) or "none"
            raise WhatifError(f"{key}@{rest}: {rest} is neither a commit nor a strategy of {key} ({known})")
        side = Side(run, key)
        self.check_model(side, f"{key}@{rest}")
        return side

    def _commit(self, revision: str) -> Side:
        return Side(self._run(revision, lambda: commits.of_commit(self._root, revision)))

    def _commit_run(self, revision: str) -> Run | None:
        return self._commit(revision).run if commits.commit_of(self._root, revision) is not None else None

    def _at_path(self, path: Path, text: str) -> Run:
        if path.suffix in _SUFFIXES:
            if not path.is_file():
                raise WhatifError(f"{text}: no such file; give a file of parameters, a folder, a commit or a model")
            return self._run(str(path.resolve()), lambda: self._of_parameters(path))
        if not path.is_dir():
            raise WhatifError(f"{text}: no such folder; give the folder of a project")
        if path.resolve() == self._root.resolve():
            return self.here()
        return self._run(str(path.resolve()), lambda: of_folder(path, text))

    def _run(self, key: str, make: Callable[[], Run]) -> Run:
        if key not in self._runs:
            self._runs[key] = make()
        return self._runs[key]

    def _models_here(self) -> tuple[str, ...]:
        try:
            return self.here().models
        except WhatifError:  # without results of its own, commits can still be compared
            return ()

    def _unknown(self, text: str) -> str:
        models = ", ".join(self._models_here()) or "none"
        why = commits.why_unknown(self._root)
        return f"{text}: is neither a commit, nor a folder, nor a model with results ({models}){why}"


HEAD = "HEAD"
