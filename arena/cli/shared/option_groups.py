"""Gives several commands the same options: they are written once, as the fields of a dataclass."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any, get_type_hints

Command = Callable[..., None]


def with_options(group: type[Any]) -> Callable[[Command], Command]:
    """Give a command every field of a dataclass as a parameter, in place of its one parameter of that type.

    The fields are annotated as Typer's parameters are; one without a default must be given.
    """

    def extend(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        (name,) = [one.name for one in signature.parameters.values() if one.annotation is group]
        own = [one.replace(kind=_KEYWORD) for one in signature.parameters.values() if one.name != name]
        required = [one for one in own if one.default is inspect.Parameter.empty]
        optional = [one for one in own if one not in required]
        hints = get_type_hints(group, include_extras=True)
        shared = [_parameter(field, hints[field.name]) for field in fields(group)]

        @functools.wraps(command)
        def call(**given: Any) -> None:
            chosen = group(**{one.name: given.pop(one.name) for one in shared})
            command(**given, **{name: chosen})

        call.__signature__ = signature.replace(parameters=[*required, *shared, *optional])  # type: ignore[attr-defined]
        return call

    return extend


_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def _parameter(field: Field[Any], annotation: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    return inspect.Parameter(field.name, _KEYWORD, default=default, annotation=annotation)
