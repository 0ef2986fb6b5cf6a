"""Trained weights are stored: the same training is done once, and goes on where it was cut off, to the same bytes."""

from __future__ import annotations

import contextlib
import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.models.fine_tuning.contrastive import clip, digest, loaded, long_training, samples, start_of, store, training
from whatif.commands.cli import KERNELS
from whatif.engine.errors import WhatifError
from whatif.models.fine_tuning import contrastive_training, trained_store
from whatif.models.fine_tuning import training_checkpoints as checkpoints
from whatif.models.fine_tuning.training_checkpoints import is_whole, last_usable, mark
from whatif.models.local.encoders import Embedder

pytestmark = pytest.mark.slow

pytest.importorskip("transformers")
pytest.importorskip("accelerate")

_ROOT = Path(__file__).parents[3]
_LONGEST = 500.0  # seconds that a process may take on a busy machine


@pytest.fixture
def encoder(folder: Path) -> Embedder:
    return loaded(clip(folder / "clip"))


def fresh(encoder: Embedder, start: dict[str, Any]) -> Embedder:
    encoder.model.load_state_dict(start)
    return encoder


def only_entry() -> Path:
    (entry,) = trained_store.TRAINED.iterdir()
    return entry


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The entry of a training that was not interrupted, and the hash of its weights."""
    folder = tmp_path_factory.mktemp("unbroken")
    with contextlib.chdir(folder):
        encoder = loaded(clip(folder / "clip"))
        store(encoder, training())
        return folder / only_entry(), digest(encoder)


@pytest.fixture
def kept(unbroken: tuple[Path, str], encoder: Embedder) -> Path:
    """That entry in the current folder."""
    return Path(shutil.copytree(unbroken[0], trained_store.TRAINED / unbroken[0].name))


def interrupt_after(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C when so many further steps are done."""

    def stops(items: Any, *_: Any) -> Iterator[Any]:
        for count, item in enumerate(items):
            if count == steps:
                raise KeyboardInterrupt
            yield item

    monkeypatch.setattr(contrastive_training, "progress", stops)


def test_what_was_trained_is_not_trained_again(encoder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    start = start_of(encoder)
    first = store(encoder, training())
    made = digest(encoder)
    assert sorted(path.name for path in only_entry().iterdir()) == ["finished.json", "model.safetensors"]
    monkeypatch.setattr(trained_store, "train", lambda *_: pytest.fail("trains again"))
    assert store(fresh(encoder, start), training()) == first
    assert digest(encoder) == made


def test_damaged_weights_are_trained_again(encoder: Embedder, kept: Path, unbroken: tuple[Path, str]) -> None:
    weights = kept / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-8] + b"\0" * 8)
    store(encoder, training())
    assert digest(encoder) == unbroken[1]


def test_a_damaged_log_is_made_again(encoder: Embedder, kept: Path, unbroken: tuple[Path, str]) -> None:
    (kept / "finished.json").write_text('{"weights": ')
    assert store(encoder, training()).rows[1:] != []
    assert (kept / "finished.json").read_bytes() == (unbroken[0] / "finished.json").read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 108},
        {"learning_rate": 0.001},
        {"epochs": 2},
        {"evaluate_every": 3},
        {"number": 19},
    ],
)
def test_another_training_has_another_key(change: dict[str, Any]) -> None:
    checkpoint = {"checkpoint": "tiny"}
    assert trained_store.key_of(training(), checkpoint) == trained_store.key_of(training(), checkpoint)
    assert trained_store.key_of(training(**change), checkpoint) != trained_store.key_of(training(), checkpoint)
    assert trained_store.key_of(training(), {"checkpoint": "other"}) != trained_store.key_of(training(), checkpoint)


