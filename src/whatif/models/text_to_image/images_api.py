"""Draws images by an OpenAI-compatible endpoint (`POST {base_url}/images/generations`), several requests at once."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from whatif.engine.artifacts.images import format_of
from whatif.engine.errors import WhatifError
from whatif.engine.files import png
from whatif.engine.files.image_decoding import UnreadableImageError, as_shown, decode
from whatif.engine.params.generators import ImagesApiGenerator
from whatif.engine.random_streams import stream
from whatif.models.endpoint.connection import Connection, GaveUpError, RejectedError, TryAgainError, UnansweredError
from whatif.models.endpoint.in_flight import MOST_UNANSWERED, in_flight
from whatif.models.text_to_image import Drawing, ImageRequest

_VERSION = 1  # increase it when requests change, or when more of a reply is kept
_KEPT_AS_SENT = ("png", "jpeg")  # formats of the table `images`; others are stored as PNG
# The names by which endpoints say that a prompt or an image is against their rules.
_REFUSALS = ("content_policy", "content_filter", "moderation", "safety", "responsible")


class ImagesApi:
    """A model that draws images behind an endpoint; `paid` counts the replies of this run.

    The key is read when something is drawn, not before: stored images are available without a key.
    """

    prompts = 1

    def __init__(self, settings: ImagesApiGenerator, seed: int, sleep: Callable[[float], None] | None = None) -> None:
        self._settings = settings
        self._seed = seed
        self._sleep = sleep
        self._before = 0
        self._pending = 0
        self.paid = 0
        sent = settings.model_dump(include={"size", "quality", "seed_field", "extra_body"}, exclude_none=True)
        self.identity: Mapping[str, Any] = {
            "adapter": "images-api",
            "version": _VERSION,
            # Elsewhere the same name may mean another model.
            "base_url": settings.base_url.rstrip("/"),
            "model": settings.model,
            **sent,
        }

    @property
    def note(self) -> str:
        """The number of replies that this run has paid for."""
        return f"{self.paid:,} images paid" if self.paid else ""

    def place(self, request: ImageRequest) -> int:
        """0: an image does not depend on other requests."""
        return 0

    def count_stored(self, number: int) -> None:
        """Counts stored replies of this job: the budget is for all of them together."""
        self._before = number

    def draw_as_they_come(self, requests: Sequence[ImageRequest]) -> Iterator[tuple[int, Drawing]]:
        """The place of each request and its image, as soon as it arrives.

        A refusal (content policy) and a reply that is no readable image are `none`, with their reason: another request
        would cost as much, and the endpoint has decided. Any other request that the endpoint does not answer is an
        `error`, and so is one that is not sent because the budget is used up.

        Raises WhatifError when no image can be expected: the key is not set or rejected, the account is empty, the
        model is unknown, the endpoint asks to wait for more than an hour, or 20 requests in a row were not answered.
        All pending images are yielded before that.
        """
        if not requests:
            return
        unanswered = 0

        def counted(drawing: Drawing, refused: bool) -> WhatifError | None:
            nonlocal unanswered
            self._pending -= 1
            unanswered = unanswered + 1 if refused else 0
            self.paid += drawing.status != "error"
            if unanswered < MOST_UNANSWERED:
                return None
            return WhatifError(
                f"{self._settings.base_url}: {unanswered} requests in a row were not answered, the last one because: "
                f"{drawing.reason}; fix the endpoint or the settings, then run again; stored images are kept"
            )

        with Connection(self._settings, self._sleep) as connection:
            yield from in_flight(
                connection,
                requests,
                self._settings.concurrency,
                ask=lambda request: self._ask(connection, request),
                instead=self._over_budget,
                count=counted,
            )

    def _over_budget(self) -> Drawing | None:
        budget = self._settings.image_budget
        if budget is None or self._before + self.paid + self._pending < budget:  # a pending one may be paid, too
            self._pending += 1
            return None
        return Drawing(status="error", reason=f"image_budget of {budget} reached", transient=True)

    def _ask(self, connection: Connection, request: ImageRequest) -> tuple[Drawing, bool]:
        """What was drawn, and whether the endpoint failed to answer."""
        waits = stream(self._seed, "waits between tries", request.name, request.number)
        fields = self._fields(request)
        try:
            data = connection.tried(lambda: _data(connection, fields), waits)
        except RejectedError as error:
            if _is_refusal(error):
                return Drawing(status="none", reason=f"refused: {error}"), False
            return Drawing(status="error", reason=str(error)), True
        except UnansweredError as error:
            return Drawing(status="error", reason=str(error), transient=isinstance(error, GaveUpError)), True
        drawing = _read(data, connection)
        return drawing, drawing.status == "error"

    def _fields(self, request: ImageRequest) -> dict[str, Any]:
        settings = self._settings
        given = {"size": settings.size, "quality": settings.quality, "response_format": settings.response_format}
        seed = {} if settings.seed_field is None else {settings.seed_field: request.seed}
        return {
            "model": settings.model,
            "prompt": request.prompts[0],
            "n": 1,
            **{name: value for name, value in given.items() if value is not None},
            **seed,
            **(settings.extra_body or {}),
        }


def images_api_generator(settings: ImagesApiGenerator, seed: int) -> ImagesApi:
    """The generator of an endpoint. Sends nothing and reads no key until something is drawn."""
    return ImagesApi(settings, seed)


def _data(connection: Connection, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first entry of the field `data` of a reply. Raises TryAgainError when it has none."""
    reply: Any = connection.client.post("/images/generations", body=dict(fields), cast_to=object)
    entries = reply.get("data") if isinstance(reply, Mapping) else None
    if not isinstance(entries, list) or not entries or not isinstance(entries[0], Mapping):
        raise TryAgainError("the reply has no images")
    return dict(entries[0])


def _is_refusal(error: RejectedError) -> bool:
    """Whether a rejection is about the prompt. A field of a request may have such a name, too, as `moderation`."""
    is_field = "parameter" in error.code.lower()
    return not is_field and any(word in f"{error.code} {error}".lower() for word in _REFUSALS)


def _read(entry: Mapping[str, Any], connection: Connection) -> Drawing:
    """The image of an entry, as it was sent if it is a PNG or a JPEG."""
    encoded = entry.get("b64_json")
    if not isinstance(encoded, str) or not encoded:
        if entry.get("url"):
            how = "sends the address of an image; set `response_format: b64_json`"
            return Drawing(status="error", reason=f"the endpoint {how}")
        said = entry.get("revised_prompt") or "the reply has no image"
        return Drawing(status="none", reason=f"no image: {connection.line(said)}")
    try:
        # Some endpoints send a data URL, or lines.
        data = base64.b64decode("".join(encoded.rpartition("base64,")[2].split()), validate=True)
        picture = decode(data)
    except (ValueError, binascii.Error) as error:
        return Drawing(status="none", reason=f"damaged image: it is not base64 ({error})")
    except UnreadableImageError as error:
        return Drawing(status="none", reason=f"damaged image: {error.said}")
    shown = as_shown(data)
    return Drawing((shown if format_of(shown) in _KEPT_AS_SENT else png.encode(picture),))
