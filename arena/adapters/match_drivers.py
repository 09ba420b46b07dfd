"""Drives the matches in which a learner plays: what it is told, and the drivers that seat bots in the other seats.

`InProcessDriver` plays with bots of this process and starts no other, for those who learn from many matches.
`HostedDriver` seats programs: a process of ours (`arena.adapters.bot_host`) hosts them as in every match of the arena,
and asks back for the other seats in frames over its pipes.
"""

from __future__ import annotations

import json
import os
import select
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from arena.adapters.library import AdapterError, OpponentError, TableError
from arena.adapters.opponents import HostedProgram, ThinkingBot
from arena.adapters.setting import GameSetting
from arena.hosting.framed_pipe import encode_frame
from arena.match.decisions import Answer
from arena.match.match import Match
from arena.match.result import Fault, FaultCause, MatchResult
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.v1 import play_pb2
from arena.wire.messages import Leave, MatchEncoder, parse_request
from bots.session import Bot
from engine.chance import SeededChance
from engine.core import Observation, State
from engine.record import Playing

MATCH_ID = "research"
"""What bots are told as the id of every match."""
LEARNER = "learner"
"""What the seat of who learns is called."""
_LENGTHS = struct.Struct(">II")
_STOP_GRACE_S = 10.0
_MODULE = "arena.adapters.bot_host"
_LONGEST_WAIT_S = 1000.0
"""Longer than any decision lasts that the referee waits for."""


@dataclass(frozen=True, slots=True)
class LearnerTurn:
    """The learner must choose."""

    ply: int
    legal: Sequence[int]
    seen: Observation | State
    """What it sees of the position. Do not change it."""
    faults: Sequence[Fault]
    """What the others did wrong so far."""


@dataclass(frozen=True, slots=True)
class End:
    """The match is over."""

    ranks: Sequence[int]
    faults: Sequence[Fault]


@dataclass(frozen=True, slots=True)
class Start:
    """How a match begins."""

    learner: int
    """The seat of who learns; the opponents sit in the others, in their order."""
    chance_seed: int
    opening: tuple[int, ...]
    seeds: tuple[int, ...]
    """The seed of each seat's bot."""


class MatchDriver(Protocol):
    """Seats the other bots and plays matches, one at a time."""

    def begin(self, start: Start) -> LearnerTurn | End:
        """Begin a match, breaking off one that is under way, and play to where the learner must choose.

        Raises OpponentError, TableError, and AdapterError for a bot that cannot sit down.
        """

    def act(self, action: int) -> LearnerTurn | End:
        """Play a legal action of the learner. Raises OpponentError, TableError."""

    def stop(self) -> None:
        """Break the match off that is under way, if there is one."""

    def close(self) -> None:
        """End every process."""


def match_spec(setting: GameSetting, start: Start, names: Sequence[str], clock: TimeControl) -> MatchSpec:
    """Return what is played; every seat is of one who runs elsewhere, and has its name."""
    game = setting.game
    return MatchSpec(
        match_id=MATCH_ID,
        attempt=1,
        game=game.name,
        rules_version=game.rules_version,
        options=game.options_json(setting.options),
        clock=clock,
        cores=1,
        chance_seed=start.chance_seed,
        opening=start.opening,
        seats=tuple(
            SeatSpec(version="", name=name, directory="", command=(), seed=seed, is_remote=True)
            for name, seed in zip(names, start.seeds, strict=True)
        ),
        is_rated=False,
    )


def other_seats(setting: GameSetting, learner: int) -> list[int]:
    """Return the seats of the opponents, in their order."""
    return [seat for seat in range(setting.seats) if seat != learner]


