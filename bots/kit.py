"""Write a bot: subclass `Bot`, write `decide`, call `run`.

    from bots.kit import Bot, Decision, run

    class FirstBot(Bot):
        def decide(self, decision: Decision) -> int:
            return decision.legal_actions[0]

    if __name__ == "__main__":
        run(FirstBot())

`decide_turn` makes one answer of all decisions of a turn. `play_offline` plays a whole match in this process, without
an arena, through the same messages. docs/write-a-bot.md tells the rest. This module does not import the engine; `run`
does before the bot joins, unless the bot does without it (`Bot.uses_engine`).
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from bots.decision import Decision, Match
from bots.errors import AnswerError, ArenaError, KitError, ProtocolError, RulesVersionError
from bots.session import RESIGN, Answer, Bot, PlaySession, decide_turn

if TYPE_CHECKING:
    from bots.offline import OfflineMatch, play_offline

__all__ = [
    "RESIGN",
    "Answer",
    "AnswerError",
    "ArenaError",
    "Bot",
    "Decision",
    "KitError",
    "Match",
    "OfflineMatch",
    "ProtocolError",
    "RulesVersionError",
    "decide_turn",
    "play_offline",
    "run",
]

_NOT_STARTED = (
    "ARENA_ADDRESS is not set: a bot is started by the arena. Add it with `arena bot add DIRECTORY`, play with "
    "`arena match run --game GAME --bots NAME,random`, or without an arena through bots.kit.play_offline.\n"
)


def __getattr__(name: str) -> Any:
    """Import `play_offline` and `OfflineMatch` when they are asked for: they bring the engine with them."""
    if name not in ("play_offline", "OfflineMatch"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bots import offline

    return getattr(offline, name)


def run(bot: Bot) -> None:
    """Play for the arena that started this process, and return when it closes the stream.

    The rules of the games that the bot may be asked to play are loaded before it joins, when no decision has begun.
    The arena tells the way to it by ARENA_STREAM_FD, or by ARENA_ADDRESS and ARENA_TOKEN for gRPC. Without them, one
    line tells what to do, and the process exits with 2; if the arena refuses the bot, or a compiled engine is half
    built, with 1. What `decide` raises is raised here.
    """
    number, address = os.environ.get("ARENA_STREAM_FD"), os.environ.get("ARENA_ADDRESS")
    if not (number or address):
        sys.stderr.write(_NOT_STARTED)
        sys.exit(2)
    try:
        if bot.uses_engine:
            _preload(bot)
        if number:
            from bots.socket_stream import SocketStream

            SocketStream(number).play(PlaySession(bot))
        elif address:
            _play_by_grpc(bot, address, os.environ.get("ARENA_TOKEN", ""))
    except (ArenaError, ProtocolError) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _play_by_grpc(bot: Bot, address: str, token: str) -> None:
    from arena.wire.completion_queue_check import prepare  # grpc is slow to import, and needed for nothing else

    if not (prepare() and _plays_by_queue(bot, address, token)):
        import asyncio

        from bots.stream import play

        asyncio.run(play(PlaySession(bot), address, token))


def _plays_by_queue(bot: Bot, address: str, token: str) -> bool:
    """Play by the cheap road; return whether that could be begun."""
    try:
        from bots.queue_stream import QueueStream

        stream = QueueStream(address, token)
    except (OSError, RuntimeError, AttributeError, TypeError, ValueError) as error:
        sys.stderr.write(f"grpcio's completion queue cannot be used ({error}); grpc.aio is used instead\n")
        return False
    stream.play(PlaySession(bot))
    return True


def _preload(bot: Bot) -> None:
    from bots.preload import preload_claimed
    from engine.build_info import HalfBuiltError

    try:
        preload_claimed(bot.games)
    except HalfBuiltError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(1)
