"""Programs in steps (C-VQA 4.1, VisProg): the language, its expressions, and the interpreter."""

from whatif.models.programs.steps.interpreter import run_steps
from whatif.models.programs.steps.language import Step, StepError, parse_steps

__all__ = ["Step", "StepError", "parse_steps", "run_steps"]
