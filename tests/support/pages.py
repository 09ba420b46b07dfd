"""The pages that are lists of commands, for tests that carry them out word for word."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def commands(page: str, heading: str) -> list[str]:
    """The lines of the shell blocks under the first heading of a page, which must begin like that."""
    section = (DOCS / page).read_text(encoding="utf-8").split("\n## ")[1]
    assert section.startswith(heading)
    return [line for block in re.findall(r"```sh\n(.*?)```", section, re.DOTALL) for line in block.splitlines()]


def typed(line: str, filled: Mapping[str, str]) -> list[str]:
    """What a shell makes of the line after `arena`, with what a reader puts in for each text of the page."""
    for text, value in filled.items():
        line = line.replace(text, value)
    words = shlex.split(line)
    assert words[0] == "arena", line
    return words[1:]
