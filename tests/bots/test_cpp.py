"""The kit for C++ and the bots that use it: built in the sandbox, and spoken to as the arena speaks to them."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import grpc
import pytest
import pytest_asyncio

from arena.conform.checker import check_bot
from arena.conform.dialogue import Patience
from arena.conform.judging import RuleState
from arena.conform.process import Command, launcher_of
from arena.conform.rules import rules_of
from arena.games.foreign_king.v1 import state_pb2
from arena.hosting.sample_bots import sample_directory
from arena.v1 import match_pb2, play_pb2
from arena.worker.match_host import MatchHost
from engine import registry
from tests.bots.fake_arena import FakeArena, decide, finished, serve, started
from tests.support.builds import CppBots, HostedBots, build_bots
from tests.support.patience import PATIENCE_S
from tests.support.sandboxes import missing

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.needs("cpp"),
]

Script = Callable[[FakeArena], Awaitable[None]]


@dataclass(frozen=True)
class Ended:
    status: int
    told: list[str]
    complaint: str


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bots(tmp_path_factory: pytest.TempPathFactory) -> CppBots:
    """Built once for all tests, in the sandbox if there is one."""
    return await build_bots(tmp_path_factory.mktemp("cpp"), "none" if missing("standard") else "standard")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hosted_bots(bots: CppBots) -> AsyncIterator[HostedBots]:
    """Where the sample plays, in the sandbox in which it was built."""
    async with MatchHost() as host:
        hosted_bots = HostedBots(bots.programs, host, bots.level)
        await hosted_bots.add("cpp", bots.source)
        await hosted_bots.add("random", sample_directory("random"))
        yield hosted_bots


@pytest.fixture
def directory() -> Iterator[Path]:
    with TemporaryDirectory(prefix="kit") as name:  # a socket's path is at most 107 bytes long
        yield Path(name)


async def start(bots: CppBots, which: str, **environment: str) -> Ended:
    """Run a bot to its end, which must come by itself."""
    # The launcher passes none of these on either; gRPC's own ones are for Python's.
    base = {key: value for key, value in os.environ.items() if not key.startswith(("ARENA_", "GRPC_"))}
    process = await asyncio.create_subprocess_exec(
        *(bots.path, which),
        env={**base, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        output, errors = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Ended(process.returncode or 0, output.decode().splitlines(), errors.decode().rstrip())


async def meet(bots: CppBots, directory: Path, which: str, script: Script) -> tuple[Ended, FakeArena]:
    async with serve(directory, script) as arena:
        ended = await start(bots, which, ARENA_ADDRESS=arena.address, ARENA_TOKEN="t0ken")
    return ended, arena


async def one_decision(arena: FakeArena) -> None:
    await arena.welcome()
    await arena.say(started("a"), decide("a", 7))
    await arena.hear()
    await arena.say(finished("a"))


async def unanswered(arena: FakeArena) -> None:
    await arena.welcome()
    await arena.say(started("a"), decide("a", 7))
    await arena.context.read()


class TestAStream:
    async def test_a_bot_joins_with_its_token_name_games_and_protocol(self, bots: CppBots, directory: Path) -> None:
        ended, arena = await meet(bots, directory, "first", FakeArena.welcome)
        join = arena.heard[0].join
        assert arena.metadata["authorization"] == "Bearer t0ken"
        assert (join.name, join.protocol_major, join.protocol_minor) == ("habit", 1, 0)
        assert list(join.games) == ["nim", "foreign_king"]
        assert ended == Ended(0, ["prepared"], "")

    async def test_the_first_bot_of_the_guide_plays(self, bots: CppBots, directory: Path) -> None:
        async def script(arena: FakeArena) -> None:
            await arena.welcome()
            assert await arena.play_match("a", 3) == [0, 0, 0]

        ended, _ = await meet(bots, directory, "guide", script)
        assert ended == Ended(0, [], "")

    async def test_it_serves_several_matches(self, bots: CppBots, directory: Path) -> None:
        async def script(arena: FakeArena) -> None:
            await arena.welcome()
            assert await arena.play_match("a", 2) == [0, 0]
            assert await arena.play_match("b", 1) == [0]

        ended, _ = await meet(bots, directory, "first", script)
        assert ended.told == [
            "prepared",
            "started a, 0 events", "finished a as 1",
            "started b, 0 events", "finished b as 1",
        ]  # fmt: skip
        assert (ended.status, ended.complaint) == (0, "")

    async def test_an_address_of_the_network_is_as_good(self, bots: CppBots) -> None:
        async with serve(None, one_decision) as arena:
            proxy = {"http_proxy": "http://127.0.0.1:9"}  # where nobody is
            ended = await start(bots, "first", ARENA_ADDRESS=arena.address, ARENA_TOKEN="t", **proxy)
        assert (ended.status, ended.told[-1]) == (0, "finished a as 1")

    async def test_events_and_fields_that_it_does_not_know_are_ignored(self, bots: CppBots, directory: Path) -> None:
        async def script(arena: FakeArena) -> None:
            await arena.welcome()
            unknown = b"\xc2\x3e\x03abc"  # field 1000
            await arena.say(play_pb2.PlayResponse.FromString(unknown), play_pb2.PlayResponse())
            question = decide("a", 7)
            question.decide.MergeFromString(unknown)
            await arena.say(started("a"), question)
            assert list((await arena.hear()).act.actions) == [0]

        ended, _ = await meet(bots, directory, "first", script)
        assert (ended.status, ended.complaint) == (0, "")

    async def test_another_major_version_is_refused_naming_both(self, bots: CppBots, directory: Path) -> None:
        async def script(arena: FakeArena) -> None:
            await arena.hear()
            await arena.say(play_pb2.PlayResponse(joined=play_pb2.Joined(protocol_major=2, protocol_minor=3)))
            await arena.context.read()

        ended, _ = await meet(bots, directory, "first", script)
        assert ended.status == 1
        assert ended.complaint == ("the arena speaks protocol 2.3, this kit 1.0; take the kit that came with the arena")

    @pytest.mark.parametrize(
        ("messages", "words"),
        [
            ([decide("a", 0)], "a decision of match 'a' came, which has not started"),
            ([started("a"), decide("b", 0)], "a decision of match 'b' came, which has not started"),
            ([started("a"), finished("a"), decide("a", 9)], "a decision of match 'a' came, which has not started"),
            ([started("a", game="go")], "a match of 'go' started, a game the arena had not told of when we joined"),
        ],
    )
    async def test_a_message_out_of_order_ends_it(
        self, bots: CppBots, directory: Path, messages: list[play_pb2.PlayResponse], words: str
    ) -> None:
        async def script(arena: FakeArena) -> None:
            await arena.welcome()
            await arena.say(*messages)
            await arena.context.read()

        ended, _ = await meet(bots, directory, "first", script)
        assert (ended.status, ended.complaint) == (1, words)


class TestADecision:
    async def test_it_tells_everything(self, bots: CppBots, directory: Path) -> None:
        async def script(arena: FakeArena) -> None:
            await arena.welcome()
            first = started("a", seed=5)
            first.match_started.options_json = '{"heap": 9}'
            first.match_started.cores = 2
            first.match_started.clock.bank_us = 60_000_000
            first.match_started.resumed = True
            event = match_pb2.Event(ply=6, seat=1, action=2, reveals=[match_pb2.Reveal(kind="d6", values=[4])])
            first.match_started.events.append(event)
            question = decide("a", 7, legal=(1, 2))
            question.decide.events.append(event)
            question.decide.dropped_actions = 3
            question.decide.bank_us = 40_000_000
            question.decide.time_limit_us = 5_000_000
            await arena.say(first, question)
            answer = await arena.hear()
            assert set(answer.act.actions) <= {1, 2}

        ended, _ = await meet(bots, directory, "tell", script)
        assert ended.told == [
            "prepared",
            "started a again, 1 events",
            "match a of nim: seat 0 of 2, rules 1, 2 cores, bank 60000000",
            "heap 9",
            "ply 7, 34 bytes, dropped 3, bank 40000000, limit 5000000, in time",
            "1 is TAKE:2",
            "2 is TAKE:3",
            "seat 1 played 2, d6 4",
        ]

    async def test_equal_seeds_draw_equally(self, bots: CppBots, directory: Path) -> None:
        chosen: list[list[int]] = []

        async def script(arena: FakeArena) -> None:
            await arena.welcome()
            chosen.extend(
                [await arena.play_match(name, 12, seed=seed) for name, seed in (("a", 5), ("b", 5), ("c", 6))]
            )

        await meet(bots, directory, "template", script)
        assert chosen[0] == chosen[1]
        assert chosen[0] != chosen[2]
        assert set(chosen[0]) == {0, 1, 2}

    async def test_the_position_is_a_message_of_the_games_own(self, bots: CppBots, directory: Path) -> None:
        async def script(arena: FakeArena) -> None:
            await arena.welcome()
            question = decide("a", 0)
            question.decide.observation.Pack(state_pb2.ForeignKingState(francs=[5, 6]))
            await arena.say(started("a"), question)
            assert (await arena.hear()).act.note == "5"

        ended, _ = await meet(bots, directory, "count-francs", script)
        assert ended.status == 0

    async def test_an_observation_of_another_type_is_refused(self, bots: CppBots, directory: Path) -> None:
        ended, _ = await meet(bots, directory, "observe", unanswered)
        assert ended.status == 1
        assert ended.complaint.endswith("not a arena.games.foreign_king.v1.ForeignKingState")


class TestAnAnswer:
    async def test_it_may_be_several_actions_with_a_note(self, bots: CppBots, directory: Path) -> None:
        _, arena = await meet(bots, directory, "several", one_decision)
        act = arena.heard[1].act
        assert (act.match_id, act.ply, list(act.actions), act.note) == ("a", 7, [2, 0, 1], "three at once")

    async def test_it_may_be_a_list(self, bots: CppBots, directory: Path) -> None:
        _, arena = await meet(bots, directory, "a-list", one_decision)
        assert list(arena.heard[1].act.actions) == [2, 0]

    async def test_it_may_be_to_resign(self, bots: CppBots, directory: Path) -> None:
        _, arena = await meet(bots, directory, "resign", one_decision)
        assert arena.heard[1] == play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="a"))

    async def test_a_note_that_would_cost_the_match_is_mended(self, bots: CppBots, directory: Path) -> None:
        _, arena = await meet(bots, directory, "long-note", one_decision)
        assert arena.heard[1].act.note == "?" + "é" * 999

    @pytest.mark.parametrize(
        ("which", "words"),
        [
            ("fail", "no idea at ply 7"),
            ("fail-oddly", "the bot threw something that is no std::exception"),
            ("none", "decide returned 0 action ids; an answer has 1 to 64"),
            ("too-many", "decide returned 65 action ids; an answer has 1 to 64"),
            ("no-such-name", "there is no action 3 in nim; the last one is 2"),
        ],
    )
    async def test_what_decide_throws_ends_the_process(
        self, bots: CppBots, directory: Path, which: str, words: str
    ) -> None:
        ended, arena = await meet(bots, directory, which, unanswered)
        assert (ended.status, ended.complaint) == (1, words)
        assert len(arena.heard) == 1


class TestAnArenaThatIsNotThere:
    async def test_a_bot_started_by_hand_says_how_to_start_it(self, bots: CppBots) -> None:
        ended = await start(bots, "template")
        assert ended.status == 2
        assert ended.complaint.startswith("ARENA_ADDRESS is not set")

    async def test_an_address_where_nobody_is_is_named(self, bots: CppBots) -> None:
        ended = await start(bots, "template", ARENA_ADDRESS="unix:/nonexistent/arena.sock")
        assert ended.status == 1
        assert ended.complaint.startswith("no arena answers at unix:/nonexistent/arena.sock")

    async def test_a_refusal_is_told(self, bots: CppBots, directory: Path) -> None:
        async def script(arena: FakeArena) -> None:
            await arena.hear()
            await arena.context.abort(grpc.StatusCode.UNAUTHENTICATED, "unknown token")

        ended, arena = await meet(bots, directory, "first", script)
        assert ended.status == 1
        assert ended.complaint == f"the arena at {arena.address} ended the stream: UNAUTHENTICATED: unknown token"


@pytest.mark.parametrize("game", registry.single_names())
async def test_the_sample_beats_random_bots_in_every_number_of_seats(hosted_bots: HostedBots, game: str) -> None:
    """The seeds are fixed, and so is the play: benchmarks/languages.py plays 100 matches of each kind."""
    for seats in registry.get(game).seats:
        result = await hosted_bots.play("cpp", game, seats, 2)
        assert result.faults == ()
        assert result.mean >= 0.7


async def test_the_program_needs_no_library_but_those_of_every_runtime(bots: CppBots) -> None:
    needed = subprocess.run(["ldd", bots.path], capture_output=True, text=True, check=True).stdout
    assert "grpc" not in needed
    assert "absl" not in needed
    assert "warning" not in bots.log


async def test_the_kit_keeps_every_rule_of_the_protocol(bots: CppBots, directory: Path) -> None:
    launcher = launcher_of(Command((bots.path,), str(directory)))
    checked = await check_bot(launcher, directory, patience=Patience().times(20))
    assert [verdict.message for verdict in checked.verdicts if verdict.state is not RuleState.KEPT] == []
    assert [verdict.rule for verdict in checked.verdicts] == [*rules_of(checked.transport)]
