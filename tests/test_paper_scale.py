"""The ready-made parameters of the paper's scale: valid, and every family is one that its adapter can load."""

from __future__ import annotations

import pytest
import yaml

from tests.defaults import ROOT
from whatif import benchmarks
from whatif.benchmarks.coco_counterfactuals.settings import CocoCounterfactualsSettings
from whatif.benchmarks.cvqa_real.tables.table3 import table_3_name
from whatif.benchmarks.mucr.settings import MucrSettings
from whatif.engine.params.checkpoints import BlindTextModel, HuggingFaceBlip, HuggingFaceChat
from whatif.engine.params.endpoints import ApiModel
from whatif.engine.params.models import answerers
from whatif.engine.params.programs import ModelTools, ProgramModel
from whatif.results.reporting.published_numbers import published

FILE = ROOT / "docs" / "paper-scale.yaml"
# Hub id -> the class of its configuration, as its config.json names it.
FAMILIES = {
    "HuggingFaceM4/Idefics3-8B-Llama3": "Idefics3Config",
    "HuggingFaceTB/SmolVLM-Instruct": "Idefics3Config",
    "Qwen/Qwen2-VL-7B-Instruct": "Qwen2VLConfig",
    "Qwen/Qwen2.5-VL-7B-Instruct": "Qwen2_5_VLConfig",
    "Salesforce/blip2-flan-t5-xxl": "Blip2Config",
    "Salesforce/instructblip-flan-t5-xxl": "InstructBlipConfig",
    "Salesforce/instructblip-vicuna-13b": "InstructBlipConfig",
    "Salesforce/instructblip-vicuna-7b": "InstructBlipConfig",
    "llava-hf/llava-1.5-13b-hf": "LlavaConfig",
    "llava-hf/llava-1.5-7b-hf": "LlavaConfig",
    "llava-hf/llava-v1.6-mistral-7b-hf": "LlavaNextConfig",
    "meta-llama/Llama-3.2-11B-Vision-Instruct": "MllamaConfig",
}


COCO, TRAINING, MUCR = "coco-counterfactuals", "coco-counterfactuals-training", "mucr"


def c_vqa(table: str) -> list[dict[str, str]]:
    """A reported table of C-VQA."""
    benchmark = "cvqa_synthetic" if table == "7" else "cvqa_real"
    return published(f"whatif.benchmarks.{benchmark}", f"table{table}")


def checkpoints() -> dict[str, str]:
    models = benchmarks.load_params(FILE).models
    asked = answerers(models, "cvqa-synthetic")
    chats = HuggingFaceChat | HuggingFaceBlip | BlindTextModel
    return {one.checkpoint: one.adapter for key in asked if isinstance(one := models[key], chats)}


def names() -> set[str]:
    """The names of all models, with those of the lines that are to be taken in when there is a file."""
    text = FILE.read_text(encoding="utf-8")
    values = yaml.safe_load(text)
    by_file = "".join(f"{line[5:]}\n" for line in text.splitlines() if "adapter: replay" in line)
    values["models"] |= yaml.safe_load(by_file)
    return {settings.name for settings in benchmarks.check_params(values).models.values() if settings.name}


def test_the_parameters_are_valid_and_differ_from_the_default_in_what_they_say() -> None:
    graph = benchmarks.graph(benchmarks.load_params(FILE))
    asked = [job for job in graph.jobs if job.step.stage == "evaluate"]
    # Fourteen models, in four shards, and in eight with each of two strategies; nine that write programs, in these
    # eight; four search, and six match.
    assert len(asked) == 14 * 4 + (14 + 9) * 2 * 8 + 4 + 6
    paper = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    # C-VQA has 500 puzzles for each template.
    assert paper["generate"]["cvqa-synthetic"] == {"puzzles_per_template": 500, "shards": 4}
    assert set(paper["generate"]) == {"cvqa-synthetic", COCO, MUCR}
    assert set(paper["filter"]) == {COCO, MUCR} and set(paper["aggregate"]) == {COCO, TRAINING}


