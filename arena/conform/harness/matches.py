"""Plays matches, or parts of them, with a bot: what the scenarios of matches have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arena.conform.harness.check_match import CheckMatch, CheckMatchSetup
from arena.conform.harness.dialogue import Dialogue
from arena.v1 import play_pb2
from arena.wire.messages import EVERY_GAME, encode_joined
from engine import registry
from engine.core import Game

Change = Callable[[play_pb2.PlayResponse], None]
"""Changes a message before it is sent."""


def joined(games: Sequence[str]) -> play_pb2.PlayResponse:
    """Return the arena's answer to a Join for these games."""
    return play_pb2.PlayResponse.FromString(encode_joined(games))


def games_of(bot: Dialogue) -> list[Game]:
    """Return the installed games that the bot plays, of a family those that it names; there is at least one."""
    every = registry.single_names() if EVERY_GAME in bot.games else ()
    return [registry.get(name) for name in sorted({*every, *({*registry.names()} & {*bot.games})})]


def usual_setting(game: Game) -> CheckMatchSetup:
    """Return the smallest match of a game, with the bot in its last seat: it hears of others before it is asked."""
    return CheckMatchSetup(seats=game.seats[0], seat=game.seats[0] - 1)


def keep(_response: play_pb2.PlayResponse) -> None:
    """Leave the message as it is."""


async def open_match(bot: Dialogue, match: CheckMatch, change: Change = keep) -> None:
    """Tell the bot that a match starts, and let the others play until it must be asked."""
    started = match.started()
    change(started)
    bot.matches += 1
    await bot.send(started)
    match.begin()


async def ask(bot: Dialogue, match: CheckMatch, change: Change = keep) -> play_pb2.PlayRequest:
    """Ask the bot what is pending, and play its answer."""
    decide = match.decide()
    change(decide)
    return await bot.ask(match, decide)


async def close_match(bot: Dialogue, match: CheckMatch, change: Change = keep) -> None:
    """End the match, by the resignation of the others unless it is over, and tell the bot."""
    unsent = match.match.decision
    match.end()
    finished = match.finished(unsent)
    change(finished)
    await bot.send(finished)


async def play(
    bot: Dialogue,
    match: CheckMatch,
    decisions: int = 1,
    *,
    on_start: Change = keep,
    on_decide: Change = keep,
    on_finish: Change = keep,
) -> None:
    """Play a match up to so many decisions of the bot."""
    await open_match(bot, match, on_start)
    for _ in range(decisions):
        if not match.is_over:
            await ask(bot, match, on_decide)
    await close_match(bot, match, on_finish)


def usual_match(bot: Dialogue) -> CheckMatch:
    """Return the smallest match of the bot's first game."""
    game = games_of(bot)[0]
    return CheckMatch(game, usual_setting(game))


async def open_usual(bot: Dialogue) -> CheckMatch:
    """Begin the smallest match of the bot's first game, up to its first decision."""
    match = usual_match(bot)
    await open_match(bot, match)
    return match


async def play_usual(bot: Dialogue, decisions: int = 1, **changes: Change) -> None:
    """Play the beginning of the smallest match of the bot's first game."""
    await play(bot, usual_match(bot), decisions, **changes)
