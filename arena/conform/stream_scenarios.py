"""Scenarios of a stream: its beginning, messages that are newer than the bot, its end and its errors.

Each `check_` function returns if the bot keeps the rules, and raises BrokenError, SilentError or NotApplicableError.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import grpc
from google.protobuf.message import Message

from arena.conform.dialogue import Dialogue
from arena.conform.judging import BrokenError, SilentError
from arena.conform.process import Running, exit_status
from arena.conform.rules import Transport
from arena.conform.scenario_harness import (
    Harness,
    ask,
    close_match,
    joined,
    open_match,
    open_usual,
    play_usual,
    usual_match,
)
from arena.referee.call_context import code_of, stream_error
from arena.v1 import play_pb2
from arena.wire.status import Status
from engine.translatable import Text

_NEWER_MAJOR, _NEWER_MINOR = (2, 3), (1, 7)
# A field 2047 with a number, a field 2046 with a text: no message of this protocol has them.
_UNKNOWN_FIELDS = bytes([0xF8, 0x7F, 0x2A, 0xF2, 0x7F, 0x05]) + b"later"
# A PlayResponse whose event is the unknown field 31.
_UNKNOWN_EVENT = bytes([0xFA, 0x01, 0x02, 0x08, 0x01])
_LARGE_JOINED = 200_000
_ATTEMPTS = 3
_TOKEN_REFUSED = stream_error(
    grpc.StatusCode.UNAUTHENTICATED, "TOKEN_UNKNOWN", "this token is unknown: it was revoked at 12:34"
)
_JOIN_REFUSED = stream_error(
    grpc.StatusCode.FAILED_PRECONDITION, "VERSION_IN_PLAY", "another version of this bot plays match 4711: wait for it"
)
_SUPERSEDED = stream_error(
    grpc.StatusCode.ABORTED, "SUPERSEDED", "a newer connection of this bot took over: end the other process 815"
)


async def check_greeting(harness: Harness) -> None:
    """Let the bot join, and have it wait for Joined: what its beginning can break is found by that."""
    bot = await harness.greet()
    try:
        await bot.stay_quiet(Text("before Joined"))
    except BrokenError as error:
        raise BrokenError("join-once" if error.rule == "join-once" else "waits-for-joined", error.seen) from None
    await bot.send(joined(bot.games))
    harness.keep(bot)


async def check_first_line(harness: Harness) -> None:
    """Start a bot that speaks lines, let it wait for `joined`, and see that it reads the line."""
    bot = await harness.greet()
    await bot.stay_quiet(Text("before Joined"))
    await bot.send(joined(bot.games))
    await bot.wait_until_read()
    harness.keep(bot)


async def check_large_joined(harness: Harness) -> None:
    """Send a long description of the games."""
    bot = await harness.greet()
    answer = joined(bot.games)
    game = answer.joined.games[0]
    schema = {**json.loads(game.options_schema_json), "description": "x" * _LARGE_JOINED}
    game.options_schema_json = json.dumps(schema)
    await bot.send(answer)
    await play_usual(bot)


async def check_tcp(harness: Harness) -> None:
    """Serve at an address of TCP instead of a unix socket."""
    bot = await harness.greet(tcp=True)
    await bot.send(joined(bot.games))
    await play_usual(bot)


async def check_without_health(harness: Harness) -> None:
    """Serve no health service."""
    bot = await harness.greet(has_health=False)
    await bot.send(joined(bot.games))
    await play_usual(bot)


async def check_major(harness: Harness) -> None:
    """Answer Join with another major version."""
    bot = await harness.greet()
    answer = joined(bot.games)
    answer.joined.protocol_major, answer.joined.protocol_minor = _NEWER_MAJOR
    await bot.send(answer)
    status = await bot.exit_status()
    if status is None:
        raise SilentError(Text("after Joined with protocol 2.3 the process lives on"))
    if status == 0:
        raise SilentError(Text("after Joined with protocol 2.3 the process exited with status 0"))
    if not {"protocol", "version"} & set(bot.process.stderr.lower().replace("_", " ").split()):
        why = Text("Joined named protocol 2.3, and stderr says nothing of it")
        raise SilentError(bot.with_how_it_is(why))


async def check_minor(harness: Harness) -> None:
    """Answer Join with a higher minor version."""
    bot = await harness.greet()
    answer = joined(bot.games)
    answer.joined.protocol_major, answer.joined.protocol_minor = _NEWER_MINOR
    await bot.send(answer)
    await play_usual(bot)


async def check_unknown_events(harness: Harness) -> None:
    """Send unknown events before Joined, before a match, before and behind a question, and after the match."""
    unknown = play_pb2.PlayResponse.FromString(_UNKNOWN_EVENT)
    bot = await harness.greet()
    match = usual_match(bot)
    await bot.send(unknown, joined(bot.games), unknown)
    await open_match(bot, match)
    await bot.send(unknown)
    await ask(bot, match)
    await bot.send(unknown)
    await close_match(bot, match)
    await bot.send(unknown)
    await play_usual(bot)


async def check_unknown_fields(harness: Harness) -> None:
    """Add unknown fields to every message, and to the messages within it."""
    bot = await harness.greet()
    answer = joined(bot.games)
    add_unknown(answer)
    await bot.send(answer)
    await play_usual(bot, 3, on_start=add_unknown, on_decide=add_unknown, on_finish=add_unknown)
    await play_usual(bot)


def add_unknown(message: Message) -> None:
    """Add fields that nobody knows to a message and to all messages that it holds."""
    for field, value in message.ListFields():
        if field.message_type is not None:
            for inner in value if field.is_repeated else (value,):
                add_unknown(inner)
    message.MergeFromString(_UNKNOWN_FIELDS)


async def check_end_while_idle(harness: Harness) -> None:
    """End the stream between matches."""
    bot = await harness.bot()
    await play_usual(bot)
    await bot.stay_quiet(Text("after MatchFinished"))
    bot.close()
    status = await bot.exit_status()
    if status is None:
        why = Text(
            "the process lives on {seconds} s after the end of its stream", seconds=f"{harness.patience.exit_s:g}"
        )
        raise SilentError(why)
    if status != 0:
        raise SilentError(bot.with_how_it_is(Text("the arena ended the stream with OK")))


async def check_end_in_match(harness: Harness) -> None:
    """End the stream in the middle of a match."""
    bot = await harness.bot()
    match = await open_usual(bot)
    await ask(bot, match)
    bot.close()
    await _must_end(bot, harness.patience.exit_s)


async def check_arena_lost(harness: Harness) -> None:
    """Take the arena away; where that looks like the end between matches, do it while the bot is asked."""
    bot = await harness.bot()
    if harness.transport is Transport.GRPC:
        await play_usual(bot)
    else:
        match = await open_usual(bot)
        await bot.send(match.decide())
    await harness.break_off()
    await _must_end(bot, harness.patience.exit_s)


async def check_token_refused(harness: Harness) -> None:
    """Refuse the token before anything is read."""

    async def refuse(harness: Harness) -> None:
        process = await harness.start_refused(_TOKEN_REFUSED)
        await _must_report(process, _TOKEN_REFUSED, harness.patience.start_s)

    await _attempt(harness, refuse)


async def check_join_refused(harness: Harness) -> None:
    """Refuse the Join, as the arena does with another version or a bot that it does not take."""
    bot = await harness.greet()
    if harness.transport is Transport.GRPC:
        bot.close(_JOIN_REFUSED)
        await _must_report(bot.process, _JOIN_REFUSED, harness.patience.exit_s)
    else:
        bot.close()
        await _must_complain(bot.process, Text("the stream ended before Joined"), harness.patience.exit_s)


async def check_superseded(harness: Harness) -> None:
    """End the stream with an error between matches."""
    bot = await harness.bot()
    await play_usual(bot)
    await bot.stay_quiet(Text("after MatchFinished"))
    bot.close(_SUPERSEDED)
    await _must_report(bot.process, _SUPERSEDED, harness.patience.exit_s)


async def check_error_while_asked(harness: Harness) -> None:
    """End the stream with an error while the bot is asked."""

    async def interrupt(harness: Harness) -> None:
        bot = await harness.bot()
        match = await open_usual(bot)
        await bot.send(match.decide())
        bot.close(_SUPERSEDED)
        await _must_report(bot.process, _SUPERSEDED, harness.patience.exit_s)

    await _attempt(harness, interrupt)


async def _attempt(harness: Harness, check: Callable[[Harness], Awaitable[None]]) -> None:
    """Check what may fail because a message of the bot meets the error on its way; only the last failure counts."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return await check(harness)
        except SilentError:
            await harness.close()
    return await check(harness)


