"""What a program asks of an arena, from the interface to the tables that it gets: which pool it means, whole lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from arena.match.replay import ReplayError, load
from arena.match.time_control import format_time_control, parse_time_control
from arena.model.errors import ClientError, DamagedError, RefusedError
from arena.model.port import ArenaPort
from arena.model.ratings import Anchor
from arena.scripting.arguments import optional_texts, optional_wholes
from arena.scripting.errors import VoidMatchError
from arena.scripting.played import MatchReplay, PlayedMatch, PlayedTournament, match_table, tournament_table
from arena.scripting.tables import (
    OfficialRatings,
    OverallRatings,
    RatedTable,
    ScoreMatrix,
    crosstable,
    leaderboard_table,
    official_table,
    overall_table,
    pool_text,
)
from arena.story.errors import StoryError
from arena.story.replays import picture_of_replay
from engine import registry
from engine.core import EngineError
from engine.translatable import Text
from ratings.values.leaderboards import Leaderboard
from ratings.values.page import MOST_LIMIT, Page
from ratings.values.states import MatchState

NOTHING_RATED = "nothing was rated yet; Arena.tournament(...) plays some matches"
_LISTED = 4
_DIGITS = 8
T = TypeVar("T")


def leaderboard(port: ArenaPort, pool: str | None) -> RatedTable:
    """Return the whole leaderboard of a pool. Raises ClientError if nothing was rated."""
    found = [] if pool is None else port.leaderboards.list_leaderboards(pool=pool, limit=None).boards
    if not found:
        raise ClientError(NOTHING_RATED)
    return leaderboard_table(found[0])


def official(
    port: ArenaPort, pool: str | None, anchors: Mapping[str, float], confidence: float, *, circles: bool
) -> OfficialRatings:
    """Return the official table of a pool. Raises ClientError if nothing was rated, StatisticsError."""
    if pool is None:
        raise ClientError(NOTHING_RATED)
    fixed = tuple(Anchor(bot, float(elo)) for bot, elo in anchors.items())
    return official_table(port.ratings.get_official_table(pool, fixed, confidence, None, None, circles))


def overall(
    port: ArenaPort,
    pools: tuple[str, ...],
    games: tuple[str, ...],
    methods: tuple[str, ...],
    confidence: float,
) -> OverallRatings:
    """Return one table over several pools. Raises ClientError if nothing was rated, StatisticsError."""
    return overall_table(port.ratings.get_overall_table(pools, games, methods, confidence))


def score_matrix(port: ArenaPort, tournament: str | None, pool: str | None, limit: int) -> ScoreMatrix:
    """Return the crosstable of a tournament or of a pool. Raises ClientError if nothing was rated."""
    if tournament is None and pool is None:
        raise ClientError(NOTHING_RATED)
    found = port.statistics.get_crosstable(tournament, None if tournament is not None else pool, limit)
    return crosstable(found, "Crosstable" if tournament is None else f"Crosstable of {tournament}")


def played_match(port: ArenaPort, match: str) -> PlayedMatch:
    """Return a finished match. Raises VoidMatchError for one that the host could not play."""
    detail = port.matches.get_match(match)
    if detail.state is MatchState.VOID:
        raise VoidMatchError(f"match {detail.match_id} is void: {detail.void_reason}; play it again")
    if detail.state is not MatchState.FINISHED:
        raise ClientError(f"match {detail.match_id} is not over; Arena.resume({detail.tournament!r}) plays it")
    if detail.hidden or detail.replay_removed_at_us is not None:
        return match_table(detail, "")
    return match_table(detail, _board(_document(port, detail.match_id)[1]))


def played_tournament(port: ArenaPort, tournament: str) -> PlayedTournament:
    """Return a tournament as far as it was played."""
    detail = port.tournaments.get_tournament(tournament)
    rows = all_of(lambda after: port.tournaments.list_standings(detail.summary.id, MOST_LIMIT, after))
    return tournament_table(detail, tuple(rows))


def replay(port: ArenaPort, match: str) -> MatchReplay:
    """Return the replay of a match. Raises DamagedError if it cannot be read, EngineError without its game."""
    data, document = _document(port, match)
    table = registry.get(str(document["game"])).actions
    actions = tuple(table.format(entry["action"]) for entry in document["entries"])
    return MatchReplay(str(document["match_id"]), document, actions, _board(document), data)


def _document(port: ArenaPort, match: str) -> tuple[bytes, Mapping[str, Any]]:
    found = port.replays.get_replay(match)
    try:
        return found.data, load(found.data)
    except ReplayError as error:
        raise DamagedError(
            Text("the replay of match {match} cannot be read: {why}", match=found.match_id, why=error)
        ) from error


def _board(document: Mapping[str, Any]) -> str:
    """Return the last position as SVG; empty if the game draws none, or is not installed here with its rules."""
    try:
        picture = picture_of_replay(document)
    except (StoryError, EngineError):
        return ""
    return "" if picture is None else picture.svg()


def choose_pool(
    port: ArenaPort, *, game: str | None, seats: int | None, clock: str | None, tournament: str | None, pool: str | None
) -> str | None:
    """Return the id of the pool that is meant, or None if nothing is rated yet.

    Raises RefusedError, which lists pools, if several are meant or none fits, and for other types; the errors of the
    interface for a pool or a tournament that is not there; TimeControlError.
    """
    optional_texts(game=game, clock=clock, tournament=tournament, pool=pool)
    optional_wholes(seats=seats)
    wishes = [wish for wish in (game, seats, clock) if wish is not None]
    if sum((tournament is not None, pool is not None, bool(wishes))) > 1:
        raise RefusedError("tournament, pool, and what a pool is (game, seats, clock) exclude each other; give one")
    if pool is not None:
        return pool
    if tournament is not None:
        return port.tournaments.get_tournament(tournament).pool.pool_id
    there, after, is_more = list[Leaderboard](), None, True
    while is_more:
        page = port.leaderboards.list_leaderboards(limit=1, after=after)
        there += page.boards
        after, is_more = page.next, page.next is not None
    written = None if clock is None else format_time_control(parse_time_control(clock))
    found = [
        one
        for one in there
        if game in (None, one.pool.game)
        and seats in (None, one.pool.seats)
        and written in (None, one.pool.time_control)
    ]
    if not there:
        return None
    if not found:
        raise RefusedError(f"no pool fits {', '.join(map(str, wishes))}; there are: {_listed(there)}")
    if len(found) > 1:
        raise RefusedError(f"there are {len(found)} pools: {_listed(found)}; say which by game, seats, clock or pool")
    return found[0].pool.pool_id


def _listed(boards: list[Leaderboard]) -> str:
    texts = [f"{one.pool.pool_id[:_DIGITS]} ({pool_text(one.pool)})" for one in boards[:_LISTED]]
    return "; ".join(texts + ["..."] * (len(boards) > _LISTED))


def all_of(ask: Callable[[str | None], Page[T]], limit: int | None = None) -> Iterator[T]:
    """Yield the items of a list, page by page, given what asks for the page after a cursor; `limit` at most."""
    after: str | None = None
    left = limit
    while left is None or left > 0:
        page = ask(after)
        yield from page.items if left is None else page.items[:left]
        left = None if left is None else left - len(page.items)
        after = page.next
        if after is None:
            return
