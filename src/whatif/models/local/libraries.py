"""Imports the libraries of local models without collecting garbage meanwhile, a fifth of the time of the import."""

from __future__ import annotations

import gc
import importlib
import sys

TRANSFORMERS = "transformers.modeling_utils"  # imports torch, and most of what any model of the library needs
DIFFUSERS = "diffusers.pipelines.pipeline_utils"


def import_libraries(*modules: str) -> None:
    """Imports modules that are not imported yet, as `import` does, in less time.

    Python collects cyclic garbage each time that some thousands of objects were made, and importing torch makes
    hundreds of thousands that live as long as the process. So the collector waits until the modules are imported, and
    never looks at their objects afterwards. Raises ImportError when a module cannot be imported.
    """
    missing = [module for module in modules if module not in sys.modules]
    if not missing:
        return
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for module in missing:
            importlib.import_module(module)
        gc.freeze()
    finally:
        if was_enabled:
            gc.enable()
