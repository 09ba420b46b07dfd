"""Finds the runtimes that a machine has without anybody defining them: Node.js, where it is installed.

A sandbox shows the programs of the system to every bot anyway, so a runtime of their own opens nothing to anybody.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from arena.hosting.debian_packages import NODE
from arena.hosting.runtimes.settings import RuntimeDefinition, RuntimeKind


def installed_runtimes(path: str) -> Mapping[str, RuntimeDefinition]:
    """Return `node` if its program lies in one of the directories of `path`, which is written like PATH."""
    program = shutil.which(NODE, path=path)
    return {} if program is None else {NODE: RuntimeDefinition(NODE, RuntimeKind.NODE, program=Path(program))}
