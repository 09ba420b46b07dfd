"""The kit against an arena over a real unix socket, in one process, on both roads to it."""

# ruff: noqa: ARG002 - an interface has more arguments than every implementation needs

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grpc
import pytest

from arena.v1 import play_pb2
from bots import stream
from bots.errors import ArenaError, ProtocolError, RulesVersionError
from bots.kit import RESIGN, Answer, Bot, Decision, Match
from bots.queue_stream import QueueStream
from bots.session import PlaySession
from tests.bots.fake_arena import JOINED, FakeArena, decide, finished, serve, started
from tests.support.patience import PATIENCE_S


class Recorder(Bot):
    """Answers as told, and keeps what it hears."""

    def __init__(self, answer: Answer = 0, note: Any = "") -> None:
        self.answer, self.note = answer, note
        self.heard: list[str] = []

    def match_started(self, match: Match) -> None:
        self.heard.append(f"started {match.id}")

    def match_finished(self, match: Match, finished: play_pb2.MatchFinished) -> None:
        self.heard.append(f"finished {match.id} as {finished.result.ranks[match.seat]}")

    def decide(self, decision: Decision) -> Answer:
        self.heard.append(f"decide {decision.ply}")
        decision.note = self.note
        return self.answer


async def play_by_queue(session: PlaySession, address: str, token: str) -> None:
    await asyncio.to_thread(lambda: QueueStream(address, token).play(session))


play = stream.play


@pytest.fixture(autouse=True, params=[stream.play, play_by_queue], ids=["aio", "queue"])
def road(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "play", request.param)


@pytest.fixture
def socket_directory() -> Iterator[Path]:
    with TemporaryDirectory(prefix="kit") as name:  # a socket's path is at most 107 bytes long; tmp_path may be longer
        yield Path(name)


async def play_against(directory: Path, bot: Bot, script: Callable[[FakeArena], Awaitable[None]]) -> FakeArena:
    async with serve(directory, script) as arena:
        await asyncio.wait_for(play(PlaySession(bot), arena.address, "secret"), PATIENCE_S)
    return arena


async def test_a_bot_joins_with_its_token_name_and_protocol(socket_directory: Path) -> None:
    arena = await play_against(socket_directory, Recorder(), FakeArena.welcome)
    join = arena.heard[0].join
    assert arena.metadata["authorization"] == "Bearer secret"
    assert (join.name, join.protocol_major, join.protocol_minor, list(join.games)) == ("Recorder", 1, 0, ["*"])


