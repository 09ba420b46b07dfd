"""Whoever plays offline hears and says, to the last byte, what is heard and said over the arena's stream."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from pkgutil import resolve_name
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.match.decisions import MAX_ACTIONS, MAX_NOTE
from arena.match.match import Match
from arena.match.result import FaultCause
from arena.match.spec import MatchSpec
from arena.match.time_control import TimeControl
from arena.referee.call_stream import CallStream
from arena.referee.play import SeatedBot, play_match
from arena.referee.queue.loop import run
from arena.referee.server import PlayServer, join
from arena.v1 import play_pb2
from arena.wire import messages as encoding
from bots import kit, session
from bots.errors import AnswerError
from bots.kit import RESIGN, Answer, Decision
from bots.offline import MATCH_ID, play_offline
from bots.session import Bot, Loopback, PlaySession
from bots.stream import play
from engine import registry
from engine.chance import SeededChance
from engine.record import Playing, PlayRecord
from tests.support.specs import seat_spec
from tests.support.texts import CHARACTERS

NO_ACTION = 1_000_000


@dataclass(frozen=True, slots=True)
class Step:
    """One answer: so many actions of one's own in a row, then ids that may be anything, and a note."""

    actions: int = 1
    """0 stands for giving up."""
    surplus: tuple[int, ...] = ()
    note: str = ""


class ScriptedBot(Bot):
    """Follows its script, then its match's seed, and gives up after `patience` decisions."""

    def __init__(self, script: Sequence[Step], patience: int) -> None:
        self._script = script
        self._patience = patience
        self._decisions = 0

    def match_started(self, match: kit.Match) -> None:  # noqa: ARG002 - the interface's argument
        self._decisions = 0

    def decide(self, decision: Decision) -> Answer:
        step = self._script[self._decisions] if self._decisions < len(self._script) else Step()
        self._decisions += 1
        decision.note = step.note
        if not step.actions or self._decisions > self._patience:
            return RESIGN
        return [*plan_actions(decision, step.actions), *step.surplus]


def plan_actions(decision: Decision, most: int) -> list[int]:
    """Up to `most` decisions that the seat can make in a row, drawn from the match's seed; at least one."""
    random = decision.match.random
    if most == 1:
        return [random.choice(decision.legal_actions)]
    state = decision.state(Random(random.getrandbits(53))).clone(SeededChance(random.getrandbits(53)))
    planned: list[int] = []
    while len(planned) < most and state.seat() == decision.match.seat:
        legal = state.legal_actions()
        action = random.choice(legal)
        if len(legal) > 1:
            planned.append(action)
        state.apply_unchecked(action)
        if state.revealed():
            break
    return planned


OPTIONS: dict[str, list[dict[str, Any]]] = {
    "foreign_king": [{}, {"congress_on_empty": True, "virtual_discs": 16, "virtual_can_win": False}],
    "rex_romanorum": [{}, {"variant": "short"}],
}


@dataclass(frozen=True, slots=True)
class Plan:
    """A match, and what its bots will do."""

    game: str
    seats: int
    options: dict[str, Any]
    chance_seed: int
    seeds: tuple[int, ...]
    opening_plies: int
    scripts: tuple[tuple[Step, ...], ...]
    patience: tuple[int, ...]

    def bots(self) -> list[ScriptedBot]:
        return [ScriptedBot(script, patience) for script, patience in zip(self.scripts, self.patience, strict=True)]

    def opening(self) -> tuple[int, ...]:
        game, random = registry.get(self.game), Random(self.chance_seed)
        chance = SeededChance(self.chance_seed)
        playing = Playing(game, self.seats, game.parse_options(self.options), chance)
        for _ in range(self.opening_plies):
            playing.apply(random.choice(playing.state.legal_actions()))
        return tuple(event.action for event in playing.events)


@dataclass(slots=True)
class Heard:
    """Every message of one match in order: whose bot, whether the bot sent it, its bytes."""

    messages: list[tuple[int, bool, bytes]] = field(default_factory=list)
    record: PlayRecord | None = None
    """None if a bot made a fault."""
    has_faults: bool = False

    def said_by_bots(self) -> Iterator[play_pb2.PlayRequest]:
        return (play_pb2.PlayRequest.FromString(data) for _, is_by_bot, data in self.messages if is_by_bot)


