"""Files with prompts: that of a package, or one that a setting names in its place."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import read_bytes, user_path
from whatif.engine.files.yaml_values import LARGEST, parse_yaml

SYSTEM = "system"  # the key of a system prompt


@dataclass(frozen=True)
class SystemPrompt:
    """A system prompt, and the SHA-256 of its file in hexadecimal."""

    system: str
    digest: str


def read_system_prompt(package: str, name: str, file: str | None, setting: str) -> SystemPrompt:
    """The prompt in a YAML file with the key `system`; the arguments are those of `read_prompt_file`.

    Raises WhatifError when the file cannot be read, or has no such text or other keys.
    """
    values, path, digest = read_prompt_file(package, name, file, setting)
    if not isinstance(values, dict) or set(values) != {SYSTEM}:
        raise WhatifError(f"{path}: must be a mapping with the key {SYSTEM}: the system prompt")
    if not isinstance(values[SYSTEM], str) or not values[SYSTEM].strip():
        raise WhatifError(f"{path}: {SYSTEM}: must be a text that is not empty")
    return SystemPrompt(values[SYSTEM].strip(), digest)


def read_prompt_file(package: str, name: str, file: str | None, setting: str) -> tuple[Any, Path, str]:
    """The values of a YAML file, its path for messages, and its SHA-256 in hexadecimal.

    package, name: the package and its file, which is read if `file` is None.
    file: the path that `setting`, a dotted key of `params.yaml`, has.

    Raises WhatifError when the file cannot be read as YAML.
    """
    if file is None:
        data, path = (resources.files(package) / name).read_bytes(), Path(name)
    else:
        path = user_path(file)
        try:
            data = read_bytes(path, LARGEST)
        except OSError as error:
            raise WhatifError(f"{path}: {error.strerror or error}; {setting} must be a YAML file") from error
    try:
        values, _ = parse_yaml(data.decode("utf-8"), path)
    except UnicodeDecodeError as error:
        raise WhatifError(f"{path}: is not UTF-8 at byte {error.start:,}; save it as UTF-8") from error
    return values, path, hashlib.sha256(data).hexdigest()
