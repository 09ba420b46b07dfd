"""Seats programs: a process of ours hosts them as in every match of the arena, and asks back for the other seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.adapters.errors import AdapterError, OpponentError, TableError
from arena.adapters.frames import FramedProcess
from arena.adapters.in_process import LEARNER, match_spec, other_seats
from arena.adapters.opponents import HostedProgram
from arena.adapters.playing import End, LearnerTurn, Start
from arena.adapters.setting import GameSetting
from arena.adapters.thinking import ThinkingBot
from arena.match.result import Fault, FaultCause, MatchResult
from arena.match.time_control import TimeControl
from arena.v1 import play_pb2
from bots.session import Bot

_MODULE = "arena.adapters.bot_host"
_LONGEST_WAIT_S = 1000.0
"""Longer than any decision lasts that the referee waits for."""


class HostedDriver:
    """A `Seating` with at least one program; bots of this process may sit among them."""

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
                return self._turn(head, blob)
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

    def _turn(self, head: Mapping[str, Any], blob: bytes) -> LearnerTurn:
        decide = play_pb2.PlayResponse.FromString(blob).decide
        self._ply, self._match_id = decide.ply, decide.match_id
        return LearnerTurn(
            decide.ply,
            list(decide.legal_actions),
            self._setting.game.observed(decide.observation.value),
            [Fault.from_json(fault) for fault in head["faults"]],
        )


def _explained(fault: Fault) -> str:
    """Return what happened, with the last line that the program wrote."""
    lines = str(fault.evidence.get("stderr", "")).strip().splitlines()
    return f"{fault.explanation} Its last line was: {lines[-1]}" if lines else fault.explanation
