"""Contrastive training: what is learnt, the recipe, its log, the same bytes for the same seed, and errors."""

from __future__ import annotations

import contextlib
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.models.fine_tuning.contrastive import COLOURS, Coloured, clip, digest, loaded, samples, start_of, training
from tests.tiny_checkpoints import tiny_bridgetower, tiny_flava
from whatif.engine.errors import WhatifError
from whatif.engine.params.contrastive_training import ContrastiveTraining
from whatif.engine.random_streams import stream
from whatif.models.fine_tuning import contrastive_training
from whatif.models.fine_tuning.contrastive_loss import contrastive_loss
from whatif.models.fine_tuning.contrastive_samples import Batches, PreparedImages, Sample
from whatif.models.fine_tuning.contrastive_training import Training, check_trainable, train
from whatif.models.local.encoders import Embedder

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("accelerate")


@pytest.fixture
def encoder(folder: Path) -> Embedder:
    return loaded(clip(folder / "clip"))


def trained(encoder: Embedder, what: Training, name: str = "a") -> list[dict[str, Any]]:
    return train(encoder.model, PreparedImages(Coloured(), encoder.processor), what, Path(name))


class Done(NamedTuple):
    folder: Path
    rows: list[dict[str, Any]]
    start: dict[str, Any]
    encoder: Embedder


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """A training by the usual recipe."""
    folder = tmp_path_factory.mktemp("done")
    with contextlib.chdir(folder):
        encoder = loaded(clip(folder / "clip"))
        start = start_of(encoder)
        return Done(folder / "a", trained(encoder, training()), start, encoder)


def test_captions_find_their_images_after_training(encoder: Embedder) -> None:
    rows = trained(encoder, training(number=48, epochs=10, learning_rate=0.005))
    best = next(row for row in rows if row["best"])
    assert best["validation_loss"] == min(row["validation_loss"] for row in rows[1:])
    assert best["validation_loss"] < rows[0]["validation_loss"] - 0.4
    told = encoder.captions([f"the {colour} flower" for colour in COLOURS])
    seen = encoder.pictures([Coloured().get(f"{90 + place}-{colour}") for place, colour in enumerate(COLOURS)])
    assert (told @ seen.T).argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_the_log_has_the_steps_rates_and_losses_of_the_recipe(encoder: Embedder) -> None:
    rows = trained(encoder, training(warmup=3))
    assert [row["step"] for row in rows] == [0, 2, 4, 6, 8, 10, 12, 14, 15]
    assert [row["epoch"] for row in rows] == pytest.approx([step / 5 for step in (0, 2, 4, 6, 8, 10, 12, 14, 15)])
    # Up for 3 steps, then linearly to 0 at the end; the rate of step n is the one after n - 1 steps.
    expected = [0.0, *(0.003 * (1 / 3 if step == 2 else (16 - step) / 12) for step in (2, 4, 6, 8, 10, 12, 14, 15))]
    assert [row["learning_rate"] for row in rows] == pytest.approx(expected)
    assert rows[0]["loss"] is None
    assert all(0 < row["loss"] < 3 for row in rows[1:])
    assert sum(row["best"] for row in rows) == 1


def test_the_model_has_the_best_weights_and_its_validation_loss_is_the_mean_over_samples(encoder: Embedder) -> None:
    what = training(learning_rate=0.01)
    wrong = [
        Sample(samples(range(n + 1, n + 2))[0].caption, samples(range(n, n + 1))[0].image_id) for n in range(50, 56)
    ]
    what = replace(what, validation=wrong)  # batches of 4 and 2, with captions of other colours: the loss rises
    rows = trained(encoder, what)
    best = next(row for row in rows if row["best"])
    assert best["step"] < 15
    batches = Batches(encoder.model, PreparedImages(Coloured(), encoder.processor))
    assert not encoder.model.training
    ordered = [what.validation[place] for place in stream(0, "validation order").permutation(6)]
    with torch.no_grad():
        losses = [float(contrastive_loss(encoder.model, batches(part))) for part in (ordered[:4], ordered[4:])]
    assert best["validation_loss"] == pytest.approx((4 * losses[0] + 2 * losses[1]) / 6, abs=1e-5)


def test_without_a_number_of_steps_it_is_evaluated_after_each_epoch(encoder: Embedder) -> None:
    rows = trained(encoder, training(evaluate_every=None))
    assert [(row["step"], row["epoch"]) for row in rows] == [(0, 0), (5, 1), (10, 2), (15, 3)]


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(encoder: Embedder, done: Done) -> None:
    torch.manual_seed(99)
    random.seed(99)
    assert trained(encoder, training(), "again") == done.rows
    assert digest(encoder) == digest(done.encoder)
    first, again = (next(folder.glob("checkpoint-15/model.safetensors")) for folder in (done.folder, Path("again")))
    assert first.read_bytes() == again.read_bytes()
    encoder.model.load_state_dict(done.start)
    trained(encoder, training(seed=108), "other")
    assert digest(encoder) != digest(done.encoder)