async def check_no_arena(harness: Harness) -> None:
    """Start the bot where nobody listens."""
    process = await harness.start_alone()
    await _must_complain(process, Text("no arena was there"), harness.patience.start_s)


async def _must_complain(process: Running, what: str, patience_s: float) -> None:
    """Wait for the end of a process that must tell in its own words of what has happened. Raises SilentError."""
    status = await exit_status(process, patience_s)
    if status is None:
        why = Text("{what}, and the process lives on after {seconds} s", what=what, seconds=f"{patience_s:g}")
        raise SilentError(why)
    if status == 0:
        raise SilentError(Text("{what}, and the process exited with status 0", what=what))
    if not process.stderr.strip():
        why = Text(
            "{what}, and the process exited with status {status} without a word on stderr", what=what, status=status
        )
        raise SilentError(why)


async def _must_end(bot: Dialogue, patience_s: float) -> None:
    if await bot.exit_status() is None:
        why = Text("the process lives on {seconds} s after the end of its stream", seconds=f"{patience_s:g}")
        raise SilentError(why)


async def _must_report(process: Running, error: Status, patience_s: float) -> None:
    """Wait for the end of a process that must tell of an error. Raises SilentError."""
    code = code_of(error).name
    status = await exit_status(process, patience_s)
    if status is None:
        why = Text(
            "the stream was ended with {code}, and the process lives on after {seconds} s",
            code=code,
            seconds=f"{patience_s:g}",
        )
        raise SilentError(why)
    if status == 0:
        why = Text("the stream was ended with {code}, and the process exited with status 0", code=code)
        raise SilentError(why)
    if error.message not in process.stderr:
        last = process.stderr.strip().splitlines()[-1:] or ["nothing"]
        why = Text(
            "the stream was ended with {code}: {message}, and stderr does not show that message, but {line}",
            code=code,
            message=repr(error.message),
            line=repr(last[0]),
        )
        raise SilentError(why)
