"""The clocks of matches."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from arena.conform.stage.board import Board
from arena.conform.stage.findings import SilentError
from arena.conform.stage.matches import ask, close_match, games_of, open_match, play, usual_setting
from arena.conform.stage.stage import Stage
from arena.match.time_control import DEFAULT_MARGIN_US, TimeControl

_ATTEMPTS = 3
_UNTIMED_FACTOR = 2


async def check_little_time(stage: Stage) -> None:
    """Ask with little time left. It is broken if several answers in a row are late: one may be the machine's fault."""
    bot = await stage.bot()
    game, limit_s = games_of(bot)[0], stage.patience.limit_s
    board = Board(game, replace(usual_setting(game), clock=TimeControl(decision_limit_us=round(limit_s * 1e6))))
    loop = asyncio.get_running_loop()
    took: list[float] = []
    await open_match(bot, board)
    while not board.is_over and len(took) < _ATTEMPTS:
        start = loop.time()
        await ask(bot, board)
        took.append(loop.time() - start)
        if took[-1] <= limit_s + DEFAULT_MARGIN_US / 1e6:
            break
    else:
        told = ", ".join(f"{seconds * 1000:.0f}" for seconds in took)
        raise SilentError(f"{told} ms for decisions of {limit_s * 1000:.0f} ms, and 50 ms of margin")
    await close_match(bot, board)


async def check_bank(stage: Stage) -> None:
    """Play with a bank and an increment, and with both and a limit."""
    bot = await stage.bot()
    game = games_of(bot)[0]
    for limit_us in (0, 60_000):
        clock = TimeControl(decision_limit_us=limit_us, bank_us=300_000, increment_us=40_000)
        await play(bot, Board(game, replace(usual_setting(game), clock=clock)), 3)


async def check_untimed(stage: Stage) -> None:
    """Ask without any clock."""
    bot = await stage.bot()
    game = games_of(bot)[0]
    board = Board(game, replace(usual_setting(game), clock=TimeControl()))
    await open_match(bot, board)
    question = board.question()
    await bot.send(board.decide())
    board.take(await bot.receive_answer(question, stage.patience.answer_s * _UNTIMED_FACTOR))
    await close_match(bot, board)
