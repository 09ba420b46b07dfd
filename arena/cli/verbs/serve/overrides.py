"""The options of `arena serve` that override its settings: those of [service] one by one, all others by `--set`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

import typer

from arena.cli.shared.errors import MisuseError
from arena.service.settings import TABLE
from engine.text import Text

Command = TypeVar("Command", bound=Callable[..., None])

_OVERRIDES = {row.name: row for row in TABLE if row.flag is not None}


def with_overrides(command: Command) -> Command:
    """Give a command an option for every setting that has a flag, in place of its parameter `**overrides`."""
    signature = inspect.signature(command, eval_str=True)
    own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    command.__signature__ = signature.replace(parameters=[*own, *map(_option, _OVERRIDES)])  # type: ignore[attr-defined]
    return command


def _option(name: str) -> inspect.Parameter:
    annotation = Annotated[str | None, typer.Option(metavar="VALUE")]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def read_overrides(assignments: Sequence[str], overrides: Mapping[str, Any]) -> dict[str, str]:
    """Return what `--set` and the options of their own say, by the key of the setting.

    Raises MisuseError for an assignment of another form, and for a setting that is given twice.
    """
    flags = {_OVERRIDES[name].key: str(text) for name, text in overrides.items() if text is not None}
    for text in assignments:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or "." not in key:
            raise MisuseError(
                Text(
                    "command.set_not_section_name_value",
                    "--set {text} is not SECTION.NAME=VALUE; write for example --set limits.versions=50",
                    text=repr(text),
                )
            )
        if key in flags:
            raise MisuseError(
                Text(
                    "command.given_twice_command_line_give",
                    "{key} is given twice on the command line; give it once",
                    key=key,
                )
            )
        flags[key] = value
    return flags
