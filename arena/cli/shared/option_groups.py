"""Gives several commands the same options: they are written once, as the fields of a dataclass."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints

Command = Callable[..., None]


def with_options(command: Command) -> Command:
    """Return a command that takes the fields of each dataclass among its parameters as parameters of its own.

    They stand where that parameter stands; a field may be such a dataclass in turn. They are annotated as Typer's
    parameters are; one without a default must be given.
    """
    signature = inspect.signature(command, eval_str=True)
    own = list(signature.parameters.values())

    @functools.wraps(command)
    def call(**given: Any) -> None:
        command(**{one.name: _take(one.name, one.annotation, given) for one in own})

    shown = [made for one in own for made in _parameters(one.name, one.annotation, one.default)]
    call.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    return call


def _parameters(name: str, annotation: Any, default: Any) -> Iterator[inspect.Parameter]:
    """Yield the parameters that one of the command stands for."""
    if not is_dataclass(annotation):
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        return
    hints = get_type_hints(annotation, include_extras=True)
    for field in fields(annotation):
        shown = inspect.Parameter.empty if field.default is MISSING else field.default
        yield from _parameters(field.name, hints[field.name], shown)


def _take(name: str, annotation: Any, given: dict[str, Any]) -> Any:
    """Return the value of a parameter of the command, made of what was given for it."""
    if not is_dataclass(annotation):
        return given[name]
    hints = get_type_hints(annotation)
    return annotation(**{field.name: _take(field.name, hints[field.name], given) for field in fields(annotation)})  # type: ignore[operator]
