"""params.yaml: every mistake is one line that names its place and what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.defaults import PARAMS
from whatif import benchmarks
from whatif.engine.errors import WhatifError

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


# What stands in place of the model `random`, and the message, without its `models.random` before a dot or colon.
API, CHAT = 'adapter: api, model: m, base_url: "http://a/v1"', "adapter: hf-chat, checkpoint: a/b"
SERVED = "adapter: served, model: m"
MODELS = [
    (f"{API}, max_tokens: 9", ".max_tokens: unknown key; did you mean `max_new_tokens`?"),
    (f"{CHAT}, max_tokens: 9", ".max_tokens: unknown key; did you mean `max_new_tokens`?"),
    (f"{API}, api_key: K", ".api_key: unknown key; did you mean `key_variable`?"),
    (f"{API}, timeout: 9", ".timeout: unknown key; did you mean `timeout_seconds`?"),
    (f"{CHAT}, model_path: a", ".model_path: unknown key; did you mean `checkpoint`?"),
    (
        "adapter: random, benchmarks: [scene]",
        ".benchmarks.0: is 'scene'; it must be one of the installed benchmarks: cfmm, chartographer, coco-",
    ),
    (f"{CHAT}, device: cuda, device_map: auto", ": device_map chooses the devices; give either device or device_map"),
    (
        f"{CHAT}, reasoning: {{budget_tokens: 9}}",
        ": `multiple_choice: rank-text` ranks options without any reasoning; write `multiple_choice: words`, or remove",
    ),
    (f"{CHAT}, reasoning: {{effort: high}}", "write `max_new_tokens: 1024` or more, or leave it and set reasoning.bud"),
    (f"{API}, reasoning: {{effort: medum}}", ".reasoning.effort: is 'medum'; input should be 'none', 'minimal', 'low'"),
    (f"{CHAT}, min_pixels: 2, max_pixels: 1", ": min_pixels (2) exceeds max_pixels (1)"),
    (f"{CHAT}, prompts: []", ".prompts: is []; give two prompts or more to compare; a single one is `prompt`"),
    (f"{CHAT}, prompts: [c-vqa]", ".prompts: is ['c-vqa']; give two prompts or more to compare; a single one is `prom"),
    (f"{API}, prompts: [c-vqa, c-vqa]", ".prompts: is ['c-vqa', 'c-vqa']; 'c-vqa' occurs twice; keep one"),
    (f"{API}, prompts: [llava-1-5, llava-next]", "; 'llava-1-5' and 'llava-next' have the same wording; keep one"),
    (f"{API}, prompts: [c-vqa, llava]", ".prompts.1: is 'llava'; it must be a text with {question}, or one of the pro"),
    (f"{CHAT}, prompt: c-vqa, prompts: [c-vqa, internvl]", ": give either prompt, a single one, or prompts, a list of"),
    (
        "adapter: replay, predictions: a.csv, prompts: [c-vqa, internvl]",
        ".prompts: unknown key; it is a key of api, blind, hf-blip, hf-chat, served, not of replay",
    ),
    ("adapter: replay, predictions: a.csv, samples: 0", ".samples: is 0; input should be greater than or equal to 1"),
    (
        "adapter: replay, predictions: a.csv, samples: 2, multiple_choice: rank-text",
        ": several samples are rows with question_id, response and sample, which have no response_columns and cannot",
    ),
    (
        f"adapter: vipergpt, tools: {{kind: oracle}}, writer: {{{API}, prompts: [c-vqa, internvl]}}",
        ": writer: prompts are compared for a model of its own; give a single prompt here",
    ),
    (f"{CHAT}, prompt: llava", ".prompt: is 'llava'; it must be a text with {question}, or one of the prompt forms"),
    (f'{CHAT}, prompt: "{{question}} {{question}}"', ".prompt: is '{question} {question}'; {question} must occur in i"),
    (
        f"{CHAT}, decoding: {{beams: 5, temperature: 0.2}}",
        "decoding: is {'beams': 5, 'temperature': 0.2}; beam search draws nothing; give either beams or",
    ),
    (f"{CHAT}, decoding: {{samples: 5}}", "several samples would all be the same; set a temperature above 0"),
    (f"{CHAT}, decoding: {{top_p: 0.9}}", "top_p is for sampling; set a temperature above 0, or remove it"),
    (f"{CHAT}, decoding: greedy", ".decoding: is 'greedy'; it must contain keys and values"),
    (f"{CHAT}, decoding: {{beams: 5, seed: 3}}", "seed is for sampling; set a temperature above 0, or remove it"),
    (f"{CHAT}, decoding: {{length_penalty: -1}}", "length_penalty is for beam search; set beams above 1, or remove it"),
    (f"{API}, temperature: 0.2", ": temperature is part of decoding; write `decoding: {temperature: 0.2}`"),
    (f"{API}, decoding: {{temperature: 0, samples: 2}}", "several samples would all be the same; set a temperature ab"),
    (
        f"{API}, decoding: {{temperature: 1, seed: 1}}, extra_body: {{seed: 1}}",
        ": `seed` is in decoding and in extra_body; give it in decoding alone",
    ),
    (f"{API}, decoding: {{beams: 5}}", ".decoding.beams: unknown key"),
    (f"{CHAT}, quantization: 2bit", ".quantization: is '2bit'; input should be '4bit' or '8bit'"),
    (
        f"{API}, extra_body: {{temperature: 1}}",
        "extra_body: is '(not shown)'; `temperature` is not allowed in extra_body: other keys of this entry set it",
    ),
    (f"{API}, extra_body: {{stream: true}}", "`stream` is not allowed in extra_body: each request must have one"),
    (f"{API}, extra_body: {{a: [{{X-Api-Key: hunter2}}]}}", ".extra_body: is '(not shown)'; `X-Api-Key` looks like a"),
    (f"{API}, extra_body: {{a: Bearer hunter2}}", ".extra_body: is '(not shown)'; `a` looks like a secret"),
    (f"{API}, extra_body: {{a: .nan}}", "its numbers must be finite"),
    ('adapter: api, model: m, base_url: "http://hunter2/v1", price_per_million_prompt_tokens: 1', ": give the prices"),
    ("adapter: random, limit: 0", ".limit: is 0; it must be a number of pairs, at least 1, or a file"),
    (
        'adapter: blind, checkpoint: a/b, prompt: "Answer:"',
        ".prompt: is 'Answer:'; it must be a text with {question}, or one of the prompt forms",
    ),
    (f"{API}, multiple_choice: rank-text", ": `multiple_choice: rank-text` needs an endpoint that returns the"),
    (f"{API}, multiple_choice: open", ".multiple_choice: is 'open'; input should be 'rank-text', 'rank-letter' or 'wo"),
    (f"{API}, top_logprobs: 21", ".top_logprobs: is 21; input should be less than or equal to 20"),
    (f"{API}, prompt_log_probabilities: openai", ".prompt_log_probabilities: is 'openai'; input should be 'vllm'"),
    (
        f"{SERVED}, command: vllm serve m --port 8000",
        ".command: is 'vllm serve m --port 8000'; leave out `--port`, or write `--port {port}`",
    ),
    (
        f"{SERVED}, command: vllm serve m --api-key hunter2",
        ".command: is '(not shown)'; `--api-key` would show a secret in params.yaml",
    ),
    (
        f"{SERVED}, command: vllm serve m --port 8000 --api-key=hunter2",
        ".command: is '(not shown)'; leave out `--port`, or write `--port {port}`",
    ),
    (
        f'{SERVED}, command: "vllm \'serve m --api-key hunter2"',
        ".command: is '(not shown)'; cannot be split into words: No closing quotation",
    ),
    (
        f"{SERVED}, command: 'vllm serve {{checkpoint}}'",
        ": give both checkpoint and its placeholder {checkpoint} in command, or neither",
    ),
    (
        "adapter: replay, predictions: a.csv, response_columns: [a, b], multiple_choice: rank-letter",
        ": response_columns name columns of responses, which cannot be ranked",
    ),
]
PUZZLES, EVALUATE, AGGREGATE = "puzzles_per_template: 150", "\nevaluate:\n", "\naggregate:\n"
# A part of the shipped file, what replaces it, and the message.
MISTAKES = [
    (PUZZLES, f"{PUZZLES}, image_size: 44", "generate.cvqa-synthetic.image_size: is 44; input should be greater"),
    (
        "    scenes: 24",
        "    scenes: 24\n    tagger: ntlk",
        "extract.coco-counterfactuals.tagger: is 'ntlk'; choose one of nltk, pattern, and spacy:MODEL for a spaCy",
    ),
    (
        "    scenes: 24",
        '    scenes: 24\n    tagger: "spacy:"',
        "extract.coco-counterfactuals.tagger: is 'spacy:'; choose one of nltk",
    ),
    (PUZZLES, f"{PUZZLES}, image_sizes: 448", "image_sizes: unknown key; did you mean `image_size`?"),
    ("shards: 2", "shards: four", "generate.cvqa-synthetic.shards: is 'four'; input should be a valid integer"),
    ("shards: 2", "shards: 2.5", "generate.cvqa-synthetic.shards: is 2.5; input should be a valid integer"),
    ("seed: 2024", "seed: -1", "seed: is -1; input should be greater than or equal to 0"),
    ("seed: 2024", "seed: true", "seed: is True; input should be a valid integer"),
    (PUZZLES, f"{PUZZLES}, options: fair", "options: is 'fair'; input should be 'exchangeable' or 'released'"),
    (
        PUZZLES,
        f"{PUZZLES}, flowers_per_region: {{low: 9}}",
        "flowers_per_region: is {'low': 9, 'high': 8}; low (9) must not be",
    ),
    (
        AGGREGATE,
        f"{AGGREGATE}  cvqa-synthetic: {{confidence: 95}}\n",
        "aggregate.cvqa-synthetic.confidence: is 95; input should be less than",
    ),
    ("[cvqa-synthetic,", "[cvqa,", "benchmarks.0: is 'cvqa'; it must be one of the installed benchmarks: "),
    ("adapter: random,", "adapter: rondom,", "models.random.adapter: is 'rondom'; it must be one of 'random'"),
    (
        "adapter: random,",
        "adapter: random, top_k: 1,",
        "models.random.top_k: unknown key; it must be one of adapter, benchmarks, limit, name",
    ),
    (
        "{adapter: dual-encoder, checkpoint",
        "{adapter: dual-encoder, limit: 50, checkpoint",
        "models.clip.limit: unknown key; it is a key of api, blind, first-option, hf-blip, hf-chat, majority, "
        "random, replay, served, vipergpt, visprog, not of dual-encoder",
    ),
    (
        "pairs: 16",
        "pairs: 16, diffusion: {check_point: a}",
        "generate.scenes.diffusion.check_point: unknown key; did you mean `checkpoint`?",
    ),
    ("{adapter: random, name: Random}", "{name: Random}", "models.random: has no adapter; give one"),
    ("adapter: random", "adapter: hf-chat", "models.random.checkpoint: is missing"),
    (
        "adapter: hf-chat,",
        "adapter: hf-chat, multiple_choice: open,",
        "models.llava-original.multiple_choice: is 'open'; input should be 'rank-text', 'rank-letter' or 'words'",
    ),
    (
        AGGREGATE,
        f"{AGGREGATE}  cvqa-synthetic: {{rule: median}}\n",
        "aggregate.cvqa-synthetic.rule: is 'median'; input should be 'mean', 'sum', 'minus-without-image' or",
    ),
    (EVALUATE, f"{EVALUATE}  cvqa-synthetic: {{rule: mean}}\n", "evaluate.cvqa-synthetic.rule: "),
    (
        EVALUATE,
        f"{EVALUATE}  cvqa-synthetic: {{ask: words}}\n",
        "evaluate.cvqa-synthetic.ask: is 'words'; input should be 'rank' or 'generate'",
    ),
    ("  random: {", "  qwen2.5: {", "models.qwen2.5: is 'qwen2.5'; a key must be lower-case words and digits"),
    ("  random: {", "  Qwen: {", "for example `qwen`"),
    *(("{adapter: random,", f"{{{new},", "models.random" * (told[0] in ".:") + told) for new, told in MODELS),
]


@pytest.mark.parametrize(("old", "new", "message"), MISTAKES)
def test_a_mistake_is_named_with_its_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    error = error_of(text, tmp_path)
    assert message in error
    assert "hunter2" not in error, "what may be a secret is not shown"
    assert all(line.startswith("params.yaml") for line in error.splitlines())


def test_the_line_is_that_of_the_key(tmp_path: Path) -> None:
    text = TEXT.replace("    scenes: 24", "    scenes: 24\n    tagger: x", 1)
    assert error_of(text, tmp_path).startswith(f"params.yaml:{line_of('tagger: x', text)}: ")


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    text = TEXT.replace("seed: 2024", "seed: x\nfoo: 1").replace("shards: 2", "shards: 0", 1)
    error = error_of(text, tmp_path)
    assert len(error.splitlines()) == 3
    assert "foo: unknown key; it must be one of aggregate, benchmarks, evaluate" in error


def test_a_missing_file_says_where_to_run(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="restore it, for example with `git checkout`"):
        benchmarks.load_params(tmp_path / "params.yaml")
