"""A bot's side of the stream without the stream: a message comes in, and perhaps one goes out. No I/O.

`Bot` is what an author writes, `decide_turn` makes one answer of a whole turn, and `Loopback` carries the bytes of the
stream to a bot in this process. Unknown events and fields are ignored, so that an older bot plays on a newer arena of
the same major version.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from operator import index
from typing import TYPE_CHECKING, Any

from arena.v1 import play_pb2
from bots.decision import Decision, Match
from bots.errors import AnswerError, ProtocolError

if TYPE_CHECKING:
    from engine.core import State

# The arena's own figures, which a test compares: importing them would cost every bot some milliseconds at its start.
PROTOCOL_MAJOR = 1
PROTOCOL_MINOR = 0
MAX_ACTIONS = 64
"""The most ids that an answer may have."""
MAX_NOTE = 1000


class Resign(Enum):
    """The type of RESIGN, which is its only value."""

    RESIGN = "resign"


RESIGN = Resign.RESIGN
"""Return it from `decide` to give the match up: the seat ranks last, and it is no fault."""

Answer = int | Sequence[int] | Resign


class Bot(ABC):
    """A bot: subclass it and write `decide`. One object plays many matches, one after another."""

    games: Sequence[str] = ("*",)
    """The names of the games it plays; `*` means every game."""
    uses_engine: bool = True
    """Whether it looks at `Match.rules`, `Decision.observation` or `Decision.state()`: then the rules are loaded before
    it joins. A bot that looks at ids and names alone starts sooner with False."""

    @abstractmethod
    def decide(self, decision: Decision) -> Answer:
        """Choose one of `decision.legal_actions`.

        A sequence of ids answers the following decisions too, as long as this seat decides. RESIGN gives up.
        """

    def prepare(self) -> None:  # noqa: B027
        """Load what takes time: called once before the bot joins, within the start limit (10 s by default)."""

    def match_started(self, match: Match) -> None:  # noqa: B027 - a hook; most bots need none
        """Forget the last match: a new one begins."""

    def match_finished(self, match: Match, finished: play_pb2.MatchFinished) -> None:  # noqa: B027
        """Learn how a match ended; `finished.result.ranks[match.seat]` is the rank, `finished.faults` the faults."""


class PlaySession:
    """What one stream has told a bot so far, and what the bot answers to it."""

    def __init__(self, bot: Bot, name: str = "") -> None:
        self._bot = bot
        self._name = name or type(bot).__name__
        self._games: Mapping[str, play_pb2.GameInfo] | None = None
        self._match: Match | None = None

    @property
    def has_joined(self) -> bool:
        """Whether the arena has answered the Join."""
        return self._games is not None

    def join(self) -> play_pb2.PlayRequest:
        """Let the bot prepare itself, and return the first message of a stream."""
        self._bot.prepare()
        return play_pb2.PlayRequest(
            join=play_pb2.Join(
                name=self._name,
                protocol_major=PROTOCOL_MAJOR,
                protocol_minor=PROTOCOL_MINOR,
                games=list(self._bot.games),
            )
        )

    def receive(self, response: play_pb2.PlayResponse, arrived: float) -> play_pb2.PlayRequest | None:
        """Take a message that arrived at the `time.monotonic()` of `arrived`, and return the answer if it asks for one.

        Raises ProtocolError, AnswerError, and whatever the bot raises.
        """
        event = response.WhichOneof("event")
        if event == "decide":
            message = response.decide
            match = self._match
            if match is None or match.id != message.match_id:
                raise ProtocolError(f"a decision of match {message.match_id!r} came, which has not started")
            decision = Decision(match, message, arrived)
            answer = self._bot.decide(decision)
            match_id = decision.match.id
            if answer is RESIGN:
                return play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=match_id))
            actions = _actions(answer)
            return play_pb2.PlayRequest(
                act=play_pb2.Act(match_id=match_id, ply=decision.ply, actions=actions, note=_note(decision.note))
            )
        if event == "joined":
            joined = response.joined
            if joined.protocol_major != PROTOCOL_MAJOR:
                raise ProtocolError(
                    f"the arena speaks protocol {joined.protocol_major}.{joined.protocol_minor}, this kit "
                    f"{PROTOCOL_MAJOR}.{PROTOCOL_MINOR}; install the kit that came with the arena"
                )
            self._games = {game.name: game for game in joined.games}
        elif event == "match_started":
            started = response.match_started
            game_info = started.game_info if started.HasField("game_info") else (self._games or {}).get(started.game)
            if game_info is None:
                raise ProtocolError(
                    f"a match of {started.game!r} started, a game the arena had not told of when we joined"
                )
            self._match = Match(started, game_info)
            self._bot.match_started(self._match)
        elif event == "match_finished":
            match, self._match = self._match, None
            if match is not None and match.id == response.match_finished.match_id:
                self._bot.match_finished(match, response.match_finished)
        return None


def _actions(answer: Any) -> list[int]:
    """Return the ids of an answer: anything that counts as an int, or a sequence of such. Raises AnswerError."""
    chosen = answer if isinstance(answer, Sequence) else [answer]
    try:
        actions = [index(action) for action in chosen]
    except TypeError:
        shown = f"{answer!r:.60}"
        raise AnswerError(f"decide returned {shown}; return an action id, a sequence of ids, or RESIGN") from None
    if not 1 <= len(actions) <= MAX_ACTIONS:
        raise AnswerError(f"decide returned {len(actions)} action ids; an answer has 1 to {MAX_ACTIONS}")
    return actions


def _note(note: object) -> str:
    """Return a note as it can be sent: no value costs the match, be it too long, no text or half a surrogate pair."""
    start = str(note)[:MAX_NOTE]
    return start if start.isascii() else start.encode(errors="replace").decode()


def decide_turn(state: State, choose: Callable[[State], int]) -> list[int]:
    """Return the decisions of the seat that decides in `state`, until chance, another seat or the end comes first.

    `choose` is asked for each of them, with the position in which it is to be made; forced ones are played without it.
    `state` is played on. Raises ValueError after the end of the game, IllegalActionError for a choice that is illegal.
    """
    seat = state.seat()
    if seat is None:
        raise ValueError("the game is over; there is nothing to decide")
    chosen: list[int] = []
    while state.seat() == seat and len(chosen) < MAX_ACTIONS:
        legal = state.legal_actions()
        if len(legal) > 1:
            chosen.append(choose(state))
        state.apply(chosen[-1] if len(legal) > 1 else legal[0])
        if state.revealed():
            break
    return chosen


class Loopback:
    """A bot that is spoken to as over the stream: every message is encoded, carried as bytes and decoded."""

    __slots__ = ("_session", "bot")

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self._session = PlaySession(bot)

    def join(self) -> bytes:
        """Return the first message of the bot, which prepares itself before."""
        return self._session.join().SerializeToString()

    def send(self, message: bytes) -> bytes:
        """Hand the bot a `PlayResponse` and return its `PlayRequest`, or no bytes if the message asks for none.

        Raises what `PlaySession.receive` raises.
        """
        request = self._session.receive(play_pb2.PlayResponse.FromString(message), time.monotonic())
        return request.SerializeToString() if request else b""
