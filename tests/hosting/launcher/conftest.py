"""A launcher that leaves nothing behind."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from arena.hosting.launcher.client import LauncherClient
from tests.support.patience import patient_endings
from tests.support.processes import marked_processes


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("HOME", str(tmp_path))
    with patient_endings():
        yield f"HOME={tmp_path}"
    assert marked_processes(f"HOME={tmp_path}") == {}


@pytest.fixture
async def launcher(mark: str) -> AsyncIterator[LauncherClient]:
    async with LauncherClient() as launcher:
        yield launcher
