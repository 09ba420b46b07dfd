"""The Node kit and its bots: over a real socket, against protobuf in every message, and in the sandbox of an arena."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from arena.games.foreign_king.v1.state_pb2 import ForeignKingState
from arena.games.rex_romanorum.v1.state_pb2 import RexRomanorumState
from arena.hosting.sample_bots import sample_directory, write_new_bot
from arena.v1 import match_pb2, play_pb2
from arena.v1.play_pb2 import Act, Decide, Joined, MatchFinished, MatchStarted, PlayRequest, PlayResponse
from engine import registry
from tests.bots.fake_arena import JOINED, FakeArena, decide, serve, started
from tests.support.builds import HostedBots, open_hosted_bots
from tests.support.patience import PATIENCE_S

pytestmark = pytest.mark.needs("node")

BOT = Path(__file__).with_name("node_bot.mjs")
Script = Callable[[FakeArena], Awaitable[None]]


@dataclass(frozen=True)
class Ended:
    status: int
    errors: str
    output: str = ""


@pytest.fixture
def directory() -> Iterator[Path]:
    with TemporaryDirectory(prefix="kit") as name:
        yield Path(name)


@asynccontextmanager
async def running(deed: str, **environment: str) -> AsyncIterator[asyncio.Task[Ended]]:
    """A bot that does one thing; its end must come by itself."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("ARENA_")}
    process = await asyncio.create_subprocess_exec(
        *("node", str(BOT), deed),
        env={**own, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )

    async def wait() -> Ended:
        output, errors = await asyncio.wait_for(process.communicate(), PATIENCE_S)
        assert process.returncode is not None
        return Ended(process.returncode, errors.decode(), output.decode())

    task = asyncio.create_task(wait())
    try:
        yield task
    finally:
        if process.returncode is None:
            process.kill()
        await task


async def meet(directory: Path | None, deed: str, script: Script, **environment: str) -> tuple[Ended, FakeArena]:
    """Let a bot meet an arena that follows a script, until the bot has ended."""
    async with (
        serve(directory, script) as arena,
        running(deed, ARENA_ADDRESS=arena.address, ARENA_TOKEN="t0ken", **environment) as bot,
    ):
        return await bot, arena


async def one_match(arena: FakeArena) -> None:
    await arena.welcome()
    await arena.play_match("a", 1)


async def open_end(arena: FakeArena) -> None:
    """One decision, and then whatever the bot does."""
    await arena.welcome()
    await arena.say(started("a"), decide("a", 7))
    await arena.context.read()


async def test_it_joins_with_its_token_name_games_and_protocol(directory: Path) -> None:
    ended, arena = await meet(directory, "first", FakeArena.welcome)
    assert ended == Ended(0, "")
    assert arena.metadata["authorization"] == "Bearer t0ken"
    assert arena.heard[0].join == play_pb2.Join(
        name="first", protocol_major=1, protocol_minor=0, games=["nim", "foreign_king"]
    )


async def test_one_stream_serves_several_matches_and_the_bot_hears_of_each(directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.play_match("a", 2)
        await arena.play_match("b", 1)

    ended, arena = await meet(directory, "heard", script)
    assert ended == Ended(0, "")
    assert arena.heard[-1].act.note == "prepare, started a, finished a as 1, started b"


async def test_it_connects_to_a_port_and_to_no_proxy() -> None:
    proxy = "http://127.0.0.1:9"
    ended, arena = await meet(None, "later", one_match, http_proxy=proxy, grpc_proxy=proxy, https_proxy=proxy)
    assert ended == Ended(0, "")
    assert arena.heard[1].act == play_pb2.Act(match_id="a", ply=0, actions=[1], note="")


async def test_several_actions_answer_at_once(directory: Path) -> None:
    _, arena = await meet(directory, "several", one_match)
    assert arena.heard[1].act == play_pb2.Act(match_id="a", ply=0, actions=[2, 1])


async def test_a_bot_may_resign(directory: Path) -> None:
    _, arena = await meet(directory, "resign", one_match)
    assert arena.heard[1] == play_pb2.PlayRequest(resign=play_pb2.Resign(match_id="a"))


async def test_of_a_long_note_the_beginning_is_sent(directory: Path) -> None:
    _, arena = await meet(directory, "many notes", one_match)
    assert arena.heard[1].act.note == "👑" * 1000


async def test_a_decision_tells_what_the_arena_said(directory: Path) -> None:
    game = registry.get("foreign_king")
    state = game.new_state(3)
    info = play_pb2.GameInfo(name=game.name, rules_version="1", actions=game.actions.names)
    begun = play_pb2.MatchStarted(match_id="a", game=game.name, seat=2, seats=3, options_json='{"bank": 37}', cores=2)
    begun.clock.bank_us, begun.seed = 60_000_000, 2**53 - 1
    asked = play_pb2.Decide(match_id="a", ply=4, legal_actions=[84, 89], dropped_actions=1, time_limit_us=60_000_000)
    asked.events.append(match_pb2.Event(ply=3, seat=1, action=5, reveals=[match_pb2.Reveal(kind="d6", values=[4])]))
    kind, data = game.encode_observation(state, 0)
    asked.observation.type_url, asked.observation.value = f"type.googleapis.com/{kind}", data

    async def script(arena: FakeArena) -> None:
        await arena.hear()
        await arena.say(
            play_pb2.PlayResponse(joined=play_pb2.Joined(protocol_major=1, games=[info])),
            play_pb2.PlayResponse(match_started=begun),
            play_pb2.PlayResponse(decide=asked),
        )
        await arena.hear()

    ended, _ = await meet(directory, "tell", script)
    told = json.loads(ended.output)
    assert (told["ply"], told["legalActions"], told["names"]) == (4, [84, 89], ["KING_TO:ANT", "KING_TO:LIE"])
    assert (told["droppedActions"], told["timeLimitUs"], told["bankUs"]) == (1, 60_000_000, 0)
    assert 0 < told["left"] <= 60
    assert (told["id"], told["game"], told["seat"], told["seats"], told["cores"]) == ("a", "foreign_king", 2, 3, 2)
    assert (told["options"], told["clock"]["bankUs"], told["seed"]) == ({"bank": 37}, 60_000_000, 2**53 - 1)
    (event,) = told["events"]
    assert (event["seat"], event["reveals"]) == (1, [{"kind": "d6", "values": [4]}])
    assert (told["observation"]["seats"], told["observation"]["options"]["maxRounds"]) == (3, 100)


async def test_equal_seeds_give_equal_draws(directory: Path) -> None:
    drawn: list[list[int]] = []

    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        for match_id, seed in (("a", 7), ("b", 7), ("c", 8)):
            drawn.append(await arena.play_match(match_id, 30, seed=seed))

    await meet(directory, "draw", script)
    assert drawn[0] == drawn[1] != drawn[2]
    assert set(drawn[0]) == {0, 1, 2}


async def test_events_and_fields_that_it_does_not_know_are_ignored(directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        unknown = play_pb2.PlayResponse.FromString(b"\xa2\x06\x03abc")
        asked = decide("a", 0)
        asked.decide.MergeFromString(b"\xa2\x06\x03abc\xa8\x06\x01")
        await arena.say(unknown, started("a"), unknown, asked)
        await arena.hear()

    ended, arena = await meet(directory, "first", script)
    assert ended == Ended(0, "")
    assert arena.heard[1].act.actions == [0]


async def test_an_arena_of_another_major_version_is_refused_with_both_named(directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.hear()
        await arena.say(play_pb2.PlayResponse(joined=play_pb2.Joined(protocol_major=2, protocol_minor=3)))
        await arena.context.read()

    ended, _ = await meet(directory, "first", script)
    assert ended == Ended(1, "the arena speaks protocol 2.3, this kit 1.0; take the kit that came with the arena\n")


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ([decide("b", 0)], 'a decision of match "b" came, which has not started\n'),
        ([started("a", game="go")], 'a match of "go" started, a game the arena had not told of when we joined\n'),
    ],
    ids=["decision", "game"],
)
async def test_what_comes_out_of_order_is_an_error(
    directory: Path, said: list[play_pb2.PlayResponse], error: str
) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.welcome()
        await arena.say(*said)
        await arena.context.read()

    ended, _ = await meet(directory, "first", script)
    assert ended == Ended(1, error)


async def test_what_decide_throws_is_shown_and_ends_the_process(directory: Path) -> None:
    ended, _ = await meet(directory, "fail", open_end)
    assert ended.status == 1
    assert ended.errors.startswith("RangeError: no idea at ply 7\n    at ")
    assert "node_bot.mjs" in ended.errors


@pytest.mark.parametrize(
    ("deed", "error"),
    [
        ("nothing", "AnswerError: decide returned undefined; return an action id, an array of ids, or RESIGN"),
        ("name", "AnswerError: decide returned TAKE:1; return an action id, an array of ids, or RESIGN"),
        ("empty", "AnswerError: decide returned 0 action ids; an answer has 1 to 64"),
    ],
)
async def test_an_answer_that_is_none_ends_the_process(directory: Path, deed: str, error: str) -> None:
    ended, _ = await meet(directory, deed, open_end)
    assert (ended.status, ended.errors.splitlines()[0]) == (1, error)


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED])
async def test_an_arena_that_goes_away_ends_the_bot_in_good_order(directory: Path, code: grpc.StatusCode) -> None:
    async def script(arena: FakeArena) -> None:
        await one_match(arena)
        await arena.context.abort(code, "gone")

    ended, arena = await meet(directory, "first", script)
    assert ended == Ended(0, "")
    assert len(arena.heard) == 2


