"""What a bot is asked, byte for byte as the library writes it: the arena writes it without building its objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import pytest
from google.protobuf import any_pb2, wrappers_pb2
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from arena.games.foreign_king.v1 import state_pb2 as foreign_king_pb2
from arena.games.rex_romanorum.v1 import state_pb2 as rex_pb2
from arena.match.decisions import Answer, Decision
from arena.match.match import Match
from arena.v1 import match_pb2, play_pb2
from arena.wire.messages import MatchEncoder
from engine import registry
from engine.core import State
from engine.games.foreign_king import state as at
from engine.games.foreign_king.state import POSITION, ForeignKingState
from engine.games.rex_romanorum.board import REGION_COUNT, regions_of
from engine.games.rex_romanorum.state import NOTHING, RexState
from engine.games.rex_romanorum.wire import _options_json
from engine.kit.message_writer import MessageWriter
from engine.record import Event
from tests.support.specs import installed_script_game, script_spec
from tests.support.texts import CHARACTERS

FOREIGN_KING_SAME = (
    *("active", "round", "order", "king", "marker", "scores", "hand", "discs", "francs", "medals", "loans"),
    *("pawns", "factories", "claims"),
)
MOST_AT_ONCE = 3
ELECTION_SAME = ("asked", "at", "candidates", "ballot", "votes", "cast", "lowest", "elector", "offers")


def plain_foreign_king(state: State) -> Message:
    assert isinstance(state, ForeignKingState)
    options = state.options
    pending = {f"pending_{each.key}": getattr(state, each.name) for each in POSITION.present("pending", state)}
    if pending.get("pending_last") == at.NO_STEP:
        del pending["pending_last"]
    values: dict[str, Any] = {name: getattr(state, name) for name in FOREIGN_KING_SAME}
    return foreign_king_pb2.ForeignKingState(
        version=1,
        seats=state.seats,
        phase=state.phase + 1,  # type: ignore[arg-type]
        seat=-1 if state.decider is None else state.decider,
        congress=[*state.congress, 0] if state.seats == 2 else state.congress,
        supply=at.SUPPLY.counts(state.supply).values(),
        options=foreign_king_pb2.Options(
            rulebook=f"RULEBOOK_{options.rulebook.upper()}",
            queen_occupied_by_others=options.queen_scope == "occupied_by_others",
            congress_on_empty=options.congress_on_empty,
            virtual_discs=options.virtual_discs,
            virtual_can_win=options.virtual_can_win,
            bank=options.bank or 0,
            max_rounds=options.max_rounds,
        ),
        **values,
        **pending,
    )


def plain_rex(state: State) -> Message:
    assert isinstance(state, RexState)
    churches = [0] * REGION_COUNT
    for diocese, mask in enumerate(state.churches):
        for region in regions_of(mask):
            churches[region] = diocese + 1
    message = rex_pb2.RexRomanorumState(
        version=1,
        seats=state.seats,
        phase=state.phase + 1,  # type: ignore[arg-type]
        seat=0 if state.decider is None else state.decider + 1,
        active=state.active,
        round=state.round,
        final=state.is_final,
        king=state.king + 1,
        gold=state.gold,
        titles=[seat + 1 for seat in state.titles],
        owners=bytes([seat + 1 for seat in state.owner]),
        churches=bytes(churches),
        castles=state.castles,
        foot=state.army[:REGION_COUNT],
        archers=state.army[REGION_COUNT : 2 * REGION_COUNT],
        knights=state.army[2 * REGION_COUNT :],
        pile=bytes(sorted(state.pile)),
        discards=bytes(state.discards),
        drawn=bytes(state.drawn),
        options_json=_options_json(state.options),
    )
    if state.task != NOTHING:
        pending = rex_pb2.Pending(
            action=state.task,
            bought=bytes(regions_of(state.fresh)),
            built=state.built,
            source=state.source + 1,
            target=state.target + 1,
            last=state.last + 1,
            last_to=state.last_to + 1,
            arrived_figures=sorted(state.arrived),
            arrived_numbers=[state.arrived[figures] for figures in sorted(state.arrived)],
            undefended=bytes(regions_of(state.undefended)),
            contested=bytes(regions_of(state.contested)),
        )
        message.pending.CopyFrom(pending)
    if (election := state.election) is not None:
        same: dict[str, Any] = {name: getattr(election, name) for name in ELECTION_SAME}
        message.election.CopyFrom(rex_pb2.Election(diocese=election.diocese + 1, runoff=election.is_runoff, **same))
    return message


PLAIN: Mapping[str, Callable[[State], Message]] = {"foreign_king": plain_foreign_king, "rex_romanorum": plain_rex}


def plain_event(event: Event) -> match_pb2.Event:
    reveals = [match_pb2.Reveal(kind=reveal.kind, values=reveal.values) for reveal in event.reveals]
    return match_pb2.Event(ply=event.ply, seat=event.seat, action=event.action, forced=event.forced, reveals=reveals)


def plain_decide(match: Match, decision: Decision) -> bytes:
    playing = match.playing
    name, content = playing.game.encode_observation(playing.state, decision.seat)
    if match.spec.game in PLAIN:
        content = PLAIN[match.spec.game](playing.state).SerializeToString()
    decide = play_pb2.Decide(
        match_id=match.spec.match_id,
        ply=decision.ply,
        observation=any_pb2.Any(type_url=f"type.googleapis.com/{name}", value=content),
        legal_actions=decision.legal,
        events=[plain_event(event) for event in decision.events],
        bank_us=decision.bank_us,
        time_limit_us=decision.time_limit_us,
        dropped_actions=decision.dropped,
    )
    return play_pb2.PlayResponse(decide=decide).SerializeToString()


def play_through(match: Match, seed: int) -> int:
    """Play at random, a few actions at once, and compare each question; how many there were."""
    encoder, random, asked = MatchEncoder(match), Random(seed), 0
    for seat in range(len(match.spec.seats)):
        encoder.started(seat)
    match.begin()
    while (decision := match.decision) is not None:
        assert encoder.decide(decision) == plain_decide(match, decision)
        asked += 1
        state = match.playing.state.clone()
        actions: list[int] = []
        while state.seat() == decision.seat and len(actions) < MOST_AT_ONCE:
            actions.append(random.choice(state.legal_actions()))
            state.apply(actions[-1])
        answer = Answer(match.spec.match_id, decision.ply, tuple(actions[: random.randint(1, MOST_AT_ONCE)]))
        match.receive(decision.seat, answer, 10, random.randrange(20_000))
    return asked


def spec_of(name: str, seats: int, seed: int, clock: str = "none", **changes: Any) -> Any:
    game = registry.get(name)
    values = {"options": {}, "game": name, "rules_version": game.rules_version, "chance_seed": seed, **changes}
    return script_spec("", seats, clock=clock, **values)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize(
    "options",
    [{}, {"bank": 37, "max_rounds": 12}, {"rulebook": "de", "congress_on_empty": True, "virtual_can_win": True}],
)
def test_the_foreign_king_is_asked_as_the_library_writes(seats: int, options: Mapping[str, Any]) -> None:
    for seed in range(2):
        match = Match(spec_of("foreign_king", seats, seed, "60+1/5s", options=options))
        assert play_through(match, seed) > seats


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_rex_romanorum_is_asked_as_the_library_writes(seats: int) -> None:
    for seed in range(2):
        assert play_through(Match(spec_of("rex_romanorum", seats, seed, "50ms")), seed) > seats


def test_a_game_that_throws_dice_is_asked_as_the_library_writes() -> None:
    with installed_script_game():
        script = "0:8d 1:2 0:1d 0:3 1:8d " * 60
        match = Match(script_spec(script, 2, clock="60+1"))
        assert play_through(match, 1) > 30


@pytest.mark.parametrize("name", ["openspiel_kuhn_poker", "openspiel_chess", "openspiel_liars_dice"])
@pytest.mark.needs("openspiel")
def test_games_of_the_library_are_asked_as_the_library_writes(name: str) -> None:
    for seed in range(3):
        assert play_through(Match(spec_of(name, 2, seed)), seed) > 0


EVERY_KIND: Mapping[str, st.SearchStrategy[Any]] = {
    "version": st.integers(-(2**31), 2**31 - 1),
    "phase": st.integers(0, 300),
    "final": st.booleans(),
    "gold": st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(0, 300)),
    "foot": st.lists(st.integers(0, 130)).map(tuple),
    "owners": st.binary(max_size=300),
    "castles": st.integers(0, 2**64 - 1),
    "options_json": st.text(CHARACTERS, max_size=200),
}


@given(st.fixed_dictionaries({}, optional=EVERY_KIND))
def test_any_values_are_written_as_the_library_does(values: Mapping[str, Any]) -> None:
    writer = MessageWriter(rex_pb2.RexRomanorumState)
    assert writer.write(values) == rex_pb2.RexRomanorumState(**values).SerializeToString()
    nested = {**values, "election": b""}  # an empty message is there all the same
    message = rex_pb2.RexRomanorumState(**values, election=rex_pb2.Election())
    assert writer.write(nested) == message.SerializeToString()


@given(
    st.integers(-(2**31), 2**31 - 1),
    st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(-2, 100)),
)
def test_signed_numbers_are_written_as_the_library_does(seat: int, pawns: list[int]) -> None:
    writer = MessageWriter(foreign_king_pb2.ForeignKingState)
    message = foreign_king_pb2.ForeignKingState(seat=seat, pawns=pawns)
    assert writer.write({"seat": seat, "pawns": pawns}) == message.SerializeToString()


@given(st.lists(st.tuples(st.text(CHARACTERS, max_size=200), st.lists(st.integers(-5, 20_000)))))
def test_messages_within_a_message_are_written_as_the_library_does(reveals: list[tuple[str, list[int]]]) -> None:
    of_event, of_reveal = MessageWriter(match_pb2.Event), MessageWriter(match_pb2.Reveal)
    written = [of_reveal.write({"kind": kind, "values": values}) for kind, values in reveals]
    plain = match_pb2.Event(reveals=[match_pb2.Reveal(kind=kind, values=values) for kind, values in reveals])
    assert of_event.write({"reveals": written}) == plain.SerializeToString()


def test_a_kind_of_field_that_no_message_has_is_refused() -> None:
    with pytest.raises(ValueError, match=r"google\.protobuf\.DoubleValue\.value is of a kind"):
        MessageWriter(wrappers_pb2.DoubleValue)
