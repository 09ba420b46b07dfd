"""What people ask of a large book of record on a server, each question with several arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from arena.app.arena import LocalArena
from arena.model.matches import ANY_FAULT
from benchmarks.server_layout import LARGEST, OLDEST, POOLS, TOURNAMENTS_A_POOL, Size
from benchmarks.server_rows import MATCH, text_id
from ratings.values.states import Fared, MatchState

Ask = Callable[[], Any]
_SOME = 5


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the ways in which it is asked."""

    label: str
    asks: tuple[Ask, ...]


def questions(arena: LocalArena, size: Size) -> Iterator[Question]:
    """Yield all questions."""
    yield from _of_ratings(arena, size)
    yield from _of_tournaments(arena)
    yield from _of_matches(arena, size)


def _bots(size: Size) -> list[str]:
    return [f"bot{size.bots * n // _SOME}" for n in range(_SOME)]


def _each(label: str, call: Callable[..., Any], arguments: Any, **always: Any) -> Question:
    return Question(label, tuple(partial(call, one, **always) for one in arguments))


def _of_ratings(arena: LocalArena, size: Size) -> Iterator[Question]:
    boards, bots, figures, overview = arena.leaderboards, arena.bots, arena.statistics, arena.overview
    names = _bots(size)
    yield Question("leaderboard, first page of the largest pool", (partial(boards.list_leaderboards, pool=LARGEST),))
    yield Question("leaderboards of all pools", (boards.list_leaderboards,))
    second = boards.list_leaderboards(pool=LARGEST).boards[0].next
    yield Question(
        "leaderboard, second page", (partial(boards.list_leaderboards, pool=LARGEST, after=second),) if second else ()
    )
    yield _each("leaderboard by another column", partial(overview.sort_leaderboard, LARGEST), ("wins", "sigma", "bot"))
    yield Question("bot list", (bots.list_bots,))
    yield _each("bot show", bots.get_bot, names)
    yield _each("bot, its versions", bots.list_versions, names)
    yield _each("bot, its places in all pools", overview.list_standings, names)
    yield _each("bot, rating history", figures.list_history, names, pool=LARGEST)
    yield _each("bot, opponents in the largest pool", figures.list_opponents, names, pool=LARGEST)
    yield _each("bot, opponents in a tournament", figures.list_opponents, _entered(arena), tournament=_robin(0))


def _entered(arena: LocalArena) -> list[str]:
    return [row.bot for row in arena.tournaments.list_standings(_robin(0)).items][:_SOME]


def _ladder(pool: int) -> str:
    return f"ladder-{pool * TOURNAMENTS_A_POOL}"


def _robin(pool: int) -> str:
    return f"robin-{pool * TOURNAMENTS_A_POOL + 1}"


def _of_tournaments(arena: LocalArena) -> Iterator[Question]:
    asked = arena.tournaments
    ladders, robins = [_ladder(pool) for pool in range(_SOME)], [_robin(pool) for pool in range(_SOME)]
    yield Question("tournament list", (asked.list_tournaments,))
    yield _each("tournament show, of 40 bots", asked.get_tournament, robins)
    yield _each("tournament show, of all bots", asked.get_tournament, ladders)
    yield _each("tournament standings, of 40 bots", asked.list_standings, robins)
    yield _each("tournament standings, of all bots", asked.list_standings, ladders)


def _of_matches(arena: LocalArena, size: Size) -> Iterator[Question]:
    listed, names = arena.matches.list_matches, _bots(size)
    pools = [key.pool_id for key in POOLS]

    def matches(label: str, *of_each: dict[str, Any], **always: Any) -> Question:
        return Question(f"match list, {label}", tuple(partial(listed, **one, **always) for one in of_each or ({},)))

    by_bot: list[dict[str, Any]] = [{"bot": name} for name in names]
    by_pool: list[dict[str, Any]] = [{"pool": pool} for pool in pools]
    tournaments: list[dict[str, Any]] = [
        {"tournament": name(pool)} for pool in range(_SOME) for name in (_ladder, _robin)
    ]
    page = listed()
    yield matches("newest")
    yield matches("second page", {"after": page.next})
    yield matches("by state", *({"state": state} for state in MatchState))
    yield matches("any fault", fault=ANY_FAULT)
    yield matches("by cause", {"fault": "DISCONNECTED"}, {"fault": "ILLEGAL_ACTION"})
    yield matches("of a bot", *by_bot)
    yield matches("lost by a bot", *by_bot, fared=Fared.LOST)
    yield matches("of a bot against another", *by_bot, opponent=names[1])
    yield matches("faults of a bot", *by_bot, fault=ANY_FAULT)
    yield matches("void, of a bot", *by_bot, state=MatchState.VOID)
    yield matches("of a bot in a pool", *by_bot, pool=LARGEST)
    yield matches("of a pool", *by_pool)
    yield matches("of the oldest pool", pool=OLDEST)
    yield matches("void, of a pool", *by_pool, state=MatchState.VOID)
    yield matches("faults in a pool", *by_pool, fault=ANY_FAULT)
    yield matches("of a tournament", *tournaments)
    yield matches("void, of a tournament", *tournaments, state=MatchState.VOID)
    yield matches("faults in a tournament", *tournaments, fault=ANY_FAULT)
    yield matches("by length", {"least_plies": 150}, {"most_plies": 65})
    shown = [text_id(MATCH, size.matches * n // _SOME) for n in range(_SOME)]
    yield _each("match show", arena.matches.get_match, [*shown, page.items[0].id])
