from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.api import Arena, Entrant
from tests.api.players import PlaceBot, first
from tests.cli.table import TableExecutor

BOTS = ("random", first, Entrant(PlaceBot(1), name="second"))


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Arena]:
    """A new arena whose matches are played without processes."""
    monkeypatch.setattr("arena.scripting.database_arena.LocalExecutor", TableExecutor)
    with Arena(tmp_path / "table.db", workers=2) as arena:
        yield arena


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """An arena like `table`, for tests to which it does not matter what others played or added before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.scripting.database_arena.LocalExecutor", TableExecutor)
        with Arena(tmp_path_factory.mktemp("shared") / "shared.db", workers=2) as arena:
            yield arena


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """An arena in which a tournament, `study`, and a match were played without processes; to be asked alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.scripting.database_arena.LocalExecutor", TableExecutor)
        with Arena(tmp_path_factory.mktemp("played") / "played.db", workers=2) as arena:
            arena.tournament("foreign_king", BOTS, blocks=1, seed=7, name="study", progress=False)
            arena.match("foreign_king", ["random", first, "random"], seed=7, name="one")
            yield arena
