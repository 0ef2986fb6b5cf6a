"""Checkpoints that contain code: it never runs, and the user is not asked whether it may."""

from __future__ import annotations

import ast
import json
import pickle
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.bad_inputs.outcome import refusal
from tests.defaults import ROOT
from tests.tiny_checkpoints import tiny_blip2, tiny_clip, tiny_diffusion, tiny_llava, tiny_text_model, tiny_vilt
from tests.tiny_checkpoints.language import tiny_bert, tiny_causal
from whatif.engine.params.checkpoints import (
    BlindTextModel,
    CrossEncoder,
    DiffusionCheckpoint,
    HuggingFaceBlip,
    HuggingFaceChat,
    LocalCheckpoint,
)
from whatif.models.language.masked import masked_language_model
from whatif.models.language.perplexity import perplexity_model
from whatif.models.language.sentence_similarity import sentence_embedder
from whatif.models.local.checkpoints import load_blip_model, load_chat_model, load_text_model
from whatif.models.local.encoders import cross_encoder, dual_encoder
from whatif.models.prompt_to_prompt.pipeline import load_pipeline

pytestmark = pytest.mark.slow

pytest.importorskip("torch")
pytest.importorskip("transformers")

Spoil = Callable[[Path], None]


def tiny_sentence(folder: Path) -> Path:
    sentence_transformers = pytest.importorskip("sentence_transformers")
    modules = sentence_transformers.sentence_transformer.modules
    word = modules.Transformer(str(tiny_bert(folder / "bert")))
    pooled = modules.Pooling(word.get_embedding_dimension())
    sentence_transformers.SentenceTransformer(modules=[word, pooled], device="cpu").save_pretrained(str(folder / "st"))
    return folder / "st"


