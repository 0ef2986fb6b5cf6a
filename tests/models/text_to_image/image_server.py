"""An OpenAI-compatible endpoint on loopback that draws images with a real checkpoint, and fails where it is told to."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from PIL import Image

from whatif.models.text_to_image import ImageGenerator, ImageRequest

Reply = tuple[int, Any]  # status, and the body as JSON values or as bytes


def error(status: int, message: str, code: str | None = None) -> Reply:
    return status, {"error": {"message": message, "type": "image_generation_user_error", "code": code}}


def images(*entries: dict[str, Any]) -> Reply:
    return 200, {"created": 1, "data": list(entries)}


def encoded(data: bytes) -> dict[str, Any]:
    return {"b64_json": base64.b64encode(data).decode()}


def as_format(data: bytes, name: str) -> bytes:
    out = io.BytesIO()
    Image.open(io.BytesIO(data)).save(out, name, lossless=True)
    return out.getvalue()


@dataclass
class ImageServer:
    """Draws with `generator`; `plan` gives another reply to a request by its prompt and the number of its try.

    `log` holds the body of each request and its header Authorization, in order of arrival.
    """

    generator: ImageGenerator
    plan: Callable[[str, int], Reply | None] = lambda prompt, tries: None
    log: list[tuple[dict[str, Any], str | None]] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with server._lock:
                    server.log.append((sent, self.headers.get("Authorization")))
                    status, body = server._reply(self.path, sent)
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                """What happened is in `log`."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def tries(self, prompt: str) -> int:
        return sum(sent["prompt"] == prompt for sent, _ in self.log)

    def _reply(self, path: str, sent: dict[str, Any]) -> Reply:
        if path != "/v1/images/generations":
            return error(404, f"no route {path}")
        other = self.plan(sent["prompt"], self.tries(sent["prompt"]) - 1)
        if other is not None:
            return other
        request = ImageRequest("served", 0, (sent["prompt"],), int(sent.get("seed", 0)))
        ((_, drawing),) = self.generator.draw_as_they_come([request])
        return images(encoded(drawing.images[0]))
