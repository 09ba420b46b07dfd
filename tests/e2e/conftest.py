from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.support import CHOICES, Place, write_quick_bot


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """An empty place; after the test no process of it may be left."""
    made = Place(tmp_path)
    yield made
    made.wait_until_nothing_runs()


@pytest.fixture
def field(place: Place, tmp_path: Path) -> Place:
    """A place with three quick deterministic bots: first, last, drawn."""
    place.ok("bot", "add", *(write_quick_bot(tmp_path / "sources" / name, name) for name in CHOICES))
    return place