def test_the_order_of_samples_counts_and_the_name_in_messages_does_not() -> None:
    from dataclasses import replace

    one = training()
    assert trained_store.key_of(replace(one, name="other"), {}) == trained_store.key_of(one, {})
    assert trained_store.key_of(replace(one, train=one.train[::-1]), {}) != trained_store.key_of(one, {})
    assert trained_store.key_of(replace(one, validation=samples(range(3))), {}) != trained_store.key_of(one, {})


# 15 steps, 5 in an epoch, a checkpoint after every second and the last one: before the first checkpoint, right after
# one, between two, at the end of an epoch, and twice in succession.
@pytest.mark.parametrize("cuts", [*(pytest.param([cut], marks=pytest.mark.soak) for cut in (1, 4, 7, 10, 14)), [3, 5]])
def test_a_training_that_was_interrupted_ends_in_the_same_bytes(
    encoder: Embedder, unbroken: tuple[Path, str], cuts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    start = start_of(encoder)
    for cut in cuts:
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            interrupt_after(cut, patch)
            store(fresh(encoder, start), training())
        assert not (only_entry() / "finished.json").exists()
    store(fresh(encoder, start), training())
    assert digest(encoder) == unbroken[1]
    for name in ("finished.json", "model.safetensors"):
        assert (only_entry() / name).read_bytes() == (unbroken[0] / name).read_bytes()


def tear(checkpoint: Path) -> None:
    """As after a kill while the optimiser's state was written."""
    (checkpoint / "whole.json").unlink()
    data = (checkpoint / "optimizer.pt").read_bytes()
    (checkpoint / "optimizer.pt").write_bytes(data[: len(data) // 2])


def spoil(checkpoint: Path) -> None:
    """As after a power failure that lost the end of a file."""
    data = (checkpoint / "optimizer.pt").read_bytes()
    (checkpoint / "optimizer.pt").write_bytes(data[:-10])


def lose_rng(checkpoint: Path) -> None:
    (checkpoint / "rng_state.pth").unlink()


def test_a_torn_checkpoint_is_removed_and_the_one_before_is_used(
    encoder: Embedder, unbroken: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    start = start_of(encoder)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        interrupt_after(9, patch)
        store(encoder, training())
    kept = only_entry() / "checkpoints"
    assert {path.name for path in kept.iterdir()} == {"checkpoint-8"}  # the best is the last one
    for damage in (tear, spoil, lose_rng):
        mark(_copy(kept / "checkpoint-8", kept / "checkpoint-10"))
        damage(kept / "checkpoint-10")
        assert last_usable(kept) == kept / "checkpoint-8"
        assert not (kept / "checkpoint-10").exists()
    store(fresh(encoder, start), training())
    assert digest(encoder) == unbroken[1]


def _copy(source: Path, target: Path) -> Path:
    shutil.copytree(source, target)
    (target / "whole.json").unlink()
    return target


def test_a_checkpoint_without_its_best_one_is_not_used(folder: Path) -> None:
    for step, best in ((2, 2), (4, 2), (6, 3)):
        checkpoint = checkpoints.checkpoint_of(folder, step)
        checkpoint.mkdir()
        (checkpoint / "trainer_state.json").write_text(json.dumps({"best_global_step": best}))
        mark(checkpoint)
    (folder / "other").mkdir()
    assert last_usable(folder) == folder / "checkpoint-4"
    assert {path.name for path in folder.iterdir()} == {"checkpoint-2", "checkpoint-4", "other"}
    (folder / "checkpoint-2/trainer_state.json").write_text("{}")
    assert not is_whole(folder / "checkpoint-2")
    assert last_usable(folder) is None
    assert {path.name for path in folder.iterdir()} == {"other"}


def test_a_kill_before_the_log_was_written_loses_nothing(
    encoder: Embedder, unbroken: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    start = start_of(encoder)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(trained_store, "write_whole", killed)
        store(encoder, training())
    assert (only_entry() / "checkpoints/checkpoint-15").is_dir()
    interrupt_after(0, monkeypatch)  # no further step is needed
    store(fresh(encoder, start), training())
    assert digest(encoder) == unbroken[1]


def test_a_full_disk_is_one_line_and_the_training_continues_later(
    encoder: Embedder, unbroken: tuple[Path, str]
) -> None:
    start = start_of(encoder)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    weights = sum(value.numel() * 4 for value in start.values())
    for most in (weights // 2, weights + 100_000):  # the weights do not fit; the state of the optimiser does not
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
        try:
            with pytest.raises(WhatifError, match=r"checkpoint-2: cannot be written") as error:
                store(encoder, training())
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert "\n" not in str(error.value)
    store(fresh(encoder, start), training())
    assert digest(encoder) == unbroken[1]


def test_a_folder_that_cannot_be_written_is_one_line(encoder: Embedder) -> None:
    entry = trained_store.TRAINED / trained_store.key_of(training(), {"checkpoint": "tiny"})
    entry.mkdir(parents=True)
    (entry / "checkpoints").write_text("in the way")
    with pytest.raises(WhatifError, match="cannot be written") as error:
        store(encoder, training())
    assert "\n" not in str(error.value)


class Process:
    def __init__(self, checkpoint: Path, epochs: int) -> None:
        self._command = [sys.executable, "-m", "tests.models.fine_tuning.contrastive", str(checkpoint), str(epochs)]
        self._environment = {
            "PYTHONPATH": f"{_ROOT / 'src'}:{_ROOT}",
            "OMP_NUM_THREADS": "1",
            "HF_HUB_OFFLINE": "1",
            "PATH": "/usr/bin:/bin",
            **KERNELS,
        }

    def killed(self, now: Callable[[], bool]) -> None:
        """Kills it with SIGKILL as soon as `now` is true."""
        with subprocess.Popen(
            self._command, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            until = time.monotonic() + _LONGEST
            while not now():
                assert process.poll() is None, "the training ended before it was killed"
                assert time.monotonic() < until
            process.kill()


def is_there(step: int) -> Callable[[], bool]:
    """Whether the checkpoint after so many steps was written."""
    name = f"*/checkpoints/checkpoint-{step}/whole.json"
    return lambda: any(trained_store.TRAINED.glob(name))


def is_being_written(step: int) -> Callable[[], bool]:
    """Whether the checkpoint after so many steps was begun and is not whole."""
    name = f"*/checkpoints/checkpoint-{step}"
    return lambda: any(not (path / "whole.json").exists() for path in trained_store.TRAINED.glob(name))


def killed_at(moments: list[Callable[[], bool]], epochs: int) -> int:
    """Kills a training at each moment; another process, this one, ends it in the bytes of an unbroken one.

    Returns how many kills tore a file.
    """
    checkpoint = clip(Path("clip").absolute())
    torn = 0
    for moment in moments:
        Process(checkpoint, epochs).killed(moment)
        (entry,) = trained_store.TRAINED.iterdir()
        assert not (entry / "finished.json").exists()
        torn += any(not is_whole(path) for path in (entry / "checkpoints").iterdir())
    continued, unbroken = loaded(checkpoint), loaded(checkpoint)
    store(continued, long_training(epochs))
    only_entry().rename("killed")
    store(unbroken, long_training(epochs))
    assert digest(continued) == digest(unbroken)
    for name in ("model.safetensors", "finished.json"):
        assert Path("killed", name).read_bytes() == (only_entry() / name).read_bytes()
    return torn


@pytest.mark.soak
@pytest.mark.process
@pytest.mark.slow
def test_a_killed_process_continues_to_the_same_bytes(folder: Path) -> None:
    killed_at([is_there(6)], epochs=2)


@pytest.mark.soak
def test_ten_kills_end_in_the_bytes_of_an_unbroken_training(folder: Path) -> None:
    moments = [is_there(step) if step % 12 else is_being_written(step) for step in range(6, 61, 6)]
    assert len(moments) == 10
    assert killed_at(moments, epochs=4) >= 3  # five kills came while a checkpoint was being written
