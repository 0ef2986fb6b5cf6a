"""Images in the store: none is drawn twice, whatever ended the run, and a damaged store is one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.models.text_to_image.requests import requests, settings_of
from tests.tiny_checkpoints import tiny_sdxl
from whatif.engine.errors import WhatifError
from whatif.models.responses.store import ResponseStore, request_key
from whatif.models.text_to_image import Drawing, ImageRequest, load
from whatif.models.text_to_image.stored_images import drawn_images, image_store_path

pytestmark = pytest.mark.slow

pytest.importorskip("diffusers")


class Counted:
    """A checkpoint that ends after a number of images; it counts them, and refuses the prompt `refused`."""

    prompts = 1
    note = ""

    def __init__(self, folder: Path, most: int = 1000) -> None:
        self._generator = load(settings_of(folder, width=32, height=32), 0)
        self.identity: Mapping[str, Any] = self._generator.identity
        self.place = self._generator.place
        self.most = most
        self.drawn: list[ImageRequest] = []
        self.stored = 0

    def count_stored(self, number: int) -> None:
        self.stored = number

    def draw_as_they_come(self, asked: Sequence[ImageRequest]) -> Iterator[tuple[int, Drawing]]:
        for place, request in enumerate(asked):
            if len(self.drawn) == self.most:
                raise WhatifError("the device failed")
            self.drawn.append(request)
            if request.prompts == ("refused",):
                yield place, Drawing(status="none", reason="refused: no")
            elif request.prompts == ("lost",):
                yield place, Drawing(status="error", reason="no reply", transient=True)
            else:
                ((_, drawing),) = self._generator.draw_as_they_come([request])
                yield place, drawing


def test_a_run_that_fails_at_any_image_goes_on_there(tmp_path: Path) -> None:
    folder, asked = tiny_sdxl(tmp_path / "checkpoint"), requests(6)
    with ResponseStore(tmp_path / "whole.sqlite") as store:
        whole = dict(drawn_images(asked, Counted(folder), store))
    drawn: list[ImageRequest] = []
    with ResponseStore(tmp_path / "images.sqlite") as store:
        for _ in range(6):
            generator = Counted(folder, most=1)
            with pytest.raises(WhatifError) if len(drawn) < 5 else _nothing():
                list(drawn_images(asked, generator, store))
            drawn += generator.drawn
        last = Counted(folder)
        assert dict(drawn_images(asked, last, store)) == whole
    assert sorted(drawn, key=asked.index) == asked and last.drawn == [] and last.stored == 6


class _nothing:  # noqa: N801 - stands beside `pytest.raises`
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...


def test_refusals_are_stored_and_errors_are_not(tmp_path: Path) -> None:
    folder = tiny_sdxl(tmp_path / "checkpoint")
    asked = [ImageRequest("a", number, (prompt,), 1) for number, prompt in enumerate(("refused", "lost", "red dots"))]
    with ResponseStore(tmp_path / "images.sqlite") as store:
        first = dict(drawn_images(asked, Counted(folder), store))
        again = Counted(folder)
        second = dict(drawn_images(asked, again, store))
    assert [first[place].status for place in range(3)] == ["none", "error", "ok"]
    assert first[1].transient and first[0].reason == "refused: no"
    assert second == first and again.drawn == asked[1:2]


def test_equal_requests_are_drawn_once(tmp_path: Path) -> None:
    generator = Counted(tiny_sdxl(tmp_path / "checkpoint"))
    same = [ImageRequest(name, 0, ("red dots",), 1) for name in ("a", "b")]
    with ResponseStore(tmp_path / "images.sqlite") as store:
        found = dict(drawn_images(same, generator, store))
    assert found[0] == found[1] and len(generator.drawn) == 1


@pytest.mark.parametrize("response", ["no JSON", '{"images":[]}', '{"images":["%"]}', '{"images":[1]}', "[]"])
def test_a_stored_reply_that_is_no_drawing_is_one_line(tmp_path: Path, response: str) -> None:
    generator, asked = Counted(tiny_sdxl(tmp_path / "checkpoint")), requests(1)
    row = {"identity": dict(generator.identity), "prompt": list(asked[0].prompts), "seed": asked[0].seed, "place": 0}
    with ResponseStore(tmp_path / "images.sqlite") as store:
        store.put(request_key(row), row, {"status": "ok", "response": response})
        with pytest.raises(
            WhatifError, match=r"images\.sqlite: the answer to [0-9a-f]{64} is not a drawing of 1 images"
        ):
            list(drawn_images(asked, generator, store))


def test_images_are_stored_beside_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    assert image_store_path() == Path(".whatif/responses-images.sqlite")
    monkeypatch.setenv("WHATIF_RESPONSES", "/shared/mine.sqlite")
    assert image_store_path() == Path("/shared/mine-images.sqlite")


def test_known_requests_are_found_without_reading_answers(tmp_path: Path) -> None:
    rows = [{"prompt": number} for number in range(1200)]
    with ResponseStore(tmp_path / "images.sqlite") as store:
        store.put_all([(request_key(row), row, {"status": "none", "reason": "x"}) for row in rows[::2]])
        known = store.known(map(request_key, rows))
    assert known == {request_key(row) for row in rows[::2]}