def test_all_weights_of_both_encoders_are_trained(done: Done) -> None:
    after = done.encoder.model.state_dict()
    # The middle of an image is not at all positions; what no caption uses has no gradient, but its weight decays.
    assert [name for name, value in done.start.items() if torch.equal(value, after[name])] == []


def test_the_generators_of_the_process_are_as_before(encoder: Embedder) -> None:
    torch.manual_seed(5)
    random.seed(5)
    np.random.seed(5)
    expected = float(torch.rand(1)), random.random(), float(np.random.rand())
    torch.manual_seed(5)
    random.seed(5)
    np.random.seed(5)
    trained(encoder, training(epochs=1))
    assert (float(torch.rand(1)), random.random(), float(np.random.rand())) == expected


@pytest.mark.parametrize("build", [tiny_bridgetower, tiny_flava])
def test_the_other_families_are_trained_too(build: Any, folder: Path) -> None:
    encoder = loaded(build(folder / "checkpoint"))
    rows = trained(encoder, training(epochs=4, learning_rate=0.001))
    assert min(row["validation_loss"] for row in rows[1:]) < rows[0]["validation_loss"] - 0.05


def test_nothing_is_printed_but_our_own_progress(
    encoder: Embedder, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whatif.engine.progress._SHORT", 0.0)
    capfd.readouterr()
    trained(encoder, training())
    said = capfd.readouterr()
    assert said.out == ""
    lines = said.err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("tiny on colours training: 15 of 15 steps in ")


def test_no_file_of_a_checkpoint_is_a_pickle_that_runs_code(done: Done) -> None:
    (checkpoint,) = done.folder.iterdir()
    names = sorted(path.name for path in checkpoint.iterdir())
    assert names == [
        "model.safetensors",
        "optimizer.pt",
        "rng_state.pth",
        "scheduler.pt",
        "trainer_state.json",
        "whole.json",
    ]
    from transformers.trainer_pt_utils import safe_globals

    with safe_globals():
        for name in ("optimizer.pt", "rng_state.pth", "scheduler.pt"):
            assert torch.load(checkpoint / name, weights_only=True)


def test_a_loss_that_is_no_number_says_what_to_change(encoder: Embedder) -> None:
    for step, told in ((0, "validation loss is nan after 0"), (3, "loss is nan after 3")):
        encoder = loaded(Path("clip"))
        _spoil_after(step, encoder)
        with pytest.raises(
            WhatifError, match=rf"tiny on colours: the {told} steps; lower learning_rate \(now"
        ) as error:
            trained(encoder, training(), str(step))
        assert "\n" not in str(error.value)


def _spoil_after(steps: int, encoder: Embedder) -> None:
    """The weights stop being numbers after so many steps, as after a step that was too long."""
    done = 0

    def count(module: Any, *_: object) -> None:
        nonlocal done
        done += module.training
        if done > steps or steps == 0:
            module.logit_scale.data.fill_(math.nan)

    encoder.model.text_model.register_forward_hook(lambda *_: count(encoder.model))


def test_too_little_memory_names_the_batch_size(encoder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")

    monkeypatch.setattr(encoder.model, "get_image_features", fails)
    with pytest.raises(WhatifError, match="out of memory with 4 samples in a step; set a smaller batch_size"):
        trained(encoder, training())
    assert not encoder.model.training


def test_too_few_samples_are_one_line(encoder: Embedder) -> None:
    with pytest.raises(WhatifError, match="there are 1 samples to train on and 8 for validation, but at least 2 and 1"):
        trained(encoder, training(number=1))


@pytest.mark.parametrize(
    ("device", "dtype", "precision", "message"),
    [
        ("cpu", "float16", "float32", "models.clip.dtype: float16 weights cannot be trained; set float32 here"),
        ("cpu", "float32", "bfloat16", "recipe of clip: precision bfloat16 needs a GPU, but models.clip.device is cpu"),
        ("cpu", "float32", "float16", "recipe of clip: precision float16 needs a GPU"),
        ("cuda:0", "bfloat16", "bfloat16", "models.clip.dtype: bfloat16 weights cannot be trained"),
    ],
)
def test_what_cannot_be_trained_is_one_line(device: str, dtype: str, precision: Any, message: str) -> None:
    with pytest.raises(WhatifError, match=message):
        check_trainable("clip", device, dtype, ContrastiveTraining(precision=precision))


def test_mixed_precision_on_a_gpu_and_full_precision_on_a_cpu_can_be_trained() -> None:
    check_trainable("clip", "cuda:1", "float32", ContrastiveTraining(precision="bfloat16"))
    check_trainable("clip", "cpu", "float32", ContrastiveTraining())


def test_without_accelerate_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contrastive_training, "find_spec", lambda name: None)
    with pytest.raises(WhatifError, match="training: requires accelerate; run pip install accelerate"):
        check_trainable("clip", "cpu", "float32", ContrastiveTraining())
