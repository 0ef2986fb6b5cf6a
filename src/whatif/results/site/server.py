"""Shows a written site in the browsers of this machine, with pictures that are read out of their artifacts."""

from __future__ import annotations

import io
import os
import re
import sys
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO

from whatif.engine.artifacts.stored_pictures import StoredPictures
from whatif.engine.errors import WhatifError

ADDRESS = "127.0.0.1"
# A page elsewhere whose name leads to this address ("DNS rebinding") asks with its own name.
_OWN_NAMES = re.compile(r"(127\.0\.0\.1|localhost)(:\d+)?", re.IGNORECASE)


class SiteServer(ThreadingHTTPServer):
    """A server of the files of a folder, and of pictures below it that are not there, on 127.0.0.1 alone.

    pictures: their paths begin with the name of the folder. port: 0 takes any free one. Raises WhatifError when the
    port is taken. Use it as a context manager, and call `serve_forever`.
    """

    def __init__(self, folder: Path, pictures: StoredPictures, port: int) -> None:
        try:
            super().__init__((ADDRESS, port), partial(_Handler, folder, pictures))
        except OSError as error:
            raise WhatifError(f"--port {port}: {error.strerror}; give another one, or 0 for any free one") from error

    @property
    def address(self) -> str:
        """Where a browser finds the site."""
        return f"http://{ADDRESS}:{self.server_address[1]}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Prints errors, but none about a browser that closed its connection."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # one connection for many pictures
    disable_nagle_algorithm = True  # headers and content are sent one after the other
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".webp": "image/webp"}  # noqa: RUF012 - as inherited

    def __init__(self, folder: Path, pictures: StoredPictures, *rest: Any) -> None:
        self._folder, self._pictures = folder.absolute(), pictures
        super().__init__(*rest, directory=str(self._folder))

    def parse_request(self) -> bool:
        """Refuses requests that name another host."""
        if not super().parse_request():
            return False
        if not _OWN_NAMES.fullmatch(self.headers.get("Host", "")):
            self.send_error(HTTPStatus.FORBIDDEN, explain="The address of this site is 127.0.0.1 or localhost.")
            return False
        return True

    def send_head(self) -> BinaryIO | None:
        """A file of the folder, otherwise a picture of the artifacts."""
        path = Path(self.translate_path(self.path))
        if not str(path.relative_to(self._folder)).isprintable():
            self.send_error(HTTPStatus.NOT_FOUND)
        elif not os.path.exists(path):  # noqa: PTH110 - `Path.exists` raises for a name that is too long
            try:
                return self._picture(path.relative_to(self._folder.parent).as_posix())
            except WhatifError as error:
                self.send_error(HTTPStatus.INTERNAL_SERVER_ERROR, explain=str(error))
        elif all(one.resolve().is_relative_to(self._folder.resolve()) for one in (path, path / "index.html")):
            del self.headers["If-Modified-Since"]  # an older page of another project is not the same
            return super().send_head()
        else:  # a link to elsewhere
            self.send_error(HTTPStatus.NOT_FOUND)
        return None

    def _picture(self, name: str) -> BinaryIO | None:
        digest = self._pictures.digest(name)
        same = digest is not None and f'"{digest}"' in self.headers.get("If-None-Match", "")
        data = None if digest is None or same else self._pictures.data(name)
        if not same and data is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        self.send_response(HTTPStatus.NOT_MODIFIED if same else HTTPStatus.OK)
        self.send_header("ETag", f'"{digest}"')
        if data is not None:
            self.send_header("Content-Type", self.guess_type(name))
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        return io.BytesIO(data or b"")

    def end_headers(self) -> None:
        """Adds what all answers have. A browser asks again: another project may have the same port and paths."""
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        """Lists nothing."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing: the browser shows what fails."""
