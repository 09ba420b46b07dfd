"""The end of a stream."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import grpc

from arena.conform.harness.dialogue import Dialogue
from arena.conform.harness.findings import SilentError
from arena.conform.harness.harness import Harness
from arena.conform.harness.matches import ask, open_usual, play_usual
from arena.conform.harness.process import Running, exit_status
from arena.referee.errors import code_of, stream_error
from arena.wire.status import Status
from engine.text import Text

_ATTEMPTS = 3
_TOKEN_REFUSED = stream_error(
    grpc.StatusCode.UNAUTHENTICATED, "TOKEN_UNKNOWN", "this token is unknown: it was revoked at 12:34"
)
_JOIN_REFUSED = stream_error(
    grpc.StatusCode.FAILED_PRECONDITION,
    "VERSION_IN_PLAY",
    "another version of this bot plays match 4711: wait for it",
)
_SUPERSEDED = stream_error(
    grpc.StatusCode.ABORTED, "SUPERSEDED", "a newer connection of this bot took over: end the other process 815"
)


async def check_end_while_idle(harness: Harness) -> None:
    """End the stream between matches."""
    bot = await harness.bot()
    await play_usual(bot)
    await bot.stay_quiet(Text("conform.after_matchfinished", "after MatchFinished"))
    bot.close()
    status = await bot.exit_status()
    if status is None:
        raise SilentError(
            Text(
                "conform.process_lives_s_after_end",
                "the process lives on {seconds} s after the end of its stream",
                seconds=f"{harness.patience.exit_s:g}",
            )
        )
    if status != 0:
        raise SilentError(
            bot.with_how_it_is(Text("conform.arena_ended_stream_ok", "the arena ended the stream with OK"))
        )


async def check_end_in_match(harness: Harness) -> None:
    """End the stream in the middle of a match."""
    bot = await harness.bot()
    match = await open_usual(bot)
    await ask(bot, match)
    bot.close()
    await _must_end(bot, harness.patience.exit_s)


async def check_arena_lost(harness: Harness) -> None:
    """Take the arena away."""
    bot = await harness.bot()
    await play_usual(bot)
    await harness.break_off()
    await _must_end(bot, harness.patience.exit_s)


async def check_token_refused(harness: Harness) -> None:
    """Refuse the token before anything is read."""
    await _attempt(harness, _refuse_token)


async def _refuse_token(harness: Harness) -> None:
    process = await harness.start_refused(_TOKEN_REFUSED)
    await _must_report(process, _TOKEN_REFUSED, harness.patience.start_s)


async def check_join_refused(harness: Harness) -> None:
    """Refuse the Join, as the arena does with another version or a bot that it does not take."""
    bot = await harness.greet()
    bot.close(_JOIN_REFUSED)
    await _must_report(bot.process, _JOIN_REFUSED, harness.patience.exit_s)


async def check_superseded(harness: Harness) -> None:
    """End the stream with an error between matches."""
    bot = await harness.bot()
    await play_usual(bot)
    await bot.stay_quiet(Text("conform.after_matchfinished", "after MatchFinished"))
    bot.close(_SUPERSEDED)
    await _must_report(bot.process, _SUPERSEDED, harness.patience.exit_s)


async def check_error_while_asked(harness: Harness) -> None:
    """End the stream with an error while the bot is asked."""
    await _attempt(harness, _interrupt)


async def _attempt(harness: Harness, check: Callable[[Harness], Awaitable[None]]) -> None:
    """Check what may fail because a message of the bot meets the error on its way; only the last failure counts."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return await check(harness)
        except SilentError:
            await harness.close()
    return await check(harness)


async def _interrupt(harness: Harness) -> None:
    bot = await harness.bot()
    match = await open_usual(bot)
    await bot.send(match.decide())
    bot.close(_SUPERSEDED)
    await _must_report(bot.process, _SUPERSEDED, harness.patience.exit_s)


async def check_no_arena(harness: Harness) -> None:
    """Start the bot where nobody listens."""
    process = await harness.start_alone()
    status = await exit_status(process, harness.patience.start_s)
    if status is None:
        raise SilentError(
            Text(
                "conform.no_arena_process_lives_after",
                "no arena was there, and the process lives on after {seconds} s",
                seconds=f"{harness.patience.start_s:g}",
            )
        )
    if status == 0:
        raise SilentError(
            Text("conform.no_arena_process_exited_status", "no arena was there, and the process exited with status 0")
        )
    if not process.stderr.strip():
        raise SilentError(
            Text(
                "conform.no_arena_process_exited_status_without",
                "no arena was there, and the process exited with status {status} without a word on stderr",
                status=status,
            )
        )


async def _must_end(bot: Dialogue, patience_s: float) -> None:
    if await bot.exit_status() is None:
        raise SilentError(
            Text(
                "conform.process_lives_s_after_end",
                "the process lives on {seconds} s after the end of its stream",
                seconds=f"{patience_s:g}",
            )
        )


async def _must_report(process: Running, error: Status, patience_s: float) -> None:
    """Wait for the end of a process that must tell of an error. Raises SilentError."""
    code = code_of(error).name
    status = await exit_status(process, patience_s)
    if status is None:
        raise SilentError(
            Text(
                "conform.stream_ended_process_lives_after",
                "the stream was ended with {code}, and the process lives on after {seconds} s",
                code=code,
                seconds=f"{patience_s:g}",
            )
        )
    if status == 0:
        raise SilentError(
            Text(
                "conform.stream_ended_process_exited_status",
                "the stream was ended with {code}, and the process exited with status 0",
                code=code,
            )
        )
    if error.message not in process.stderr:
        last = process.stderr.strip().splitlines()[-1:] or ["nothing"]
        raise SilentError(
            Text(
                "conform.stream_ended_stderr_does_not",
                "the stream was ended with {code}: {message}, and stderr does not show that message, but {line}",
                code=code,
                message=repr(error.message),
                line=repr(last[0]),
            )
        )