numbers = st.integers(0, 2**53 - 1)
steps = st.one_of(
    st.just(Step()),
    st.builds(Step, actions=st.integers(1, 6), note=st.text(CHARACTERS, max_size=40)),
    # More than one has are dropped where chance or another seat comes first, and a fault where not.
    st.builds(Step, actions=st.integers(2, 8), surplus=st.lists(st.integers(-1, 30), max_size=4).map(tuple)),
    st.builds(Step, note=st.just("a long remark, longer than is kept; " * 40)),
)
rare_steps = st.sampled_from([Step(actions=0), Step(actions=1, surplus=(NO_ACTION,)), Step(surplus=(-1,))])


@st.composite
def plans(draw: st.DrawFn, game: str, seats: int) -> Plan:
    scripts = [draw(st.lists(steps, max_size=12)) for _ in range(seats)]
    for script in scripts:
        if draw(st.integers(0, 3)) == 0:
            script.append(draw(rare_steps))
    return Plan(
        game=game,
        seats=seats,
        options=draw(st.sampled_from(OPTIONS[game])),
        chance_seed=draw(numbers),
        seeds=tuple(draw(numbers) for _ in range(seats)),
        opening_plies=draw(st.sampled_from([0, 0, 1, 7])),
        scripts=tuple(map(tuple, scripts)),
        patience=tuple(draw(st.sampled_from([15, 40, 10**9])) for _ in range(seats)),
    )


def hear_offline(plan: Plan) -> Heard:
    heard = Heard()
    bots: list[Bot] = [*plan.bots()]
    join_of, send_to = Loopback.join, Loopback.send

    def join_and_note(link: Loopback) -> bytes:
        data = join_of(link)
        heard.messages.append((bots.index(link.bot), True, data))
        return data

    def send_and_note(link: Loopback, message: bytes) -> bytes:
        seat = bots.index(link.bot)
        heard.messages.append((seat, False, message))
        answer = send_to(link, message)
        if answer:
            heard.messages.append((seat, True, answer))
        return answer

    with mock.patch.object(Loopback, "join", join_and_note), mock.patch.object(Loopback, "send", send_and_note):
        try:
            heard.record = play_offline(
                bots,
                plan.game,
                options=plan.options,
                seeds=plan.seeds,
                chance_seed=plan.chance_seed,
                opening=plan.opening(),
            ).record
        except AnswerError:
            heard.has_faults = True
    return heard


def hear_online(plan: Plan) -> Heard:
    heard = Heard()
    with _noted_streams(heard), TemporaryDirectory(prefix="arena") as directory, mock.patch("gc.freeze"):
        match = run(_play_online(plan, Path(directory)))
    causes = {fault.cause for fault in match.result().faults}
    assert causes <= {FaultCause.ILLEGAL_ACTION}
    heard.has_faults = bool(causes)
    heard.record = None if causes else match.playing.record()
    return heard


@contextmanager
def _noted_streams(heard: Heard) -> Iterator[None]:
    """Everything that passes the referee's end of a stream is noted. Seats are counted as their streams open."""
    streams: list[CallStream] = []
    receive, send = CallStream._receive, CallStream.send

    def seat_of(stream: CallStream) -> int:
        if stream not in streams:
            streams.append(stream)
        return streams.index(stream)

    def receive_and_note(stream: CallStream, data: bytes) -> bool:
        heard.messages.append((seat_of(stream), True, data))
        return receive(stream, data)

    async def send_and_note(stream: CallStream, data: bytes) -> None:
        heard.messages.append((seat_of(stream), False, data))
        await send(stream, data)

    with (
        mock.patch.object(CallStream, "_receive", receive_and_note),
        mock.patch.object(CallStream, "send", send_and_note),
    ):
        yield


