"""params.yaml: every mistake is one line that names its place and what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.defaults import PARAMS
from whatif import benchmarks
from whatif.errors import WhatifError

TEXT = PARAMS.read_text(encoding="utf-8")


def error_of(text: str, tmp_path: Path) -> str:
    path = tmp_path / "params.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(WhatifError) as error:
        benchmarks.load_params(path)
    return str(error.value).replace(str(path), "params.yaml")


def line_of(fragment: str, text: str) -> int:
    return text[: text.index(fragment)].count("\n") + 1


def test_the_shipped_file_is_valid() -> None:
    loaded = benchmarks.load_params(PARAMS)
    assert loaded.lookup("generate.cvqa-synthetic").puzzles_per_template == 150
    assert loaded.lookup("generate.cvqa-synthetic.image_size") == 448
    assert loaded.lookup("models.random").adapter == "random"
    with pytest.raises(KeyError):
        loaded.lookup("generate.cvqa-synthetic.nothing")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "image_size: 448",
            "image_size: 44",
            "generate.cvqa-synthetic.image_size: is 44; input should be greater than",
        ),
        (
            "tagger: pattern",
            "tagger: ntlk",
            "extract.coco-counterfactuals.tagger: is 'ntlk'; "
            "choose one of nltk, pattern, and spacy:MODEL for a spaCy model",
        ),
        ("tagger: pattern", 'tagger: "spacy:"', "extract.coco-counterfactuals.tagger: is 'spacy:'; choose one of nltk"),
        ("image_size: 448", "image_sizes: 448", "image_sizes: unknown key; did you mean `image_size`?"),
        ("shards: 2", "shards: four", "generate.cvqa-synthetic.shards: is 'four'; input should be a valid integer"),
        ("shards: 2", "shards: 2.5", "generate.cvqa-synthetic.shards: is 2.5; input should be a valid integer"),
        ("seed: 2024", "seed: -1", "seed: is -1; input should be greater than or equal to 0"),
        ("seed: 2024", "seed: true", "seed: is True; input should be a valid integer"),
        (
            "options: exchangeable\n    flowers",
            "options: fair\n    flowers",
            "options: is 'fair'; input should be 'exchangeable' or 'released'",
        ),
        (
            "low: 1, high: 8",
            "low: 9, high: 8",
            "flowers_per_region: is {'low': 9, 'high': 8}; low (9) must not be above",
        ),
        (
            "confidence: 0.95",
            "confidence: 95",
            "aggregate.cvqa-synthetic.confidence: is 95; input should be less than 1",
        ),
        ("[cvqa-synthetic,", "[cvqa,", "benchmarks.0: is 'cvqa'; it must be one of the installed benchmarks: "),
        (
            "adapter: random,",
            "adapter: rondom,",
            "models.random.adapter: is 'rondom'; it must be one of 'random', 'first-option'",
        ),
        (
            "adapter: random,",
            "adapter: random, top_k: 1,",
            "models.random.top_k: unknown key; it must be one of adapter, benchmarks, limit, name",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", max_tokens: 9,',
            "models.random.max_tokens: unknown key; did you mean `max_new_tokens`?",
        ),
        (
            "{adapter: random,",
            "{adapter: hf-chat, checkpoint: a/b, max_tokens: 9,",
            "models.random.max_tokens: unknown key; did you mean `max_new_tokens`?",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", api_key: K,',
            "models.random.api_key: unknown key; did you mean `key_variable`?",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", timeout: 9,',
            "models.random.timeout: unknown key; did you mean `timeout_seconds`?",
        ),
        (
            "{adapter: random,",
            "{adapter: hf-chat, checkpoint: a/b, model_path: a,",
            "models.random.model_path: unknown key; did you mean `checkpoint`?",
        ),
        (
            "{adapter: dual-encoder, checkpoint",
            "{adapter: dual-encoder, limit: 50, checkpoint",
            "models.clip.limit: unknown key; it is a key of api, blind, first-option, hf-blip, hf-chat, majority, "
            "random, replay, served, vipergpt, visprog, not of dual-encoder",
        ),
        (
            "diffusion:\n      checkpoint",
            "diffusion:\n      check_point: a\n      checkpoint",
            "generate.scenes.diffusion.check_point: unknown key; did you mean `checkpoint`?",
        ),
        (
            "{adapter: random,",
            "{adapter: random, benchmarks: [scene],",
            "models.random.benchmarks.0: is 'scene'; it must be one of the installed benchmarks: cfmm, coco-counter",
        ),
        (
            "{adapter: random,",
            "{adapter: hf-chat, checkpoint: a/b, device: cuda, device_map: auto,",
            "models.random: device_map chooses the devices; give either device or device_map",
        ),
        (
            "{adapter: random,",
            "{adapter: hf-chat, checkpoint: a/b, min_pixels: 2, max_pixels: 1,",
            "models.random: min_pixels (2) exceeds max_pixels (1)",
        ),
        (
            "{adapter: random,",
            "{adapter: hf-chat, checkpoint: a/b, prompt: llava,",
            "models.random.prompt: is 'llava'; it must be a text with {question}, or one of the prompt forms",
        ),
        (
            "{adapter: random,",
            '{adapter: hf-chat, checkpoint: a/b, prompt: "{question} {question}",',
            "models.random.prompt: is '{question} {question}'; {question} must occur in it once",
        ),
        (
            "{adapter: random,",
            "{adapter: hf-chat, checkpoint: a/b, decoding: {beams: 5, temperature: 0.2},",
            "decoding: is {'beams': 5, 'temperature': 0.2}; beam search draws nothing; give either beams or",
        ),
        (
            "{adapter: random,",
            "{adapter: hf-chat, checkpoint: a/b, decoding: {samples: 5},",
            "several samples would all be the same; set a temperature above 0",
        ),
        (
            "{adapter: random,",
            "{adapter: hf-chat, checkpoint: a/b, decoding: {top_p: 0.9},",
            "top_p is for sampling; set a temperature above 0, or remove it",
        ),
        (
            "{adapter: random,",
            "{adapter: hf-chat, checkpoint: a/b, decoding: greedy,",
            "models.random.decoding: is 'greedy'; it must contain keys and values",
        ),
        (
            "{adapter: random,",
            "{adapter: hf-chat, checkpoint: a/b, decoding: {beams: 5, seed: 3},",
            "seed is for sampling; set a temperature above 0, or remove it",
        ),
        (
            "{adapter: random,",
            "{adapter: hf-chat, checkpoint: a/b, decoding: {length_penalty: -1},",
            "length_penalty is for beam search; set beams above 1, or remove it",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", temperature: 0.2,',
            "models.random: temperature is part of decoding; write `decoding: {temperature: 0.2}`",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", decoding: {temperature: 0, samples: 2},',
            "several samples would all be the same; set a temperature above 0",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", decoding: {temperature: 1, seed: 1}, '
            "extra_body: {seed: 1},",
            "models.random: `seed` is in decoding and in extra_body; give it in decoding alone",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", decoding: {beams: 5},',
            "models.random.decoding.beams: unknown key",
        ),
        (
            "{adapter: random,",
            "{adapter: hf-chat, checkpoint: a/b, quantization: 2bit,",
            "models.random.quantization: is '2bit'; input should be '4bit' or '8bit'",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", extra_body: {temperature: 1},',
            "extra_body: is '(not shown)'; `temperature` is not allowed in extra_body: other keys of this entry set it",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", extra_body: {stream: true},',
            "`stream` is not allowed in extra_body: each request must have one complete reply",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", extra_body: {a: [{X-Api-Key: hunter2}]},',
            "models.random.extra_body: is '(not shown)'; `X-Api-Key` looks like a secret",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", extra_body: {a: Bearer hunter2},',
            "models.random.extra_body: is '(not shown)'; `a` looks like a secret",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", extra_body: {a: .nan},',
            "its numbers must be finite",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://hunter2/v1", price_per_million_prompt_tokens: 1,',
            "models.random: give the prices of both",
        ),
        ("{adapter: random,", "{adapter: random, limit: 0,", "models.random.limit: is 0; input should be greater"),
        ("{adapter: random, name: Random}", "{name: Random}", "models.random: has no adapter; give one"),
        ("adapter: random", "adapter: hf-chat", "models.random.checkpoint: is missing"),
        (
            "{adapter: random,",
            '{adapter: blind, checkpoint: a/b, prompt: "Answer:",',
            "models.random.prompt: is 'Answer:'; it must be a text with {question}, or one of the prompt forms",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", multiple_choice: rank-text,',
            "models.random: `multiple_choice: rank-text` needs an endpoint that returns the log-probabilities",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", multiple_choice: open,',
            "models.random.multiple_choice: is 'open'; input should be 'rank-text', 'rank-letter' or 'words'",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", top_logprobs: 21,',
            "models.random.top_logprobs: is 21; input should be less than or equal to 20",
        ),
        (
            "{adapter: random,",
            '{adapter: api, model: m, base_url: "http://a/v1", prompt_log_probabilities: openai,',
            "models.random.prompt_log_probabilities: is 'openai'; input should be 'vllm'",
        ),
        (
            "{adapter: random,",
            "{adapter: served, model: m, command: vllm serve m --port 8000,",
            "models.random.command: is 'vllm serve m --port 8000'; leave out `--port`, or write `--port {port}`",
        ),
        (
            "{adapter: random,",
            "{adapter: served, model: m, command: vllm serve m --api-key hunter2,",
            "models.random.command: is '(not shown)'; `--api-key` would show a secret in params.yaml",
        ),
        (
            "{adapter: random,",
            "{adapter: served, model: m, command: vllm serve m --port 8000 --api-key=hunter2,",
            "models.random.command: is '(not shown)'; leave out `--port`, or write `--port {port}`",
        ),
        (
            "{adapter: random,",
            '{adapter: served, model: m, command: "vllm \'serve m --api-key hunter2",',
            "models.random.command: is '(not shown)'; cannot be split into words: No closing quotation",
        ),
        (
            "{adapter: random,",
            "{adapter: served, model: m, command: 'vllm serve {checkpoint}',",
            "models.random: give both checkpoint and its placeholder {checkpoint} in command, or neither",
        ),
        (
            "{adapter: random,",
            "{adapter: replay, predictions: a.csv, response_columns: [a, b], multiple_choice: rank-letter,",
            "models.random: response_columns name columns of responses, which cannot be ranked",
        ),
        (
            "adapter: hf-chat\n",
            "adapter: hf-chat\n    multiple_choice: open\n",
            "models.llava-original.multiple_choice: is 'open'; input should be 'rank-text', 'rank-letter' or 'words'",
        ),
        (
            "rule: mean",
            "rule: median",
            "aggregate.cvqa-synthetic.rule: is 'median'; input should be 'mean', 'sum', 'minus-without-image' or "
            "'minus-without-prompt'",
        ),
        ("ask: rank", "ask: rank\n    rule: mean", "evaluate.cvqa-synthetic.rule: "),
        ("ask: rank", "ask: words", "evaluate.cvqa-synthetic.ask: is 'words'; input should be 'rank' or 'generate'"),
        ("  random: {", "  qwen2.5: {", "models.qwen2.5: is 'qwen2.5'; a key must be lower-case words and digits"),
        ("  random: {", "  Qwen: {", "for example `qwen`"),
    ],
)
def test_a_mistake_is_named_with_its_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    error = error_of(text, tmp_path)
    assert message in error
    assert "hunter2" not in error, "what may be a secret is not shown"
    assert all(line.startswith("params.yaml") for line in error.splitlines())


def test_the_line_is_that_of_the_key(tmp_path: Path) -> None:
    text = TEXT.replace("image_size: 448", "image_size: 44", 1)
    assert error_of(text, tmp_path).startswith(f"params.yaml:{line_of('image_size: 44', text)}: ")


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    text = TEXT.replace("seed: 2024", "seed: x\nfoo: 1").replace("shards: 2", "shards: 0", 1)
    error = error_of(text, tmp_path)
    assert len(error.splitlines()) == 3
    assert "foo: unknown key; it must be one of aggregate, benchmarks, evaluate" in error


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must contain keys and values"),
        ("- 1\n- 2\n", "must contain keys and values"),
        ("seed: [1\n", "not valid YAML"),
        (TEXT + "seed: 3\n", "seed: duplicate key; keep one"),
        (TEXT.replace("seed: 2024\n", ""), "seed: is missing"),
        (
            TEXT.replace("seed: 2024\n", "seed: 010\n"),
            "YAML reads 010 as 8; write it as a decimal number, or as a text",
        ),
        (TEXT.replace("seed: 2024\n", "seed: 1:30\n"), "YAML reads 1:30 as 90; write it as a decimal number"),
    ],
)
def test_a_file_that_is_no_set_of_parameters_is_refused(text: str, message: str, tmp_path: Path) -> None:
    assert message in error_of(text, tmp_path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"seed: \xff\n", "is not UTF-8"),
        (b"seed: \x07\n", "not valid YAML"),
        (b"? [a]\n: 1\n", "a key must be a word"),
        (b"a: &a [*a]\n", "an alias contains itself"),
    ],
)
def test_a_file_that_cannot_be_read_as_yaml_is_one_line(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_bytes(data)
    with pytest.raises(WhatifError, match=message) as error:
        benchmarks.load_params(path)
    assert len(str(error.value).splitlines()) == 1


def test_a_missing_file_says_where_to_run(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="restore it, for example with `git checkout`"):
        benchmarks.load_params(tmp_path / "params.yaml")
