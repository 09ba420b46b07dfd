"""Finds the runtimes that a machine has without anybody defining them: Node.js, where the system's own is installed.

A sandbox shows the programs of the system to every bot anyway, so a runtime of their own opens nothing to anybody.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from arena.hosting.runtimes.runtime import SYSTEM_PATH
from arena.hosting.runtimes.settings import RuntimeDefinition, RuntimeKind
from arena.hosting.tools import NODE


def installed_runtimes(path: str = SYSTEM_PATH) -> Mapping[str, RuntimeDefinition]:
    """Return `node` if its program lies in one of the directories of `path`, which is written like PATH."""
    program = shutil.which("node", path=path)
    return {} if program is None else {NODE: RuntimeDefinition(NODE, RuntimeKind.NODE, program=Path(program))}
