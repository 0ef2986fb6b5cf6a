"""The server of a site, over real sockets and in Chromium: pages, pictures of artifacts, and what it refuses."""

from __future__ import annotations

import hashlib
import http.client
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pictures import png
from tests.results.site.chromium import WITHIN, until
from tests.results.site.example_items import paired, write_site
from tests.results.site.pages_of_all_kinds import served
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.schemas import IMAGES, PICTURE_FILES
from whatif.engine.artifacts.stored_pictures import StoredPictures
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.results.site.server import SiteServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

STORED = {
    "site/bench/pictures/one.png": png((1, 2, 3)),
    "site/bench/pictures/two.webp": b"RIFF....WEBP",
    "site/index.html": b"an artifact never hides a page",
}


def stored(folder: Path, files: Mapping[str, bytes]) -> tuple[Path, list[Path]]:
    """Artifacts with these files as pictures; the bytes of every second one are those of an image."""
    rows = [
        {"path": path, "bytes": data if place % 2 else None, "sha256": hashlib.sha256(data).hexdigest()}
        for place, (path, data) in enumerate(sorted(files.items()))
    ]
    own = {str(row["sha256"]) for row in rows if row["bytes"] is None}
    images = {row["image_id"]: row for data in files.values() if (row := image_row(data, 1, 1, "x", "CC0-1.0"))}
    write_artifact(folder / "pictures.parquet", PICTURE_FILES, rows)
    write_artifact(folder / "images.parquet", IMAGES, [images[one] for one in sorted(own)])
    return folder / "pictures.parquet", [folder / "images.parquet"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    above = tmp_path_factory.mktemp("project") / "with\u00a0a no-break space"
    made = above / "site"
    (made / "bench").mkdir(parents=True)
    (made / "index.html").write_text("index")
    (made / "bench/index.html").write_text("of the benchmark")
    (made / "data").mkdir()
    (made / "data/index.js").write_text("data")
    (above / "secret.txt").write_text("secret")
    (made / "link.txt").symlink_to("../secret.txt")
    (made / "linked").mkdir()
    (made / "linked/index.html").symlink_to("../../secret.txt")
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with served(folder, *stored(folder.parent, STORED)) as found:
        yield found.removeprefix("http://")


def asked(address: str, path: str, method: str = "GET", **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = http.client.HTTPConnection(address)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    found = answer.status, answer.headers, answer.read()
    connection.close()
    return found


@pytest.mark.parametrize(
    ("path", "kind", "content"),
    [
        ("/", "text/html", b"index"),
        ("/index.html?a=b", "text/html", b"index"),
        ("/bench/", "text/html", b"of the benchmark"),
        ("/data/index.js", "text/javascript", b"data"),
        ("/bench/pictures/one.png", "image/png", STORED["site/bench/pictures/one.png"]),
        ("/bench/pictures/two.webp", "image/webp", STORED["site/bench/pictures/two.webp"]),
    ],
)
def test_pages_and_pictures_are_served_with_safe_headers(address: str, path: str, kind: str, content: bytes) -> None:
    for method, sent in (("GET", content), ("HEAD", b"")):
        status, headers, found = asked(address, path, method)
        assert (status, found, headers["Content-Length"]) == (200, sent, str(len(content)))
        assert headers["Content-Type"].replace("application/java", "text/java") == kind
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-cache"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


@pytest.mark.parametrize(
    "path",
    [
        "/bench/pictures/three.png",
        "/bench/pictures/",
        "/data/",  # no list of its files
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "//secret.txt",
        "/link.txt",
        "/link.txt%00.png",
        "/linked/",
        "/%ed%a0%80",  # not a text
        "/" + "a" * 10_000,
    ],
)
def test_anything_else_is_not_found(address: str, path: str) -> None:
    status, headers, found = asked(address, path)
    assert status == 404 and b"secret" not in found
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_a_page_is_sent_again_however_old_it_is(address: str) -> None:
    """Another project may have had the port, with a newer page."""
    _, headers, content = asked(address, "/index.html")
    assert asked(address, "/index.html", If_Modified_Since=headers["Last-Modified"])[::2] == (200, content)


def test_a_folder_without_its_slash_is_found(address: str) -> None:
    status, headers, _ = asked(address, "/bench")
    assert (status, headers["Location"]) == (301, "/bench/")


def test_a_browser_that_has_a_picture_gets_it_once(address: str) -> None:
    _, headers, _ = asked(address, "/bench/pictures/one.png")
    tag = headers["ETag"]
    assert tag == f'"{hashlib.sha256(STORED["site/bench/pictures/one.png"]).hexdigest()}"'
    status, headers, found = asked(address, "/bench/pictures/one.png", If_None_Match=f'"other", {tag}')
    assert (status, headers["ETag"], found) == (304, tag, b"")
    assert asked(address, "/bench/pictures/one.png", If_None_Match='"other"')[0] == 200
    assert asked(address, "/bench/pictures/three.png", If_None_Match='"None"')[0] == 404


def test_a_page_elsewhere_whose_name_leads_here_is_refused(address: str) -> None:
    port = address.rpartition(":")[2]
    for name in (f"localhost:{port}", "LOCALHOST", "127.0.0.1:9"):  # also through a tunnel, with another port
        assert asked(address, "/", Host=name)[0] == 200
    for name in ("evil.example", f"127.0.0.1.evil.example:{port}", f"evil.example@localhost:{port}", ""):
        for path in ("/", "/bench/pictures/one.png"):
            status, _, found = asked(address, path, Host=name)
            assert status == 403 and b"index" not in found and b"PNG" not in found


def test_nothing_but_reading_is_allowed(address: str) -> None:
    assert {asked(address, "/", method)[0] for method in ("POST", "PUT", "DELETE", "OPTIONS")} == {501}


def test_a_connection_serves_many_pictures(address: str) -> None:
    connection = http.client.HTTPConnection(address)
    connection.connect()
    first = connection.sock
    for path in ("/bench/pictures/one.png", "/bench/pictures/two.webp", "/"):
        connection.request("GET", path)
        connection.getresponse().read()
    assert connection.sock is first
    connection.close()


def test_only_this_machine_reaches_it_and_a_port_has_one_server(folder: Path, tmp_path: Path) -> None:
    pictures = StoredPictures(*stored(tmp_path, STORED))
    with SiteServer(folder, pictures, 0) as server:
        assert server.socket.getsockname()[0] == "127.0.0.1"
        port = server.server_address[1]
        with pytest.raises(
            WhatifError, match=rf"^--port {port}: Address already in use; give another one, or 0 for any"
        ):
            SiteServer(folder, pictures, port)


def test_a_broken_artifact_is_said_and_a_browser_that_leaves_is_not(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures, images = stored(tmp_path, {"site/big.png": b"x" * 20_000_000})
    with served(folder, pictures, images) as address:
        left = socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])))
        left.sendall(b"GET /big.png HTTP/1.1\r\nHost: localhost\r\n\r\n")
        left.recv(10)
        left.close()
        images[0].write_bytes(b"")
        status, _, found = asked(address.removeprefix("http://"), "/big.png")
    assert status == 500 and b"images.parquet: is not a complete Parquet file" in found
    assert capsys.readouterr().err == ""


@pytest.mark.process
def test_the_item_browser_shows_pictures_that_are_in_no_folder(browser: Browser, tmp_path: Path) -> None:
    page_file = write_site(paired(20), tmp_path / "site")
    files = {path: path.read_bytes() for path in page_file.parent.rglob("*.png")}
    assert len(files) > 5
    for path in files:
        path.unlink()
    artifacts = stored(tmp_path, {str(path.relative_to(tmp_path)): data for path, data in files.items()})
    context = browser.new_context()
    context.set_default_timeout(WITHIN)
    page, said = context.new_page(), []
    page.on("console", lambda one: said.append(one.text))
    page.on("response", lambda one: said.append(one.url) if one.status >= 400 else None)
    with served(tmp_path / "site", *artifacts) as address:
        page.goto(f"{address}/bench/items.html")
        page.click("#matches a")
        page.wait_for_selector("#item:not([hidden]) img")
        until(page, "[...document.querySelectorAll('#item img[src]')].every(one => one.naturalWidth > 0)")
        context.close()
    assert said == []
