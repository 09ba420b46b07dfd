"""People play whole matches beside bots, through the service, by its referee."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from random import Random

import pytest

from arena.connect.stream import ServiceStream
from arena.model.errors import ClientError
from arena.model.human_play import PlayLimits
from arena.model.operations import OperationState
from arena.rpc.login import connect
from arena.service.server.self_signed import make_certificate
from arena.v1 import play_pb2
from arena.web.middleware.rate_limits import counted_address
from arena.web.people.errors import (
    AllSeatsTakenError,
    IllegalError,
    NoTableError,
    SeatTakenError,
    StaleError,
    TakenOverError,
    TooManyError,
    TooManyTablesError,
)
from arena.web.people.game_table import TableClock
from arena.web.people.human_seat import HumanSeat, HumanSeatState, SeatBoard, look_ahead
from arena.web.people.table_view import BrowserUpdates, view_of
from arena.web.people.tables import GameTables, TableRateLimit
from arena.web.people.visitor_accounts import VisitorAccounts, leave_seat, wait_until_seated
from arena.web.viewer.stories import render_story
from engine import registry
from engine.abilities import Move
from engine.core import Game, State
from tests.support.nim import LUCKY_NIM
from tests.support.own_games import OURS
from tests.support.patience import PATIENCE_S
from tests.support.people import RULES, by_chance, open_game_tables, order, play, until, until_asked
from tests.support.places import Place, plan
from tests.support.play_service import play_service, started

MINUTES = pytest.mark.needs("minutes")
TABLES = [
    pytest.param(game, of(registry.get(game).seats), marks=() if of is min else MINUTES)
    for game, of in zip(OURS, (min, max), strict=True)
]
"""The smallest table of one game, the largest of the other."""


@pytest.mark.parametrize(("game", "seats"), TABLES)
async def test_a_person_plays_a_whole_match_of_each_game(
    place: Place, game_tables: GameTables, game: str, seats: int
) -> None:
    own = seats // 2
    sitting = [None if seat == own else ("drawn", "first")[seat % 2] for seat in range(seats)]
    table = await game_tables.open("v", "address", order(*sitting, game=game, names=("Änna <b>",)))
    decided = await play(table, by_chance())
    (seat,) = table.seats
    assert decided > 0
    assert seat.ending is not None
    assert len(seat.ending.ranks) == seats
    assert seat.ending.faults == ()
    assert seat.board is not None
    assert [move.ply for move in seat.board.moves] == list(range(len(seat.board.moves)))
    await until(table, lambda one: one.following.is_over)
    told = BrowserUpdates("en").update(view_of(table, table.parties[0]))
    assert told["count"] == len(seat.board.moves)
    assert all(move["words"][-1].endswith(".") for move in told["moves"]), "every move is told in whole sentences"
    sums = told["ending"]["scoring"][-1]["sums"]
    winners = [sums[one] for one, rank in enumerate(seat.ending.ranks) if rank == 1]
    assert max(sums[:seats]) in winners, "the score is told step by step; a king need not be the richest to win"
    with connect(f"unix:{place.directory / 'run' / 'owners.sock'}") as arena:
        await asyncio.to_thread(_check_recorded, arena, table.about.match_id, own, seat.ending.ranks)
    assert game_tables.free == game_tables.rules.most


def _check_recorded(arena: object, match_id: str, own: int, ranks: tuple[int, ...]) -> None:
    found = arena.matches.get_match(match_id)  # type: ignore[attr-defined]
    while found.state == "leased":  # the report is on its way to the database
        found = arena.matches.get_match(match_id)  # type: ignore[attr-defined]
    assert found.seats[own].person == "Änna <b>"
    assert tuple(seat.rank for seat in found.seats) == ranks
    assert found.rated is False
    if len(ranks) == 2:
        told = json.loads(gzip.decompress(render_story(arena, match_id, "en")))  # type: ignore[arg-type]
        assert told["seats"][own] == "Änna <b>", "the viewer calls people as they call themselves"
        assert not any("<b>" in part for part in told["parts"])


async def test_hot_seat_everybody_is_asked_in_turn_in_one_browser(game_tables: GameTables) -> None:
    table = await game_tables.open("v", "address", order(None, "drawn", None, None, names=("Anna", "", "Cleo")))
    assert table.about.names == ("Anna", "drawn", "Player 3", "Cleo")
    assert game_tables.free == game_tables.rules.most - 3
    asked = set()
    for _ in range(30):
        seat = await until_asked(table)
        if seat.asked is None:
            break
        asked.add(seat.number)
        seat.choose(seat.asked.ply, seat.asked.legal[0])
    game_tables.leave(table)
    await until(table, lambda one: one.is_over)
    assert asked == {0, 2, 3}
    assert all(seat.stage is HumanSeatState.OVER for seat in table.seats)
    assert len({seat.ending.ranks for seat in table.seats if seat.ending}) == 1


async def test_people_alone_play_against_one_another(game_tables: GameTables) -> None:
    table = await game_tables.open("v", "address", order(None, None, names=("Anna", "Bob"), pace=TableClock.OFF))
    await play(table, by_chance())
    assert table.is_over


async def test_a_bad_request_is_an_error_of_the_browser_and_no_fault_of_the_seat(game_tables: GameTables) -> None:
    table = await game_tables.open("v", "address", order(None, "first"))
    seat = await until_asked(table)
    assert seat.asked is not None
    ply, legal = seat.asked.ply, seat.asked.legal
    for stale in (ply - 1, ply + 1, -1, 10**9):
        with pytest.raises(StaleError):
            seat.choose(stale, legal[0])
    for illegal in (-1, 10**9, next(action for action in range(10_000) if action not in legal)):
        with pytest.raises(IllegalError):
            seat.choose(ply, illegal)
    seat.choose(ply, legal[0])
    with pytest.raises(StaleError):
        seat.choose(ply, legal[0])  # clicked twice
    game_tables.leave(table)
    await until(table, lambda one: one.is_over)
    assert seat.ending is not None
    assert seat.ending.faults == ()


async def test_who_resigns_ranks_last_and_the_others_play_on(game_tables: GameTables) -> None:
    table = await game_tables.open("v", "address", order("first", None, None))
    seat = await until_asked(table)
    other = next(one for one in table.seats if one is not seat)
    seat.resign()
    seat.resign()
    await play(table, by_chance())
    assert seat.ending is not None
    assert other.ending is not None
    assert seat.ending.resigned == "asked"
    assert seat.ending.ranks[seat.number] == 3
    assert other.ending.resigned == ""
    assert seat.ending.faults == other.ending.faults == ()


async def test_who_leaves_at_once_frees_the_seat(game_tables: GameTables) -> None:
    table = await game_tables.open("v", "address", order(None, "first"))
    game_tables.leave(table)
    await until(table, lambda one: one.is_over)
    assert game_tables.free == game_tables.rules.most


async def test_what_a_visitor_said_arrives_before_the_seat_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = ServiceStream.send

    async def take_time(stream: ServiceStream, request: play_pb2.PlayRequest) -> None:
        for _ in range(50):
            await asyncio.sleep(0)
        await send(stream, request)

    monkeypatch.setattr(ServiceStream, "send", take_time)
    async with play_service(make_certificate(tmp_path, [])) as service:
        accounts = VisitorAccounts(service.endpoint, RULES)
        chair = accounts.seat("guest-1", 0, "Ada", lambda: None)
        visit = await service.visit()
        await visit.welcome()
        await wait_until_seated([chair])
        chair.seat.expect("m1")
        begun = started("m1")
        begun.match_started.game = "foreign_king"
        await visit.say(begun)
        async with asyncio.timeout(PATIENCE_S):
            while chair.seat.stage is HumanSeatState.WAITING:
                await asyncio.sleep(0)
        chair.seat.resign()
        await leave_seat(chair)
        request = await visit.hear()
        assert request.resign.match_id == "m1"
        await visit.hear_end()


async def test_a_match_that_a_person_has_not_been_told_of_yet_is_resigned_at_once() -> None:
    sent: list[play_pb2.PlayRequest] = []
    seat = HumanSeat(1, "Bob", sent.append, 600, lambda: None)
    seat.resign()
    assert sent == [], "there is no match yet"
    invited = HumanSeat(2, "Cid", sent.append, 600, lambda: None)
    invited.expect("m1")
    invited.resign()
    assert [request.resign.match_id for request in sent] == ["m1"]


async def test_an_idle_seat_resigns_after_the_time_that_is_told(place: Place, game_tables: GameTables) -> None:
    told = await game_tables.open("v", "address", order(None, "first", pace=TableClock.OFF))
    asked = (await until_asked(told)).asked
    assert asked is not None
    assert 0 < asked.idle_left_s <= game_tables.rules.idle_s
    assert asked.left_us is not None
    assert asked.left_us > (game_tables.rules.idle_s + 30) * 1e6, (
        "the clock of the service is longer, so idling is no fault"
    )
    game_tables.leave(told)
    await until(told, lambda one: one.is_over)
    async with open_game_tables(place.directory, PlayLimits(most=6, idle_s=0.01)) as impatient:
        table = await impatient.open("v", "address", order(None, "first", pace=TableClock.OFF))
        await until(table, lambda one: one.is_over)
        (seat,) = table.seats
        assert seat.ending is not None
        assert (seat.ending.resigned, seat.ending.faults) == ("idle", ())


async def test_the_clock_of_a_pace_is_the_one_that_runs(game_tables: GameTables) -> None:
    table = await game_tables.open("v", "address", order(None, "first", pace=TableClock.BRISK))
    asked = (await until_asked(table)).asked
    assert asked is not None
    assert asked.bank_us is not None
    assert 110e6 < asked.bank_us <= 120e6
    game_tables.leave(table)


@MINUTES
async def test_tables_take_no_slot_from_hosted_matches(place: Place, game_tables: GameTables) -> None:
    tables = [await game_tables.open("v", "address", order(None, "first")) for _ in range(6)]
    for table in tables:
        await until_asked(table)
    tournament = await asyncio.to_thread(plan, place, blocks=1, name="meanwhile")
    with connect(f"unix:{place.directory / 'run' / 'owners.sock'}") as arena:
        progress = await asyncio.to_thread(lambda: list(arena.tournaments.watch_tournament(tournament)))
    assert progress[-1].state is OperationState.DONE
    for table in tables:
        assert table.turn.stage is HumanSeatState.ASKED
        game_tables.leave(table)
        await until(table, lambda one: one.is_over)


async def test_there_are_only_so_many_seats_and_so_many_for_one_visitor(place: Place) -> None:
    async with open_game_tables(place.directory, PlayLimits(most=3, per_visitor=2, per_hour=2)) as game_tables:
        game_tables._rate_limit = TableRateLimit(2, lambda: 0.0)  # or it would be less than an hour on a busy machine
        first = await game_tables.open("ada", "203.0.113.7", order(None, None))
        with pytest.raises(TooManyError, match="you have 2 seats, and may have 2"):
            await game_tables.open("ada without her cookie", "203.0.113.7", order(None, "first"))
        with pytest.raises(TooManyError, match="you have 2 seats, and may have 2"):
            await game_tables.open("ada", "1", order(None, "first"))
        with pytest.raises(AllSeatsTakenError, match="only 1 of 3 seats are free"):
            await game_tables.open("bob", "2", order(None, None))
        await game_tables.open("bob", "1", order(None, "first"))
        game_tables.leave(first)
        await until(first, lambda one: one.is_over)
        await game_tables.open("cid", "1", order(None, "first"))
        with pytest.raises(TooManyError, match="try again in 60 minutes"):
            await game_tables.open("dan", "1", order(None, "first"))


def test_whoever_has_an_address_of_ipv6_has_all_of_its_network() -> None:
    pacer = TableRateLimit(1)
    pacer.count(counted_address("2001:db8::1"))
    with pytest.raises(TooManyTablesError):
        pacer.count(counted_address("2001:db8::2"))
    assert counted_address("::1") == "::1"


async def test_what_the_service_refuses_frees_the_seats_again(game_tables: GameTables) -> None:
    for bad in (order(None, "wolf"), order(None, "first", game="chess"), order(None), order(None, "first", rated=True)):
        with pytest.raises((ClientError, TooManyError)):
            await game_tables.open("v", "address", bad)
    assert game_tables.free == game_tables.rules.most
    assert game_tables.tables_of("v") == []


async def test_the_newer_of_two_browsers_takes_the_seat_over_and_the_older_is_told(game_tables: GameTables) -> None:
    table = await game_tables.open("v", "address", order(None, "first"))
    (party,) = table.parties
    older = table.take(party)
    await until_asked(table)
    waiting = asyncio.create_task(table.wait(table.sequence, 60))
    newer = table.take(party)
    await waiting
    with pytest.raises(TakenOverError):
        party.check_session(older)
    party.check_session(newer)
    game_tables.leave(table)


async def test_what_others_do_is_seen_before_ones_own_turn(game_tables: GameTables) -> None:
    table = await game_tables.open("ada", "address", order(None, None, names=("Ada", "Bob"), invited=(1,)))
    bob = await game_tables.sit(table, table.parties[1].invitation, "bob", "")
    updates = BrowserUpdates("en")
    first = await until_asked(table)
    assert first.asked is not None
    await until(table, lambda one: one.turn_of(bob).board is not None and one.following.start is not None)
    start = updates.update(view_of(table, bob))
    assert (start["fresh"], start["count"], start["asked"]) == (True, 0, None)
    assert start["decider"] == 0
    action = registry.get("foreign_king").actions.parse("ACT_BUILD")
    first.choose(first.asked.ply, action)
    await until(table, lambda one: bool(one.following.moves))
    board = table.turn_of(bob).board
    assert board is not None
    assert board.moves == [], "PlayService tells of it with the next question"
    (move,) = updates.update(view_of(table, bob))["moves"]
    assert move["words"] == ["A wants to build a factory."]
    assert move["board"]["changes"], "the board after it is drawn by what changed"
    game_tables.leave(table)


async def test_an_invited_person_has_a_seat_and_a_key_of_his_own(game_tables: GameTables) -> None:
    table = await game_tables.open("ada", "address", order(None, None, None, names=("Ada",), invited=(1, 2)))
    own, second, third = table.parties
    assert (table.is_gathering, table.missing) == (True, ["Player 2", "Player 3"])
    with pytest.raises(NoTableError):
        table.party(second.invitation)
    invitation = second.invitation
    await game_tables.sit(table, invitation, "bob", " Bob\n<i> ")
    assert game_tables.find(second.key) is table
    assert table.seats_of(second)[0].name == "Bob <i>"
    with pytest.raises(SeatTakenError):
        await game_tables.sit(table, invitation, "eve", "Eve")
    with pytest.raises(SeatTakenError):
        game_tables.find(invitation)
    assert table.is_gathering
    await game_tables.sit(table, third.invitation, "cid", "Cid")
    seat = await until_asked(table)
    assert not table.is_gathering
    assert table.about.names == ("Ada", "Bob <i>", "Cid")
    for party in (own, second, third):
        assert (table.turn_of(party).asked is not None) == (seat.number in party.seats)
    game_tables.leave(table)


async def test_a_table_for_which_nobody_comes_is_cleared_away(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.people.tables.LOOK_EVERY_S", 0.05)
    async with open_game_tables(place.directory, PlayLimits(most=2, idle_s=0.2)) as game_tables:
        table = await game_tables.open("ada", "address", order(None, None, invited=(1,)))
        assert (game_tables.free, table.is_gathering) == (0, True)
        await until(table, lambda one: one.is_over)
        assert (game_tables.free, table.seats[0].lost) == (2, "given_up")
        with pytest.raises(SeatTakenError):
            await game_tables.sit(table, table.parties[1].invitation, "bob", "")


async def test_several_steps_are_sent_together_as_long_as_they_are_asked_for(game_tables: GameTables) -> None:
    table = await game_tables.open("v", "address", order(None, "first"))
    seat = await until_asked(table)
    assert seat.asked is not None
    assert seat.board is not None
    assert seat.board.asked is not None
    game = registry.get("foreign_king")
    outlook = look_ahead(game, seat.board.asked, seat.asked.ply, [game.actions.parse("ACT_BUILD")])
    actions = [outlook.planned[0].action, outlook.legal[0]]
    whole = look_ahead(game, seat.board.asked, seat.asked.ply, actions)
    seat.choose(whole.planned[0].ply, actions[0], whole.planned[1:])
    await until(table, lambda one: len(one.following.moves) >= 2)
    assert [move.action for move in table.following.moves[:2] if move] == actions
    game_tables.leave(table)
    await until(table, lambda one: one.is_over)
    assert seat.ending is not None
    assert seat.ending.faults == ()


async def test_what_a_person_did_wrong_is_told_in_the_language_of_the_browser(game_tables: GameTables) -> None:
    table = await game_tables.open("v", "address", order("first", None))
    seat = await until_asked(table)
    assert seat.asked is not None
    act = play_pb2.Act(match_id=table.about.match_id, ply=seat.asked.ply, actions=[100_000])
    seat._send(play_pb2.PlayRequest(act=act))  # no browser can
    await until(table, lambda one: one.is_over and one.following.is_over)
    view = view_of(table, table.parties[0])
    (english,), (german,) = (BrowserUpdates(one).update(view)["ending"]["faults"] for one in ("en", "de"))
    assert english.startswith("It chose action 100000")
    assert german.startswith("Er wählte Aktion 100000")


def seen_by(game: Game, state: State, seat: int) -> State:
    return game.observed(game.encode_observation(state, seat)[1]).state


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_looked_ahead_to_is_what_the_referee_asks(name: str, seed: int) -> None:
    game, random = registry.get(name), Random(seed)
    state, ply, looked = game.new_state(3), 0, 0
    while (seat := state.seat()) is not None and ply < 300:
        action = random.choice(state.legal_actions())
        outlook = look_ahead(game, seen_by(game, state, seat), ply, [action])
        state, ply = state.clone(), ply + 1
        state.apply(action)
        if not outlook.legal:
            continue
        while state.seat() == seat and len(state.legal_actions()) == 1:
            state.apply(state.legal_actions()[0])
            ply += 1
        looked += 1
        assert state.seat() == seat
        assert outlook.state.to_json() == seen_by(game, state, seat).to_json()
        assert outlook.legal == tuple(state.legal_actions())
    assert looked > 10


def test_chance_and_what_is_hidden_are_not_looked_at() -> None:
    rex = registry.get("rex_romanorum")
    state = rex.new_state(3)
    outlook = look_ahead(rex, state, 0, [rex.actions.parse("ACT_ACQUIRE")])
    assert (outlook.legal, outlook.last, outlook.state) == ((), None, state)


def test_an_action_that_is_not_legal_is_refused_wherever_it_stands() -> None:
    game = registry.get("foreign_king")
    build = game.actions.parse("ACT_BUILD")
    for actions in ([-1], [build, build], [build, 10**8]):
        with pytest.raises(IllegalError):
            look_ahead(game, game.new_state(2), 0, actions)


def test_a_seat_sees_a_move_as_the_referee_would_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.people.human_seat.registry.get", lambda _name: LUCKY_NIM)
    state = LUCKY_NIM.new_state(3)
    board = SeatBoard(play_pb2.MatchStarted(game="lucky_nim", seat=1, seats=3))
    after = state.clone()
    after.apply(0)
    seen = board.seen_move(Move(state, 0, "TAKE:1", 0, after))
    for shown, true in ((seen.before, state), (seen.after, after)):
        assert shown.observation_json(1) == true.observation_json(1)
        dealt = true.to_json()["cards"]
        hidden = {**true.to_json(), "cards": [dealt[2], dealt[1], dealt[0]]}
        assert board.seen(LUCKY_NIM.state_from_json(hidden)).to_json() == shown.to_json(), "others' cards show nowhere"
    assert json.dumps(seen.after.to_json()["cards"]) == json.dumps(sorted_around(after.to_json()["cards"], 1))


def sorted_around(cards: list[int], seat: int) -> list[int]:
    """The cards with those of others in a fixed order."""
    others = iter(sorted(card for index, card in enumerate(cards) if index != seat))
    return [card if index == seat else next(others) for index, card in enumerate(cards)]
