"""The command line: one subcommand per stage, and subcommands that show, import and export artifacts."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from whatif import __version__
from whatif.engine.errors import WhatifError
from whatif.engine.extras import how_to_install
from whatif.engine.files.project_folder import display_path, displayed, in_project_folder, typed_path
from whatif.engine.files.well_formed import escaped
from whatif.engine.processes import ending


class TypedPath(click.Path):
    """The type of a path argument; a default stays relative to the project's folder."""

    def __init__(self, kind: click.Path) -> None:
        self.__dict__.update(kind.__dict__)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, checked as by click.Path; a message has it as it was typed."""
        source = ctx.get_parameter_source(param.name) if ctx and param and param.name else None
        if source is not ParameterSource.COMMANDLINE:
            return super().convert(value, param, ctx)
        path = os.fspath(typed_path(value))
        try:
            return super().convert(path, param, ctx)
        except click.BadParameter as error:
            raise click.BadParameter(error.message.replace(f"'{path}'", f"'{os.fspath(value)}'"), ctx, param) from error


# Name -> location. Only the module of the requested command is imported, so that --help is instant.
COMMANDS = {
    "extract": "whatif.commands.stages:extract",
    "generate": "whatif.commands.stages:generate",
    "filter": "whatif.commands.stages:filter_",
    "verify": "whatif.commands.stages:verify",
    "evaluate": "whatif.commands.stages:evaluate",
    "aggregate": "whatif.commands.stages:aggregate",
    "new": "whatif.commands.new:new",
    "make": "whatif.commands.make:make",
    "params": "whatif.commands.params:params",
    "dvc-yaml": "whatif.commands.dvc_yaml:dvc_yaml",
    "graph": "whatif.commands.graph:graph",
    "status": "whatif.commands.workspace:status",
    "resume": "whatif.commands.resume:resume",
    "gc": "whatif.commands.workspace:gc",
    "responses": "whatif.commands.responses:responses",
    "demo": "whatif.commands.demo:demo",
    "summary": "whatif.commands.summary:summary",
    "show": "whatif.commands.look:show",
    "site": "whatif.commands.site:site",
    "contradictions": "whatif.commands.contradictions:contradictions",
    "audit": "whatif.commands.audit:audit",
    "compare": "whatif.commands.look:compare",
    "diff": "whatif.commands.diff:diff",
    "plan": "whatif.commands.plan:plan",
    "power": "whatif.commands.power:power",
    "weaknesses": "whatif.commands.weaknesses:weaknesses",
    "subset": "whatif.commands.subset:subset",
    "environment": "whatif.commands.environment:environment",
    "programs": "whatif.commands.programs:programs",
    "program-trace": "whatif.commands.program_trace:program_trace",
    "import": "whatif.commands.exchange:import_",
    "export": "whatif.commands.exchange:export",
    "publish": "whatif.commands.publish:publish",
    "train": "whatif.commands.train:train",
    "assess": "whatif.commands.train:assess",
}
# Kernels of torch that every x86-64 processor with AVX2 has. Those for AVX-512 give other last digits, which decide
# pixels of drawn images; models on a CPU use one thread anyway. Whoever sets a variable keeps it.
KERNELS = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_CBWR": "AVX2"}
# They run where the user is, also in a folder of a project.
ANYWHERE = frozenset({"new", "demo"})


class LazyGroup(click.Group):
    """A group that imports its commands when they are used, and prints each error that the user can fix as one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, stages first, in the order of the pipeline."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, imported on demand."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        found = getattr(importlib.import_module(module), name)
        assert isinstance(found, click.Command)
        return with_typed_paths(found)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called. From here on, the working directory is the folder of the project."""
        found = super().resolve_command(ctx, args)
        if found[0] not in ANYWHERE:
            ctx.with_resource(in_project_folder())
        _warn_of_another_checkout()
        return found

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command. An error that the user can fix is printed without a traceback and ends with exit code 2."""
        # What is imported stays: looking for garbage among its objects takes a tenth of the time of a small job.
        gc.set_threshold(50_000)
        if ending.PARENT_VARIABLE in os.environ:
            ending.end_with_parent()
        for name, value in KERNELS.items():
            os.environ.setdefault(name, value)
        if not sys.stderr.isatty():
            # The progress bars of the Hugging Face libraries would fill a log file. Ours do not
            # (`whatif.engine.progress`).
            os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second Ctrl-C while threads end shows no traceback
            message, code = "interrupted", 128 + signal.SIGINT
        except WhatifError as error:
            message, code = str(error), error.exit_code
        except ModuleNotFoundError as error:
            if (missing := how_to_install(error.name or "")) is None:
                raise
            message, code = missing, WhatifError.exit_code
        except OSError as error:
            if error.filename is None:
                raise
            message, code = f"{error.filename}: {error.strerror}", WhatifError.exit_code
        shown = "\n".join(
            escaped(displayed(line)) for line in message.split("\n")
        )  # a file name may contain any character
        click.echo(f"whatif: {shown}", err=True)
        sys.exit(code)


def _warn_of_another_checkout() -> None:
    """Warns when the running code is not the code of this checkout, because freshness would be judged by other code."""
    here, running = Path("src/whatif"), Path(__file__).parents[1]
    # `make` restarts itself with the code of the checkout.
    if (here / "__main__.py").is_file() and here.resolve() != running.resolve() and sys.argv[1:2] != ["make"]:
        source = display_path(here.parent)
        click.echo(
            f"whatif: this runs the code in {running}, not in {display_path(here)}; set PYTHONPATH={source}", err=True
        )


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="whatif")
def main() -> None:
    """Build, version and score counterfactual vision-language benchmarks with one dependency graph.

    \b
    The whole graph:      dvc repro            or   snakemake --cores 2
    What is out of date:  whatif status
    The numbers:          whatif show cvqa-synthetic
    What changed:         whatif diff HEAD~1
    A project of my own:  whatif new my-benchmark

    params.yaml sets what a project changes; `whatif params` prints and explains all settings. `dvc repro` and
    `snakemake` call the six stages below, from extract to aggregate. You can also run a stage yourself.
    """


def with_typed_paths(command: click.Command) -> click.Command:
    """The command, and those below it, with this type for each argument and option that is a path."""
    for param in command.params:
        if isinstance(param.type, click.Path) and not isinstance(param.type, TypedPath):
            param.type = TypedPath(param.type)
    if isinstance(command, click.Group):
        for below in command.commands.values():
            with_typed_paths(below)
    return command
