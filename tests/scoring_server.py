"""A loopback server that computes log-probabilities with a real checkpoint, in the wire format of OpenAI and vLLM.

`transformers serve` returns none, and vLLM does not run here. Model, processor and chat template are the real ones.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from PIL import Image

from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.models.local.checkpoints import load_chat_model


class Scorer:
    """A checkpoint with a chat template; that of a language model wants texts as they are, not in parts."""

    def __init__(self, checkpoint: Path) -> None:
        import transformers

        configuration = transformers.AutoConfig.from_pretrained(checkpoint)
        self.sees = hasattr(configuration, "vision_config")
        self.model: Any
        self.processor: Any
        if self.sees:
            settings = HuggingFaceChat(adapter="hf-chat", checkpoint=str(checkpoint))
            self.model, self.processor = load_chat_model(settings)  # also without the library for videos
            self.tokenizer = self.processor.tokenizer
        else:
            self.model = transformers.AutoModelForCausalLM.from_pretrained(checkpoint).eval()
            self.processor = self.tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint)

    def log_probabilities(self, messages: list[dict[str, Any]], **how: bool) -> tuple[list[int], Any]:
        """The token ids of a conversation, and the log-probabilities of what follows each (tokens x words)."""
        import torch

        turns = [{"role": one["role"], "content": self._content(one["content"])} for one in messages]
        inputs = self.processor.apply_chat_template(
            turns, tokenize=True, return_dict=True, return_tensors="pt", **({"add_generation_prompt": True} | how)
        )
        with torch.no_grad():
            logits = self.model(**inputs).logits[0]
        return inputs["input_ids"][0].tolist(), logits.double().log_softmax(dim=-1)

    def _content(self, content: str | list[dict[str, Any]]) -> Any:
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not self.sees:
            return "\n".join(part["text"] for part in parts)
        return [part if part["type"] == "text" else _picture(part["image_url"]["url"]) for part in parts]

    def completion(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a request for one token."""
        names = ("add_generation_prompt", "continue_final_message")
        ids, following = self.log_probabilities(body["messages"], **{n: body[n] for n in names if n in body})
        best = int(following[-1].argmax())
        choice: dict[str, Any] = {
            "index": 0,
            "finish_reason": "length",
            "message": {"role": "assistant", "content": self.tokenizer.decode([best])},
            "logprobs": None,
        }
        if body.get("logprobs"):
            values, tokens = following[-1].topk(body["top_logprobs"])
            listed = [self._listed(*one) for one in zip(tokens.tolist(), values.tolist(), strict=True)]
            choice["logprobs"] = {"content": [{**listed[0], "top_logprobs": listed}]}
        reply: dict[str, Any] = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [choice],
            "usage": {"prompt_tokens": len(ids), "completion_tokens": 1, "total_tokens": len(ids) + 1},
        }
        if body.get("prompt_logprobs") is not None:
            reply["prompt_logprobs"] = [None, *(self._own(following[n], ids[n + 1]) for n in range(len(ids) - 1))]
        return reply

    def _listed(self, token: int, value: float) -> dict[str, Any]:
        text = self.tokenizer.decode([token])
        return {"token": text, "logprob": value, "bytes": list(text.encode())}

    def _own(self, following: Any, token: int) -> dict[str, Any]:
        """What vLLM says with `prompt_logprobs: 0` of a token of the prompt: nothing of its alternatives."""
        value = float(following[token])
        rank = int((following > value).sum()) + 1
        return {str(token): {"logprob": value, "rank": rank, "decoded_token": self.tokenizer.decode([token])}}


def _picture(url: str) -> dict[str, Any]:
    return {"type": "image", "image": Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))}


@contextlib.contextmanager
def scoring_server(scorer: Scorer) -> Iterator[str]:
    """Serves a checkpoint; gives host:port."""
    one_at_a_time = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with one_at_a_time:
                data = json.dumps(scorer.completion(body)).encode()
            self.send_response_only(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is said."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
