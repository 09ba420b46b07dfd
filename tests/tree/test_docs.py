"""Keeps help and documents true: every command explains itself, every setting and licence is written down."""

from __future__ import annotations

import re
import shlex
import sysconfig
from collections.abc import Iterator
from functools import cache
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Any

from tests.support.reporting import report
from tests.support.sources import ROOT

NEEDED = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/quick-start.md", "docs/write-a-bot.md"]
NEEDED += ["docs/run-a-tournament.md", "docs/protocol.md", "docs/operations.md", "docs/licences.md"]

SHELL_BLOCK = re.compile(r"^```(?:sh|console)\n(?P<body>.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^)#\s]+)(?:#[^)\s]*)?\)")


@cache
def documents() -> dict[Path, str]:
    """The text of every document."""
    paths = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
    return {path: path.read_text(encoding="utf-8") for path in paths}


@cache
def commands() -> dict[str, Any]:
    """Every command and noun by its full name, from the parser itself; none of them does anything when it is called."""
    # It imports all commands, which whoever collects the tests need not.
    from arena.cli.app import make_parser

    def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
        command.callback = None
        yield name, command
        for child, below in getattr(command, "commands", {}).items():
            yield from walk(f"{name} {child}", below)

    return dict(walk("arena", make_parser()))


def fault_of(line: str) -> str | None:
    """Why a command line cannot be parsed; nothing if it can."""
    try:
        commands()["arena"].main(shlex.split(line)[1:], prog_name="arena", standalone_mode=False)
    except (Exception, SystemExit) as error:
        return f"{line}: {error!r}"
    return None


def faults_of(lines: list[str]) -> list[str]:
    """A line for each command line that cannot be parsed; a test of all at once costs a hundredth of one for each."""
    return [fault for line in dict.fromkeys(lines) if (fault := fault_of(line))]


def examples_of(command: Any) -> list[str]:
    """The command lines below the help of a command."""
    return [line.strip() for line in (command.epilog or "").splitlines() if line.strip().startswith("arena")]


def command_lines(text: str) -> list[str]:
    """The `arena ...` lines of the shell blocks: continued lines joined; comments, prompt and last `&` cut."""
    lines = []
    for block in SHELL_BLOCK.finditer(text):
        for line in block["body"].replace("\\\n", " ").splitlines():
            words = line.removeprefix("$ ").partition(" #")[0].strip().removesuffix(" &").removeprefix(".venv/bin/")
            if words.startswith("arena "):
                lines.append(words)
    return lines


def test_every_command_has_help_with_an_example() -> None:
    assert len(commands()) > 100
    texts = {name: (command.help or "", command.epilog or "") for name, command in commands().items()}
    report(name for name, (told, examples) in texts.items() if not told or "Example" not in examples)


def test_the_examples_of_a_command_parse_and_show_that_command() -> None:
    examples = {name: examples_of(command) for name, command in commands().items()}
    report(name for name, lines in examples.items() if not any(line.startswith(name) for line in lines))
    report(faults_of([line for lines in examples.values() for line in lines]))


def test_every_parameter_has_help() -> None:
    parameters = [(name, one) for name, command in commands().items() for one in command.params]
    report(f"{name}: {one.name}" for name, one in parameters if not (one.help or one.hidden))


def test_the_command_lines_of_the_documents_parse() -> None:
    lines = {path.name: command_lines(text) for path, text in documents().items()}
    assert sum(map(len, lines.values())) > 100
    report({name: faults for name, found in lines.items() if (faults := faults_of(found))})


def test_a_command_line_that_does_not_parse_is_told() -> None:
    (fault,) = faults_of(["arena match run --no-such-option", "arena --help"])
    assert "no-such-option" in fault


def test_every_command_stands_in_a_document() -> None:
    text = "\n".join(documents().values())
    leaves = [name for name, command in commands().items() if not getattr(command, "commands", None)]
    report(name for name in leaves if name not in text)


def test_the_documents_are_there() -> None:
    missing = [name for name in NEEDED if not (ROOT / name).is_file()]
    assert not missing


def test_links_to_other_files_lead_somewhere() -> None:
    links = [(path, link["target"]) for path, text in documents().items() for link in LINK.finditer(text)]
    within = [(path, target) for path, target in links if "://" not in target]
    report(f"{path.name}: {target}" for path, target in within if not (path.parent / target).exists())


def test_every_setting_is_documented_with_its_default_and_help() -> None:
    from arena.cli.shared.settings import SETTINGS

    operations = documents()[ROOT / "docs/operations.md"]
    entries = [f"- **`{setting.variable}`**, default `{setting.default}`: {setting.help}\n" for setting in SETTINGS]
    assert entries
    report(entry for entry in entries if entry not in operations)


def test_every_variable_that_the_documents_name_exists() -> None:
    from arena.cli.shared.settings import SETTINGS
    from arena.service.settings import TABLE

    known = {"ARENA_ADDRESS", "ARENA_TOKEN", "ARENA_BOT_DIR", "ARENA_GAME", "ARENA_STREAM_FD"}
    known |= {one.variable for one in SETTINGS} | {str(row.variable) for row in TABLE}
    named = {path.name: set(re.findall(r"\bARENA_[A-Z_]+\b", text)) for path, text in documents().items()}
    report({name: unknown for name, found in named.items() if (unknown := found - known)})


def test_the_changelog_tells_of_this_version() -> None:
    assert f"## {version('kingmaker-arena')}" in documents()[ROOT / "CHANGELOG.md"]


def run_time_packages() -> list[str]:
    lock = (ROOT / "requirements/run.lock").read_text(encoding="utf-8")
    return re.findall(r"^([a-zA-Z0-9._-]+)==", lock, re.MULTILINE)


def licence_of(package: str) -> str | None:
    """The licence as the package's own metadata states it; None if the package is not for this Python or platform."""
    # Not wherever this process looks by now: Ray, once imported, adds what it brings along.
    found = next(iter(distributions(name=package, path=[sysconfig.get_path("purelib")])), None)
    if found is None:
        return None
    data = found.metadata
    if "License-Expression" in data:
        return str(data["License-Expression"])
    classifiers = [line for line in data.get_all("Classifier") or [] if line.startswith("License ::")]
    return classifiers[0].rpartition(" :: ")[2] if classifiers else str(data["License"])


def test_the_licence_of_every_run_time_package_is_listed() -> None:
    licences = {package: licence_of(package) for package in run_time_packages()}
    rows = [f"| {package} | {licence} |" for package, licence in licences.items() if licence is not None]
    assert len(rows) > 30
    listed = documents()[ROOT / "docs/licences.md"]
    report(row for row in rows if row not in listed)
