"""Cores that are asked of a service: it grants hosted bots one, and remote bots have their own."""

from pathlib import Path

import pytest

from arena.app.accounts import StoredUsage
from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.model.errors import RefusedError
from arena.model.planning import TournamentRequest
from ratings.ledger.ledger import Ledger
from ratings.read.tournaments import tournament_row
from ratings.store.database import Database
from tests.cli.support import write_bot


def asked(bots: tuple[str, ...], cores: int | None) -> TournamentRequest:
    return TournamentRequest(
        format="round-robin",
        settings={"blocks": 1},
        game="foreign_king",
        seats=2,
        bots=bots,
        time="100ms",
        start_limit="10s",
        rated=False,
        cores=cores,
    )


@pytest.fixture
def store(database: Database, tmp_path: Path) -> VersionStore:
    store = VersionStore(tmp_path / "arena.bots")
    for name in ("fox", "owl"):
        stored = store.add(write_bot(tmp_path / name, name))
        Ledger(database).add_version(bot=name, content_hash=stored.hash, manifest=stored.manifest.to_json())
    return store


def test_a_service_grants_one_core(database: Database, store: VersionStore) -> None:
    programs = StoredPrograms(store)
    service = LocalArena(database, programs, Viewer(), StoredUsage(database, store))
    with pytest.raises(RefusedError, match="a service grants each bot one core; leave out --cores"):
        service.tournaments.create_tournament(asked(("fox", "owl"), 2))
    for cores in (None, 1):
        planned = service.tournaments.create_tournament(asked(("fox", "owl"), cores))
        assert tournament_row(database, planned.id).pool.cores == 1


def test_on_a_database_of_ones_own_as_many_are_granted_as_are_asked(database: Database, store: VersionStore) -> None:
    planned = LocalArena(database, StoredPrograms(store)).tournaments.create_tournament(asked(("fox", "owl"), 2))
    assert tournament_row(database, planned.id).pool.cores == 2
