import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.places import CHOICES, Place, write_quick_bot


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """An empty place; after the test no process of it may be left."""
    made = Place(tmp_path)
    yield made
    made.wait_until_nothing_runs()


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with three quick deterministic bots in its database; to be copied, not used."""
    directory = tmp_path_factory.mktemp("prepared")
    place = Place(directory)
    place.ok("bot", "add", *(write_quick_bot(directory / "sources" / name, name) for name in CHOICES))
    return directory


@pytest.fixture
def field(place: Place, prepared: Path) -> Place:
    """A place with three quick deterministic bots: first, last, drawn."""
    shutil.copytree(prepared, place.directory, dirs_exist_ok=True)
    return place
