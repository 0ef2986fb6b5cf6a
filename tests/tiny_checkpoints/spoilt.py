"""What spoils a checkpoint: each function returns another, which changes files of a folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Spoil = Callable[[Path], object]


def lose(name: str) -> Spoil:
    return lambda folder: (folder / name).unlink()


def write(name: str, text: str) -> Spoil:
    return lambda folder: (folder / name).write_text(text)


def change(name: str, **values: Any) -> Spoil:
    """Other values of a JSON file."""

    def spoil(folder: Path) -> None:
        told = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps({**told, **values}))

    return spoil


def truncate(name: str, share: float) -> Spoil:
    def spoil(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: int(share * len(data))])

    return spoil


def lose_a_weight(name: str) -> Spoil:
    def spoil(folder: Path) -> None:
        from safetensors.torch import load_file, save_file

        weights = load_file(folder / name)
        weights.pop(min(weights))
        save_file(weights, folder / name, metadata={"format": "pt"})

    return spoil


def as_pickle(name: str) -> Spoil:
    """The same weights as PyTorch pickles them."""

    def spoil(folder: Path) -> None:
        import torch
        from safetensors.torch import load_file

        torch.save(load_file(folder / name), (folder / name).with_suffix(".bin"))
        (folder / name).unlink()

    return spoil
