"""Images that are prepared once: the same numbers and embeddings as without, within a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.tiny_checkpoints import tiny_bridgetower, tiny_clip, tiny_flava
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.models.local.encoders import Embedder, dual_encoder
from whatif.models.local.prepared_pictures import PreparedEmbedder, PreparedPictures

pytestmark = pytest.mark.slow

pytest.importorskip("torch")


class Store:
    """Noise of several sizes by name, and a broken image; counts what is decoded."""

    def __init__(self) -> None:
        self.decoded: list[str] = []

    def in_order(self, image_ids: Iterable[str]) -> list[str]:
        return sorted(set(image_ids))

    def get(self, image_id: str) -> Image.Image:
        self.decoded.append(image_id)
        if image_id == "broken":
            raise OSError("image broken: is truncated")
        number = int(image_id)
        pixels = np.random.default_rng(number).integers(0, 256, (30 + number, 50, 3), dtype=np.uint8)
        return Image.fromarray(pixels)


NAMES = [str(number) for number in range(9)]


def embedder_of(folder: Path, make: Callable[[Path], Path] = tiny_clip) -> Embedder:
    return dual_encoder(LocalCheckpoint.model_validate({"checkpoint": str(make(folder)), "batch_size": 4}))


@pytest.mark.parametrize("make", [tiny_clip, tiny_flava, tiny_bridgetower])
def test_embeddings_of_prepared_images_are_those_of_the_images(make: Any, tmp_path: Path) -> None:
    embedder, store = embedder_of(tmp_path, make), Store()
    with PreparedPictures(embedder.processor) as prepared:
        prepared.prepare(NAMES, store)
        found = PreparedEmbedder(embedder).pictures([prepared.get(name) for name in NAMES])
    assert np.array_equal(found, embedder.pictures([Store().get(name) for name in NAMES]))
    assert sorted(store.decoded) == NAMES


@pytest.mark.parametrize("make", [tiny_clip, tiny_flava, tiny_bridgetower])
def test_numbers_take_one_byte_and_are_read_without_a_loss(make: Any, tmp_path: Path) -> None:
    embedder = embedder_of(tmp_path, make)
    with PreparedPictures(embedder.processor) as prepared:
        prepared.prepare(["3"], Store())
        found = prepared.get("3")
        wanted = embedder.processor(images=[Store().get("3")], return_tensors="np")["pixel_values"][0]
        assert found.dtype == np.float32 and np.array_equal(found, wanted)
        assert prepared._size == wanted.size


def test_numbers_of_another_processor_are_kept_whole(tmp_path: Path) -> None:
    class Blurred:
        """Numbers that no single byte becomes."""

        def image_processor(self, images: Any, **_: bool) -> dict[str, Any]:
            made = [np.asarray(image, dtype=np.float32).transpose(2, 0, 1)[:, :16, :16] / 3 for image in images]
            return {"pixel_values": [one + one[:, ::-1] / 7 for one in made]}

    with PreparedPictures(Blurred()) as prepared:
        prepared.prepare(["2"], Store())
        wanted = Blurred().image_processor([Store().get("2")])["pixel_values"][0]
        assert np.array_equal(prepared.get("2"), wanted) and prepared._size == 4 * wanted.size


def test_images_beyond_the_limit_are_prepared_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whatif.models.local.prepared_pictures._AT_ONCE", 2)
    embedder, store = embedder_of(tmp_path), Store()
    with PreparedPictures(embedder.processor, most_bytes=1) as prepared, PreparedPictures(embedder.processor) as whole:
        prepared.prepare(NAMES, store)
        whole.prepare(NAMES, Store())
        assert prepared.kept == 2 and store.decoded == NAMES[:2]
        assert all(np.array_equal(prepared.get(name), whole.get(name)) for name in NAMES)
        assert sorted(store.decoded) == NAMES
        prepared.get("8")
        assert store.decoded.count("8") == 2


def test_a_broken_image_has_its_reason_each_time(tmp_path: Path) -> None:
    with PreparedPictures(embedder_of(tmp_path).processor) as prepared:
        prepared.prepare(["1", "broken"], Store())
        for _ in range(2):
            with pytest.raises(OSError, match="image broken: is truncated"):
                prepared.get("broken")
        assert prepared.reason("broken") == "OSError" and prepared.reason("1") is None
        with pytest.raises(KeyError):
            prepared.get("unknown")


def test_images_that_are_known_are_not_prepared_again(tmp_path: Path) -> None:
    store = Store()
    with PreparedPictures(embedder_of(tmp_path).processor) as prepared:
        prepared.prepare(["1", "broken"], store)
        prepared.prepare(["broken", "2", "1", "2"], store)
    assert sorted(store.decoded) == ["1", "2", "broken"]


def test_a_full_disk_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.TemporaryFile", lambda dir: open("/dev/full", "r+b"))  # noqa: PTH123, SIM115
    prepared = PreparedPictures(embedder_of(tmp_path).processor)
    with pytest.raises(WhatifError, match=r"TMPDIR.*: cannot be written \(No space left on device\)") as error:
        prepared.prepare(NAMES, Store())
    assert "\n" not in str(error.value)
