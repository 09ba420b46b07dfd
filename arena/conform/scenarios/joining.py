"""The beginning of a stream, and messages that are newer than the bot."""

from __future__ import annotations

from google.protobuf.message import Message

from arena.conform.harness.findings import BrokenError, SilentError
from arena.conform.harness.harness import Harness
from arena.conform.harness.matches import (
    ask,
    close_match,
    joined,
    open_match,
    play_usual,
    usual_match,
)
from arena.v1 import play_pb2
from engine.text import Text

_NEWER_MAJOR, _NEWER_MINOR = (2, 3), (1, 7)
# A field 2047 with a number, a field 2046 with a text: no message of this protocol has them.
_UNKNOWN_FIELDS = bytes([0xF8, 0x7F, 0x2A, 0xF2, 0x7F, 0x05]) + b"later"
# A PlayResponse whose event is the unknown field 31.
_UNKNOWN_EVENT = bytes([0xFA, 0x01, 0x02, 0x08, 0x01])


async def check_greeting(harness: Harness) -> None:
    """Let the bot join, and have it wait for Joined: what its beginning can break is found by that."""
    bot = await harness.greet()
    try:
        await bot.stay_quiet(Text("conform.before_joined", "before Joined"))
    except BrokenError as error:
        raise BrokenError("join-once" if error.rule == "join-once" else "waits-for-joined", error.seen) from None
    await bot.send(joined(bot.games))
    harness.keep(bot)


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
        raise SilentError(
            Text("conform.after_joined_protocol_2_3_process", "after Joined with protocol 2.3 the process lives on")
        )
    if status == 0:
        raise SilentError(
            Text("conform.after_joined_protocol_2_3", "after Joined with protocol 2.3 the process exited with status 0")
        )
    if not {"protocol", "version"} & set(bot.process.stderr.lower().replace("_", " ").split()):
        raise SilentError(
            bot.with_how_it_is(
                Text("conform.joined_named_protocol_2_3", "Joined named protocol 2.3, and stderr says nothing of it")
            )
        )


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
