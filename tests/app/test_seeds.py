"""Seeds where bots have owners: the organiser is told what repeats a tournament, and nobody else."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.model.errors import ForbiddenError, RefusedError
from arena.model.planning import TournamentRequest
from arena.tournament.formats.seeds import secret_from_seed
from ratings.ledger.ledger import Ledger
from ratings.read.accounts import find_owner
from ratings.store.database import Database
from ratings.values.states import Scope
from tests.cli.support import write_bot

Asked = Callable[[str], LocalArena]
REQUEST = TournamentRequest(
    format="round-robin",
    settings={"blocks": 1},
    game="foreign_king",
    seats=2,
    bots=("ann/fox", "ben/fox"),
    time="100ms",
    start_limit="10s",
    seed=7,
    rated=False,
)


@pytest.fixture
def asked_by(database: Database, tmp_path: Path) -> Asked:
    """A service with `fox` of ann and of ben, as somebody asks it."""
    store = VersionStore(tmp_path / "arena.bots")
    for owner in ("ann", "ben"):
        stored = store.add(write_bot(tmp_path / owner, "fox", body=f"# {owner}"))
        Ledger(database).add_version(
            bot="fox", owner=owner, content_hash=stored.hash, manifest=stored.manifest.to_json()
        )

    def ask(who: str) -> LocalArena:
        viewer = Viewer() if who == "organiser" else Viewer(Scope.COMPETITOR, find_owner(database, who).id, who)
        return LocalArena(database, StoredPrograms(store), viewer)

    return ask


def test_the_organiser_alone_is_told_the_secret_and_repeats_everything_with_it(asked_by: Asked) -> None:
    organiser = asked_by("organiser").tournaments
    planned = organiser.create_tournament(REQUEST)
    assert planned.seeded
    assert planned.secret not in (None, secret_from_seed(7).hex())
    assert organiser.get_tournament(planned.id).secret == planned.secret
    assert asked_by("ann").tournaments.get_tournament(planned.id).secret is None
    again = organiser.create_tournament(replace(REQUEST, seed=None, secret=planned.secret))
    assert organiser.get_tournament(again.id).secret == planned.secret
    assert again.seeded


def test_an_owner_gets_a_seed_of_his_own_and_no_secret(asked_by: Asked) -> None:
    own = asked_by("ann").tournaments.create_tournament(REQUEST)
    assert own.secret is None
    organiser = asked_by("organiser").tournaments
    assert organiser.get_tournament(own.id).secret != organiser.create_tournament(REQUEST).secret
    with pytest.raises(ForbiddenError, match="only an organiser"):
        asked_by("ann").tournaments.create_tournament(replace(REQUEST, seed=None, secret="00" * 32))


@pytest.mark.parametrize("secret", ["", "00", "0" * 63, "z" * 64, "0" * 66])
def test_what_is_no_secret_is_refused_with_a_remedy(asked_by: Asked, secret: str) -> None:
    with pytest.raises((RefusedError, ValueError), match="64 hexadecimal digits; copy it whole"):
        asked_by("organiser").tournaments.create_tournament(replace(REQUEST, seed=None, secret=secret))
