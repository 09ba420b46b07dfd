"""Keeps help and documents true: every command explains itself, every setting and licence is written down."""

import re
import shlex
import sysconfig
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, distributions
from pathlib import Path
from typing import Any

import pytest

from arena.cli.app import make_parser
from arena.cli.shared.errors import EXIT_CODES
from arena.cli.shared.settings import SETTINGS
from arena.service.settings.table import TABLE

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
NEEDED = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/quick-start.md", "docs/write-a-bot.md"]
NEEDED += ["docs/run-a-tournament.md", "docs/protocol.md", "docs/operations.md", "docs/licences.md"]

SHELL_BLOCK = re.compile(r"^```(?:sh|console)\n(?P<body>.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^)#\s]+)(?:#[^)\s]*)?\)")


def commands() -> Iterator[tuple[str, Any]]:
    """Every command and noun with its full name, from the parser itself."""

    def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
        yield name, command
        for child, below in getattr(command, "commands", {}).items():
            yield from walk(f"{name} {child}", below)

    return walk("arena", make_parser())


@cache
def idle_root() -> Any:
    """The whole command line, of which no command does anything."""
    root = make_parser()
    for _, command in list(commands_of(root)):
        command.callback = None
    return root


def parse(line: str) -> None:
    """Parse a command line without doing what it says."""
    idle_root().main(shlex.split(line)[1:], prog_name="arena", standalone_mode=False)


def commands_of(command: Any) -> Iterator[tuple[str, Any]]:
    yield command.name, command
    for below in getattr(command, "commands", {}).values():
        yield from commands_of(below)


def command_lines(text: str) -> list[str]:
    """The `arena ...` lines of the shell blocks: continued lines joined; comments, prompt and last `&` cut."""
    lines = []
    for block in SHELL_BLOCK.finditer(text):
        for line in block["body"].replace("\\\n", " ").splitlines():
            words = line.removeprefix("$ ").partition(" #")[0].strip().removesuffix(" &").removeprefix(".venv/bin/")
            if words.startswith("arena "):
                lines.append(words)
    return lines


COMMANDS = dict(commands())
LEAVES = [name for name, command in COMMANDS.items() if not getattr(command, "commands", None)]
LINES = [(path.name, line) for path in DOCUMENTS for line in command_lines(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name: str) -> None:
    command = COMMANDS[name]
    assert command.help, name
    assert command.epilog, name
    assert "Example" in command.epilog


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_a_command_parse_and_show_that_command(name: str) -> None:
    examples = [line.strip() for line in COMMANDS[name].epilog.splitlines() if line.strip().startswith("arena")]
    assert any(example.startswith(name) for example in examples)
    for example in examples:
        parse(example)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_parameter_has_help(name: str) -> None:
    for parameter in COMMANDS[name].params:
        assert parameter.help or parameter.hidden, f"{name}: {parameter.name}"


@pytest.mark.parametrize(("document", "line"), LINES, ids=[f"{name}: {line}" for name, line in LINES])
def test_the_command_lines_of_the_documents_parse(document: str, line: str) -> None:
    parse(line)


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_stands_in_a_document(name: str) -> None:
    assert any(name in path.read_text(encoding="utf-8") for path in DOCUMENTS), f"no document mentions `{name}`"


def test_the_documents_are_there() -> None:
    missing = [name for name in NEEDED if not (ROOT / name).is_file()]
    assert not missing


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_to_other_files_lead_somewhere(path: Path) -> None:
    for link in LINK.finditer(path.read_text(encoding="utf-8")):
        target = link["target"]
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name}: {target}"


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_documented_with_its_default_and_help(setting: Any) -> None:
    operations = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    assert f"| `{setting.variable}` | `{setting.default}` | {setting.help} |" in operations


def test_every_variable_that_the_documents_name_exists() -> None:
    known = {setting.variable for setting in SETTINGS} | {"ARENA_ADDRESS", "ARENA_TOKEN", "ARENA_BOT_DIR", "ARENA_GAME"}
    known |= {row.variable for row in TABLE}
    for path in DOCUMENTS:
        named = set(re.findall(r"\bARENA_[A-Z_]+\b", path.read_text(encoding="utf-8")))
        assert named <= known, path.name


def test_the_changelog_tells_of_this_version() -> None:
    from importlib.metadata import version

    assert f"## {version('kingmaker-arena')}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_error_with_an_exit_code_exists() -> None:
    import importlib

    for name in EXIT_CODES:
        module, _, attribute = name.rpartition(".")
        kind = getattr(importlib.import_module(module), attribute)
        assert issubclass(kind, BaseException), name
        assert f"{kind.__module__}.{kind.__qualname__}" == name, "an error is looked up where it is defined"


def run_time_packages() -> list[str]:
    lock = (ROOT / "requirements/run.lock").read_text(encoding="utf-8")
    return re.findall(r"^([a-zA-Z0-9._-]+)==", lock, re.MULTILINE)


def licence_of(package: str) -> str:
    """The licence as the package's own metadata states it."""
    # Not wherever this process looks by now: Ray, once imported, adds what it brings along.
    found = next(iter(distributions(name=package, path=[sysconfig.get_path("purelib")])), None)
    if found is None:
        raise PackageNotFoundError(package)
    data = found.metadata
    if "License-Expression" in data:
        return str(data["License-Expression"])
    classifiers = [line for line in data.get_all("Classifier") or [] if line.startswith("License ::")]
    return classifiers[0].rpartition(" :: ")[2] if classifiers else str(data["License"])


@pytest.mark.parametrize("package", run_time_packages())
def test_the_licence_of_every_run_time_package_is_listed(package: str) -> None:
    try:
        licence = licence_of(package)
    except PackageNotFoundError:
        pytest.skip(f"{package} is not for this Python or platform")
    listed = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    assert f"| {package} | {licence} |" in listed
