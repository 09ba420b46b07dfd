"""One seat of a game as an environment of Gymnasium; bots of the arena sit in the others.

    from arena.adapters.gymnasium import SeatEnv, Version
    env = SeatEnv("foreign_king", seats=3, opponents=["greedy", Version(db="arena.db", bot="mine")])
    observation, info = env.reset(seed=1)
    while True:
        action = env.action_space.sample(observation["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        if terminated:
            break
    env.close()

Programs run as in every match: in processes of their own, in a sandbox if they have an owner, asked over gRPC by the
referee, with its clock; bots and functions of this process are asked through the same messages. The learner has no
clock. It is asked where it has a choice; what is forced, and all chance, is played within a step. Its reward comes with
the end (`arena.adapters.setting.utilities`). An illegal action forfeits: the playing ends with -1. A bot's fault is
told in `info["faults"]`, and its seat is played on by the game's caretaker rule.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from random import Random
from threading import TIMEOUT_MAX
from typing import Any

from arena.adapters.features import Looking, Seen
from arena.adapters.library import AdapterError, OpponentError, load
from arena.adapters.match_drivers import HostedDriver, InProcessDriver, LearnerTurn, MatchDriver, Start
from arena.adapters.opponents import Opponent, Version, read_opponents
from arena.adapters.setting import setting_of, utilities
from arena.i18n.sanitize import encodable
from arena.match.result import Fault
from arena.match.time_control import TimeControlError, parse_time_control
from bots.session import Bot
from engine.core import Game, Observation

__all__ = ["Opponent", "SeatEnv", "Version"]

_gym = load("gymnasium")

ID = "kingmaker_arena/Seat-v0"
"""By this name `gymnasium.make` makes it: `gymnasium.make("arena.adapters.gymnasium:kingmaker_arena/Seat-v0", ...)`."""
RENDER_MODES = ("human", "ansi")
ILLEGAL_REWARD = -1.0
_MOST_EMPTY = 100
"""How many matches may end, one after another, before the learner was asked."""


class SeatEnv(_gym.Env):  # type: ignore[misc, name-defined]
    """A seat to learn in. `close` ends the processes; so does the end of this one."""

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012 - Gymnasium's own way

    def __init__(
        self,
        game: str | Game = "foreign_king",
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        *,
        opponents: Opponent | Sequence[Opponent] = "greedy",
        seat: int | None = 0,
        time: str = "100ms",
        opening_plies: int = 0,
        sandbox: str | None = None,
        patience_s: float = 60.0,
        render_mode: str | None = None,
    ) -> None:
        """Set the table: `opponents` sit in the other seats in their order, one alone in all of them.

        `seats` is by default the only number that the game permits, or else 3.
        `seat` is the learner's, None for another one in each playing. `time` is the time control of programs, as on the
        command line; bots of this process have `patience_s` for each answer. `opening_plies` random actions begin a
        playing. `sandbox` is the level for programs, None as `arena match run` has it. Raises AdapterError,
        AbilityError for a game without feature planes, TableError, and the errors of the engine.
        """
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise AdapterError(f"render_mode is one of {', '.join(RENDER_MODES)} or None, not {render_mode!r}")
        if sandbox is not None and not isinstance(sandbox, str):
            raise AdapterError(f"sandbox is a level such as 'standard', or None, not {sandbox!r:.60}")
        self.render_mode = render_mode
        self._setting = setting_of(game, seats, options, opening_plies)
        if seat is not None and (not isinstance(seat, int) or seat not in range(self._setting.seats)):
            raise AdapterError(
                f"seat is from 0 to {self._setting.seats - 1}, or None for another one in each playing, not {seat!r}"
            )
        self._seat = seat
        self._looking = Looking(self._setting)
        self.observation_space = self._looking.observation_space()
        self.action_space = self._looking.action_space()
        others = read_opponents(opponents, self._setting.seats - 1)
        if not isinstance(patience_s, int | float) or not patience_s > 0:
            raise AdapterError(f"patience_s is a number of seconds above 0, not {patience_s!r:.60}")
        patience_s = float(min(patience_s, TIMEOUT_MAX))  # some hundred years: for ever
        bots = [one for one in others if isinstance(one, Bot)]
        if len(bots) == len(others):
            self._seating: MatchDriver = InProcessDriver(self._setting, bots, patience_s)
        else:
            try:
                clock = parse_time_control(str(time))
            except TimeControlError as error:
                raise AdapterError(f"time: {error}") from error
            self._seating = HostedDriver(self._setting, others, clock, sandbox, patience_s)
        self._learner = 0
        self._turn: LearnerTurn | None = None
        self._is_closed = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Begin another match. With a seed, it and those after it depend on that alone; `options` is not looked at.

        Raises OpponentError for a bot that does not start, and TableError.
        """
        self._need_open()
        super().reset(seed=seed)
        del options
        random = Random(int(self.np_random.integers(2**53)))
        for _ in range(_MOST_EMPTY):
            setting = self._setting
            self._turn = None
            self._learner = random.randrange(setting.seats) if self._seat is None else self._seat
            chance_seed = random.getrandbits(53)
            opening = setting.draw_opening(chance_seed, random)
            seeds = tuple(random.getrandbits(53) for _ in range(setting.seats))
            moment = self._seating.begin(Start(self._learner, chance_seed, opening, seeds))
            if isinstance(moment, LearnerTurn):
                return self._show(moment), self._info(moment.ply, moment.faults)
            for fault in moment.faults:
                raise OpponentError(
                    fault.seat, f"seat {fault.seat} was out before the first choice: {fault.explanation}"
                )
        raise AdapterError(
            f"{_MOST_EMPTY} matches ended before the learner had a choice; take other options or fewer opening_plies"
        )

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Play an action, and on to the learner's next choice or the end.

        Raises AdapterError before `reset`, after the end, or for what is no action id; OpponentError for a bot of this
        process that raises or does not answer; TableError.
        """
        self._need_open()
        turn = self._turn
        if turn is None:
            raise AdapterError("there is no playing under way; call reset() first")
        chosen = self._setting.read_action(action)
        if chosen not in turn.legal:
            self._turn = None
            self._seating.stop()
            facts = {**self._info(turn.ply, turn.faults), "illegal": self._setting.game.actions.format(chosen)}
            return self._last_sight(turn), ILLEGAL_REWARD, True, False, facts
        self._turn = None  # what raises below ends the playing
        moment = self._seating.act(chosen)
        if isinstance(moment, LearnerTurn):
            return self._show(moment), 0.0, False, False, self._info(moment.ply, moment.faults)
        info = {**self._info(turn.ply + 1, moment.faults), "ranks": tuple(moment.ranks)}
        return self._last_sight(turn), utilities(moment.ranks)[self._learner], True, False, info

    def _need_open(self) -> None:
        """Raise AdapterError after `close`: its bots are gone, and nobody would answer."""
        if self._is_closed:
            raise AdapterError("this environment was closed; make another: SeatEnv(...)")

    def _show(self, turn: LearnerTurn) -> Seen:
        self._turn = self._shown = turn
        if self.render_mode == "human":
            self.render()
        return self._looking.look(turn.seen, self._learner, turn.legal)

    def _last_sight(self, turn: LearnerTurn) -> Seen:
        """Return the position in which the learner chose last; nothing is legal any more."""
        return self._looking.look(turn.seen, self._learner, ())

    def _info(self, ply: int, faults: Sequence[Fault]) -> dict[str, Any]:
        told = [
            {"seat": fault.seat, "cause": str(fault.cause), "ply": fault.ply, "explanation": fault.explanation}
            for fault in faults
        ]
        return {"seat": self._learner, "ply": ply, "faults": told}

    def render(self) -> str | None:
        """Return the position of the last choice as text in mode `ansi`; write it to standard output in `human`."""
        if self.render_mode is None or not hasattr(self, "_shown"):
            return None
        seen = self._shown.seen
        state = seen.state if isinstance(seen, Observation) else seen
        text = self._setting.game.shown.text(state, self._learner, "en")
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(encodable(text, sys.stdout))
        return None

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Raise AdapterError: its bots are no part of it that a copy could have."""
        raise AdapterError("the bots of an environment cannot be copied or pickled; make another: SeatEnv(...)")

    def close(self) -> None:
        """End the processes of the other seats."""
        self._is_closed, self._turn = True, None
        self._seating.close()


_gym.register(ID, entry_point=f"{__name__}:SeatEnv")
