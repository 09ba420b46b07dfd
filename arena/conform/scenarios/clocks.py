"""The clocks of matches."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from arena.conform.harness.check_match import CheckMatch
from arena.conform.harness.findings import SilentError
from arena.conform.harness.harness import Harness
from arena.conform.harness.matches import ask, close_match, games_of, open_match, play, usual_setting
from arena.match.time_control import DEFAULT_MARGIN_US, TimeControl
from engine.text import Text

_ATTEMPTS = 3
_UNTIMED_FACTOR = 2


async def check_little_time(harness: Harness) -> None:
    """Ask with little time left. It is broken if several answers in a row are late: one may be the machine's fault."""
    bot = await harness.bot()
    game, limit_s = games_of(bot)[0], harness.patience.limit_s
    match = CheckMatch(game, replace(usual_setting(game), clock=TimeControl(decision_limit_us=round(limit_s * 1e6))))
    loop = asyncio.get_running_loop()
    took: list[float] = []
    await open_match(bot, match)
    while not match.is_over and len(took) < _ATTEMPTS:
        start = loop.time()
        await ask(bot, match)
        took.append(loop.time() - start)
        if took[-1] <= limit_s + DEFAULT_MARGIN_US / 1e6:
            break
    else:
        told = ", ".join(f"{seconds * 1000:.0f}" for seconds in took)
        raise SilentError(
            Text(
                "conform.ms_decisions_ms_50_ms",
                "{took} ms for decisions of {limit} ms, and 50 ms of margin",
                took=told,
                limit=f"{limit_s * 1000:.0f}",
            )
        )
    await close_match(bot, match)


async def check_bank(harness: Harness) -> None:
    """Play with a bank and an increment, and with both and a limit."""
    bot = await harness.bot()
    game = games_of(bot)[0]
    for limit_us in (0, 60_000):
        clock = TimeControl(decision_limit_us=limit_us, bank_us=300_000, increment_us=40_000)
        await play(bot, CheckMatch(game, replace(usual_setting(game), clock=clock)), 3)


async def check_untimed(harness: Harness) -> None:
    """Ask without any clock."""
    bot = await harness.bot()
    game = games_of(bot)[0]
    match = CheckMatch(game, replace(usual_setting(game), clock=TimeControl()))
    await open_match(bot, match)
    question = match.question()
    await bot.send(match.decide())
    match.take(await bot.receive_answer(question, harness.patience.answer_s * _UNTIMED_FACTOR))
    await close_match(bot, match)
