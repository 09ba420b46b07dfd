"""Fixtures for tests that start real bot processes: a mark on every process, and a game that follows a script."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.patience import patient_endings
from tests.support.processes import outliving_processes
from tests.support.specs import installed_script_game


@pytest.fixture(scope="module")
def mark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Stands in the environment of every process that the tests of a module start; none outlives them."""
    with marked_home(tmp_path_factory.mktemp("home")) as mark:
        yield mark


@contextmanager
def marked_home(home: Path) -> Iterator[str]:
    """Give the mark of all processes that are started in the block, by their home; none outlives it."""
    with pytest.MonkeyPatch.context() as patch, patient_endings():
        patch.setenv("HOME", str(home))
        yield f"HOME={home}"
        left = outliving_processes(f"HOME={home}")
        assert left == {}, left


@pytest.fixture(scope="module", autouse=True)
def script_game() -> Iterator[None]:
    with installed_script_game():
        yield