async def _play_online(plan: Plan, directory: Path) -> Match:
    game = registry.get(plan.game)
    spec = MatchSpec(
        match_id=MATCH_ID,
        attempt=1,
        game=game.name,
        rules_version=game.rules_version,
        options=plan.options,
        clock=TimeControl(),
        cores=1,
        chance_seed=plan.chance_seed,
        opening=plan.opening(),
        seats=tuple(replace(seat_spec(seat), seed=seed) for seat, seed in enumerate(plan.seeds)),
    )
    match, server, address = Match(spec), PlayServer(), f"unix:{directory}/play"
    await server.start(address)
    async with asyncio.TaskGroup() as playing:
        streams = []
        for bot in plan.bots():
            admission = server.admit()
            playing.create_task(play(PlaySession(bot), address, admission.token))
            streams.append(await admission.stream)
            await join(streams[-1])
        await play_match(match, [SeatedBot(stream) for stream in streams], may_ponder=True)
        await server.stop()
    return match


def assert_same(offline: Heard, online: Heard) -> None:
    """Equal messages and records; of a match with a fault, equal up to the answer that was one."""
    assert offline.has_faults == online.has_faults
    heard = online.messages[: len(offline.messages)] if offline.has_faults else online.messages
    pairs = zip(offline.messages, heard, strict=True)
    assert [index for index, (mine, theirs) in enumerate(pairs) if mine != theirs] == [], "these messages differ"
    assert offline.record == online.record
    if offline.has_faults:
        assert offline.messages[-1][1], "a fault is an answer"


@pytest.mark.parametrize("game", OPTIONS)
@settings(max_examples=8)
@given(st.data())
def test_offline_and_over_the_stream_every_message_is_the_same(game: str, data: st.DataObject) -> None:
    plan = data.draw(plans(game, data.draw(st.sampled_from(registry.get(game).seats))))
    assert_same(hear_offline(plan), hear_online(plan))


PLAN = Plan("rex_romanorum", 3, {}, 5, (1, 2, 3), 7, ((Step(actions=8, surplus=(0, 0)),) * 9,) * 3, (40, 40, 40))


def test_the_plans_meet_what_they_shall_compare() -> None:
    """Otherwise the property above would say nothing of openings, several actions, dropped ones, and giving up."""
    heard = hear_offline(replace(PLAN, scripts=((Step(actions=3, note="so"),) * 9,) * 3))
    assert heard.record is not None
    requests = list(heard.said_by_bots())
    assert any(len(request.act.actions) > 1 for request in requests)
    assert any(request.HasField("resign") for request in requests)
    assert any(request.act.note == "so" for request in requests)
    assert hear_offline(PLAN).has_faults


def _forget_the_type(response: play_pb2.PlayResponse) -> None:
    response.joined.games[0].observation_type = ""


def _tell_another_margin(response: play_pb2.PlayResponse) -> None:
    response.match_started.clock.margin_us += 1


def _miscount_the_dropped(response: play_pb2.PlayResponse) -> None:
    response.decide.dropped_actions += 1


def _forget_who_gave_up(response: play_pb2.PlayResponse) -> None:
    del response.match_finished.result.forfeited_seats[:]


@pytest.mark.parametrize(
    ("encoder", "drift"),
    [
        ("bots.offline.encode_joined", _forget_the_type),
        ("bots.offline.MatchEncoder.started", _tell_another_margin),
        ("bots.offline.MatchEncoder.decide", _miscount_the_dropped),
        ("bots.offline.MatchEncoder.finished", _forget_who_gave_up),
    ],
)
def test_the_comparison_sees_a_drift(encoder: str, drift: Callable[[play_pb2.PlayResponse], None]) -> None:
    plan = replace(PLAN, scripts=((),) * 3, patience=(2, 3, 4))
    online = hear_online(plan)
    assert_same(hear_offline(plan), online)
    encode = resolve_name(encoder)

    def encode_otherwise(*arguments: Any) -> bytes:
        response = play_pb2.PlayResponse.FromString(encode(*arguments))
        drift(response)
        return response.SerializeToString()

    with mock.patch(encoder, encode_otherwise):
        drifted = hear_offline(plan)
    with pytest.raises(AssertionError):
        assert_same(drifted, online)


def test_the_kit_and_the_arena_speak_one_protocol_with_the_same_limits() -> None:
    kit = (session.PROTOCOL_MAJOR, session.PROTOCOL_MINOR, session.MAX_ACTIONS, session.MAX_NOTE)
    assert kit == (encoding.PROTOCOL_MAJOR, encoding.PROTOCOL_MINOR, MAX_ACTIONS, MAX_NOTE)
