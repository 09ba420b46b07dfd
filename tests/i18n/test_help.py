"""The help of every command is in the catalogue, in every language, and nothing of it stands in the code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli.app import make_parser
from arena.i18n.catalogue import LANGUAGES, words
from arena.service.settings import TABLE
from tests.support.sources import sources_below, text_of

CLI = sources_below("arena/cli")
PARSERS_OWN = ("Usage:", "Options:", "Commands:", "Arguments:", "Show this message", "[default", "env var", "required]")


def helps(command: Any, parent: Any = None, name: str = "arena") -> Iterator[tuple[str, str]]:
    """The help of a command and of all below it, by the words that call it."""
    context = command.context_class(command, parent=parent, info_name=name, **command.context_settings)
    yield context.command_path, command.get_help(context)
    for child, below in getattr(command, "commands", {}).items():
        yield from helps(below, context, child)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_of_every_command_is_in_every_language(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_LANG", language)
    told = dict(helps(make_parser()))
    assert len(told) > 100
    for command, text in told.items():
        assert text.startswith(words(language).say("cli.usage")), command
        assert words(language).say("cli.example") in text, command
        if language != "en":
            left = [own for own in PARSERS_OWN if own in text and own not in ("Options:", "Arguments:")]
            assert not left, command


def test_no_help_is_declared_in_code() -> None:
    def declared(path: Path) -> Iterator[str]:
        for node in ast.walk(ast.parse(text_of(path))):
            if isinstance(node, ast.keyword) and node.arg in ("help", "short_help", "epilog"):
                text = node.value
                if isinstance(text, ast.JoinedStr) or (isinstance(text, ast.Constant) and " " in str(text.value)):
                    yield f"{path}:{node.value.lineno}"

    assert [place for path in CLI for place in declared(path)] == []


def test_the_options_of_a_service_are_told_as_its_settings_are() -> None:
    told = words("en")
    for row in TABLE:
        if row.flag is not None:
            assert told.say(f"cli_serve.serve.{row.name}") == row.help


PRINTERS = (
    "echo",
    "confirm",
    "prompt",
    "_say",
    "_print_error",
    "_print_note",
    "write",
    "print_page",
    "print_table",
    "print_facts",
    "print_more",
    "DoctorFinding",
)
"""What prints its arguments; `write` is that of a stream."""
STAYS_ENGLISH = {
    "kingmaker-arena {}",  # the name of the program
    "arena: {}",  # what a service says of itself to its operator, and the beginning of every error
    "arena: ended at once; {}",  # ends as the error does that is raised when there is time
    "bot {}| {}\n",  # a line of the bot's own
    "  stdout | {}",  # another one, behind the name of its stream
}


def literals_printed(path: Path) -> Iterator[str]:
    """What is printed without being asked of the catalogue: a text, or part of one, that has words of its own."""
    for node in ast.walk(ast.parse(text_of(path))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in PRINTERS:
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                yield from sentences_in(argument)


def sentences_in(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Call):
        return  # `say`, or what makes a text elsewhere
    if isinstance(node, ast.JoinedStr):
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        if re.search(r"[A-Za-z]{2}", text):
            yield text
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        if re.search(r"[A-Za-z]{2}.* ", node.value):
            yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from sentences_in(child)


def test_no_sentence_is_printed_that_the_catalogue_does_not_know() -> None:
    found = {text: path for path in CLI for text in literals_printed(path)}
    assert {text: str(path) for text, path in found.items() if text not in STAYS_ENGLISH} == {}
    assert found.keys() >= STAYS_ENGLISH
