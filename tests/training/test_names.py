"""Recipes, cards and the names of the embedded checkpoints."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from training import names as embedded
from training.card import accuracy_table, card, write_card
from training.recipes import RECIPES_FILE, Schedule, load_recipes
from whatif.commands.cli import main
from whatif.engine.errors import WhatifError

LEAF = {"accuracy": 0.5, "low": 0.4, "high": 0.6, "blind": 0.1, "n": 100}


def test_every_checkpoint_has_a_recipe_a_trainer_and_a_measure() -> None:
    recipes = load_recipes()
    for name, checkpoint in embedded.CHECKPOINTS.items():
        assert embedded.recipe_of(name, recipes)
        for where in (checkpoint.trainer, checkpoint.assessment):
            module, function = where.split(":")
            assert callable(getattr(import_module(module), function)), where


def test_every_checkpoint_is_a_frozen_stage_with_its_recipe_and_its_weights() -> None:
    stage = yaml.safe_load(Path("training/dvc.yaml").read_text(encoding="utf-8"))["stages"]["train"]
    assert stage["foreach"] == list(embedded.CHECKPOINTS)
    assert stage["do"]["frozen"] is True
    assert stage["do"]["outs"] == [{"src/whatif/world/checkpoints/${item}": {"cache": False}}]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": -1}, "seed: is -1; input should be greater than or equal to 0"),
        ({"clipp": {}}, "clipp: unknown key; did you mean `clip`"),
        ({"threads": "two"}, "threads: is 'two'; input should be a valid integer"),
    ],
)
def test_a_mistake_in_the_recipes_is_a_line(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    values = yaml.safe_load(Path(RECIPES_FILE).read_text(encoding="utf-8"))
    path = tmp_path / "embedded.yaml"
    path.write_text(yaml.safe_dump({**values, **change}), encoding="utf-8")
    with pytest.raises(WhatifError, match=message) as raised:
        load_recipes(path)
    assert str(raised.value).startswith(str(path))


def test_recipes_that_are_not_there_are_a_line(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match=r"cannot be read .* in its own repository"):
        load_recipes(tmp_path / "nosuch.yaml")


def test_an_unknown_checkpoint_is_a_line_that_names_the_known_ones() -> None:
    for command in ("train", "assess"):
        result = CliRunner(catch_exceptions=False).invoke(main, [command, "nosuch"])
        assert result.exit_code == 2
        assert "unknown embedded checkpoint; choose one of llava-original" in result.stderr


def test_outside_a_clone_a_line_says_where_checkpoints_are_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whatif.commands.train._CLONE", tmp_path)
    for command in ("train", "assess"):
        result = CliRunner(catch_exceptions=False).invoke(main, [command, "clip"])
        assert result.exit_code == 2
        assert "checkpoints are trained in a clone of whatif" in result.stderr


def test_a_checkpoint_that_is_not_there_is_a_line(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="no such checkpoint; make it with `whatif train clip`"):
        embedded.assess("clip", tmp_path / "nosuch")


def test_the_table_has_a_row_a_share_and_a_line_another_number() -> None:
    table = accuracy_table({"recall": {"of_picture": LEAF}, "perplexity": 3.5})
    assert "| measured | n | accuracy | blind |" in table
    assert "| recall, of picture | 100 | 0.500 (0.400 to 0.600) | 0.100 |" in table
    assert "- perplexity: 3.5" in table


def test_the_card_says_what_it_is_and_what_it_is_not(tmp_path: Path) -> None:
    recipe = Schedule(steps=5, batch=2, learning_rate=0.1, warmup=1)
    write_card(tmp_path, "clip", "A CLIP.", recipe=recipe, seed=7, accuracies={"recall": LEAF})
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert text == card("clip", "A CLIP.", recipe, 7, {"recall": LEAF})
    assert text.startswith("---\nlicense: apache-2.0\n")
    for part in ("seed 7", '"steps": 5', "`whatif assess clip`", "## Limits", "no model of the world"):
        assert part in text
    assert json.loads((tmp_path / "accuracy.json").read_text()) == {"recall": LEAF}


def test_the_shipped_checkpoints_are_small_and_whole() -> None:
    size = sum(file.stat().st_size for file in embedded.EMBEDDED.rglob("*") if file.is_file())
    assert size < 43_000_000
    for name in embedded.CHECKPOINTS:
        folder = embedded.EMBEDDED / name
        shares = json.loads((folder / "accuracy.json").read_text(encoding="utf-8"))
        text = (folder / "README.md").read_text(encoding="utf-8")
        assert accuracy_table(shares) in text
        losses = [json.loads(line) for line in (folder / embedded.LOG_FILE).read_text().splitlines()]
        assert losses[-1]["step"] > 0
