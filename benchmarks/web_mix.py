"""Which pages of a database are asked for when its pages are measured: every kind, and of each many addresses."""

from __future__ import annotations

import base64
import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from html import unescape
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any, Final

_MANY: Final = 40
"""So many addresses of a kind there are at most."""
_POPULAR: Final = 4
"""Of matches so many are watched by nearly everybody."""
_NEXT: Final = re.compile(r'href="([^"]*[?&;]after=[^"]*)"')
Ask = Callable[[str], str]
"""Returns the page of an address."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of page, and how often it is asked for beside the others."""

    name: str
    addresses: Sequence[str]
    weight: int = 2

    def each(self) -> Iterator[str]:
        """Yield its addresses for ever."""
        return cycle(self.addresses)


@dataclass(frozen=True, slots=True)
class _Found:
    """What there is in the database."""

    pool: str
    """The busiest pool."""
    other_pool: str
    bots: Sequence[str]
    busy: Sequence[str]
    """Those with the most matches."""
    told: Sequence[str]
    """Matches of The Foreign King with a replay."""
    long: Sequence[str]
    """Matches of Rex Romanorum with a replay."""
    bare: Sequence[str]
    """Matches without one."""
    tournaments: Sequence[tuple[str, str, int]]
    """Id, format and number of matches, the largest first."""

    def of_format(self, *formats: str) -> list[str]:
        """Return the ids of the tournaments of these formats."""
        return [id_ for id_, format_, _ in self.tournaments if format_ in formats]


def kinds_of(db: Path, ask: Ask) -> list[Kind]:
    """Return every kind of page of a database; `ask` is used to find the cursors that lead deep into lists."""
    with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as connection:
        found = _look(connection)
    pages = [*_tables(found, ask), *_bots(found), *_matches(found, ask), *_tournaments(found), *_rest()]
    return [kind for kind in [*pages, *_api(found)] if kind.addresses]