# Kind -> how a valid checkpoint is made, and how the project loads it.
KINDS: dict[str, tuple[Callable[[Path], Path], Callable[[str], Any]]] = {
    "hf-chat": (tiny_llava, lambda at: load_chat_model(HuggingFaceChat(adapter="hf-chat", checkpoint=at))),
    "hf-blip": (
        lambda folder: tiny_blip2(folder, "opt"),
        lambda at: load_blip_model(HuggingFaceBlip(adapter="hf-blip", checkpoint=at)),
    ),
    "blind": (tiny_text_model, lambda at: load_text_model(BlindTextModel(adapter="blind", checkpoint=at))),
    "dual-encoder": (tiny_clip, lambda at: dual_encoder(LocalCheckpoint(checkpoint=at))),
    "cross-encoder": (tiny_vilt, lambda at: cross_encoder(CrossEncoder(adapter="cross-encoder", checkpoint=at))),
    "masked": (tiny_bert, lambda at: masked_language_model(LocalCheckpoint(checkpoint=at))),
    "causal": (tiny_causal, lambda at: perplexity_model(LocalCheckpoint(checkpoint=at))),
    "sentence": (tiny_sentence, lambda at: sentence_embedder(LocalCheckpoint(checkpoint=at))),
    "diffusion": (tiny_diffusion, lambda at: load_pipeline(DiffusionCheckpoint(checkpoint=at, steps=2))),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A valid checkpoint of a kind, made once."""
    return cache(lambda kind: KINDS[kind][0](tmp_path_factory.mktemp(kind)))


def settings(name: str, **values: Any) -> Spoil:

    def spoil(folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        told = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps({**told, **values}))

    return spoil


def both(*spoils: Spoil) -> Spoil:
    def spoil(folder: Path) -> None:
        for one in spoils:
            one(folder)

    return spoil


def pickled_instead_of(name: str, pickle_name: str) -> Spoil:
    """Replaces the safe weights by a pickle that would run code."""

    def spoil(folder: Path) -> None:
        (folder / name).unlink()

        class Runs:
            def __reduce__(self) -> tuple[Any, ...]:
                return exec, (f"open({str(folder / 'marker')!r}, 'w')",)

        (folder / pickle_name).write_bytes(pickle.dumps(Runs()))

    return spoil


def module(kind: str, place: str = "") -> Spoil:

    def spoil(folder: Path) -> None:
        listed = json.loads((folder / "modules.json").read_text())
        listed.append({"idx": len(listed), "name": str(len(listed)), "path": place, "type": kind})
        (folder / "modules.json").write_text(json.dumps(listed))

    return spoil


def dense(folder: Path) -> None:
    (folder / "2_Dense").mkdir()
    (folder / "2_Dense/config.json").write_text('{"in_features": 32, "out_features": 32}')
    (folder / "2_Dense/model.safetensors").write_bytes(b"")
    module("sentence_transformers.models.Dense", "2_Dense")(folder)
    pickled_instead_of("2_Dense/model.safetensors", "2_Dense/pytorch_model.bin")(folder)


def custom_generate(folder: Path) -> None:
    (folder / "custom_generate").mkdir()
    (folder / "custom_generate/generate.py").write_text((folder / "evil.py").read_text())


UNKNOWN_MODEL = settings(
    "config.json",
    model_type="evil",
    auto_map={"AutoConfig": "evil.Evil", "AutoModel": "evil.Evil", "AutoModelForCausalLM": "evil.Evil"},
)
KNOWN_MODEL = settings(
    "config.json",
    auto_map=dict.fromkeys(
        ("AutoConfig", "AutoModel", "AutoModelForCausalLM", "AutoModelForImageTextToText", "AutoModelForMaskedLM"),
        "evil.Evil",
    ),
)
TOKENIZER = settings(
    "tokenizer_config.json", tokenizer_class="EvilTokenizer", auto_map={"AutoTokenizer": ["evil.Evil", "evil.Evil"]}
)
PROCESSOR = settings("processor_config.json", processor_class="EvilProcessor", auto_map={"AutoProcessor": "evil.Evil"})
IMAGES = settings(
    "preprocessor_config.json", image_processor_type="EvilImages", auto_map={"AutoImageProcessor": "evil.Evil"}
)
CUSTOM = "needs its own Python code"
SAFE = "lacks weights"

# Kind, defect, how it is made, and the error message; None if the checkpoint loads without its code.
CASES: list[tuple[str, str, Spoil, str | None]] = [
    *((kind, "unknown model type", UNKNOWN_MODEL, CUSTOM) for kind in KINDS if kind != "diffusion"),
    *((kind, "known model type", KNOWN_MODEL, None) for kind in KINDS if kind not in ("diffusion", "sentence")),
    *((kind, "generation", custom_generate, None) for kind in ("hf-chat", "hf-blip", "blind", "causal")),
    ("blind", "tokeniser", TOKENIZER, CUSTOM),
    *((kind, "tokeniser", TOKENIZER, None) for kind in ("hf-chat", "masked", "causal", "sentence")),
    ("hf-chat", "processor", PROCESSOR, CUSTOM),
    ("dual-encoder", "processor", PROCESSOR, CUSTOM),
    ("cross-encoder", "processor", PROCESSOR, CUSTOM),
    ("hf-chat", "image processor", IMAGES, None),
    *(
        (kind, "pickled weights", pickled_instead_of("model.safetensors", "pytorch_model.bin"), SAFE)
        for kind in ("hf-chat", "hf-blip", "blind", "dual-encoder", "cross-encoder", "masked", "causal")
    ),
    ("sentence", "module of the folder", module("evil.Evil"), "names the module 'evil.Evil'; whatif loads Transformer"),
    ("sentence", "module of Python", module("subprocess.Popen"), "names the module 'subprocess.Popen'"),
    ("sentence", "module of the library", module("sentence_transformers.util.misc.import_from_string"), "names the"),
    ("sentence", "look-alike package", module("sentence_transformers_evil.Dense"), "names the module"),
    ("sentence", "pickled dense layer", dense, "pickled weights are not read"),
    ("sentence", "pickled weights", pickled_instead_of("model.safetensors", "pytorch_model.bin"), "cannot be loaded"),
    ("sentence", "modules are no list", lambda at: (at / "modules.json").write_text("7") and None, "is not a list of"),
    *(
        ("diffusion", f"{part} of a module", settings("model_index.json", **{part: ["evil", "Evil"]}), "it must be")
        for part in ("unet", "vae", "text_encoder", "tokenizer", "scheduler")
    ),
    (
        "diffusion",
        "custom code in a part",
        settings("model_index.json", unet=["evil", "UNet2DConditionModel"]),
        "its unet is a 'evil.UNet2DConditionModel'; it must be a diffusers.UNet2DConditionModel",
    ),
    (
        "diffusion",
        "class that asks",
        both(settings("model_index.json", tokenizer=["transformers", "AutoTokenizer"]), TOKENIZER),
        "its tokenizer is a 'transformers.AutoTokenizer'",
    ),
    ("diffusion", "custom pipeline", settings("model_index.json", _class_name=["evil", "Evil"]), "it must be a Stable"),
    ("diffusion", "safety checker", settings("model_index.json", safety_checker=["evil", "Evil"]), None),
    ("diffusion", "feature extractor", settings("model_index.json", feature_extractor=["evil", "Evil"]), None),
    *(
        ("diffusion", f"pickled {part}", pickled_instead_of(f"{part}/{safe}.safetensors", f"{part}/{other}.bin"), SAFE)
        for part, safe, other in (
            ("unet", "diffusion_pytorch_model", "diffusion_pytorch_model"),
            ("text_encoder", "model", "pytorch_model"),
        )
    ),
]


@pytest.mark.parametrize(
    ("kind", "spoil", "words"), [pytest.param(kind, *rest, id=f"{kind}: {name}") for kind, name, *rest in CASES]
)
def test_code_in_a_checkpoint_never_runs(  # noqa: PLR0917
    kind: str,
    spoil: Spoil,
    words: str | None,
    whole: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = Path(shutil.copytree(whole(kind), tmp_path / "checkpoint"))
    _, load = KINDS[kind]
    marker = folder / "marker"
    source = f"open({str(marker)!r}, 'w')\nclass Evil:\n    pass\ndef generate(*_, **__):\n    pass\n"
    (folder / "evil.py").write_text(source)
    for place in [path for path in folder.iterdir() if path.is_dir()]:
        (place / "evil.py").write_text(source)
    spoil(folder)
    asked: list[object] = []
    monkeypatch.setattr("builtins.input", lambda *words: asked.append(words) or "y")
    monkeypatch.syspath_prepend(str(folder))
    if words is None:
        load(str(folder))
    else:
        line = refusal(lambda: load(str(folder)))
        assert not marker.exists(), "its code ran"
        assert line.startswith(f"checkpoint {folder}") and words in line, line
    assert not marker.exists(), "its code ran"
    assert not asked, "the user was asked whether its code may run"


def test_every_load_refuses_code() -> None:
    """No call may leave the choice to the libraries, which ask on the terminal."""
    loads = []
    for path in [*ROOT.glob("src/**/*.py"), *ROOT.glob("bench/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _loads(node.func):
                given = {word.arg: word.value for word in node.keywords}.get("trust_remote_code")
                refused = isinstance(given, ast.Constant) and given.value is False
                loads.append((refused, f"{path.relative_to(ROOT)}:{node.lineno}"))
    assert len(loads) > 12
    assert not [place for refused, place in loads if not refused]


def test_no_pickle_is_read() -> None:
    for path in ROOT.glob("src/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            assert not {"pickle", "dill", "joblib", "marshal", "shelve"} & {name.split(".")[0] for name in names}, path
            assert not (isinstance(node, ast.Attribute) and ast.unparse(node) in ("torch.load", "np.load")), path


def _loads(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("from_pretrained", "from_single_file", "SentenceTransformer", "CrossEncoder", "hf_pipeline") or (
        ast.unparse(function) in ("transformers.pipeline", "torch.hub.load")
    )
