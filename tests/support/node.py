"""Node.js for tests, as an organiser would offer it to bots."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

from arena.hosting.runtimes.settings import RuntimeDefinition, RuntimeKind, RuntimeSettings
from tests.support.languages import skip_or_fail

OLDEST = 18


@cache
def _missing() -> str:
    program = shutil.which("node")
    if program is None:
        return "there is no Node.js here: install the package nodejs"
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    major = int(said.removeprefix("v").partition(".")[0])
    return "" if major >= OLDEST else f"Node.js {OLDEST} or newer is needed, this is {said.strip()}"


def need_node() -> str:
    """The path of Node.js, or the test is skipped."""
    if why := _missing():
        skip_or_fail(why)
    program = shutil.which("node")
    assert program is not None
    return program


def node_settings() -> RuntimeSettings:
    """The settings in which the runtime `node` is this machine's Node.js; empty where there is none."""
    program = shutil.which("node")
    if program is None:
        return RuntimeSettings()
    return RuntimeSettings({"node": RuntimeDefinition("node", RuntimeKind.NODE, program=Path(program))})