def test_counterfactual_pairs_are_made_with_the_numbers_of_the_paper() -> None:
    printed = {
        row["metric"]: float(row["value"])
        for row in published("whatif.benchmarks.coco_counterfactuals", "text")
        if row["location"] in ("sec3.1", "sec3.2", "appB.1.2")
    }
    paper = benchmarks.load_params(FILE).section("coco-counterfactuals", CocoCounterfactualsSettings)
    captions, pictures = paper.generate.captions, paper.generate.pictures
    assert captions.replacements == printed["mlm_candidates_per_noun"]
    assert captions.choose.similarity.low == printed["sentence_similarity_lower_bound"]
    assert captions.choose.similarity.high == printed["sentence_similarity_upper_bound"]
    assert pictures.candidates == printed["image_pairs_generated"]
    assert (pictures.p.low, pictures.p.high) == (
        printed["prompt_to_prompt_p_lower"],
        printed["prompt_to_prompt_p_upper"],
    )
    assert paper.filter.caption_image == printed["min_clip_caption_image_cosine"]
    assert paper.filter.image_image == printed["min_clip_image_image_cosine"]
    # Defaults of Instruct-Pix2Pix, of which the paper prints none.
    assert paper.filter.directional == 0.2
    assert pictures.clip.checkpoint == "openai/clip-vit-large-patch14"
    assert pictures.diffusion.vae == "stabilityai/sd-vae-ft-mse"


def test_mucr_is_made_with_the_numbers_of_the_paper() -> None:
    printed = {
        (row["metric"], row["group"]): float(row["value"])
        for row in published("whatif.benchmarks.mucr", "text")
        if row["location"] == "sec3.1"
    }
    values = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    paper = benchmarks.check_params({**values, "benchmarks": [MUCR]}).section(MUCR, MucrSettings)
    assert paper.generate.candidates == printed["images_generated", "each-sentence-and-style"]
    assert len(paper.generate.styles) == printed["styles", "all"]
    assert 4 * paper.extract.scenes.groups == printed["caption_pairs", "all"]
    assert paper.verify.questions.sample == 400  # the paper prints no number; all of its scores are multiples of 0.25


def test_printed_names_are_those_of_the_paper() -> None:
    printed = {table_3_name(row["system"]) for table in ("3", "4", "5", "6", "7") for row in c_vqa(table)}
    paired = {
        row["system"]
        for table in ("2", "13")
        for row in published("whatif.benchmarks.coco_counterfactuals", f"table{table}")
    }
    assert names() - printed - paired == {"Random", "Most frequent answer", "BridgeTower", "CLIP ViT-L/14", "ViLT"}


@pytest.mark.parametrize("table", ["4", "5", "7"])
def test_every_system_of_tables_4_5_and_7_is_there_by_checkpoint_or_by_file(table: str) -> None:
    assert {table_3_name(row["system"]) for row in c_vqa(table)} <= names()


@pytest.mark.parametrize(("checkpoint", "adapter"), checkpoints().items())
def test_every_family_has_a_class_and_a_processor(checkpoint: str, adapter: str) -> None:
    import transformers
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING

    configuration = getattr(transformers, FAMILIES[checkpoint])
    assert configuration in transformers.AutoModelForImageTextToText._model_mapping
    assert configuration in PROCESSOR_MAPPING
    assert (adapter == "hf-blip") == (configuration.__name__ in {"Blip2Config", "InstructBlipConfig"})


def test_every_system_that_writes_programs_is_there_with_the_decoding_of_the_paper() -> None:
    models = benchmarks.load_params(FILE).models
    programmers = {one.name: one for one in models.values() if isinstance(one, ProgramModel)}
    printed = {row["system"] for row in c_vqa("3") if row["model_type"] == "neuro-symbolic"}
    assert set(programmers) == printed | {row["system"] for row in c_vqa("6")}
    for entry in programmers.values():
        writer = entry.writer
        assert isinstance(writer, ApiModel | BlindTextModel)
        assert (writer.decoding.temperature, writer.decoding.top_p, writer.max_new_tokens) == (0.1, 0.9, 512)
        assert isinstance(entry.tools, ModelTools)


def test_every_end_to_end_system_of_table_3_is_there_by_checkpoint_or_by_file() -> None:
    printed = {row["system"] for row in c_vqa("3") if row["model_type"] == "end-to-end"}
    assert printed <= names()
