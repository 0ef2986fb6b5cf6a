"""An engine with a fault, as a program: `python odd_engine.py FAULT [NUMBER] --host HOST --port PORT`.

Real engines do these things only when they break: they never get ready, end, list other models, or die under load.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "tiny/model"
arguments = sys.argv[1:]
fault, number = arguments[0], int(arguments[1]) if arguments[1].isdecimal() else 0
host, port = arguments[arguments.index("--host") + 1], int(arguments[arguments.index("--port") + 1])
asked: list[int] = []
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if fault == "loading":
            self.reply(503, {"error": "still loading"})
        elif fault == "no-routes":
            self.reply(404, {"detail": "Not Found"})
        elif self.path == "/health" and fault != "no-health":
            self.reply(200, {})
        elif self.path == "/v1/models" and fault == "no-list":
            self.reply(200, ["?"])
        elif self.path == "/v1/models":
            self.reply(200, {"data": [{"id": "other/model" if fault == "other-model" else MODEL}]})
        else:
            self.reply(404, {"detail": "Not Found"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with lock:
            asked.append(1)
            if fault == "dies" and len(asked) > number:
                print("CUDA error: an illegal memory access", flush=True)
                os._exit(9)
        text = body["messages"][-1]["content"][-1]["text"]
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": f"to {text}"}}
        self.reply(200, {"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}})

    def reply(self, status: int, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


if fault == "exits":
    print("loading\nRuntimeError: no GPU here", flush=True)
    sys.exit(3)
print("serving", flush=True)
ThreadingHTTPServer((host, port), Handler).serve_forever()
