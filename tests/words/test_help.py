"""The help of every command is in the catalogue, in every language, and nothing of it stands in the code."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli.app import make_parser
from arena.service.settings.table import TABLE
from arena.words.catalogue import LANGUAGES, words
from tests.support.sources import sources_below, tree_of

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
        for node in ast.walk(tree_of(path)):
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
