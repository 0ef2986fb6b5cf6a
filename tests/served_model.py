"""A real OpenAI-compatible server on loopback (`transformers serve`) with a tiny LLaVA, and its own `generate`."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.tiny_checkpoints import tiny_llava


@contextlib.contextmanager
def served_model(folder: Path) -> Iterator[tuple[str, Path]]:
    """Serves a tiny LLaVA that it makes in `folder`; gives host:port and the checkpoint, which is the model's name."""
    checkpoint = tiny_llava(folder / "tiny")
    (folder / "hub").mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(Path(sys.executable).with_name("transformers")), "serve", str(checkpoint), "--device", "cpu"]
    environment = {**os.environ, "HF_HUB_CACHE": str(folder / "hub"), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with (folder / "serve.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            while not _answers(port):
                assert server.poll() is None, (folder / "serve.log").read_text(encoding="utf-8")
                time.sleep(0.2)
            yield f"127.0.0.1:{port}", checkpoint
        finally:
            server.terminate()
            server.wait()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """One such server for all tests that do not stop it: host:port and the checkpoint."""
    with served_model(tmp_path_factory.mktemp("served")) as running:
        yield running


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
            return True
    except (urllib.error.URLError, TimeoutError):
        return False


def encoded_picture(number: int, kind: str = "PNG") -> bytes:
    """A picture of noise, 28 x 28 pixels, another one for each number."""
    pixels = np.random.default_rng(number).integers(0, 255, (28, 28, 3), dtype=np.uint8)
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, kind)
    return data.getvalue()


def greedy(checkpoint: Path, asked: Sequence[tuple[bytes, str]], new_tokens: int) -> list[str]:
    """What the model says by its own `generate` to pictures with prompts."""
    import torch
    import transformers

    processor: Any = transformers.AutoProcessor.from_pretrained(checkpoint)
    model: Any = transformers.LlavaForConditionalGeneration.from_pretrained(checkpoint).eval()
    said = []
    for data, prompt in asked:
        parts = [{"type": "image", "image": Image.open(io.BytesIO(data))}, {"type": "text", "text": prompt}]
        inputs = processor.apply_chat_template(
            [{"role": "user", "content": parts}],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
        )
        with torch.no_grad():
            out = model.generate(**inputs, max_new_tokens=new_tokens, do_sample=False)
        said.append(processor.tokenizer.decode(out[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True))
    return said