class InProcessDriver:
    """A `MatchDriver` whose bots all run in this process. The only clock is a time limit for each answer."""

    def __init__(self, setting: GameSetting, bots: Sequence[Bot], patience_s: float) -> None:
        self._setting = setting
        self._bots = [ThinkingBot(bot, setting.game, patience_s) for bot in bots]
        self._seats: Mapping[int, ThinkingBot] = {}
        self._match: Match | None = None
        self._encoder: MatchEncoder
        self._learner = 0

    def begin(self, start: Start) -> LearnerTurn | End:
        self.stop()
        self._learner = start.learner
        self._seats = dict(zip(other_seats(self._setting, start.learner), self._bots, strict=True))
        setting, names = self._setting, [LEARNER] * self._setting.seats
        playing = Playing(setting.game, setting.seats, setting.options, SeededChance(start.chance_seed))
        match = Match(match_spec(setting, start, names, TimeControl()), playing)
        self._encoder = MatchEncoder(match)
        for seat, bot in self._seats.items():
            bot.prepare(seat)
            bot.send(seat, self._encoder.started(seat))
        match.begin()
        self._match = match
        return self._go_on(match)

    def act(self, action: int) -> LearnerTurn | End:
        match = self._match
        assert match is not None, "a match is under way"
        assert match.decision is not None, "the learner was asked"
        match.receive(self._learner, Answer(MATCH_ID, match.decision.ply, (action,)), 0, 0)
        return self._go_on(match)

    def stop(self) -> None:
        """Forget the match: what a bot knows of it, it forgets when the next one begins."""
        self._match = None

    def close(self) -> None:
        self.stop()
        for bot in self._bots:
            bot.close()

    def _go_on(self, match: Match) -> LearnerTurn | End:
        while (decision := match.decision) is not None:
            if decision.seat == self._learner:
                faults = [fault for seat in self._seats for fault in match.faults_of(seat)]
                return LearnerTurn(decision.ply, decision.legal, match.playing.state, faults)
            message = parse_request(self._seats[decision.seat].send(decision.seat, self._encoder.decide(decision)))
            assert not isinstance(message, Leave), "a session never leaves by itself"
            match.receive(decision.seat, message, 0, 0)  # an illegal answer is a fault of its seat
        self._match = None
        for seat, bot in self._seats.items():
            bot.send(seat, self._encoder.finished(seat))
        return End(match.result().ranks, match.result().faults)


