"""Table 6 of C-VQA: as Table 3, for models that answer in ViperGPT's way, under the names of their code models."""

from __future__ import annotations

from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.benchmarks.cvqa_real.tables.table3 import accuracies
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table

_ADAPTER = "vipergpt"
# The name of ViperGPT in Table 3, where its code model is this one.
_VIPERGPT, _ITS_CODE_MODEL = "ViperGPT", "GPT-3.5-turbo"


def code_model(name: str) -> str:
    """The name of the code model in the name of a model: that of `ViperGPT (CodeLlama-7B-Instruct)` is in parentheses.

    It follows the word ViperGPT, in parentheses or after a comma; the size of a pilot sample stays behind it. ViperGPT
    alone has the code model of Table 3, and any other name stays as it is.
    """
    if name == _VIPERGPT:
        return _ITS_CODE_MODEL
    if not name.startswith((f"{_VIPERGPT} (", f"{_VIPERGPT}, ")):
        return name
    rest = name.removeprefix(_VIPERGPT)
    if rest.startswith(","):
        return rest.removeprefix(", ")
    code, pilot, size = rest.removeprefix(" (").partition(") (")
    return f"{code} ({size}" if pilot else code.removesuffix(")")


def _table(found: RealResults) -> Table:
    shown = found.task.shown_models(found.dimension)
    asked = found.asked(found.main)
    models = {key: code_model(name) for key, name in asked.items() if shown[key].get("adapter") == _ADAPTER}
    what = f"{found.title} by ViperGPT with several code models"
    return accuracies(found, 6, "Code models of ViperGPT", what, strategy=found.main, models=models)


TABLE = Made(16, _table)
