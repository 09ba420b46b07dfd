"""Tournaments: the cores and the seeds that a service plans, and comparisons as people see them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from arena.app.accounts import StoredUsage
from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.model.errors import ForbiddenError, RefusedError
from arena.model.tournament_requests import TournamentRequest
from arena.model.tournaments import ComparisonResult, comparison_note, elo_text
from arena.tournament.formats.random_seeds import secret_from_seed
from ratings.ledger.ledger import Ledger
from ratings.read.accounts import find_owner
from ratings.read.tournaments import tournament_row
from ratings.store.database import Database
from ratings.values.states import Scope
from tests.app.world import make_world
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


WATCHER = Viewer(Scope.VIEWER)


def test_the_walk_begins_at_nothing_and_ends_at_what_is_known(empty: Path, tmp_path: Path) -> None:
    from fastapi.testclient import TestClient

    from arena.web.app import make_app
    from arena.web.shared.site import Site

    with make_world(empty, tmp_path, range(8), game="foreign_king", is_comparison=True) as world:
        arena: LocalArena = world.asked_by(WATCHER)
        walk = arena.overview.walk_comparison(world.tournament, 100)
        known = arena.tournaments.get_tournament(world.tournament).comparison
        assert known is not None
        assert [point.pairs for point in walk] == [0, 1, 2]
        assert walk[0].log_ratio == 0.0
        assert walk[-1].log_ratio == known.log_ratio
        assert [point.pairs for point in arena.overview.walk_comparison(world.tournament, 1)] == [0, 2]
        client = TestClient(make_app(Site(arena)))
        assert f'href="/compare/{world.tournament}"' in client.get(f"/tournaments/{world.tournament}").text
        text = client.get(f"/compare/{world.tournament}").text
        assert 'class="bound good"' in text
        assert text.count("polyline") == 1


def test_the_walk_ends_before_the_first_pair_that_is_not_over(empty: Path, tmp_path: Path) -> None:
    with make_world(empty, tmp_path, range(5), game="foreign_king", is_comparison=True) as world:
        walk = world.asked_by(WATCHER).overview.walk_comparison(world.tournament, 100)
        assert [point.pairs for point in walk] == [0, 1]


def test_what_compares_nothing_has_no_walk(empty: Path, tmp_path: Path) -> None:
    with (
        make_world(empty, tmp_path, range(2), game="foreign_king") as world,
        pytest.raises(RefusedError, match="compares nothing"),
    ):
        world.asked_by(WATCHER).overview.walk_comparison(world.tournament, 100)


FOUND = ComparisonResult(
    answer=None,
    log_ratio=-1.25,
    bounds=(-3.0, 3.0),
    mean=-0.03,
    error=0.02,
    pairs=40,
    answered_after=None,
    games=80,
    identical_games=0,
    identical_pairs=0,
    wins=30,
    ties=4,
    losses=46,
    low=-0.07,
    high=0.01,
    superiority=0.0668,
)


def test_it_tells_outcomes_gain_superiority_and_ratio() -> None:
    assert comparison_note(FOUND) == "W/D/L 30/4/46, -21 Elo (-49..+7), LOS 6.7%, log ratio -1.25 (-3.00..3.00)"


@pytest.mark.parametrize("forfeits", [(68, 0), (0, 3)])
def test_forfeits_are_told_where_there_are_any(forfeits: tuple[int, int]) -> None:
    new, old = forfeits
    note = comparison_note(replace(FOUND, new_forfeits=new, old_forfeits=old))
    assert note.endswith(f", forfeits NEW {new}, OLD {old}")


@pytest.mark.parametrize(("gain", "told"), [(0.5, ">+800"), (-0.5, "<-800"), (0.0, "+0"), (0.249, "+190")])
def test_an_elo_is_told_as_far_as_a_score_shows_it(gain: float, told: str) -> None:
    assert elo_text(gain) == told
