"""Puts the texts of the catalogue into the help of commands: what is declared in code holds none.

The text of a command is found by its words: `cli_match.watch.help` is that of `arena match watch`, its first sentence
the line in the list of its noun. That of a parameter is `cli_match.watch.log`, or `cli_match.any.log` if several verbs
of the noun share it, or `cli_option.log` if several nouns do. A noun without verbs is told by its line in the help of
`arena`, `cli.noun_web`, with what `cli_web.web.help` puts around that `{line}`. The place `{known}` in the text of a
parameter stands for what its declaration gives as help: a value that only the program knows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import typer
from typer._click.formatting import HelpFormatter  # what Typer formats help with has no public name

from arena.cli.shared.errors import put_texts
from arena.cli.shared.language import knows, say

_NO_WRAP = "\b"
_HELP_OPTION = "Show this message and exit."
_EXTRAS = ("env var", "default")
_FIRST_SENTENCE = re.compile(r"(?s)(.*?[.?!])(?:\s|$)")


class _Formatter(HelpFormatter):
    """Writes what the parser itself says in the language of the process."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        del prefix
        super().write_usage(prog, args, say("cli.usage") + " ")

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':>{self.current_indent}}{say(f'cli.heading_{heading.lower()}')}\n")

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        super().write_dl([(first, _translated(second)) for first, second in rows], col_max, col_spacing)


class _Context(typer.Context):
    formatter_class = _Formatter


def _translated(text: str) -> str:
    """Return the text of a row with the parser's own words in the language of the process."""
    if text == _HELP_OPTION:
        return say("cli.option_help")
    help_, mark, extras = text.rpartition("  [")
    if not mark or not extras.endswith("]"):
        return text
    return f"{help_}{mark}{'; '.join(map(_translated_extra, extras[:-1].split('; ')))}]"


def _translated_extra(extra: str) -> str:
    """Return what stands in brackets behind the help of a parameter: `required`, `default: 3`."""
    if extra == "required":
        return say("cli.required")
    name, colon, value = extra.partition(": ")
    return say(f"cli.{name.replace(' ', '_')}", value=value) if colon and name in _EXTRAS else extra


def put_help(command: Any, path: tuple[str, ...] = ()) -> None:
    """Give a command of the parser, and all below it, the help of the catalogue. Raises KeyError for one without."""
    command.context_class = _Context
    command.options_metavar = say("cli.options_metavar")
    put_texts(command)
    is_group = _is_group(command)
    if len(path) < 2:
        line = say(f"cli.noun_{path[0]}" if path else "cli.arena")
        more = "" if is_group else f"cli_{path[0]}.{path[0]}.help"
        command.help, command.short_help = (say(more, line=line) if more and knows(more) else line), line
    else:
        text = say(f"cli_{path[0]}.{'.'.join(path[1:])}.help")
        found = _FIRST_SENTENCE.match(text)
        command.help, command.short_help = text, text if found is None else found[1]
    command.epilog = command.epilog and f"{_NO_WRAP}\n{say('cli.example')}\n{command.epilog}"
    for parameter in command.params:
        if not getattr(parameter, "hidden", False):
            parameter.help = _parameter_help(parameter, path)
    if _is_group(command):
        command.subcommand_metavar = say("cli.command_metavar")
        for name, below in command.commands.items():
            put_help(below, (*path, name.replace("-", "_")))


def _is_group(command: Any) -> bool:
    return hasattr(command, "commands")


def _parameter_help(parameter: Any, path: tuple[str, ...]) -> str:
    known = {"known": parameter.help or ""}
    if not path:
        return say(f"cli.option_{parameter.name}")
    noun, *verb = path
    ids = [f"cli_{noun}.{'.'.join([*(verb or [noun]), parameter.name])}", f"cli_{noun}.any.{parameter.name}"]
    return say(next((one for one in ids if knows(one)), f"cli_option.{parameter.name}"), **known)
