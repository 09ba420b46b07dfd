"""Reads a runtime of kind `node`: the program, and a directory of modules if the organiser names one."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from arena.hosting.bot_environment import links_of
from arena.hosting.manifest import ProgramPlaces
from arena.hosting.runtimes.errors import RuntimeBrokenError
from arena.hosting.runtimes.runtime import SYSTEM_PATH, RuntimeContents, RuntimeLayout
from arena.hosting.runtimes.settings import RuntimeDefinition
from engine.text import Text, placed

_ASK_S = 20


def lay_out(definition: RuntimeDefinition) -> RuntimeLayout:
    """Return where the parts of a runtime of kind `node` lie. Raises RuntimeBrokenError."""
    program = _program(definition)
    modules = definition.modules
    if modules is not None and not modules.is_dir():
        raise RuntimeBrokenError(
            placed(
                f"runtime {definition.name!r}",
                Text(
                    "hosting.no_directory_make_name_right",
                    "there is no directory {path}; make it, or name it right",
                    path=modules,
                ),
            )
        )
    extra = [*definition.trees, *([modules] if modules else [])]
    path = f"{program.parent}:{SYSTEM_PATH}"
    return RuntimeLayout(
        places=ProgramPlaces(definition.name, {"node": str(program), "nodejs": str(program)}, path),
        trees=tuple(sorted({str(place) for place in (*links_of(program), *extra)})),
        environment={"PATH": path, **({"NODE_PATH": str(modules)} if modules else {})},
        hashed={"node": program.resolve(), **{str(tree): tree for tree in extra}},
    )


def contents(definition: RuntimeDefinition) -> RuntimeContents:
    """Return what is in a runtime of kind `node`; the program is asked for its version. Raises RuntimeBrokenError."""
    program = _program(definition)
    return RuntimeContents(_ask_version(program, definition.name), dict(sorted(_versions(definition.modules))))


def _program(definition: RuntimeDefinition) -> Path:
    program = definition.program
    assert program is not None
    if not program.is_file() or not os.access(program, os.X_OK):
        raise RuntimeBrokenError(
            placed(
                f"runtime {definition.name!r}",
                Text(
                    "hosting.no_program_can_run_install",
                    "{program} is no program that can be run; install it",
                    program=program,
                ),
            )
        )
    return program


def _ask_version(program: Path, name: str) -> str:
    command = [str(program), "--version"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_ASK_S, env={}).stdout
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError) as error:
        raise RuntimeBrokenError(
            placed(
                f"runtime {name!r}",
                Text(
                    "hosting.version_does_not_work",
                    "{program} --version does not work ({why})",
                    program=program,
                    why=error,
                ),
            )
        ) from error
    return said.strip().removeprefix("v")[:40]


def _versions(modules: Path | None) -> Iterator[tuple[str, str]]:
    if modules is None:
        return
    for file in sorted((*modules.glob("*/package.json"), *modules.glob("@*/*/package.json"))):
        with suppress(OSError, ValueError):
            data = json.loads(file.read_text(encoding="utf-8"))
            if isinstance(data, dict):
                yield str(file.parent.relative_to(modules)), str(data.get("version", "unknown"))
