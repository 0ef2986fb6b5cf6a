"""Checks the files of DVC before DVC reads them: a damaged one is reported in one line, with how to restore it."""

from __future__ import annotations

from pathlib import Path

from whatif.engine.errors import WhatifError

LOCK = Path("dvc.lock")
_PIPELINE = Path("dvc.yaml")
_CONFIGURATION = Path(".dvc/config")
_OWN_CONFIGURATION = Path(".dvc/config.local")  # not in git


def check_dvc() -> None:
    """Raises WhatifError when DVC cannot run: its configuration or `dvc.yaml` is damaged, or `check_cache` fails.

    Does not check `dvc.lock`, because `recovery.clear` restores a damaged one.
    """
    _check_configuration(_CONFIGURATION, f"restore it with `git restore {_CONFIGURATION}`")
    _check_configuration(_OWN_CONFIGURATION, "correct or delete it")
    _check_pipeline()
    check_cache()


def check_cache() -> None:
    """Raises WhatifError when the path of DVC's cache contains a brace, which makes DVC fail after a stage has run.

    DVC inserts the cache path into the format string of a progress bar (seen in 3.67).
    """
    if not set("{}") & set(str(Path.cwd())):
        return
    from dvc.config import Config

    cache = str(Config.from_cwd().get("cache", {}).get("dir") or Path(".dvc/cache").resolve())
    if set("{}") & set(cache):
        raise WhatifError(
            f"{cache}: DVC cannot save results in a folder whose path has {{ or }}; rename it, run `snakemake` instead "
            "of `dvc repro`, or set another with `dvc config --local cache.dir FOLDER`"
        )


def is_whole_lock(text: bytes) -> bool:
    """Whether DVC can read this text as its `dvc.lock`; DVC writes in place, so a killed process may truncate it."""
    import yaml
    from dvc.schema import COMPILED_LOCKFILE_SCHEMA
    from voluptuous import Invalid

    try:
        COMPILED_LOCKFILE_SCHEMA(yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, Invalid):
        return False
    return True


def _check_configuration(file: Path, remedy: str) -> None:
    from dvc.config import Config, ConfigError

    if not file.is_file():
        return
    try:
        Config.validate(Config.load_file(str(file)))
    except ConfigError as error:
        what = " ".join(str(error).removeprefix("config file error: ").split())
        raise WhatifError(f"{file}: DVC cannot read it ({what}); {remedy}") from None


def _check_pipeline() -> None:
    from dvc.exceptions import DvcException
    from dvc.schema import COMPILED_MULTI_STAGE_SCHEMA
    from dvc.utils.strictyaml import load

    remedy = f"restore it with `git restore {_PIPELINE}`"
    if not _PIPELINE.is_file():
        other = "`whatif resume --entry-point snakemake`"
        raise WhatifError(f"{_PIPELINE}: no such file; {remedy}, or continue with {other}")
    try:
        values, _ = load(str(_PIPELINE), COMPILED_MULTI_STAGE_SCHEMA)
    except (DvcException, RecursionError) as error:
        what = " ".join(str(error).replace(f"unable to read: '{_PIPELINE}', ", "").split())
        raise WhatifError(f"{_PIPELINE}: DVC cannot read it ({what}); {remedy}") from None
    if not values.get("stages"):
        raise WhatifError(f"{_PIPELINE}: has no stages; {remedy}")
