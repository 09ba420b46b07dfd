"""An Atom feed of results: who won the tournaments that are over, and who leads the pools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from fastapi import APIRouter, Request
from starlette.responses import Response

from arena.i18n.catalogue import words
from arena.model.port import ArenaPort
from arena.model.tournaments import TournamentSummary
from arena.web.shared.formatting import game_title, iso_instant, pool_details
from arena.web.shared.site import answers_of, arena_of, home_of
from arena.web.shared.visitor import language_of
from ratings.values.leaderboards import LeaderboardRow
from ratings.values.pools import Pool

router = APIRouter(include_in_schema=False)
_LOOKED_AT: Final = 50
_MOST_TOURNAMENTS: Final = 20
_MOST_POOLS: Final = 10
_KEPT_S: Final = 30
_BEST: Final = 3
NEWS: Final = f"{__name__}:gather"
"""The question for all of it."""
_KIND: Final = "application/atom+xml; charset=utf-8"
_HEADERS: Final = {"cache-control": f"public, max-age={_KEPT_S}", "vary": "Accept-Language, Cookie"}
_FINISHED: Final = "finished"


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One piece of news."""

    id: str
    address: str
    title: str
    text: str
    updated_us: int


@dataclass(frozen=True, slots=True)
class FinishedTournament:
    """A tournament that is over, with its best three, and when its last match began."""

    tournament: TournamentSummary
    best: Sequence[str]
    at_us: int


@dataclass(frozen=True, slots=True)
class PoolLeader:
    """A pool with its best version, and when that played its last match."""

    pool: Pool
    row: LeaderboardRow
    at_us: int


@router.get("/feed.atom")
def feed(request: Request) -> Response:
    """Return the feed in the language that is asked for."""
    news = answers_of(request).ask_soon(arena_of(request), NEWS)
    home = home_of(request)
    language = language_of(request)
    entries = [_entry(one, home, language) for one in sorted(news, key=lambda one: -one.at_us)]
    return Response("".join(_document(home, language, entries)), media_type=_KIND, headers=_HEADERS)


def gather(arena: ArenaPort) -> Sequence[FinishedTournament | PoolLeader]:
    """Return what is to be told now: some hundreds of readings of the database."""
    over = [one for one in arena.tournaments.list_tournaments(_LOOKED_AT).items if one.status == _FINISHED]
    boards = arena.leaderboards.list_leaderboards(limit=1).boards[:_MOST_POOLS]
    won, leading = [], []
    for one in over[:_MOST_TOURNAMENTS]:
        best = [row.bot for row in arena.tournaments.list_standings(one.id, _BEST).items]
        matches = arena.matches.list_matches(one.id, limit=1).items
        at_us = _time_of(arena, matches[0].id if matches else None, one.created_at_us)
        won.append(FinishedTournament(one, best, at_us))
    for board in boards:
        for row in board.table[:1]:
            version = f"{row.bot}@{row.content_hash}"
            changes = arena.statistics.list_history(version, board.pool.pool_id, 1).items
            last = changes[0].match_id if changes else None
            leading.append(PoolLeader(board.pool, row, _time_of(arena, last, 0)))
    return [*(one for one in won if one.best), *leading]


def _entry(one: FinishedTournament | PoolLeader, home: str, language: str) -> FeedEntry:
    say = words(language).say
    if isinstance(one, FinishedTournament):
        won, seats = one.tournament, say("pool.seats", count=one.tournament.seats)
        return FeedEntry(
            f"urn:uuid:{won.id}",
            f"{home}/tournaments/{won.id}",
            say("feed.tournament", bot=one.best[0], tournament=won.name),
            f"{game_title(won.game)} · {seats} · {', '.join(one.best)}",
            one.at_us,
        )
    return FeedEntry(
        f"urn:kingmaker-arena:leader:{one.pool.pool_id}:{one.row.version_id}",
        f"{home}/leaderboards/{one.pool.pool_id}",
        say("feed.leader", bot=one.row.bot, game=game_title(one.pool.game)),
        f"{game_title(one.pool.game)} · {pool_details(one.pool, language)}",
        one.at_us,
    )


def _time_of(arena: ArenaPort, match: str | None, otherwise: int) -> int:
    """Return when a match began, in microseconds since 1970."""
    began = None if match is None else arena.matches.get_match(match).started_at_us
    return otherwise if began is None else began


def _document(home: str, language: str, entries: list[FeedEntry]) -> Iterator[str]:
    address = f"{home}/feed.atom"
    yield '<?xml version="1.0" encoding="utf-8"?>\n'
    yield f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{language}">\n'
    yield f"<id>{_text(address)}</id>\n<title>{_text(words(language).say('feed.title'))}</title>\n"
    yield f"<updated>{iso_instant(max((entry.updated_us for entry in entries), default=0))}</updated>\n"
    yield f'<link rel="self" type="application/atom+xml" href={quoteattr(address)}/>\n'
    yield f'<link rel="alternate" type="text/html" href={quoteattr(home + "/")}/>\n'
    yield "<author><name>Kingmaker Arena</name></author>\n"
    for entry in entries:
        yield (
            f"<entry><id>{_text(entry.id)}</id><title>{_text(entry.title)}</title>"
            f"<updated>{iso_instant(entry.updated_us)}</updated>"
            f'<link rel="alternate" type="text/html" href={quoteattr(entry.address)}/>'
            f"<summary>{_text(entry.text)}</summary></entry>\n"
        )
    yield "</feed>\n"


def _text(text: str) -> str:
    """Return a text for XML, without what XML cannot say."""
    return escape("".join(char for char in text if char.isprintable()))
