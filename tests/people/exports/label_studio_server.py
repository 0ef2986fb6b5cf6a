"""A real Label Studio on loopback, with SQLite, and the people who use it through the API of its pages."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2

ROOT = Path(__file__).resolve().parents[3]
# The environment that the Makefile installs, with an empty database; its last file says that it is complete.
ENVIRONMENT = Path(os.environ.get("WHATIF_LABEL_STUDIO", ROOT / ".venv-label-studio"))
PROGRAM, COMPLETE = ENVIRONMENT / "bin" / "label-studio", ENVIRONMENT / ".installed"
PASSWORD = "a-long-password-1"
_READY_WITHIN = 300  # seconds; a first start makes the database


class Person:
    """Somebody who has signed up and is logged in, as with a browser."""

    def __init__(self, address: str, email: str) -> None:
        self.email = email
        self._client = httpx2.Client(base_url=address, timeout=120, trust_env=False)
        self._client.get("/user/signup/").raise_for_status()
        form = {"email": email, "password": PASSWORD, "csrfmiddlewaretoken": self._client.cookies["csrftoken"]}
        answer = self._client.post("/user/signup/", data=form)
        assert answer.status_code == 302, (answer.status_code, answer.text[-500:])
        self.number = self.get("/api/current-user/whoami")["id"]

    def get(self, path: str, **parameters: Any) -> Any:
        return self._answer(self._client.get(path, params=parameters or None)).json()

    def bytes_of(self, path: str, **parameters: Any) -> bytes:
        return self._answer(self._client.get(path, params=parameters or None)).content

    def post(self, path: str, body: Any) -> Any:
        return self._answer(self._client.post(path, json=body, headers=self._headers())).json()

    def patch(self, path: str, body: Any) -> Any:
        return self._answer(self._client.patch(path, json=body, headers=self._headers())).json()

    def next_task(self, project: int) -> dict[str, Any] | None:
        """The task that "Label All Tasks" shows next; None if there is none left for this person."""
        answer = self._client.get(f"/api/projects/{project}/next")
        return None if answer.status_code == 404 else dict(self._answer(answer).json())

    def upload(self, path: str, file: Path, kind: str) -> Any:
        with file.open("rb") as opened:
            files = {"FileUpload": (file.name, opened, kind)}
            return self._answer(self._client.post(path, files=files, headers=self._headers())).json()

    def close(self) -> None:
        self._client.close()

    def _headers(self) -> dict[str, str]:
        return {"X-CSRFToken": self._client.cookies["csrftoken"]}

    def _answer(self, answer: httpx2.Response) -> httpx2.Response:
        assert answer.is_success, (str(answer.url), answer.status_code, answer.text[:1000])
        return answer


def choice(value: str, target: str = "image") -> dict[str, Any]:
    """The result of the control `decision`, as the labelling page sends it."""
    return {
        "from_name": "decision",
        "to_name": target,
        "type": "choices",
        "origin": "manual",
        "value": {"choices": [value]},
    }


def written(control: str, *texts: str, target: str = "image") -> dict[str, Any]:
    """The result of a text field, as the labelling page sends it."""
    return {
        "from_name": control,
        "to_name": target,
        "type": "textarea",
        "origin": "manual",
        "value": {"text": list(texts)},
    }


def annotate(who: Person, task: int, result: Sequence[Mapping[str, Any]], seconds: float, **more: Any) -> int:
    """Submits an annotation; returns its id."""
    body = {"result": result, "lead_time": seconds, **more}
    return int(who.post(f"/api/tasks/{task}/annotations/", body)["id"])


@contextlib.contextmanager
def label_studio(folder: Path) -> Iterator[str]:
    """Starts Label Studio with its data in `folder`, yields its address, and stops it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "images").mkdir(parents=True, exist_ok=True)
    shutil.copytree(ENVIRONMENT / "data", folder / "data")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder / "data"),
        "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED": "true",
        "LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT": str(folder),
        "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
    }
    command = [str(PROGRAM), "start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(port)]
    log = folder / "label-studio.log"
    with log.open("wb") as opened:
        server = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=opened, stderr=subprocess.STDOUT
        )
        try:
            for _ in range(_READY_WITHIN * 5):
                assert server.poll() is None, log.read_text(encoding="utf-8")[-3000:]
                if _answers(f"http://127.0.0.1:{port}"):
                    break
                time.sleep(0.2)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()


def _answers(address: str) -> bool:
    with contextlib.suppress(httpx2.HTTPError):
        return bool(httpx2.get(f"{address}/health", timeout=5, trust_env=False).is_success)
    return False
