"""An Atom feed of results: who won the tournaments that are over, and who leads the pools."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from fastapi import APIRouter, Request
from starlette.responses import Response

from arena.client.arena import ArenaPort
from arena.client.overview import ShownArena
from arena.client.values.leaderboards import Leaderboard
from arena.client.values.tournaments import TournamentSummary
from arena.web.frame.answers import Answers
from arena.web.frame.asking import answers_of, arena_of, home_of
from arena.web.frame.choices import language_of
from arena.web.frame.formats import iso_instant
from arena.web.frame.pools import game_title, pool_details
from arena.words.catalogue import words

router = APIRouter(include_in_schema=False)
_LOOKED_AT: Final = 50
_MOST_TOURNAMENTS: Final = 20
_MOST_POOLS: Final = 10
_KEPT_S: Final = 30
_MOST_KEPT: Final = 100
_KIND: Final = "application/atom+xml; charset=utf-8"
_HEADERS: Final = {"cache-control": f"public, max-age={_KEPT_S}", "vary": "Accept-Language, Cookie"}
_FINISHED: Final = "finished"


@dataclass(frozen=True, slots=True)
class Entry:
    """One piece of news."""

    id: str
    address: str
    title: str
    text: str
    updated_us: int


@router.get("/feed.atom")
def feed(request: Request) -> Response:
    """Return the feed in the language that is asked for; it is made anew every half minute."""
    kept: dict[tuple[str, str], tuple[float, str]] = request.app.state.__dict__.setdefault("feeds", {})
    key = (home_of(request), language_of(request))
    made, document = kept.get(key, (0.0, ""))
    if not document or time.monotonic() - made > _KEPT_S:
        document = write_feed(arena_of(request), answers_of(request), *key)
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[key] = (time.monotonic(), document)
    return Response(document, media_type=_KIND, headers=_HEADERS)


def write_feed(arena: ShownArena, answers: Answers, home: str, language: str) -> str:
    """Return the feed as a document; `home` is the address of the front page without its last slash."""
    entries = sorted(_news(arena, answers, home, language), key=lambda entry: -entry.updated_us)
    return "".join(_document(home, language, entries))


def _news(arena: ShownArena, answers: Answers, home: str, language: str) -> Iterator[Entry]:
    over = [one for one in arena.tournaments.list_tournaments(_LOOKED_AT).items if one.status == _FINISHED]
    for one in over[:_MOST_TOURNAMENTS]:
        yield from _of_tournament(arena, answers, one, home, language)
    for board in arena.leaderboards.list_leaderboards(limit=1).boards[:_MOST_POOLS]:
        yield from _of_leader(arena, board, home, language)


def _of_tournament(
    arena: ShownArena, answers: Answers, one: TournamentSummary, home: str, language: str
) -> Iterator[Entry]:
    best = [row.bot for row in answers.get_tournament(arena, one.id).standings[:3]]
    if best:
        say = words(language).say
        last = arena.matches.list_matches(one.id, limit=1).items
        yield Entry(
            f"urn:uuid:{one.id}",
            f"{home}/tournaments/{one.id}",
            say("feed.tournament", bot=best[0], tournament=one.name),
            f"{game_title(one.game)} · {say('pool.seats', count=one.seats)} · {', '.join(best)}",
            _time_of(arena, last[0].id if last else None, one.created_at_us),
        )


def _of_leader(arena: ArenaPort, board: Leaderboard, home: str, language: str) -> Iterator[Entry]:
    for row in board.table[:1]:
        whole = f"{row.bot}@{row.content_hash}"
        changes = arena.statistics.list_history(whole, board.pool.pool_id, 1).items
        title = words(language).say("feed.leader", bot=row.bot, game=game_title(board.pool.game))
        yield Entry(
            f"urn:kingmaker-arena:leader:{board.pool.pool_id}:{row.version_id}",
            f"{home}/leaderboards/{board.pool.pool_id}",
            title,
            f"{game_title(board.pool.game)} · {pool_details(board.pool, language)}",
            _time_of(arena, changes[0].match_id if changes else None, 0),
        )


def _time_of(arena: ArenaPort, match: str | None, otherwise: int) -> int:
    """Return when a match began, in microseconds since 1970."""
    began = None if match is None else arena.matches.get_match(match).started_at_us
    return otherwise if began is None else began


def _document(home: str, language: str, entries: list[Entry]) -> Iterator[str]:
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
