"""Who may do what, and who sees what: nothing leaks of a match while another with the same chance is not over."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from arena.app.arena import LocalArena
from arena.app.match_visibility import WatchedMatch, event_value, log_part
from arena.app.policy import Viewer, has_secrets, is_hidden
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.match.live import LiveEndEvent, LiveEntryEvent, LiveLogEvent
from arena.model.errors import ClientError, ForbiddenError, HiddenError, RefusedError, UnknownError
from arena.model.tournament_requests import TournamentRequest
from arena.tournament.formats import catalog
from arena.tournament.formats.format import blocks_per_seed
from arena.tournament.locks import hold
from ratings.ledger.ledger import Ledger
from ratings.read.accounts import find_owner
from ratings.store.database import Database
from ratings.values.states import Fared, MatchState, Scope
from tests.app.world import BOTS, CHANCE_SEED, SECRET, SEED, World, make_world, marks_of, text_of
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


GAME = "rex_romanorum"
MATCHES = 8
EVERYBODY = ("organiser", "ann", "ben", "viewer")
STRANGERS = ("ann", "ben", "viewer")

PHASES = (Phase.explicit, Phase.generate)
"""A smaller example would tell no more, and looking for one takes many databases."""

positions = st.sets(st.integers(0, MATCHES - 1))


def viewer_of(world: World, name: str) -> Viewer:
    if name == "organiser":
        return Viewer()
    return Viewer(Scope.VIEWER) if name == "viewer" else world.owner(name)


def answers(arena: LocalArena, ids: dict[int, str]) -> Iterator[str]:
    """What every read answers, as text; a refusal by its message."""
    whole: list[Callable[[], Any]] = [
        arena.tournaments.list_tournaments,
        lambda: arena.tournaments.get_tournament("rex"),
        lambda: arena.tournaments.list_standings("rex"),
        lambda: arena.tournaments.list_leak_checks("rex"),
        lambda: arena.tournaments.get_progress("rex"),
        arena.matches.list_matches,
        lambda: arena.matches.list_matches("rex", state=MatchState.FINISHED),
        lambda: arena.matches.list_matches(fault="TIMEOUT"),
        lambda: arena.matches.list_matches(least_plies=1),
        lambda: arena.tournaments.list_pairings("rex"),
        lambda: arena.tournaments.list_confidence("rex"),
        *(
            lambda bot=bot, fared=fared, limit=limit: arena.matches.list_matches(bot=bot, fared=fared, limit=limit)
            for bot in BOTS
            for fared in Fared
            for limit in (1, 50)
        ),
        arena.leaderboards.list_leaderboards,
        lambda: arena.statistics.get_crosstable("rex"),
        lambda: arena.statistics.list_seats(tournament="rex"),
        lambda: arena.statistics.list_lengths(tournament="rex"),
        lambda: arena.statistics.list_opponents("dog", tournament="rex"),
        lambda: tuple(arena.replays.verify_matches("rex")),
        *(lambda bot=bot: arena.statistics.list_history(bot) for bot in BOTS),
        *(lambda bot=bot: tuple(arena.replays.download_replays(bot)) for bot in BOTS),
        *(lambda bot=bot: arena.matches.list_matches(bot=bot) for bot in BOTS),
    ]
    alone = (arena.matches.get_match, arena.matches.get_times, arena.matches.get_logs, arena.replays.get_replay)
    each = [lambda ask=ask, id_=id_: ask(id_) for id_ in ids.values() for ask in alone]
    yield from (answer(ask) for ask in [*whole, *each])


def answer(ask: Callable[[], Any]) -> str:
    try:
        return text_of(ask())
    except (HiddenError, ForbiddenError, LookupError, ValueError) as error:
        return str(error)
    except Exception as error:
        if "nothing was rated" in str(error):
            return str(error)
        raise


def ids_of(world: World) -> dict[int, str]:
    """The ids of the matches that are over, by position."""
    page = world.asked_by(Viewer()).matches.list_matches("rex", state=MatchState.FINISHED)
    return {row.position - 1: row.id for row in page.items}


@pytest.mark.hostile("read-the-chance-of-a-block-in-its-pages")
@pytest.mark.parametrize("examples", [3, pytest.param(8, marks=pytest.mark.needs("minutes"))])
def test_nothing_of_a_match_leaks_before_all_that_share_its_chance_are_over_and_evidence_only_to_the_owner(
    empty: Path, examples: int
) -> None:
    @settings(max_examples=examples, phases=PHASES)
    @given(over=positions, who=st.sampled_from(EVERYBODY), is_comparison=st.booleans())
    @example(over={0, 1}, who="ann", is_comparison=False)
    def nothing_leaks(over: set[int], who: str, is_comparison: bool) -> None:
        with (
            tempfile.TemporaryDirectory() as place,
            make_world(empty, Path(place), over, game=GAME, is_comparison=is_comparison) as world,
        ):
            shown = " ".join(answers(world.asked_by(viewer_of(world, who)), ids_of(world)))
            hidden = set() if who == "organiser" else world.open_positions() & over
        for position in over:
            seen = [text for text in marks_of(position) if text in shown]
            assert not seen if position in hidden else len(seen) == len(marks_of(position)), (position, seen)
        if who != "organiser" and len(over) < MATCHES:
            assert str(SEED) not in shown
            assert SECRET not in shown
        if len(over) < MATCHES:
            assert str(CHANCE_SEED)[:-2] not in shown
        for bot in BOTS if who != "organiser" else ():
            if not bot.startswith(f"{who}/"):
                assert f"proof of {bot}" not in shown
                assert f"log of {bot}" not in shown
        if who == "ann" and {0, 1} <= over and not is_comparison:
            assert "proof of ann/fox" in shown
            assert "log of ann/fox" in shown

    nothing_leaks()


def test_a_hidden_match_is_listed_without_ranks_and_says_why(empty: Path, tmp_path: Path) -> None:
    with make_world(empty, tmp_path, {0}, game=GAME) as world:
        (row,) = world.asked_by(world.owner("ann")).matches.list_matches("rex", state=MatchState.FINISHED).items
        assert row.hidden
        assert "shown when every other match of its block is over" in row.why_hidden
        assert [seat.rank for seat in row.seats] == [None, None]
        (seen,) = world.asked_by(Viewer()).matches.list_matches("rex", state=MatchState.FINISHED).items
        assert (seen.hidden, seen.why_hidden) == (False, "")
        assert [seat.rank for seat in seen.seats] == [1, 2]


@pytest.mark.parametrize(
    ("is_comparison", "steps"),
    [
        # Only the other match of the first block has its chance to itself when the first is over.
        (False, [({0}, {0, 2, 3, 4, 5, 6, 7}), ({0, 3, 4, 5}, {0, 3, 6, 7})]),
        # The second block of a pair of a comparison has the same chance.
        (True, [({0, 1}, set(range(8))), ({0, 1, 2}, {0, 1, 2, 4, 5, 6, 7})]),
    ],
)
def test_a_match_may_be_watched_when_no_other_match_will_meet_its_chance(
    empty: Path, tmp_path: Path, is_comparison: bool, steps: list[tuple[set[int], set[int]]]
) -> None:
    with make_world(empty, tmp_path, set(), game=GAME, is_comparison=is_comparison) as world:
        seeds = [block.chance_seed for block in world.blocks for _ in block.rotations()]
        done: set[int] = set()
        for over, hidden in steps:
            world.play_on(over - done)
            done = over
            for who in STRANGERS:
                arena = world.asked_by(viewer_of(world, who))
                rows = {row.id: row for row in arena.matches.list_matches("rex").items}
                places = {id_: row.position - 1 for id_, row in rows.items()}
                shown = {place: arena.matches.get_match(id_) for id_, place in places.items()}
                assert {places[id_] for id_, row in rows.items() if row.hidden} == hidden
                assert {place for place, match in shown.items() if match.hidden} == hidden
                for place, match in shown.items():
                    pending = [
                        other
                        for other in range(MATCHES)
                        if other not in {*over, place} and seeds[other] == seeds[place]
                    ]
                    assert [places[other] for other in match.awaits] == pending


def test_matches_of_remote_pools_have_a_chance_of_their_own_and_hide_nothing(empty: Path, tmp_path: Path) -> None:
    with make_world(empty, tmp_path, {0}, game=GAME, is_remote=True) as world:
        arena = world.asked_by(Viewer(Scope.VIEWER))
        for row in arena.matches.list_matches("rex").items:
            assert not row.hidden
            assert not arena.matches.get_match(row.id).hidden


def test_the_events_of_a_match_with_hidden_parts_are_told_to_nobody_else_while_it_goes_on(
    empty: Path, tmp_path: Path
) -> None:
    with make_world(empty, tmp_path, {0}, game=GAME) as world:
        (going,) = [row for row in world.asked_by(Viewer()).matches.list_matches("rex").items if row.position == 2]
        assert not world.asked_by(Viewer(Scope.VIEWER)).matches.get_match(going.id).hidden
        for who in STRANGERS:
            arena = world.asked_by(viewer_of(world, who))
            with pytest.raises(HiddenError, match="told move by move when it is over"):
                arena.watchable.look(going.id)
        assert not world.asked_by(Viewer()).watchable.look(going.id).is_over


def test_the_standings_of_strangers_count_whole_blocks_only(empty: Path, tmp_path: Path) -> None:
    with make_world(empty, tmp_path, {0, 1, 2}, game=GAME) as world:
        counts = {
            who: sum(
                row.matches for row in world.asked_by(viewer_of(world, who)).tournaments.get_tournament("rex").standings
            )
            for who in ("organiser", "ann")
        }
    assert counts == {"organiser": 6, "ann": 4}


def test_a_game_without_chance_hides_nothing(empty: Path, tmp_path: Path) -> None:
    with make_world(empty, tmp_path, {0}, game="foreign_king") as world:
        (row,) = world.asked_by(Viewer(Scope.VIEWER)).matches.list_matches("rex", state=MatchState.FINISHED).items
    assert not row.hidden
    assert [seat.rank for seat in row.seats] == [1, 2]


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("secrets", [True, False])
@pytest.mark.parametrize("is_open", [True, False])
def test_only_secrets_of_open_blocks_are_hidden_and_never_from_organisers(
    scope: Scope, secrets: bool, is_open: bool
) -> None:
    hidden = is_hidden(Viewer(scope), has_secrets=secrets, is_open=is_open)
    assert hidden == (secrets and is_open and scope is not Scope.ORGANISER)


def test_a_game_that_is_not_installed_may_have_secrets() -> None:
    assert has_secrets("a game of the future")
    assert has_secrets(GAME)
    assert not has_secrets("foreign_king")


def test_no_format_lets_more_blocks_share_their_chance_than_are_looked_at() -> None:
    forms = [catalog.kind_of(name)(seats) for name in catalog.NAMES for seats in (2, 3, 4, 5)]  # type: ignore[misc]
    assert max(map(blocks_per_seed, forms)) <= 2


def test_what_is_hidden_is_not_watched_either_and_what_goes_on_is_watched_at_the_service(
    empty: Path, tmp_path: Path
) -> None:
    with make_world(empty, tmp_path, {0}, game=GAME) as world:
        for who in STRANGERS:
            arena = world.asked_by(viewer_of(world, who))
            for row in arena.matches.list_matches("rex").items[-2:]:  # the block of the match that is over
                with pytest.raises(HiddenError):
                    next(arena.matches.watch_match(row.id))
            with pytest.raises(HiddenError):
                next(arena.matches.watch_logs(row.id, 0))
        arena = world.asked_by(Viewer())
        with hold(world.database, world.tournament):
            (leased, *_) = arena.matches.list_matches("rex", state=MatchState.LEASED).items
        with pytest.raises(ClientError, match="only the service that plays it shows it now"):
            next(arena.matches.watch_match(leased.id))


FAULTS = [
    {"seat": seat, "cause": "TIMEOUT", "ply": 3, "explanation": "late", "evidence": {"stderr": f"secret {seat}"}}
    for seat in range(2)
]
RESULT = {
    "ranks": [1, 2],
    "by_rules": False,
    "rated": True,
    "forfeits": [1],
    "resigned": [],
    "faults": FAULTS,
    "details": {},
}


def watched(*, is_over: bool = False) -> WatchedMatch:
    state = MatchState.FINISHED if is_over else MatchState.LEASED
    return WatchedMatch("m1", "foreign_king", state, ("ann/fox", "ben/owl"), (True, False))


@pytest.mark.parametrize("is_over", [False, True])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_note_is_shown_to_the_owner_and_to_others_when_the_match_is_over(is_over: bool, seat: int) -> None:
    entry = {"ply": 4, "seat": seat, "action": 0, "by": "bot", "decide": 4, "elapsed_us": 9, "note": "my plan"}
    shown = event_value(watched(is_over=is_over), LiveEntryEvent(5, entry, ((1, 2),)))
    assert shown is not None
    assert shown.move is not None
    assert shown.move.note == ("my plan" if is_over or seat == 0 else None)
    assert (shown.sequence, shown.move.bot) == (5, ("ann/fox", "ben/owl")[seat])


@pytest.mark.parametrize("is_over", [False, True])
def test_evidence_is_for_the_owner_alone(is_over: bool) -> None:
    shown = event_value(watched(is_over=is_over), LiveEndEvent(9, RESULT))
    assert shown is not None
    assert shown.end is not None
    assert [fault.evidence for fault in shown.end.faults] == [{"stderr": "secret 0"}, {}]
    assert "secret 1" not in json.dumps([str(shown)])


@given(st.binary(min_size=1, max_size=30), st.lists(st.integers(1, 6), max_size=6), st.integers(0, 35), st.data())
def test_a_log_that_is_read_in_parts_from_anywhere_is_the_log(
    text: bytes, sizes: list[int], after: int, data: Any
) -> None:
    logs, start = [], 0
    for size in [*sizes, len(text)]:
        if piece := text[start : start + size]:
            logs.append(LiveLogEvent(1, 0, start, piece))
            start += len(piece)
    again = data.draw(st.integers(0, len(logs)))
    place, read = after, b""
    for log in [*logs[:again], *logs]:  # some come twice, as after a connection that broke
        if (part := log_part(watched(), log, place)) is not None:
            assert part.start == place
            place, read = part.end, read + part.data
    assert read == text[after:]


def test_what_is_lost_of_a_log_is_counted_from_where_the_watcher_is() -> None:
    lost = LiveLogEvent(1, 0, 100, b"tail", cut_bytes=60)
    assert [log_part(watched(), lost, after).cut_bytes for after in (0, 40, 70, 100, 102)] == [60, 60, 30, 0, 0]  # type: ignore[union-attr]
    assert log_part(watched(), lost, 104) is None