async def test_a_bot_that_is_let_go_before_it_was_welcomed_ends_in_good_order(directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.hear()

    ended, _ = await meet(directory, "first", script)
    assert ended == Ended(0, "")


async def test_a_refusal_is_one_line(directory: Path) -> None:
    async def script(arena: FakeArena) -> None:
        await arena.context.abort(grpc.StatusCode.UNAUTHENTICATED, "no such token")

    ended, arena = await meet(directory, "first", script)
    assert ended == Ended(1, f"the arena at {arena.address} ended the stream: UNAUTHENTICATED: no such token\n")


async def test_an_arena_that_is_not_there_is_one_line() -> None:
    async with running("first", ARENA_ADDRESS="unix:/nonexistent/arena.sock") as bot:
        ended = await bot
    assert ended.status == 1
    assert ended.errors.startswith("no arena answers at unix:/nonexistent/arena.sock")
    assert ended.errors.count("\n") == 1


async def test_a_bot_started_by_hand_says_how_to_start_it() -> None:
    async with running("first") as bot:
        ended = await bot
    assert ended.status == 2
    assert ended.errors.startswith("ARENA_ADDRESS is not set")
    assert ended.errors.count("\n") == 1


def test_the_fake_arena_speaks_the_protocol_of_the_kit() -> None:
    source = (BOT.parents[2] / "bots" / "node" / "kit" / "session.mjs").read_text(encoding="utf-8")
    assert f"PROTOCOL_MAJOR = {JOINED.joined.protocol_major};" in source
    assert f"PROTOCOL_MINOR = {JOINED.joined.protocol_minor};" in source


CODEC = Path(__file__).with_name("node_codec.mjs")
KINDS: tuple[type[Message], ...] = (
    *(PlayRequest, PlayResponse, Act, Decide, Joined, MatchStarted, MatchFinished),
    *(ForeignKingState, RexRomanorumState),
)
EDGES = {
    FieldDescriptor.TYPE_INT32: (1, 127, 128, -1, 2**31 - 1, -(2**31)),
    FieldDescriptor.TYPE_SINT32: (1, -1, 64, -64, 2**31 - 1, -(2**31)),
    FieldDescriptor.TYPE_INT64: (1, 2**32, 2**35 - 1, 2**53 - 1, -1, -(2**53) + 1),
    FieldDescriptor.TYPE_FIXED64: (1, 2**53 + 1, 2**64 - 1, 1 << 61),
    FieldDescriptor.TYPE_BOOL: (True, False),
    FieldDescriptor.TYPE_STRING: ("a", "KING_TO:LIE", "Köln 👑", "x" * 300),
    FieldDescriptor.TYPE_BYTES: (b"\0", b"\xff" * 62),
}


def ask(lines: Sequence[tuple[str, bytes]]) -> list[dict[str, Any]]:
    """What the kit makes of bytes, each of a kind of message."""
    text = "".join(f"{kind} {data.hex()}\n" for kind, data in lines)
    told = subprocess.run(["node", str(CODEC)], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in told.stdout.splitlines()]


def fill(message: Message, random: Random, depth: int = 3) -> None:
    """Set about half of the fields to values at the edges of their types."""
    for field in message.DESCRIPTOR.fields:
        if random.random() < 0.5 or (field.message_type and not depth):
            continue
        for _ in range(random.choice((1, 3)) if field.is_repeated else 1):
            if field.message_type:
                inner = getattr(message, field.name)
                inner = inner.add() if field.is_repeated else inner
                inner.SetInParent()
                fill(inner, random, depth - 1)
            else:
                choices = EDGES.get(field.type) or (1, 3)  # those of enums
                value = random.choice(choices)
                getattr(message, field.name).append(value) if field.is_repeated else setattr(message, field.name, value)


def expected(message: Message) -> dict[str, Any]:
    """The fields as the kit tells them, from protobuf's own reading."""
    return {field.json_name: _value(message, field) for field in message.DESCRIPTOR.fields}


def _value(message: Message, field: Any) -> Any:
    value = getattr(message, field.name)
    if field.message_type and not field.is_repeated:
        return expected(value) if message.HasField(field.name) else None
    return [_plain(field, each) for each in value] if field.is_repeated else _plain(field, value)


def _plain(field: Any, value: Any) -> Any:
    if field.message_type:
        return expected(value)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return b64encode(value).decode()
    return str(value) if field.type == FieldDescriptor.TYPE_FIXED64 else value


def sample(kind: type[Message], seed: int) -> Message:
    message = kind()
    fill(message, Random(seed))
    return message


def test_every_message_is_read_and_written_as_protobuf_does() -> None:
    messages = [kind() for kind in KINDS] + [sample(kind, seed) for kind in KINDS for seed in range(40)]
    answers = ask([(type(message).DESCRIPTOR.name, message.SerializeToString()) for message in messages])
    assert len(answers) == len(messages)
    for message, answer in zip(messages, answers, strict=True):
        assert answer["value"] == expected(message), type(message)
        assert type(message).FromString(bytes.fromhex(answer["written"])) == message


def test_numbers_of_a_list_may_come_one_by_one() -> None:
    (answer,) = ask([("Decide", b"\x20\x05\x22\x02\x06\x07\x20\x08")])
    assert answer["value"]["legalActions"] == [5, 6, 7, 8]


def test_an_unknown_field_is_skipped() -> None:
    unknown = {
        "number": b"\xa0\x06\x96\x01",
        "text": b"\xa2\x06\x03abc",
        "fixed32": b"\xa5\x06abcd",
        "fixed64": b"\xa1\x06abcdefgh",
        "group": b"\xa3\x06\x08\x01\xa4\x06",
    }
    message = Act(match_id="m", ply=3, actions=[1, 2])
    answers = ask([("Act", field + message.SerializeToString() + field) for field in unknown.values()])
    for kind, answer in zip(unknown, answers, strict=True):
        assert Act.FromString(bytes.fromhex(answer["written"])) == message, kind


def test_bytes_that_are_no_message_are_an_error() -> None:
    wrong = {
        "text": b"\x0a\x05ab",
        "number": b"\x10",
        "too long": b"\x10" + b"\xff" * 11,
        "list": b"\x1a\x02\x01\xff",
        "field 0": b"\x00\x01",
        "wire type 7": b"\x0f",
        "group": b"\xa3\x06\x08\x01",
    }
    answers = ask([("Act", data) for data in wrong.values()])
    told = dict(zip(wrong, answers, strict=True))
    assert {kind for kind, answer in told.items() if not answer.get("error", "").startswith("WireError: ")} == set()


ROOT = Path(__file__).resolve().parents[2]
SAMPLE = sample_directory("node")
GOAL = 0.7


def write_the_least(directory: Path) -> Path:
    """The bot of the guide, word for word, beside the kit."""
    guide = (ROOT / "docs" / "write-a-bot-in-node.md").read_text(encoding="utf-8")
    shutil.copytree(SAMPLE / "kit", directory / "kit")
    for name, language in (("main.mjs", "js"), ("bot.toml", "toml")):
        (block,) = re.findall(rf"```{language}\n(.*?)```", guide, re.DOTALL)
        (directory / name).write_text(block, encoding="utf-8")
    return directory


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hosted_bots(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[HostedBots]:
    """All bots of these tests, which stay warm."""
    directory = tmp_path_factory.mktemp("bots")
    bots = {name: write_new_bot(directory / name, "node", name, name).directory for name in registry.single_names()}
    async with open_hosted_bots(
        "standard", {"node": SAMPLE, "least": write_the_least(directory / "least"), **bots}
    ) as hosted_bots:
        yield hosted_bots


# The seeds are fixed and the bots draw from them alone: the same matches every time, so nothing is left to chance.
@pytest.mark.needs("sandbox")
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("game", registry.single_names())
async def test_the_sample_plays_well_and_without_faults_in_every_number_of_seats(
    hosted_bots: HostedBots, game: str
) -> None:
    results = [await hosted_bots.play("node", game, seats, 1) for seats in registry.get(game).seats]
    assert [result.faults for result in results] == [()] * len(results)
    assert fmean(result.mean for result in results) >= GOAL


@pytest.mark.needs("sandbox")
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("game", registry.single_names())
async def test_a_new_bot_plays_without_faults(hosted_bots: HostedBots, game: str) -> None:
    result = await hosted_bots.play(game, game, registry.get(game).seats[-1], 1)
    assert result.faults == ()


@pytest.mark.needs("sandbox")
@pytest.mark.asyncio(loop_scope="module")
async def test_the_least_bot_of_the_guide_plays_without_faults_and_equal_matches_equally(
    hosted_bots: HostedBots,
) -> None:
    results = [await hosted_bots.play("least", "foreign_king", 2, 1) for _ in range(2)]
    assert results[0].faults == ()
    assert results[0] == results[1]
