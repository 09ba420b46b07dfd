"""Scenarios of matches: what a match may bring, the answers of the bot, and the clocks.

Each `check_` function returns if the bot keeps the rules, and raises BrokenError, SilentError or NotApplicableError.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from arena.conform.judging import BrokenError, NotApplicableError, SilentError
from arena.conform.random_match import CheckMatch, CheckMatchSetup, find_opening
from arena.conform.scenario_harness import (
    Harness,
    ask,
    close_match,
    games_of,
    open_match,
    open_usual,
    play,
    play_usual,
    usual_setting,
)
from arena.match.time_control import DEFAULT_MARGIN_US, TimeControl
from arena.v1 import match_pb2, play_pb2
from engine.core import Game
from engine.record import Playing
from engine.translatable import Text

_MATCHES = 3
_OPENING_PLIES = 3
_HISTORY_PLIES = 30
_QUICK = TimeControl(decision_limit_us=20_000)
_REMAINING_US = 40_000
_MEGABYTE = 1 << 20
_PADDING_TAG = bytes([0xF2, 0x7F])
_LARGEST_SEED = 2**53 - 1
_CHANCE_SEEDS = range(1, 30)
_DECISIONS = 3
_ODD_ID = "A-match.of another SHAPE/0001_" + "x" * 90
_ATTEMPTS = 3
_UNTIMED_FACTOR = 2


async def check_several(harness: Harness) -> None:
    """Play several matches on one stream."""
    bot = await harness.bot()
    for _ in range(_MATCHES):
        await play_usual(bot, 2)


async def check_other_game(harness: Harness) -> None:
    """Play a match of each game in turn, and of the first one again."""
    bot = await harness.bot()
    games = games_of(bot)
    if len(games) == 1:
        why = Text("the bot joined for one game of this arena, {game}", game=games[0].name)
        raise NotApplicableError(why)
    for game in (*games, games[0]):
        await play(bot, CheckMatch(game, usual_setting(game)), 2)


async def check_other_seats(harness: Harness) -> None:
    """Play every game with every number of seats, in its last seat."""
    bot = await harness.bot()
    for game in games_of(bot):
        for seats in reversed(game.seats):
            await play(bot, CheckMatch(game, CheckMatchSetup(seats, seats - 1)), 2)


async def check_whole_match(harness: Harness) -> None:
    """Play a match of every game to its end."""
    bot = await harness.bot()
    for game in games_of(bot):
        match = CheckMatch(game, replace(usual_setting(game), clock=_QUICK))
        await open_match(bot, match)
        while not match.is_over:
            await ask(bot, match)
        await close_match(bot, match)
    await bot.stay_quiet(Text("after MatchFinished"))


async def check_opening(harness: Harness) -> None:
    """Start a match of every game behind an opening."""
    bot = await harness.bot()
    for game in games_of(bot):
        opening = find_opening(game, usual_setting(game), lambda playing: playing.ply >= _OPENING_PLIES)
        await play(bot, CheckMatch(game, replace(usual_setting(game), opening=opening or ())), 2)


async def check_chance(harness: Harness) -> None:
    """Tell of outcomes of chance: real ones where a game has them, and one of an unknown kind."""
    bot = await harness.bot()
    games = [game for game in games_of(bot) if game.has_chance]
    if not games:
        raise NotApplicableError(Text("the bot joined for no game with chance"))
    for game in games:
        usual = usual_setting(game)
        found = (
            find_opening(game, replace(usual, chance_seed=seed), lambda playing: any(e.reveals for e in playing.events))
            for seed in _CHANCE_SEEDS
        )
        opening = next((opening for opening in found if opening is not None), ())
        await play(bot, CheckMatch(game, replace(usual, opening=opening)), 3, on_decide=_add_reveal)


def _add_reveal(response: play_pb2.PlayResponse) -> None:
    for event in response.decide.events:
        event.reveals.add(kind="kind-of-tomorrow", values=[-1, 0, 2**31 - 1])


async def check_empty_events(harness: Harness) -> None:
    """Ask the bot first of all, when nothing has happened yet."""
    bot = await harness.bot()
    for game in games_of(bot):
        first = game.new_state(game.seats[0]).seat() or 0
        await play(bot, CheckMatch(game, replace(usual_setting(game), seat=first)), 2)


async def check_large(harness: Harness) -> None:
    """Ask in the position with the most legal actions that random play comes to, with a megabyte of observation."""
    bot = await harness.bot()
    for game in games_of(bot):
        setting = replace(usual_setting(game), opening=_to_most_actions(game))
        await play(bot, CheckMatch(game, setting), 2, on_decide=_pad)


def _to_most_actions(game: Game) -> tuple[int, ...]:
    most = 0

    def has_more(playing: Playing) -> bool:
        nonlocal most
        most = max(most, len(playing.state.legal_actions()))
        return False

    setting = usual_setting(game)
    find_opening(game, setting, has_more)
    return find_opening(game, setting, lambda playing: len(playing.state.legal_actions()) == most) or ()


def _pad(response: play_pb2.PlayResponse) -> None:
    """Add an unknown field of a megabyte to the observation: the field 2046, with a length of three bytes."""
    length = bytes([_MEGABYTE & 0x7F | 0x80, _MEGABYTE >> 7 & 0x7F | 0x80, _MEGABYTE >> 14])
    response.decide.observation.value += _PADDING_TAG + length + b"x" * _MEGABYTE


async def check_dropped(harness: Harness) -> None:
    """Tell that ids of the last answer were dropped."""
    bot = await harness.bot()
    match = await open_usual(bot)
    await ask(bot, match)
    for _ in range(2):
        if not match.is_over:
            await ask(bot, match, _drop)
    await close_match(bot, match)


def _drop(response: play_pb2.PlayResponse) -> None:
    response.decide.dropped_actions = 63


async def check_no_decision(harness: Harness) -> None:
    """End a match before the bot is asked."""
    bot = await harness.bot()
    await play_usual(bot, 0)
    await play_usual(bot, 1)


async def check_finished_while_asked(harness: Harness) -> None:
    """End a match while the bot is asked; an answer that comes all the same is tolerated."""
    bot = await harness.bot()
    match = await open_usual(bot)
    await ask(bot, match)
    if not match.is_over:
        question = match.question()
        await bot.send(match.decide())
        bot.tolerate(question)
        await close_match(bot, match)
        await bot.take_late_answer()
    await play_usual(bot)


async def check_own_faults(harness: Harness) -> None:
    """Tell the bot of faults of its own, then end the stream as the arena does."""
    bot = await harness.bot()
    await play_usual(bot, 1, on_finish=_blame)
    await bot.stay_quiet(Text("after MatchFinished with faults"))
    bot.close()
    if await bot.exit_status() is None:
        why = Text("after MatchFinished with faults and the end of its stream the process lives on")
        raise SilentError(why)


def _blame(response: play_pb2.PlayResponse) -> None:
    finished = response.match_finished
    seats = len(finished.result.ranks)
    finished.result.CopyFrom(match_pb2.Result(ranks=[*[1] * (seats - 1), seats], forfeited_seats=[seats - 1]))
    finished.faults.add(cause=match_pb2.FAULT_CAUSE_ILLEGAL_ACTION, ply=1, explanation="It chose action 7.")
    finished.faults.add(cause=99, ply=2, explanation="A cause of tomorrow.")


async def check_others_forfeit(harness: Harness) -> None:
    """End matches by the forfeits of all others."""
    bot = await harness.bot()
    for game in games_of(bot):
        await play(bot, CheckMatch(game, CheckMatchSetup(game.seats[-1], game.seats[-1] - 1)), 1)
        await play(bot, CheckMatch(game, usual_setting(game)), 1)


async def check_resumed(harness: Harness) -> None:
    """Begin in the middle of a match, with its whole history and what is left of the clock."""
    bot = await harness.bot()
    for game in games_of(bot):
        opening = find_opening(game, usual_setting(game), lambda playing: playing.ply >= _HISTORY_PLIES)
        match = CheckMatch(game, replace(usual_setting(game), opening=opening or ()))
        await play(bot, match, 2, on_start=_resume, on_decide=_shorten)


def _resume(response: play_pb2.PlayResponse) -> None:
    response.match_started.resumed = True


def _shorten(response: play_pb2.PlayResponse) -> None:
    response.decide.time_limit_us = _REMAINING_US


async def check_large_seed(harness: Harness) -> None:
    """Hand the bot the largest seed."""
    bot = await harness.bot()
    for game in games_of(bot):
        await play(bot, CheckMatch(game, replace(usual_setting(game), bot_seed=_LARGEST_SEED)), 2)


async def check_unknown_options(harness: Harness) -> None:
    """Add options that nobody knows, of every kind of value."""
    bot = await harness.bot()
    await play_usual(bot, 2, on_start=_add_options)


def _add_options(response: play_pb2.PlayResponse) -> None:
    started = response.match_started
    added = '"of_tomorrow": {"a": [1, null, 2.5, true]}, "and_another": "x"'
    rest = started.options_json.removeprefix("{")
    started.options_json = "{" + added + (rest if rest.strip() == "}" else f", {rest}")


async def check_answers(harness: Harness) -> None:
    """Play the beginning of a match slowly: whatever an answer can break is found by that, and what nobody asked for.

    A bot that ends with the match has either not borne its end, or does not play several.
    """
    bot = await harness.bot()
    await bot.stay_quiet(Text("after Joined"))
    match = await open_usual(bot)
    await bot.stay_quiet(Text("after MatchStarted"))
    await ask(bot, match)
    await bot.stay_quiet(Text("after its answer"))
    for _ in range(_DECISIONS):
        if not match.is_over:
            await ask(bot, match)
    await close_match(bot, match)
    try:
        await bot.stay_quiet(Text("after MatchFinished"))
    except SilentError as error:
        rule = "several-matches" if await bot.exit_status() == 0 else "others-forfeit"
        raise BrokenError(rule, error.seen) from None


async def check_ids(harness: Harness) -> None:
    """Name a match by a text that is no UUID."""
    bot = await harness.bot()
    game = games_of(bot)[0]
    await play(bot, CheckMatch(game, replace(usual_setting(game), match_id=_ODD_ID)), 2)


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
        why = Text(
            "{took} ms for decisions of {limit} ms, and 50 ms of margin", took=told, limit=f"{limit_s * 1000:.0f}"
        )
        raise SilentError(why)
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
