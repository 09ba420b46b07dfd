"""The end of a stream."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import grpc

from arena.conform.stage.dialogue import Dialogue
from arena.conform.stage.findings import SilentError
from arena.conform.stage.matches import ask, open_usual, play_usual
from arena.conform.stage.process import Running, exit_status
from arena.conform.stage.stage import Stage
from arena.referee.errors import StreamError

_ATTEMPTS = 3
_TOKEN_REFUSED = StreamError(
    grpc.StatusCode.UNAUTHENTICATED, "TOKEN_UNKNOWN", "this token is unknown: it was revoked at 12:34"
)
_JOIN_REFUSED = StreamError(
    grpc.StatusCode.FAILED_PRECONDITION,
    "VERSION_IN_PLAY",
    "another version of this bot plays match 4711: wait for it",
)
_SUPERSEDED = StreamError(
    grpc.StatusCode.ABORTED, "SUPERSEDED", "a newer connection of this bot took over: end the other process 815"
)


async def check_end_while_idle(stage: Stage) -> None:
    """End the stream between matches."""
    bot = await stage.bot()
    await play_usual(bot)
    await bot.stay_quiet("after MatchFinished")
    bot.close()
    status = await bot.exit_status()
    if status is None:
        raise SilentError(f"the process lives on {stage.patience.exit_s:g} s after the end of its stream")
    if status != 0:
        raise SilentError(f"the arena ended the stream with OK{bot.how_it_is()}")


async def check_end_in_match(stage: Stage) -> None:
    """End the stream in the middle of a match."""
    bot = await stage.bot()
    board = await open_usual(bot)
    await ask(bot, board)
    bot.close()
    await _must_end(bot, stage.patience.exit_s)


async def check_arena_lost(stage: Stage) -> None:
    """Take the arena away."""
    bot = await stage.bot()
    await play_usual(bot)
    await stage.break_off()
    await _must_end(bot, stage.patience.exit_s)


async def check_token_refused(stage: Stage) -> None:
    """Refuse the token before anything is read."""
    await _attempt(stage, _refuse_token)


async def _refuse_token(stage: Stage) -> None:
    process = await stage.start_refused(_TOKEN_REFUSED)
    await _must_report(process, _TOKEN_REFUSED, stage.patience.start_s)


async def check_join_refused(stage: Stage) -> None:
    """Refuse the Join, as the arena does with another version or a bot that it does not take."""
    bot = await stage.greet()
    bot.close(_JOIN_REFUSED)
    await _must_report(bot.process, _JOIN_REFUSED, stage.patience.exit_s)


async def check_superseded(stage: Stage) -> None:
    """End the stream with an error between matches."""
    bot = await stage.bot()
    await play_usual(bot)
    await bot.stay_quiet("after MatchFinished")
    bot.close(_SUPERSEDED)
    await _must_report(bot.process, _SUPERSEDED, stage.patience.exit_s)


async def check_error_while_asked(stage: Stage) -> None:
    """End the stream with an error while the bot is asked."""
    await _attempt(stage, _interrupt)


async def _attempt(stage: Stage, check: Callable[[Stage], Awaitable[None]]) -> None:
    """Check what may fail because a message of the bot meets the error on its way; only the last failure counts."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return await check(stage)
        except SilentError:
            await stage.strike()
    return await check(stage)


async def _interrupt(stage: Stage) -> None:
    bot = await stage.bot()
    board = await open_usual(bot)
    await bot.send(board.decide())
    bot.close(_SUPERSEDED)
    await _must_report(bot.process, _SUPERSEDED, stage.patience.exit_s)


async def check_no_arena(stage: Stage) -> None:
    """Start the bot where nobody listens."""
    process = await stage.start_alone()
    status = await exit_status(process, stage.patience.start_s)
    if status is None:
        raise SilentError(f"no arena was there, and the process lives on after {stage.patience.start_s:g} s")
    if status == 0:
        raise SilentError("no arena was there, and the process exited with status 0")
    if not process.stderr.strip():
        raise SilentError(f"no arena was there, and the process exited with status {status} without a word on stderr")


async def _must_end(bot: Dialogue, patience_s: float) -> None:
    if await bot.exit_status() is None:
        raise SilentError(f"the process lives on {patience_s:g} s after the end of its stream")


async def _must_report(process: Running, error: StreamError, patience_s: float) -> None:
    """Wait for the end of a process that must tell of an error. Raises SilentError."""
    what = f"the stream was ended with {error.code.name}"
    status = await exit_status(process, patience_s)
    if status is None:
        raise SilentError(f"{what}, and the process lives on after {patience_s:g} s")
    if status == 0:
        raise SilentError(f"{what}, and the process exited with status 0")
    if error.message not in process.stderr:
        last = process.stderr.strip().splitlines()[-1:] or ["nothing"]
        raise SilentError(f"{what}: {error.message!r}, and stderr does not show that message, but {last[0]!r}")
