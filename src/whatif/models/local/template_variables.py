"""The variables that a chat template uses: a name that it does not use would be ignored without a word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.params.reasoning import EFFORT_VARIABLE, NOT_THEIRS, Reasoning
from whatif.models.local.faults import first_line

_SHOWN = 12  # names in an error


def template_variables(template: Any) -> frozenset[str]:
    """The names of the variables that a chat template reads and does not set; of several templates, the `default`.

    The template is parsed, as the library's sandbox does it, and never rendered. Raises jinja2.TemplateError when it
    cannot be parsed.
    """
    import jinja2.ext
    import jinja2.meta
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(jinja2.ext.Extension):
        """The library's own tag around the turns of the assistant."""

        tags = {"generation"}  # noqa: RUF012 - as its base class declares it

        def parse(self, parser: Any) -> Any:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    text = template.get("default", "") if isinstance(template, Mapping) else template
    environment = ImmutableSandboxedEnvironment(extensions=[Generation, jinja2.ext.loopcontrols])
    return frozenset(jinja2.meta.find_undeclared_variables(environment.parse(text or "")))


def checked_variables(checkpoint: str, template: Any, reasoning: Reasoning | None) -> dict[str, Any]:
    """What the chat template of a checkpoint is given for the reasoning of a model; empty without such settings.

    Raises WhatifError when the template cannot be parsed, or does not use a variable.
    """
    given = {} if reasoning is None else reasoning.variables
    if not given:
        return given
    import jinja2

    try:
        known = template_variables(template)
    except jinja2.TemplateError as error:
        raise WhatifError(
            f"checkpoint {checkpoint}: its chat template cannot be parsed: {first_line(error)}"
        ) from error
    for name in given:
        if name not in known:
            where = "effort" if name == EFFORT_VARIABLE and reasoning and reasoning.effort else "template_kwargs"
            others = sorted(known - NOT_THEIRS)[:_SHOWN]
            uses = f"it uses {', '.join(others)}" if others else "it has no such variables"
            raise WhatifError(
                f"checkpoint {checkpoint}: reasoning.{where}: its chat template does not use {name}; {uses}"
            )
    return given
