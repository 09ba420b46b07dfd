"""Answers: what every match shows of them, and what only a closer look does."""

from __future__ import annotations

from dataclasses import replace

from arena.conform.harness.check_match import CheckMatch
from arena.conform.harness.findings import BrokenError, SilentError
from arena.conform.harness.harness import Harness
from arena.conform.harness.matches import ask, close_match, games_of, open_usual, play, usual_setting
from engine.text import Text

_DECISIONS = 3
_ODD_ID = "A-match.of another SHAPE/0001_" + "x" * 90


async def check_answers(harness: Harness) -> None:
    """Play the beginning of a match slowly: whatever an answer can break is found by that, and what nobody asked for.

    A bot that ends with the match has either not borne its end, or does not play several.
    """
    bot = await harness.bot()
    await bot.stay_quiet(Text("conform.after_joined", "after Joined"))
    match = await open_usual(bot)
    await bot.stay_quiet(Text("conform.after_matchstarted", "after MatchStarted"))
    await ask(bot, match)
    await bot.stay_quiet(Text("conform.after_answer", "after its answer"))
    for _ in range(_DECISIONS):
        if not match.is_over:
            await ask(bot, match)
    await close_match(bot, match)
    try:
        await bot.stay_quiet(Text("conform.after_matchfinished", "after MatchFinished"))
    except SilentError as error:
        rule = "several-matches" if await bot.exit_status() == 0 else "others-forfeit"
        raise BrokenError(rule, error.seen) from None


async def check_ids(harness: Harness) -> None:
    """Name a match by a text that is no UUID."""
    bot = await harness.bot()
    game = games_of(bot)[0]
    await play(bot, CheckMatch(game, replace(usual_setting(game), match_id=_ODD_ID)), 2)
