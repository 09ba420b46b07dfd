"""What the parser of command lines says of one that it refuses, as texts that can be translated.

The parser raises English sentences; which one it is, and what stands in it, is known from the class of its errors and
from what they hold. A sentence that is none of these stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any

import typer
from typer._click.utils import _escape_control_characters  # as the parser itself shows what was written

from arena.i18n.catalogue import validation_text
from engine.text import Text


def usage_text(error: typer.TyperException) -> str:
    """Return what the parser says, without the point at its end."""
    said = error.format_message()
    if isinstance(said, Text):
        return said
    said = said.rstrip(".")
    return next((text for text in _texts_of(error) if text == said), said)


def put_texts(command: Any) -> None:
    """Have a command, or a group of them, say by texts what stands in no error of the parser: the words themselves."""
    if hasattr(command, "commands"):
        command.resolve_command = partial(_resolve, command, command.resolve_command)
    else:
        command.parse_args = partial(_parse, command.parse_args)


def _texts_of(error: Any) -> Iterator[Text]:
    if (option := getattr(error, "option_name", None)) is not None:
        name, shown = repr(option), _escape_control_characters(option)
        yield Text("system.no_such_option", "No such option: {name}", name=shown)
        yield Text(
            "system.no_such_option_possible_options",
            "No such option: {name} (Possible options: {known})",
            name=shown,
            known=", ".join(sorted(getattr(error, "possibilities", None) or ())),
        )
        yield Text("system.option_does_not_take_value", "Option {name} does not take a value", name=name)
        yield Text("system.option_requires_argument", "Option {name} requires an argument", name=name)
    if (parameter := getattr(error, "param", None)) is not None:
        hint = parameter.get_error_hint()
        yield Text("system.missing_option", "Missing option {name}", name=hint)
        yield Text("system.missing_argument", "Missing argument {name}", name=hint)
        yield Text("system.invalid_value", "Invalid value for {name}: {why}", name=hint, why=_why(error))
    yield Text("system.missing_command", "Missing command")


def _why(error: Any) -> str:
    listed = getattr(error.__cause__, "errors", None)
    text = validation_text(listed()[0]) if callable(listed) else error.message
    return text if isinstance(text, Text) else str(error.message).rstrip(".")


def _resolve(
    group: Any, resolve: Callable[[typer.Context, list[str]], Any], context: typer.Context, words: list[str]
) -> Any:
    try:
        return resolve(context, words)
    except typer.TyperException as error:
        said: Any = error
        texts = (text for text in _no_command(group, words) if said.message in (text, f"{text}."))
        said.message = next(texts, said.message)
        raise


def _no_command(group: Any, words: Sequence[str]) -> Iterator[Text]:
    name = repr(words[0])
    yield Text("system.no_such_command", "No such command {name}", name=name)
    yield Text(
        "system.no_such_command_did_you",
        "No such command {name}. Did you mean {guess}?",
        name=name,
        guess=", ".join(map(repr, get_close_matches(words[0], list(group.commands)))),
    )


def _parse(parse: Callable[[typer.Context, list[str]], list[str]], context: typer.Context, words: list[str]) -> Any:
    may_have_more, context.allow_extra_args = context.allow_extra_args, True
    try:
        rest = parse(context, words)
    finally:
        context.allow_extra_args = may_have_more
    if rest and not may_have_more and not context.resilient_parsing:
        context.fail(
            Text(
                "system.got_unexpected_extra_argument_s",
                "Got unexpected extra argument(s) ({words})",
                words=" ".join(map(_escape_control_characters, rest)),
            )
        )
    return rest
