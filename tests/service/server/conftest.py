"""A server that answers over a socket and over TLS."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.owners import RunningServer, running_server


@pytest.fixture
def server() -> Iterator[RunningServer]:
    # The path of pytest's own directory can be too long for a socket.
    with tempfile.TemporaryDirectory(prefix="kma") as directory, running_server(Path(directory)) as running:
        yield running
