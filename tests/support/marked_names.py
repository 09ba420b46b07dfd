"""A plug-in of pytest that lists what the marks `hostile` and `host_fault` of the selected tests name, and where."""

from __future__ import annotations

import pytest

MARKS = ("hostile", "host_fault")
LISTED, FILE = "named by a mark: ", "in the file: "


def pytest_collection_finish(session: pytest.Session) -> None:
    """Print every name and every file once, a line each."""
    names = {name for item in session.items for mark in MARKS for one in item.iter_markers(mark) for name in one.args}
    writer = session.config.get_terminal_writer()
    writer.line()
    for name in sorted(names):
        writer.line(LISTED + name)
    for file in sorted({str(item.path) for item in session.items}):
        writer.line(FILE + file)
