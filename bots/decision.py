"""What a bot is told: the match it is in, and one decision of it. Values only, no I/O.

Everything but the ids is made when it is asked for, so that a bot pays only for what it looks at. The engine is
imported by the first use of `rules`, `observation` or `state()`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from bots.errors import RulesVersionError

if TYPE_CHECKING:
    from arena.v1 import match_pb2, play_pb2
    from engine.core import Game, Observation, State


class Match:
    """One playing of a game, as told to one seat when it began."""

    __slots__ = ("_game_info", "_options", "_rules", "_started", "random")

    random: Random
    """Randomness from the match's seed: a bot that draws from here alone plays equal matches equally."""

    def __init__(self, started: play_pb2.MatchStarted, game_info: play_pb2.GameInfo) -> None:
        self._started = started
        self._game_info = game_info
        self._options: dict[str, Any] | None = None
        self._rules: Game | None = None
        self.random = Random(started.seed)

    @property
    def id(self) -> str:
        """The id of the match, for logs."""
        return self._started.match_id

    @property
    def game(self) -> str:
        """The name of the game."""
        return self._started.game

    @property
    def rules_version(self) -> str:
        """The version of the rules that the arena plays by."""
        return self._started.rules_version

    @property
    def seat(self) -> int:
        """The seat of this bot, 0-based."""
        return self._started.seat

    @property
    def seats(self) -> int:
        """How many seats the match has."""
        return self._started.seats

    @property
    def seed(self) -> int:
        """The seed of `random`, below 2^53."""
        return self._started.seed

    @property
    def cores(self) -> int:
        """How many processor cores are granted to this bot."""
        return self._started.cores

    @property
    def clock(self) -> match_pb2.Clock:
        """The time control: `decision_limit_us`, `bank_us`, `increment_us`, `margin_us`; 0 where there is none."""
        return self._started.clock

    @property
    def events(self) -> Sequence[match_pb2.Event]:
        """What was played before this bot was told: the opening."""
        return self._started.events

    @property
    def options(self) -> Mapping[str, Any]:
        """All options of the game with their values."""
        if self._options is None:
            self._options = json.loads(self._started.options_json or "{}")
        return self._options

    @property
    def actions(self) -> Sequence[str]:
        """The notation of every action of the game, indexed by its id."""
        return self._game_info.actions

    @property
    def rules(self) -> Game:
        """The game in the installed engine. Raises RulesVersionError if its rules are not those of the arena."""
        if self._rules is None:
            from engine import registry  # a bot that does not search does not pay for the engine

            rules = registry.get(self.game)
            if rules.rules_version != self.rules_version:
                raise RulesVersionError(
                    f"the arena plays {self.game} by rules version {self.rules_version}, "
                    f"the engine installed here has {rules.rules_version}; install the arena's version"
                )
            self._rules = rules.for_match(self.options)
        return self._rules


class Decision:
    """A point where this bot must choose. `arrived` is the `time.monotonic()` at which it was received."""

    __slots__ = ("_arrived", "_message", "_observation", "_seen", "legal_actions", "match", "note")

    match: Match
    legal_actions: Sequence[int]
    """The ids that may be answered, ascending; at least two."""
    note: str
    """Set it to keep a remark with the replay (its first 1,000 characters); nobody sees it before the match ends."""

    def __init__(self, match: Match, message: play_pb2.Decide, arrived: float) -> None:
        self.match = match
        self.legal_actions = list(message.legal_actions)
        self.note = ""
        self._message = message
        self._arrived = arrived
        self._observation: dict[str, Any] | None = None
        self._seen: Observation | None = None

    @property
    def ply(self) -> int:
        """The index of the action to be chosen, counted from the start of the match."""
        return self._message.ply

    @property
    def names(self) -> list[str]:
        """The notation of each legal action, in the order of `legal_actions`."""
        actions = self.match.actions
        return [actions[action] for action in self.legal_actions]

    @property
    def events(self) -> Sequence[match_pb2.Event]:
        """The plies since this bot last heard, its own included: seat, action, forced, and what chance revealed."""
        return self._message.events

    @property
    def dropped_actions(self) -> int:
        """How many ids of the bot's last answer were not played (chance, another seat or the end came first)."""
        return self._message.dropped_actions

    @property
    def time_limit_us(self) -> int:
        """The longest time for this decision in microseconds, bank included; 0 = no limit."""
        return self._message.time_limit_us

    @property
    def bank_us(self) -> int:
        """How many microseconds are left in the bank; 0 without a bank."""
        return self._message.bank_us

    def seconds_left(self) -> float | None:
        """Return the seconds until the limit of this decision, counted from its arrival; None without a limit."""
        if not self._message.time_limit_us:
            return None
        return self._message.time_limit_us / 1e6 - (time.monotonic() - self._arrived)

    @property
    def observation_bytes(self) -> bytes:
        """The game's own protobuf message, serialized; its type is told by the arena when the bot joins."""
        return self._message.observation.value

    @property
    def observation(self) -> Mapping[str, Any]:
        """What this seat may see of the position, as the JSON that the game documents; made when first asked for."""
        if self._observation is None:
            self._observation = self.seen.to_json()
        return self._observation

    @property
    def seen(self) -> Observation:
        """What this seat may see, as the value of the engine that `Playable.determinize` takes; read once."""
        if self._seen is None:
            self._seen = self.match.rules.observed(self.observation_bytes)
        return self._seen

    def state(self, random: Random | None = None) -> State:
        """Return a new position to search in, consistent with what this seat saw; hidden parts are drawn.

        They are drawn from `random`, or from the match's randomness if it is None. Raises RulesVersionError if the
        installed engine has other rules, AbilityError if the game cannot be searched.
        """
        from engine.abilities import need_playable

        return need_playable(self.match.rules).determinize(self.seen, random or self.match.random)
