"""A small arena for bots that speak JSON lines: it starts the program of a bot with pipes and plays whole matches."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.match.decisions import Answer, Decision
from arena.match.match import Match
from arena.v1.play_pb2 import PlayResponse
from arena.wire.lines import LineQuestion, parse_line, response_line
from arena.wire.messages import MatchEncoder, encode_joined
from engine import registry
from tests.support.patience import PATIENCE_S
from tests.support.specs import king_spec, seat_spec

LANGUAGES = (
    pytest.param("python", id="python"),
    pytest.param("c", marks=pytest.mark.needs("c")),
    pytest.param("go", marks=pytest.mark.needs("go")),
    pytest.param("java", marks=pytest.mark.needs("java")),
    pytest.param("lua", marks=pytest.mark.needs("lua")),
    pytest.param("perl", marks=pytest.mark.needs("perl")),
    pytest.param("ruby", marks=pytest.mark.needs("ruby")),
    pytest.param("rust", marks=pytest.mark.needs("rust")),
    pytest.param("shell", marks=pytest.mark.needs("shell")),
)
"""Every language in which a new bot can speak lines."""
_LONGEST_LINE = 1 << 20


@dataclass(frozen=True)
class Ended:
    """How a bot has ended after the end of its input, and what it wrote besides its answers."""

    status: int
    output: str
    errors: str


class LinesBot:
    """The process of a bot, as the arena sees it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def tell(self, line: bytes) -> None:
        """Send a line that wants no answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(line)
        await self._process.stdin.drain()

    async def ask(self, line: bytes) -> bytes:
        """Send a line and return the line of the answer; a bot that does not flush it fails the test in the end."""
        assert self._process.stdout is not None
        await self.tell(line)
        return await asyncio.wait_for(self._process.stdout.readline(), PATIENCE_S)

    async def end(self) -> Ended:
        """Close the input of the bot and return how it ends by itself."""
        output, errors = await asyncio.wait_for(self._process.communicate(b""), PATIENCE_S)
        assert self._process.returncode is not None
        return Ended(self._process.returncode, output.decode(), errors.decode())


@asynccontextmanager
async def running(command: Sequence[str], directory: Path, scratch: Path) -> AsyncIterator[LinesBot]:
    """The bot whose files lie in a directory, and which works in another one, as in an arena."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=scratch,
        env={**os.environ, "ARENA_BOT_DIR": str(directory)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=_LONGEST_LINE,
    )
    try:
        yield LinesBot(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def join(bot: LinesBot, game: str) -> None:
    """Tell a bot that it has joined."""
    await bot.tell(response_line(PlayResponse.FromString(encode_joined([game]))))


async def play(bot: LinesBot, game: str, seed: int) -> list[bytes]:
    """Play a whole match in which the bot has seat 0 and the others draw lots, and return the lines it answered.

    An answer that is not legal fails the test.
    """
    seats = [replace(seat_spec(index), seed=seed) for index in range(3)]
    version = registry.get(game).rules_version
    spec = king_spec(f"m{seed}", seats, game=game, rules_version=version, chance_seed=seed)
    match, random = Match(spec), Random(seed)
    encoder, answers = MatchEncoder(match), list[bytes]()
    await bot.tell(response_line(PlayResponse.FromString(encoder.started(0))))
    match.begin()
    while (decision := match.decision) is not None:
        if decision.seat == 0:
            answers.append(await bot.ask(_question(match, encoder, decision)))
            said = parse_line(answers[-1], LineQuestion(spec.match_id, decision.ply, match.playing.game.actions))
            assert isinstance(said, Answer), said
        else:
            said = Answer(spec.match_id, decision.ply, (random.choice(list(decision.legal)),))
        match.receive(decision.seat, said, 0, 0)
    faults = match.result().faults
    assert not faults, faults
    await bot.tell(response_line(PlayResponse.FromString(encoder.finished(0))))
    return answers


def _question(match: Match, encoder: MatchEncoder, decision: Decision) -> bytes:
    response = PlayResponse.FromString(encoder.decide(decision))
    observation: dict[str, Any] = match.playing.state.observation_json(decision.seat)
    return response_line(response, observation, match.playing.game.actions.names)
