"""Files with prompts: that of a package, or one of the user that replaces it."""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path
from typing import Any

from whatif.errors import WhatifError
from whatif.files.inputs import read_bytes, user_path
from whatif.files.yaml_values import LARGEST, parse_yaml


def read_prompt_file(package: str, name: str, file: str | None) -> tuple[Any, Path, str]:
    """The values of a YAML file, its path for messages, and its SHA-256 in hexadecimal.

    The file is that of the user, or else `name` in the package. Raises WhatifError when it cannot be read as YAML.
    """
    if file is None:
        data, path = (resources.files(package) / name).read_bytes(), Path(name)
    else:
        path = user_path(file)
        try:
            data = read_bytes(path, LARGEST)
        except OSError as error:
            raise WhatifError(f"{path}: {error.strerror or error}; prompt_file must be a YAML file") from error
    try:
        values, _ = parse_yaml(data.decode("utf-8"), path)
    except UnicodeDecodeError as error:
        raise WhatifError(f"{path}: is not UTF-8 at byte {error.start:,}; save it as UTF-8") from error
    return values, path, hashlib.sha256(data).hexdigest()