async def test_one_stream_serves_several_matches(socket_directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.play_match("a", 2)
        await arena.play_match("b", 1)

    bot = Recorder()
    await play_against(socket_directory, bot, script)
    assert bot.heard == [
        "started a", "decide 0", "decide 1", "finished a as 1",
        "started b", "decide 0", "finished b as 1",
    ]  # fmt: skip


async def test_an_answer_repeats_the_match_and_the_ply_and_carries_the_note(socket_directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.say(started("a"), decide("a", 17))
        await arena.hear()

    arena = await play_against(socket_directory, Recorder([2, 1], "two at once"), script)
    assert arena.heard[1].act == play_pb2.Act(match_id="a", ply=17, actions=[2, 1], note="two at once")


@pytest.mark.parametrize(
    ("note", "sent"),
    [("x" * 5000, "x" * 1000), ("\ud83d\udc51", "??"), ("k\xf6nig \udce4", "k\xf6nig ?"), (None, "None"), (7, "7")],
)
async def test_of_a_note_that_would_cost_the_match_what_can_be_is_sent(
    socket_directory: Path, note: Any, sent: str
) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.say(started("a"), decide("a", 17))
        await arena.hear()

    arena = await play_against(socket_directory, Recorder(0, note), script)
    assert arena.heard[1].act.note == sent


async def test_a_bot_may_resign(socket_directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.say(started("a"), decide("a", 0))
        await arena.hear()

    arena = await play_against(socket_directory, Recorder(RESIGN), script)
    assert arena.heard[1].resign.match_id == "a"


async def test_unknown_events_and_fields_are_ignored(socket_directory: Path) -> None:
    unknown_event = play_pb2.PlayResponse.FromString(bytes([0xFA, 0x01, 2, 8, 1]))
    unknown_field = play_pb2.PlayResponse.FromString(started("a").SerializeToString())
    unknown_field.match_started.MergeFromString(bytes([0xF8, 0x06, 1]))

    async def script(arena: FakeArena) -> None:
        await arena.hear()
        await arena.say(unknown_event, JOINED, unknown_event, unknown_field, unknown_event, decide("a", 0))
        await arena.hear()

    bot = Recorder()
    await play_against(socket_directory, bot, script)
    assert bot.heard == ["started a", "decide 0"]


async def test_another_protocol_is_refused_naming_both(socket_directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.hear()
        await arena.say(play_pb2.PlayResponse(joined=play_pb2.Joined(protocol_major=2, protocol_minor=3)))
        await arena.hear()

    with pytest.raises(ProtocolError, match=r"speaks protocol 2\.3, this kit 1\.0"):
        await play_against(socket_directory, Recorder(), script)


async def test_a_refusal_of_the_arena_is_told(socket_directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.hear()
        await arena.context.abort(grpc.StatusCode.UNAUTHENTICATED, "the token is unknown")

    with pytest.raises(ArenaError, match="UNAUTHENTICATED: the token is unknown"):
        await play_against(socket_directory, Recorder(), script)


async def test_an_arena_that_is_not_there_is_told(socket_directory: Path) -> None:
    with pytest.raises(ArenaError, match="no arena answers at unix:"):
        await asyncio.wait_for(play(PlaySession(Recorder()), f"unix:{socket_directory}/none.sock", ""), PATIENCE_S)


@pytest.mark.parametrize("code", [grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE])
async def test_an_arena_that_shuts_down_is_the_end_and_no_error(socket_directory: Path, code: grpc.StatusCode) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.say(started("a"))
        await arena.context.abort(code, "shutting down")

    bot = Recorder()
    await play_against(socket_directory, bot, script)
    assert bot.heard == ["started a"]


async def test_a_stream_that_ends_while_the_bot_thinks_is_the_end_and_no_error(socket_directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.say(started("a"), decide("a", 0))

    bot = Recorder()
    await play_against(socket_directory, bot, script)
    assert bot.heard == ["started a", "decide 0"]


async def test_what_decide_raises_ends_the_stream_and_is_raised(socket_directory: Path) -> None:
    stream_ended = asyncio.Event()

    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.say(started("a"), decide("a", 0))
        try:
            assert await arena.context.read() is grpc.aio.EOF  # type: ignore[comparison-overlap]
        finally:
            stream_ended.set()

    class Broken(Bot):
        def decide(self, decision: Decision) -> int:
            raise ZeroDivisionError("oh")

    async with serve(socket_directory, script) as arena:
        with pytest.raises(ZeroDivisionError):
            await asyncio.wait_for(play(PlaySession(Broken()), arena.address, ""), PATIENCE_S)
        await asyncio.wait_for(stream_ended.wait(), PATIENCE_S)


async def test_a_cancelled_bot_stays_cancelled(socket_directory: Path) -> None:
    """Only grpc.aio runs in a task."""
    joined = asyncio.Event()

    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        joined.set()
        await arena.context.read()

    async with serve(socket_directory, script) as arena:
        task = asyncio.create_task(stream.play(PlaySession(Recorder()), arena.address, ""))
        await asyncio.wait_for(joined.wait(), PATIENCE_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_decision_of_an_unknown_match_is_refused(socket_directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.say(started("a"), finished("a"), decide("a", 0))
        await arena.context.read()

    with pytest.raises(ProtocolError, match="'a' came, which has not started"):
        await play_against(socket_directory, Recorder(), script)


async def test_a_match_of_a_game_that_was_not_told_is_refused(socket_directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.say(started("a", game="chess"))
        await arena.context.read()

    with pytest.raises(ProtocolError, match="'chess'"):
        await play_against(socket_directory, Recorder(), script)


async def test_an_engine_of_other_rules_is_refused_naming_both(socket_directory: Path) -> None:
    class Searcher(Bot):
        def decide(self, decision: Decision) -> int:
            return decision.state().legal_actions()[0]

    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.say(started("a", rules_version="7"), decide("a", 0))
        await arena.context.read()

    with pytest.raises(RulesVersionError, match="rules version 7, the engine installed here has 1"):
        await play_against(socket_directory, Searcher(), script)


async def test_the_randomness_starts_anew_with_each_match(socket_directory: Path) -> None:
    class Drawing(Bot):
        def decide(self, decision: Decision) -> int:
            return decision.match.random.choice(decision.legal_actions)

    chosen: list[list[int]] = []

    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        chosen.extend(
            [await arena.play_match(match_id, 30, seed=seed) for match_id, seed in zip("abc", (4, 4, 5), strict=True)]
        )

    await play_against(socket_directory, Drawing(), script)
    assert chosen[0] == chosen[1]
    assert chosen[0] != chosen[2]
