"""`--csv` and `--markdown`, which stand beside every `--json`.

A command prepares what it writes as JSON, and `arena.cli.shared.output` writes it in the form that was asked for, or
`arena.cli.shared.events` where it comes bit by bit. No command declares the two options: they are added to the parser.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import typer

from arena.cli.shared.errors import MisuseError
from arena.cli.shared.styles import KEY, Style
from engine.text import Text


def take_json(context: typer.Context, wanted: bool) -> bool:
    """Return whether something is written for programs. This is the callback of `--json`.

    Raise MisuseError if `--json` stands beside another form.
    """
    if wanted and KEY in context.meta:
        raise excluding()
    return wanted or KEY in context.meta


def excluding() -> MisuseError:
    """Return the error of a command line that asks for two forms at once."""
    return MisuseError(
        Text(
            "command.json_csv_markdown_exclude_each",
            "--json, --csv and --markdown exclude each other; give one of them",
        )
    )


def add_forms(command: Any) -> None:
    """Give every command at or below `command` that has `--json` the options `--csv` and `--markdown` as well."""
    for below in getattr(command, "commands", {}).values():
        add_forms(below)
    names = [parameter.name for parameter in command.params]
    if "as_json" not in names:
        return
    missing = [style for style in (Style.CSV, Style.MARKDOWN) if f"as_{style.value}" not in names]
    at = max(names.index(name) for name in ("as_json", "as_csv") if name in names) + 1
    command.params[at:at] = [_option(command.params[names.index("as_json")], style) for style in missing]


def _option(like: Any, style: Style) -> Any:
    """Return the option of a form, made like `--json` of the same command, which the parser reads after it."""

    def note(context: typer.Context, _parameter: object, wanted: bool) -> None:
        if wanted and context.meta.setdefault(KEY, style) is not style:
            raise excluding()

    option = copy(like)
    option.name, option.opts, option.callback = f"as_{style.value}", [f"--{style.value}"], note
    option.expose_value, option.is_eager = False, True
    return option
