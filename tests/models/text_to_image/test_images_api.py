"""The adapter `images-api` on a loopback endpoint that really draws: what is sent, retried, refused and paid."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.models.text_to_image.image_server import ImageServer, Reply, as_format, encoded, error, images
from tests.models.text_to_image.requests import requests, settings_of
from tests.tiny_checkpoints import tiny_sdxl
from whatif.engine.artifacts.images import format_of
from whatif.engine.errors import WhatifError
from whatif.engine.params.generators import ImagesApiGenerator
from whatif.models.responses.store import ResponseStore
from whatif.models.text_to_image import Drawing, ImageGenerator, ImageRequest, load
from whatif.models.text_to_image.images_api import ImagesApi
from whatif.models.text_to_image.stored_images import drawn_images

pytestmark = pytest.mark.slow

pytest.importorskip("diffusers")
pytest.importorskip("openai")

SECRET = "sk-marker-77aa31"
POLICY = error(400, "Your request was rejected as a result of our safety system.", "content_policy_violation")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_IMAGES_KEY", SECRET)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> ImageGenerator:
    folder = tiny_sdxl(tmp_path_factory.mktemp("images") / "checkpoint")
    return load(settings_of(folder, width=32, height=32), 0)


@pytest.fixture
def server(checkpoint: ImageGenerator) -> Iterator[ImageServer]:
    with ImageServer(checkpoint) as started:
        yield started


def generator_of(server: ImageServer, waits: list[float] | None = None, **changes: Any) -> ImagesApi:
    values = {"adapter": "images-api", "model": "painter", "base_url": server.base_url}
    settings = {"key_variable": "TEST_IMAGES_KEY", "seed_field": "seed", "retries": 2, "timeout_seconds": 30.0}
    read = ImagesApiGenerator.model_validate(values | settings | changes)
    return ImagesApi(read, 0, ([] if waits is None else waits).append)


def draw(server: ImageServer, asked: list[ImageRequest], **changes: Any) -> list[Drawing]:
    found = dict(generator_of(server, **changes).draw_as_they_come(asked))
    return [found[place] for place in range(len(asked))]


def test_each_image_is_the_one_that_the_endpoint_draws(server: ImageServer, checkpoint: ImageGenerator) -> None:
    asked = requests(6)
    direct = dict(checkpoint.draw_as_they_come(asked))
    assert draw(server, asked, size="32x32", quality="low", extra_body={"style": "flat"}) == [
        direct[place] for place in range(6)
    ]
    sent, authorization = next((body, key) for body, key in server.log if body["prompt"] == asked[0].prompts[0])
    assert authorization == f"Bearer {SECRET}"
    assert sent == {
        "model": "painter",
        "prompt": asked[0].prompts[0],
        "n": 1,
        "size": "32x32",
        "quality": "low",
        "response_format": "b64_json",
        "seed": asked[0].seed,
        "style": "flat",
    }


def test_fields_that_are_null_are_not_sent(server: ImageServer) -> None:
    draw(server, requests(1), response_format=None, seed_field=None)
    assert set(server.log[0][0]) == {"model", "prompt", "n"}


def test_transient_failures_are_tried_again_and_then_given_up(server: ImageServer) -> None:
    asked = requests(3)
    replies: dict[str, list[Reply]] = {
        asked[0].prompts[0]: [error(500, "busy"), (200, b"{half")],
        asked[1].prompts[0]: [error(429, "slow down"), (200, {"data": []}), error(503, "busy"), error(503, "busy")],
    }
    server.plan = lambda prompt, tries: dict(enumerate(replies.get(prompt, []))).get(tries)
    waits: list[float] = []
    found = dict(generator_of(server, waits).draw_as_they_come(asked))
    assert [found[place].status for place in range(3)] == ["ok", "error", "ok"]
    assert found[1].transient and str(found[1].reason) == "status 503: busy (the last of 3 tries)"
    assert [server.tries(one.prompts[0]) for one in asked] == [3, 3, 1] and len(waits) == 4


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (POLICY, "refused: status 400: Your request was rejected as a result of our safety system."),
        (error(400, "blocked", "moderation_blocked"), "refused: status 400: blocked"),
        (images(encoded(b"no image")), "damaged image: cannot identify image file"),
        (images({"b64_json": "%%%"}), "damaged image: it is not base64"),
        (images({"b64_json": None, "revised_prompt": "I cannot draw this"}), "no image: I cannot draw this"),
    ],
)
def test_refusals_and_damaged_images_are_stored_with_their_reason(
    server: ImageServer, tmp_path: Path, reply: Reply, reason: str
) -> None:
    asked = requests(2)
    server.plan = lambda prompt, tries: reply if prompt == asked[0].prompts[0] else None
    with ResponseStore(tmp_path / "images.sqlite") as store:
        found = dict(drawn_images(asked, generator_of(server), store))
        assert found[0].status == "none" and str(found[0].reason).startswith(reason)
        assert dict(drawn_images(asked, generator_of(server), store)) == found
    assert found[1].status == "ok" and len(server.log) == 2, "neither is asked again"


def test_an_image_may_be_a_data_url_in_lines(server: ImageServer, checkpoint: ImageGenerator) -> None:
    ((_, drawn),) = checkpoint.draw_as_they_come(requests(1))
    lines = base64.encodebytes(drawn.images[0]).decode()
    server.plan = lambda prompt, tries: images({"b64_json": f"data:image/png;base64,{lines}"})
    assert draw(server, requests(1)) == [drawn]


def test_a_rejected_field_is_no_refusal(server: ImageServer) -> None:
    server.plan = lambda prompt, tries: error(400, "Unknown parameter: 'moderation'.", "unknown_parameter")
    (found,) = draw(server, requests(1), extra_body={"moderation": "low"})
    assert (found.status, found.reason) == ("error", "status 400: Unknown parameter: 'moderation'.")


def test_a_truncated_image_is_damaged(server: ImageServer, checkpoint: ImageGenerator) -> None:
    ((_, whole),) = checkpoint.draw_as_they_come(requests(1))
    server.plan = lambda prompt, tries: images(encoded(whole.images[0][:200]))
    (found,) = draw(server, requests(1))
    assert found.status == "none" and str(found.reason).startswith("damaged image: ")


def test_other_rejections_and_addresses_are_errors_that_name_the_reason(server: ImageServer) -> None:
    replies = [error(400, "size must be 512x512"), images({"url": "http://127.0.0.1/a.png"})]
    asked = requests(2)
    server.plan = lambda prompt, tries: replies[0] if prompt == asked[0].prompts[0] else replies[1]
    first, second = draw(server, asked)
    assert (first.status, first.reason, first.transient) == ("error", "status 400: size must be 512x512", False)
    assert second.status == "error" and "set `response_format: b64_json`" in str(second.reason)


@pytest.mark.parametrize(("name", "kept"), [("JPEG", "jpeg"), ("PNG", "png"), ("WEBP", "png")])
def test_png_and_jpeg_are_kept_as_sent(server: ImageServer, checkpoint: ImageGenerator, name: str, kept: str) -> None:
    ((_, drawn),) = checkpoint.draw_as_they_come(requests(1))
    data = as_format(drawn.images[0], name)
    server.plan = lambda prompt, tries: images(encoded(data))
    (found,) = draw(server, requests(1))
    assert format_of(found.images[0]) == kept and (found.images[0] == data) is (name != "WEBP")
    assert Image.open(io.BytesIO(found.images[0])).size == (32, 32)


def test_the_budget_is_for_all_runs_together(server: ImageServer, tmp_path: Path) -> None:
    asked = requests(5)
    with ResponseStore(tmp_path / "images.sqlite") as store:
        generator = generator_of(server, image_budget=2, concurrency=1)
        found = dict(drawn_images(asked, generator, store))
        assert sorted(drawing.status for drawing in found.values()) == ["error"] * 3 + ["ok"] * 2
        assert {drawing.reason for drawing in found.values()} == {None, "image_budget of 2 reached"}
        assert all(drawing.transient for drawing in found.values() if drawing.status == "error")
        assert generator.note == "2 images paid"
        list(drawn_images(asked, generator_of(server, image_budget=2, concurrency=1), store))
        assert len(server.log) == 2
        list(drawn_images(asked, generator_of(server, image_budget=4, concurrency=1), store))
    assert len(server.log) == 4


def test_requests_at_once_do_not_exceed_the_budget(server: ImageServer) -> None:
    found = draw(server, requests(8), image_budget=5, concurrency=4)
    assert len(server.log) == 5 and sum(drawing.status == "ok" for drawing in found) == 5


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (error(401, "bad key"), "the key in TEST_IMAGES_KEY is rejected"),
        (error(404, "no such model"), "has no model painter"),
        (error(429, "empty", "insufficient_quota"), "the account has no credit left"),
        (error(422, "cannot"), "20 requests in a row were not answered, the last one because: status 422: cannot"),
    ],
)
def test_a_run_that_can_draw_nothing_ends_in_one_line(server: ImageServer, reply: Reply, message: str) -> None:
    server.plan = lambda prompt, tries: reply
    with pytest.raises(WhatifError) as failure:
        list(generator_of(server).draw_as_they_come(requests(40)))
    assert message in str(failure.value) and SECRET not in str(failure.value) and "\n" not in str(failure.value)
    assert len(server.log) < 40


def test_a_missing_key_is_named_when_something_is_drawn(server: ImageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_IMAGES_KEY")
    generator = generator_of(server)
    with pytest.raises(WhatifError, match="TEST_IMAGES_KEY: is not set"):
        list(generator.draw_as_they_come(requests(1)))
    assert list(generator.draw_as_they_come([])) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"extra_body": {"size": "32x32"}}, "`size` is not allowed in extra_body"),
        ({"extra_body": {"api_key": "x"}}, "looks like a secret"),
        ({"seed_field": "prompt"}, "`prompt` is not allowed as seed_field"),
        ({"size": "big"}, "String should match pattern"),
        ({"response_format": "url"}, "Input should be 'b64_json'"),
    ],
)
def test_settings_that_contradict_are_refused(server: ImageServer, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generator_of(server, **changes)