def _look(connection: sqlite3.Connection) -> _Found:
    random = Random(5)

    def column(query: str, *values: Any) -> list[Any]:
        return [row[0] for row in connection.execute(query, values)]

    pools = column("SELECT pool_id FROM rating GROUP BY pool_id ORDER BY sum(matches) DESC")
    busy = "SELECT bot.name FROM rating JOIN version v ON v.id = version_id JOIN bot ON bot.id = v.bot_id"
    told = (
        "SELECT r.match_id FROM replay r JOIN match m ON m.id = r.match_id JOIN tournament t ON t.id = m.tournament_id "
        "JOIN pool p ON p.id = t.pool_id WHERE p.game = ? ORDER BY r.match_id"
    )
    last = "(SELECT max(position) FROM match WHERE tournament_id = t.id)"
    tournaments = sorted(
        connection.execute(f"SELECT id, format, coalesce({last}, 0) FROM tournament t"), key=lambda row: -row[2]
    )
    large, _, places = tournaments[0]
    place = "SELECT id FROM match WHERE tournament_id = ? AND position = ?"
    bare = [column(place, large, random.randrange(places * 9 // 10))[0] for _ in range(_MANY)]
    return _Found(
        pool=pools[0],
        other_pool=pools[-1],
        bots=random.sample(names, min(_MANY, len(names))) if (names := column("SELECT name FROM bot")) else (),
        busy=column(f"{busy} ORDER BY matches DESC, bot.name LIMIT 5"),
        told=_sample(random, column(told, "foreign_king")),
        long=_sample(random, column(told, "rex_romanorum")),
        bare=bare,
        tournaments=tournaments,
    )


def _sample(random: Random, items: Sequence[str]) -> list[str]:
    return random.sample(items, min(_MANY, len(items)))


def _tables(found: _Found, ask: Ask) -> Iterator[Kind]:
    board = f"/leaderboards/{found.pool}"
    yield Kind("front", ["/"], 8)
    yield Kind("leaderboards", ["/leaderboards", "/leaderboards?game=foreign_king"], 3)
    yield Kind("leaderboard", [board, f"/leaderboards/{found.other_pool}"], 6)
    for column in ("bot", "matches", "wins", "score", "sigma", "mu", "elo"):
        yield Kind(f"leaderboard by {column}", [f"{board}?sort={column}", f"{board}?sort=-{column}"], 1)
    yield Kind("leaderboard, names", [f"{board}?name=bot99", f"{board}?owner=owner7", f"{board}?name=9&sort=-bot"])
    deep = [
        _deep(ask, f"{board}?sort={column}", part)
        for column in ("rating", "bot", "matches", "score")
        for part in (1000, 5000, 9000)
    ]
    yield Kind("leaderboard, deep in", [address for address in deep if address])


def _deep(ask: Ask, address: str, place: int | str) -> str:
    """Return the address of the page far behind a page; nothing if it is the only one."""
    links = [unescape(link) for link in _NEXT.findall(ask(address))]
    if not links:
        return ""
    path, _, after = links[-1].partition("after=")
    cursor, amp, rest = after.partition("&")
    key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    text = json.dumps([*key[:-1], place], separators=(",", ":")).encode()
    return f"{path}after={base64.urlsafe_b64encode(text).decode().rstrip('=')}{amp}{rest}"


def _bots(found: _Found) -> Iterator[Kind]:
    yield Kind("bots", ["/bots", "/bots?name=bot12", "/bots?name=owner19"])
    yield Kind("bot", [f"/bots/{name}" for name in found.bots], 6)
    yield Kind("bot with most matches", [f"/bots/{name}" for name in found.busy], 3)
    yield Kind("use of time", [f"/bot-times/{name}" for name in ("random", "greedy", *found.busy[:3])])
    one, other = found.busy[0], found.busy[1]
    yield Kind("compare", ["/compare", f"/compare?new={one}&old={other}", "/compare?new=greedy&old=random"])
    yield Kind("comparison", [f"/compare/{id_}" for id_ in found.of_format("compare")])
    yield Kind("badge", [f"/bots/{name}/badge.svg" for name in [*found.bots[:20], *found.busy]])


def _matches(found: _Found, ask: Ask) -> Iterator[Kind]:
    bot, other, large = found.busy[0], found.busy[1], found.tournaments[0][0]
    yield Kind("matches", ["/matches"], 3)
    searches = [
        *(f"bot={name}" for name in [*found.bots[:5], bot]),
        *(f"bot={bot}&{more}" for more in (f"opponent={other}", "fared=won", "fared=lost", "fault=TIMEOUT")),
        *(
            f"tournament={large}",
            f"pool={found.pool}",
            f"pool={found.other_pool}",
            "fault=DISCONNECTED",
            "state=planned",
        ),
        *("least_plies=300", f"tournament={large}&most_plies=61", f"bot={bot}&least_plies=250", "state=void"),
        f"bot={bot}&opponent={found.bots[0]}",
    ]
    yield Kind("match search", [f"/matches?{search}" for search in searches], 5)
    deep = [_deep(ask, f"/matches?tournament={large}", 400_000), _deep(ask, "/matches", found.bare[0])]
    yield Kind("match search, deep in", [address for address in deep if address])
    popular = [*found.told[:_POPULAR], *found.long[:_POPULAR]]
    mixed = [id_ for rare in [*found.told, *found.long, *found.bare[:10]] for id_ in (rare, *popular[:2])]
    yield Kind("match", [f"/matches/{id_}" for id_ in mixed], 6)
    yield Kind("match without script", [f"/matches/{id_}?ply=40" for id_ in popular], 1)
    yield Kind("board", [f"/matches/{id_}/board.svg?ply=30" for id_ in popular], 1)
    yield Kind("replay", [f"/matches/{id_}/replay.json" for id_ in mixed], 1)
    yield Kind("verified", [f"/matches/{id_}/verified" for id_ in found.told[:6]], 1)
    yield Kind("frames, The Foreign King", [f"/matches/{id_}/frames.json" for id_ in _popular_first(found.told)], 3)
    yield Kind("frames, Rex Romanorum", [f"/matches/{id_}/frames.json" for id_ in _popular_first(found.long)], 3)


def _popular_first(ids: Sequence[str]) -> list[str]:
    """Return matches as people watch them: each rare one between popular ones."""
    return [id_ for rare in ids[_POPULAR:] for id_ in (rare, *ids[:_POPULAR])] or list(ids)


def _tournaments(found: _Found) -> Iterator[Kind]:
    yield Kind("tournaments", ["/tournaments"], 3)
    large, small = found.tournaments[:2], found.tournaments[2:]
    yield Kind("tournament", [f"/tournaments/{id_}" for id_, _, _ in small], 5)
    yield Kind("tournament, large", [f"/tournaments/{id_}" for id_, _, _ in large], 2)
    yield Kind("tournament, state", [f"/tournaments/{id_}/state" for id_, _, _ in found.tournaments], 2)
    yield Kind("confidence", [f"/tournaments/{id_}/confidence" for id_ in found.of_format("adaptive")], 1)


def _rest() -> Iterator[Kind]:
    yield Kind("games", ["/games"], 1)
    yield Kind("game", ["/games/foreign_king", "/games/rex_romanorum", "/games/rex_romanorum?seats=4"], 2)
    yield Kind("board of a game", ["/games/foreign_king/board.svg", "/games/rex_romanorum/board.svg"], 1)
    yield Kind("feed", ["/feed.atom", "/feed.atom?lang=de"], 1)
    files = ("css/base.css", "css/boards.css", "js/viewer.js", "vendor/htmx.min.js", "vendor/uPlot.iife.min.js")
    yield Kind("file", [f"/static/{name}" for name in files], 6)


def _api(found: _Found) -> Iterator[Kind]:
    large, pool = found.tournaments[0][0], found.pool
    one, match = found.busy[0], found.told[0] if found.told else found.bare[0]
    calls = {
        "": ["", "/openapi.json"],
        "leaderboards": ["/leaderboards", f"/leaderboards?pool={pool}&limit=500"],
        "pools": [f"/pools/{pool}/official", f"/pools/{found.other_pool}/official"],
        "pool counts": [f"/pools/{pool}/{what}" for what in ("crosstable", "seats", "lengths")],
        "bots": ["/bots", "/bots?limit=500"],
        "bot": [
            *(f"/bots/{one}{what}" for what in ("", "/versions")),
            *(f"/bots/{one}/{what}?pool={pool}" for what in ("history", "opponents", "seats")),
        ],
        "tournaments": ["/tournaments"],
        "tournament": [f"/tournaments/{id_}" for id_, _, _ in found.tournaments[:6]],
        "tournament counts": [
            f"/tournaments/{id_}/{what}"
            for id_, _, _ in found.tournaments[2:5]
            for what in ("standings", "crosstable", "pairings", "confidence", "progress", "seats", "lengths")
        ],
        "large tournament counts": [
            f"/tournaments/{large}/{what}" for what in ("standings", "crosstable", "progress", "seats", "lengths")
        ],
        "matches": ["/matches", f"/matches?bot={one}&fared=won", f"/matches?tournament={large}&limit=500"],
        "match": [f"/matches/{match}{what}" for what in ("", "/times", "/replay")],
        "ladders and games": ["/ladders", "/games", "/games/foreign_king", "/games/rex_romanorum/actions"],
    }
    for name, addresses in calls.items():
        yield Kind(f"api {name}".strip(), [f"/api/v1{address}" for address in addresses], 1)
