"""Matches with whoever can play now: challenges, by a bot of one's own and not too often; tables with people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.model.errors import ForbiddenError, RefusedError, UnknownError
from arena.model.human_play import GUEST_VERSION, TableRequest
from arena.model.ladders import LadderRequest
from arena.model.tournament_requests import ChallengeRequest, TournamentRequest
from arena.tournament.errors import RequestError
from arena.tournament.formats.format import ScheduleError
from engine.core import EngineError, OptionsError, SeatsError
from ratings.ledger.ledger import Ledger
from ratings.ledger.remote_bots import RemoteJoin
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.accounts import find_owner
from ratings.store.database import Database
from ratings.store.models import VersionRecord
from ratings.store.sessions import write
from ratings.values.owners import ChallengeLimits, OwnerLimits
from ratings.values.pools import RatingMethod
from ratings.values.states import Scope
from tests.cli.support import write_bot

Asked = Callable[..., LocalArena]
"""Who asks, and the limits of challenges if they are not the usual ones."""


@pytest.fixture
def connected() -> set[str]:
    """The hashes of the remote versions that are connected."""
    return set()


@pytest.fixture
def asked_by(database: Database, tmp_path: Path, connected: set[str]) -> Asked:
    """A service with `fox` of ann and of ben, as somebody asks it."""
    store = VersionStore(tmp_path / "arena.bots")
    for owner in ("ann", "ben"):
        stored = store.add(write_bot(tmp_path / owner, "fox", body=f"# {owner}"))
        manifest = stored.manifest.to_json()
        Ledger(database).add_version(bot="fox", owner=owner, content_hash=stored.hash, manifest=manifest)

    def ask(who: str, *limits: int) -> LocalArena:
        viewer = Viewer() if who == "organiser" else Viewer(Scope.COMPETITOR, find_owner(database, who).id, who)
        challenges = ChallengeLimits(*limits)
        return LocalArena(
            database, StoredPrograms(store), viewer, is_connected=connected.__contains__, challenges=challenges
        )

    return ask


def connect(database: Database, connected: set[str], bot: str, version: str = "1", game: str = "*") -> None:
    owner, _, name = bot.partition("/")
    joined = ServiceLedger(database).join_remote(RemoteJoin(owner, name, version, (game,)), OwnerLimits())
    connected.add(joined.version.content_hash)


def order(bot: str, *opponents: str, **changes: Any) -> ChallengeRequest:
    fields: dict[str, Any] = {"seats": 2, "blocks": 3, "time": "50ms", "start_limit": "10s", "game": "foreign_king"}
    return ChallengeRequest(bot=bot, opponents=opponents, **{**fields, **changes})


def entrants(arena: LocalArena, tournament: str) -> list[str]:
    return [row.bot for row in arena.tournaments.get_tournament(tournament).standings]


def test_a_challenge_is_an_unrated_tournament_against_a_bot_of_anybody(asked_by: Asked) -> None:
    ann = asked_by("ann")
    planned = ann.tournaments.challenge_bot(order("fox", "ben/fox"))
    found = ann.tournaments.get_tournament(planned.id)
    assert planned.name == "challenge-1"
    assert (found.summary.rated, found.summary.remote, found.summary.total) == (False, False, 6)
    assert found.settings["challenger"] == "ann"
    assert entrants(ann, planned.id) == ["ann/fox", "ben/fox"]
    with pytest.raises(ForbiddenError):
        asked_by("ben").tournaments.cancel_tournament(planned.id)
    assert ann.tournaments.cancel_tournament(planned.id).matches == 6, "who challenged may give it up"


def test_remote_bots_challenge_and_are_challenged_while_they_are_connected(
    database: Database, connected: set[str], asked_by: Asked
) -> None:
    for bot in ("ann/owl", "ben/elk"):
        connect(database, connected, bot)
    ann = asked_by("ann")
    for own, other in (("fox", "ben/elk"), ("owl", "ben/elk"), ("owl", "ben/fox")):
        planned = ann.tournaments.challenge_bot(order(own, other))
        assert ann.tournaments.get_tournament(planned.id).summary.remote
    connected.clear()
    for own, other in (("fox", "ben/elk"), ("owl", "ben/fox")):
        with pytest.raises(RefusedError, match=r"is not connected now; its author connects it: arena bot connect"):
            ann.tournaments.challenge_bot(order(own, other))


def test_who_names_no_clock_gets_more_time_with_a_remote_bot(
    database: Database, connected: set[str], asked_by: Asked
) -> None:
    connect(database, connected, "ben/elk")
    ann = asked_by("ann")

    def clock(opponent: str, time: str) -> str:
        planned = ann.tournaments.challenge_bot(order("fox", opponent, time=time))
        found = ann.tournaments.get_tournament(planned.id).summary.time_control
        ann.tournaments.cancel_tournament(planned.id)
        return found

    assert clock("ben/elk", "") == "1s"
    assert clock("ben/fox", "") == "100ms"
    assert clock("ben/elk", "50ms") == "50ms"


def test_the_version_of_a_remote_bot_that_is_connected_is_challenged_not_the_newest(
    database: Database, connected: set[str], asked_by: Asked
) -> None:
    for version in ("1", "2", "1"):
        connected.clear()
        connect(database, connected, "ben/elk", version)
    ann = asked_by("ann")
    planned = ann.tournaments.challenge_bot(order("fox", "ben/elk"))
    assert [row.number for row in ann.tournaments.get_tournament(planned.id).standings] == [1, 1]
    newest = ann.bots.find_version("ben/elk").content_hash[:12]
    with pytest.raises(RefusedError, match="version 2 of it is not connected now"):
        ann.tournaments.challenge_bot(order("fox", f"ben/elk@{newest}"))
    version = ann.bots.find_version("ben/elk").version_id
    with write(database) as session:  # as an import may have it
        session.get_one(VersionRecord, version).manifest = {}
    with pytest.raises(RefusedError, match="version 2 of it is not connected now"):
        ann.tournaments.challenge_bot(order("fox", f"ben/elk@{newest}"))


def test_nobody_challenges_with_a_bot_of_another(asked_by: Asked) -> None:
    with pytest.raises(ForbiddenError, match="ben/fox is not yours, so you may not challenge with it"):
        asked_by("ann").tournaments.challenge_bot(order("ben/fox", "fox"))
    assert asked_by("organiser").tournaments.challenge_bot(order("ben/fox", "ann/fox")).name == "challenge-1"


def test_a_bot_that_does_not_play_the_game_or_is_barred_is_not_challenged(
    database: Database, connected: set[str], asked_by: Asked
) -> None:
    ann = asked_by("ann")
    connect(database, connected, "ben/elk", game="rex_romanorum")
    with pytest.raises(RequestError, match="does not play foreign_king; when it joined, it named: rex_romanorum"):
        ann.tournaments.challenge_bot(order("fox", "ben/elk"))
    Ledger(database).set_disabled("ben/fox", disabled=True)
    with pytest.raises(RefusedError, match="ben/fox is disabled; its owner lets it in again"):
        ann.tournaments.challenge_bot(order("fox", "ben/fox"))
    ServiceLedger(database).set_owner_disabled("ben", disabled=True)
    with pytest.raises(RefusedError, match="the owner of ben/elk is disabled; challenge another bot"):
        ann.tournaments.challenge_bot(order("fox", "ben/elk"))
    assert list(ann.tournaments.list_tournaments().items) == []


IMPOSSIBLE: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"opponents": ("nobody",)}, UnknownError, "nobody"),
    ({"opponents": ()}, ScheduleError, "2 seats need at least 2 entrants, not 1"),
    ({"opponents": ("fox",)}, RequestError, "is entered more than once"),
    ({"seats": 3}, ScheduleError, "3 seats need at least 3 entrants, not 2"),
    ({"seats": 0}, EngineError, "seats"),
    ({"blocks": 0}, ScheduleError, "at least 1 block"),
    ({"blocks": 101}, RefusedError, "these are 202 matches, and a challenge has 200 at most"),
    ({"game": "chess"}, Exception, "chess"),
    ({"time": "soon"}, Exception, "soon"),
]


def test_what_cannot_be_played_is_refused(asked_by: Asked) -> None:
    ann = asked_by("ann")
    for changes, error, said in IMPOSSIBLE:
        others = {name: value for name, value in changes.items() if name != "opponents"}
        with pytest.raises(error, match=said):
            ann.tournaments.challenge_bot(order("fox", *changes.get("opponents", ("ben/fox",)), **others))
    assert list(ann.tournaments.list_tournaments().items) == []


LONG: list[dict[str, str]] = [
    *({"time": time} for time in ("none", "36000s", "11s", "301+1", "60+11", "60+1/11s")),
    {"start_limit": "7200s"},
]


def test_nobody_holds_others_up_with_a_clock_that_lasts_for_hours(asked_by: Asked) -> None:
    ann, organiser = asked_by("ann"), asked_by("organiser")
    for clock in LONG:
        with pytest.raises(RefusedError, match="--time 10s"):
            ann.tournaments.challenge_bot(order("fox", "ben/fox", **clock))
        planned = organiser.tournaments.challenge_bot(order("ann/fox", "ben/fox", **clock))
        assert planned, "whose machine it is"
        organiser.tournaments.cancel_tournament(planned.id)
    for time in ("10s", "300+10", "60+1/10s"):
        planned = ann.tournaments.challenge_bot(order("fox", "ben/fox", time=time))
        ann.tournaments.cancel_tournament(planned.id)


def test_an_owner_has_so_many_challenges_open_and_another_one_has_his_own(asked_by: Asked) -> None:
    ann, ben = asked_by("ann"), asked_by("ben")
    planned = [ann.tournaments.challenge_bot(order("fox", "ben/fox")).id for _ in range(3)]
    with pytest.raises(RefusedError, match="3 of your challenges are not over, and 3 may be; wait for one"):
        ann.tournaments.challenge_bot(order("fox", "ben/fox"))
    ben.tournaments.challenge_bot(order("fox", "ann/fox"))
    ann.tournaments.cancel_tournament(planned[0])
    assert ann.tournaments.challenge_bot(order("fox", "ben/fox")).id not in planned


def test_the_service_says_how_many_challenges_and_how_many_matches_there_may_be(asked_by: Asked) -> None:
    ann = asked_by("ann", 1, 6)
    with pytest.raises(RefusedError, match="these are 8 matches, and a challenge has 6 at most"):
        ann.tournaments.challenge_bot(order("fox", "ben/fox", blocks=4))
    ann.tournaments.challenge_bot(order("fox", "ben/fox", blocks=3))
    with pytest.raises(RefusedError, match="1 of your challenges are not over, and 1 may be; wait for one"):
        ann.tournaments.challenge_bot(order("fox", "ben/fox"))


def test_a_limit_of_0_is_none(asked_by: Asked) -> None:
    ann = asked_by("ann", 0, 0)
    for _ in range(4):
        ann.tournaments.challenge_bot(order("fox", "ben/fox", blocks=101))


def test_where_no_remote_bots_are_taken_none_is_challenged(
    database: Database, connected: set[str], asked_by: Asked, tmp_path: Path
) -> None:
    connect(database, connected, "ben/elk")
    viewer = Viewer(Scope.COMPETITOR, find_owner(database, "ann").id, "ann")
    arena = LocalArena(database, StoredPrograms(VersionStore(tmp_path / "arena.bots")), viewer)
    with pytest.raises(RefusedError, match=r"only a service that sets service\.play_address plays with it"):
        arena.tournaments.challenge_bot(order("fox", "ben/elk"))


@pytest.fixture
def guests(database: Database) -> set[str]:
    """The hashes of the remote versions that are connected: two guests."""
    ledger = ServiceLedger(database)
    ledger.ensure_people()
    joins = [RemoteJoin("people", f"guest-{number}", GUEST_VERSION, ("*",)) for number in (1, 2)]
    return {ledger.join_remote(join, OwnerLimits()).version.content_hash for join in joins}


@pytest.fixture
def arena(database: Database, tmp_path: Path, guests: set[str]) -> LocalArena:
    """An arena with the sample `fox` and a bot of ann that was not admitted, as its organiser asks it."""
    store = VersionStore(tmp_path / "arena.bots")
    for owner in (None, "ann"):
        stored = store.add(write_bot(tmp_path / f"{owner}", "fox", body=f"# {owner}"))
        manifest = stored.manifest.to_json()
        Ledger(database).add_version(bot="fox", owner=owner, content_hash=stored.hash, manifest=manifest)
    return LocalArena(database, StoredPrograms(store), Viewer(), is_connected=guests.__contains__)


def table_order(*bots: str, **changes: Any) -> TableRequest:
    people = tuple("Anna" if bot.startswith("people/") else "" for bot in bots)
    return TableRequest(**{"game": "foreign_king", "bots": bots, "people": people, "time": "600+30", **changes})


def test_a_table_is_one_unrated_match_with_everybody_in_the_seat_that_was_asked_for(arena: LocalArena) -> None:
    opened = arena.tables.open_table(table_order("fox", "people/guest-2", "fox"))
    found = arena.matches.get_match(opened.match_id)
    assert [seat.bot for seat in found.seats] == ["fox", "people/guest-2", "fox"]
    assert [seat.person for seat in found.seats] == [None, "Anna", None]
    table = arena.tournaments.get_tournament(opened.tournament)
    assert (table.summary.rated, table.summary.total, table.summary.time_control) == (False, 1, "600+30")
    assert table.settings["opening_plies"] == 0
    assert arena.tables.open_table(table_order("people/guest-1", "fox")).tournament == "table-2"


def test_a_rated_table_counts_in_a_pool_of_remote_bots(arena: LocalArena) -> None:
    opened = arena.tables.open_table(table_order("people/guest-1", "fox", rated=True))
    found = arena.tournaments.get_tournament(opened.tournament)
    assert (found.summary.rated, found.pool.remote) == (True, True)


@pytest.mark.needs("openskill")
def test_tables_and_ladders_without_a_method_of_their_own_are_rated_as_the_arena_is_set(
    database: Database, arena: LocalArena
) -> None:
    usual = arena.tables.open_table(table_order("people/guest-1", "fox", rated=True))
    context = arena._context
    set_so = LocalArena(
        database, context.programs, is_connected=context.is_connected, rating_method=lambda: RatingMethod.OPENSKILL
    )
    opened = set_so.tables.open_table(table_order("people/guest-1", "fox", rated=True))
    methods = [arena.tournaments.get_tournament(one.tournament).pool.rating_method for one in (usual, opened)]
    assert methods == list(RatingMethod)
    order = TournamentRequest(
        format="ladder", settings={"waves": 0}, game="foreign_king", seats=2, bots=(), time="1s", start_limit="10s"
    )
    for number, (method, found) in enumerate([(None, "openskill"), ("trueskill", "trueskill")]):
        request = LadderRequest(f"king{number}", replace(order, rating_method=method))
        assert set_so.seasons.open_ladder(request).pool.rating_method == found
    with pytest.raises(RefusedError, match="no rating method 'elo'; use trueskill, openskill"):
        set_so.seasons.open_ladder(LadderRequest("king", replace(order, rating_method="elo")))


def test_two_people_sit_at_one_table(arena: LocalArena) -> None:
    opened = arena.tables.open_table(table_order("people/guest-1", "people/guest-2", people=("Anna", "<b>Bob</b>")))
    assert [seat.person for seat in arena.matches.get_match(opened.match_id).seats] == ["Anna", "<b>Bob</b>"]


NO_TABLES = [
    (table_order("fox", "fox"), "at a table sits a person"),
    (table_order("people/guest-1", "fox", people=("", "Anna")), "every person has a name"),
    (table_order("people/guest-1", "fox", people=("Anna",)), "2 seats and 1 names"),
    (table_order("people/guest-1", "fox", people=("A" * 41, "")), "at most 40 characters"),
    (table_order("people/guest-1", "fox", people=("A\nB", "")), "that can be shown"),
    (table_order("people/guest-1", "people/guest-1"), "choose each once"),
    (table_order("people/guest-1", "ann/fox"), "no version of ann/fox has been admitted"),
]


def test_what_is_no_table_is_refused(arena: LocalArena) -> None:
    for request, why in NO_TABLES:
        with pytest.raises(RefusedError, match=why):
            arena.tables.open_table(request)
    assert arena.tournaments.list_tournaments().items == ()


def test_what_the_game_does_not_have_is_refused_by_its_own_words(arena: LocalArena) -> None:
    with pytest.raises(UnknownError):
        arena.tables.open_table(table_order("people/guest-1", "wolf"))
    with pytest.raises(UnknownError):
        arena.tables.open_table(table_order("people/guest-1", "fox", game="chess"))
    with pytest.raises(SeatsError):
        arena.tables.open_table(table_order("people/guest-1", *["fox"] * 9))
    with pytest.raises(OptionsError):
        arena.tables.open_table(table_order("people/guest-1", "fox", options={"colour": "red"}))


def test_a_guest_who_is_not_there_cannot_sit_down(arena: LocalArena, guests: set[str]) -> None:
    guests.clear()
    with pytest.raises(RefusedError, match="is not connected now"):
        arena.tables.open_table(table_order("people/guest-1", "fox"))


def test_only_the_organiser_opens_tables_for_people(database: Database, arena: LocalArena) -> None:
    for scope in (Scope.VIEWER, Scope.COMPETITOR):
        asked = LocalArena(database, StoredPrograms(VersionStore(Path("none"))), Viewer(scope, "1", "ann"))
        with pytest.raises(ForbiddenError):
            asked.tables.open_table(table_order("people/guest-1", "fox"))
