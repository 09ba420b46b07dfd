"""Who may do what, and what the bots are called by whom."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.model.errors import ForbiddenError, RefusedError, UnknownError
from arena.model.tournament_requests import TournamentRequest
from ratings.ledger.ledger import Ledger
from ratings.read.accounts import find_owner
from ratings.store.database import Database
from ratings.values.states import Scope
from tests.cli.support import write_bot

Asked = Callable[[str], LocalArena]


@pytest.fixture
def asked_by(database: Database, tmp_path: Path) -> Asked:
    """An arena with `fox` of the operator, of ann and of ben, as somebody asks it."""
    store = VersionStore(tmp_path / "arena.bots")
    for owner in (None, "ann", "ben"):
        stored = store.add(write_bot(tmp_path / f"of {owner}", "fox", body=f"# {owner}"))
        manifest = stored.manifest.to_json()
        Ledger(database).add_version(bot="fox", owner=owner, content_hash=stored.hash, manifest=manifest)

    def ask(who: str) -> LocalArena:
        viewer = (
            Viewer(Scope(who)) if who in list(Scope) else Viewer(Scope.COMPETITOR, find_owner(database, who).id, who)
        )
        return LocalArena(database, StoredPrograms(store), viewer)

    return ask


def order(*bots: str, **changes: Any) -> TournamentRequest:
    fields: dict[str, Any] = {
        "format": "round-robin",
        "game": "foreign_king",
        "seats": 2,
        "bots": bots,
        "time": "50ms",
        "start_limit": "10s",
        "rated": False,
    }
    return TournamentRequest(**{**fields, **changes})


def test_a_bare_name_is_the_competitors_own_bot_before_the_operators(asked_by: Asked) -> None:
    assert asked_by("ann").bots.find_version("fox").bot == "ann/fox"
    assert asked_by("organiser").bots.find_version("fox").bot == "fox"
    assert asked_by("viewer").bots.find_version("fox").bot == "fox"
    assert asked_by("ann").bots.find_version("ben/fox").bot == "ben/fox"
    own = asked_by("ann").bots.get_bot("fox").newest.content_hash
    assert asked_by("ann").bots.find_version(f"fox@{own[:8]}").content_hash == own


def test_an_owner_decides_about_his_own_bots_only(asked_by: Asked) -> None:
    assert asked_by("ann").bots.set_disabled("fox", True) == "ann/fox"
    for name in ("ben/fox", "ann/fox"):
        with pytest.raises(ForbiddenError):
            asked_by("viewer").bots.set_disabled(name, True)
    for deed in ("set_disabled", "withdraw_version", "promote_version", "roll_back", "list_events"):
        with pytest.raises(ForbiddenError, match="is not yours"):
            getattr(asked_by("ann").bots, deed)("ben/fox", *([True] if deed == "set_disabled" else []))
    assert asked_by("organiser").bots.set_disabled("ben/fox", True) == "ben/fox"


def test_the_history_of_a_bot_says_who_did_what(asked_by: Asked) -> None:
    asked_by("ann").bots.set_disabled("fox", True)
    newest = asked_by("ann").bots.list_events("fox").items[0]
    assert (newest.kind.value, newest.actor) == ("disabled", "ann")


def test_only_who_is_on_the_machine_is_told_where_files_lie(asked_by: Asked) -> None:
    assert asked_by("organiser").bots.get_bot("ann/fox").newest.directory is not None
    assert asked_by("ann").bots.get_bot("fox").newest.directory is None


def test_a_competitor_tries_out_his_own_bots_without_ratings(asked_by: Asked) -> None:
    planned = asked_by("ann").tournaments.create_tournament(order("fox", "ben/fox"))
    assert asked_by("viewer").tournaments.get_tournament(planned.id).standings[0].bot in ("ann/fox", "ben/fox")
    with pytest.raises(ForbiddenError, match="add --unrated"):
        asked_by("ann").tournaments.create_tournament(order("fox", "ben/fox", rated=True))
    with pytest.raises(ForbiddenError, match="none of these bots is yours"):
        asked_by("ben").tournaments.create_tournament(order("ann/fox", "ann/fox"))
    with pytest.raises(ForbiddenError, match="scope viewer"):
        asked_by("viewer").tournaments.create_tournament(order("fox", "ben/fox"))


def test_a_tournament_is_cancelled_by_who_asked_for_it_and_by_the_organiser(asked_by: Asked) -> None:
    name = asked_by("ann").tournaments.create_tournament(order("fox", "ben/fox")).name
    for who in ("ben", "viewer", "player"):
        with pytest.raises(ForbiddenError):
            asked_by(who).tournaments.cancel_tournament(name)
    assert asked_by("ann").tournaments.cancel_tournament(name).matches == 2
    assert asked_by("organiser").tournaments.cancel_tournament(name).matches == 0


def test_a_watched_tournament_ends_with_its_last_state(asked_by: Asked) -> None:
    planned = asked_by("organiser").tournaments.create_tournament(order("fox", "ben/fox"))
    watched = asked_by("viewer").tournaments.watch_tournament(planned.id)
    first = next(watched)
    assert (first.state.value, first.done, first.total) == ("queued", 0, 2)
    asked_by("organiser").tournaments.cancel_tournament(planned.id)
    last = list(watched)[-1]
    assert (last.state.value, last.done) == ("cancelled", 0)
    assert asked_by("viewer").operations.get_operation(last.id) == last


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "chaos"}, "there is no format 'chaos'"),
        ({"settings": {"blocks": "two"}}, "blocks of round-robin is 'two'"),
        ({"settings": {"blocks": True}}, "blocks of round-robin is True"),
        ({"settings": {"secret": "00"}}, "not secret"),
        ({"game": "foreign_kong"}, "did you mean 'foreign_king'"),
        ({"start_limit": "60+1"}, "is no duration"),
        ({"bots": ("fox", "foxx")}, "did you mean 'fox'"),
    ],
)
def test_what_a_client_may_send_is_checked(asked_by: Asked, changes: dict[str, Any], message: str) -> None:
    with pytest.raises((RefusedError, UnknownError, ValueError), match=message):
        asked_by("organiser").tournaments.create_tournament(order(**{"bots": ("fox", "ben/fox"), **changes}))
    assert asked_by("organiser").tournaments.list_tournaments().items == ()


def test_suspicions_and_whole_verifications_are_for_organisers(asked_by: Asked) -> None:
    with pytest.raises(ForbiddenError, match="only an organiser"):
        asked_by("ann").ratings.list_suspicions()
    with pytest.raises(ForbiddenError, match="only an organiser"):
        asked_by("ann").replays.verify_matches()


def test_whoever_asks_is_told_who_he_is(asked_by: Asked) -> None:
    identity = asked_by("ann").account.get_identity()
    assert (identity.scope, identity.owner) == (Scope.COMPETITOR, "ann")
    assert asked_by("ann").account.list_notices().items == ()