class FramedProcess:
    """A Python module that runs as a process; it ends with its standard input, and so with this process."""

    def __init__(self, module: str, patience_s: float) -> None:
        """Start the process; each frame may take up to `patience_s` seconds to arrive."""
        self._patience_s = patience_s
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the process
        # In a session of its own: Ctrl-C is for who learns, who may go on.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            start_new_session=True,
        )

    def write(self, head: Mapping[str, Any], blob: bytes = b"") -> None:
        """Send a frame. Raises TableError."""
        assert self._process.stdin is not None, "it was started with pipes"
        try:
            self._process.stdin.write(encode_frame(head, blob))
            self._process.stdin.flush()
        except OSError:
            raise self._died() from None

    def read(self) -> tuple[dict[str, Any], bytes]:
        """Return the next frame. Raises TableError if none comes."""
        deadline = time.monotonic() + self._patience_s
        head_size, blob_size = _LENGTHS.unpack(self._read_exactly(_LENGTHS.size, deadline))
        head = json.loads(self._read_exactly(head_size, deadline))
        return head, self._read_exactly(blob_size, deadline)

    def _read_exactly(self, size: int, deadline: float) -> bytes:
        assert self._process.stdout is not None, "it was started with pipes"
        descriptor, found = self._process.stdout.fileno(), bytearray()
        while len(found) < size:
            ready, _, _ = select.select([descriptor], [], [], max(deadline - time.monotonic(), 0))
            if not ready:
                raise TableError(f"the process that hosts the bots has said nothing for {self._patience_s:g} s")
            part = os.read(descriptor, size - len(found))
            if not part:
                raise self._died()
            found += part
        return bytes(found)

    def _died(self) -> TableError:
        self._words.seek(0)
        lines = self._words.read().decode(errors="replace").strip().splitlines()
        last = f": {lines[-1]}" if lines else ""
        return TableError(f"the process that hosts the bots has ended{last}")

    def close(self) -> None:
        """End it and what it has started."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None, "it was started with pipes"
            try:
                pipe.close()
            except OSError:  # it has ended, and what was to be written is lost
                continue
        try:
            self._process.wait(_STOP_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()  # its launcher sees it, and ends the bots
            self._process.wait()
        self._words.close()


class HostedDriver:
    """A `MatchDriver` that hosts at least one program; bots of this process may sit beside it."""

    def __init__(
        self,
        setting: GameSetting,
        opponents: Sequence[HostedProgram | Bot],
        clock: TimeControl,
        sandbox: str | None,
        patience_s: float,
    ) -> None:
        """Start the process and have it find the programs. Raises AdapterError for one that cannot sit down."""
        self._setting, self._clock = setting, clock
        self._opponents = [
            ThinkingBot(one, setting.game, patience_s) if isinstance(one, Bot) else one for one in opponents
        ]
        programs = [one for one in opponents if isinstance(one, HostedProgram)]
        self._order = {
            "do": "invite",
            "game": setting.game.name,
            "bots": [program.to_json() for program in programs],
            "sandbox": sandbox,
        }
        self._here: Mapping[int, ThinkingBot] = {}
        self._learner, self._ply = 0, 0
        self._is_playing = False
        self._process: FramedProcess | None = self._open()

    def _open(self) -> FramedProcess:
        process = FramedProcess(_MODULE, _LONGEST_WAIT_S)
        try:
            process.write(self._order)
            head, _ = process.read()
        except TableError:
            process.close()
            raise
        if head["event"] == "refused":
            process.close()
            raise AdapterError(head["why"])
        return process

    def begin(self, start: Start) -> LearnerTurn | End:
        self.stop()
        process = self._process = self._process or self._open()
        self._learner = start.learner
        seats = dict(zip(other_seats(self._setting, start.learner), self._opponents, strict=True))
        self._here = {seat: one for seat, one in seats.items() if isinstance(one, ThinkingBot)}
        for seat, bot in self._here.items():
            bot.prepare(seat)
        programs = [seat for seat, one in seats.items() if isinstance(one, HostedProgram)]
        names = [LEARNER] * self._setting.seats
        spec = match_spec(self._setting, start, names, self._clock)
        places = {str(seat): index for index, seat in enumerate(programs)}
        process.write({"do": "play", "spec": spec.to_json(), "bots": places})
        self._is_playing = True
        moment = self._go_on(process)
        for fault in moment.faults:
            if fault.cause is FaultCause.START_FAILED:
                self.stop()
                raise OpponentError(fault.seat, f"the bot in seat {fault.seat} did not start: {_explained(fault)}")
        return moment

    def act(self, action: int) -> LearnerTurn | End:
        process = self._process
        assert process is not None, "a match is under way"
        act = play_pb2.Act(match_id=self._match_id, ply=self._ply, actions=[action])
        process.write({"do": "answer"}, play_pb2.PlayRequest(act=act).SerializeToString())
        return self._go_on(process)

    def stop(self) -> None:
        """Leave the match, whose bots play the next one."""
        if self._process is None or not self._is_playing:
            return
        self._is_playing = False
        try:
            self._process.write({"do": "leave"})
            while self._process.read()[0]["event"] not in ("left", "over", "lost"):
                continue
        except TableError:
            self._forget()

    def close(self) -> None:
        for one in self._opponents:
            if isinstance(one, ThinkingBot):
                one.close()
        self._forget()

    def _forget(self) -> None:
        process, self._process, self._is_playing = self._process, None, False
        if process is not None:
            process.close()

    def _go_on(self, process: FramedProcess) -> LearnerTurn | End:
        """Answer for the bots of this process until the learner is asked or the match is over."""
        while True:
            try:
                head, blob = process.read()
            except TableError:
                self._forget()
                raise
            if head["event"] == "ask" and head["seat"] == self._learner:
                decide, game = play_pb2.PlayResponse.FromString(blob).decide, self._setting.game
                self._ply, self._match_id = decide.ply, decide.match_id
                return LearnerTurn(
                    decide.ply,
                    list(decide.legal_actions),
                    game.for_match(game.options_json(self._setting.options)).observed(decide.observation.value),
                    [Fault.from_json(fault) for fault in head["faults"]],
                )
            if head["event"] == "ask":
                process.write({"do": "answer"}, self._here[head["seat"]].send(head["seat"], blob))
            elif head["event"] == "tell":
                if head["seat"] in self._here:
                    self._here[head["seat"]].send(head["seat"], blob)
            elif head["event"] == "over":
                self._is_playing = False
                result = MatchResult.from_json(head["result"])
                return End(result.ranks, result.faults)
            else:
                self._forget()
                raise TableError(f"the match could not be played: {head['why']}")


def _explained(fault: Fault) -> str:
    lines = str(fault.evidence.get("stderr", "")).strip().splitlines()
    return f"{fault.explanation} Its last line was: {lines[-1]}" if lines else fault.explanation
