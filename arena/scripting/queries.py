"""What an arena can be asked from a program without playing: tables, lists, replays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.model.bots import BotSummary
from arena.model.errors import ClientError
from arena.model.matches import MatchSummary, SeatLog
from arena.model.port import ArenaPort
from arena.model.tournaments import TournamentSummary
from arena.scripting import fetch_tables as reading
from arena.scripting.arguments import (
    need_flags,
    need_numbers,
    need_texts,
    need_wholes,
    optional_mappings,
    optional_texts,
    optional_wholes,
)
from arena.scripting.database_arena import OpenArena
from arena.scripting.errors import for_programs
from arena.scripting.fetch_tables import all_of, choose_pool
from arena.scripting.played import MatchReplay, PlayedTournament
from arena.scripting.tables import (
    OfficialRatings,
    OverallRatings,
    RatedTable,
    ResultTable,
    ScoreMatrix,
    bots_table,
    matches_table,
    tournaments_table,
)
from ratings.values.page import MOST_LIMIT


class ArenaQueries:
    """An open database that can be asked, until it is closed."""

    def __init__(self, arena: OpenArena) -> None:
        self._arena: OpenArena | None = arena

    def __repr__(self) -> str:
        return "Arena(closed)" if self._arena is None else f"Arena({self._arena.place!r})"

    def close(self) -> None:
        """Close the database; nothing can be asked any more."""
        arena, self._arena = self._arena, None
        if arena is not None:
            arena.database.close()

    @property
    def port(self) -> ArenaPort:
        """All that can be asked of an arena, by noun (`arena.model.port.ArenaPort`): what has no method here."""
        return self._open.port

    @property
    def _open(self) -> OpenArena:
        if self._arena is None:
            raise ClientError("this arena was closed; open it again: Arena(...)")
        return self._arena

    def result(self, tournament: str) -> PlayedTournament:
        """Return the table of a tournament as far as it was played."""
        with for_programs():
            need_texts(tournament=tournament)
            return reading.played_tournament(self.port, tournament)

    def leaderboard(
        self,
        game: str | None = None,
        *,
        seats: int | None = None,
        clock: str | None = None,
        tournament: str | None = None,
        pool: str | None = None,
    ) -> RatedTable:
        """Return the ratings of a pool: the only one that fits game, seats and clock, or that of a tournament."""
        with for_programs():
            found = self._pool(game, seats, clock, tournament, pool)
            return reading.leaderboard(self.port, found)

    def official(
        self,
        game: str | None = None,
        *,
        seats: int | None = None,
        clock: str | None = None,
        tournament: str | None = None,
        pool: str | None = None,
        anchors: Mapping[str, float] | None = None,
        confidence: float = 0.95,
        circles: bool = False,
    ) -> OfficialRatings:
        """Return the official table of a pool: one fit of all its matches, with intervals; `anchors` fix bots' Elo."""
        with for_programs():
            found = self._pool(game, seats, clock, tournament, pool)
            need_numbers(confidence=confidence)
            need_flags(circles=circles)
            optional_mappings(anchors=anchors)
            need_numbers(**dict(anchors or {}))
            return reading.official(self.port, found, anchors or {}, confidence, circles=circles)

    def overall(
        self,
        *games: str,
        pools: Sequence[str] = (),
        methods: Sequence[str] = (),
        confidence: float = 0.95,
    ) -> OverallRatings:
        """Return one table over the pools of these games and those that are named, or over all pools.

        `methods` are other ways to judge, such as "mean-rank", "vase" or "nash": each adds a column of places.
        """
        with for_programs():
            need_numbers(confidence=confidence)
            for name, texts in (("games", games), ("pools", pools), ("methods", methods)):
                need_texts(**{f"{name}[{place}]": text for place, text in enumerate(texts)})
            return reading.overall(self.port, tuple(pools), games, tuple(methods), confidence)

    def crosstable(
        self,
        tournament: str | None = None,
        *,
        game: str | None = None,
        seats: int | None = None,
        clock: str | None = None,
        pool: str | None = None,
        limit: int = 50,
    ) -> ScoreMatrix:
        """Return who scored how much against whom, in a tournament or in a pool, of the best `limit` versions."""
        with for_programs():
            found = self._pool(game, seats, clock, tournament, pool)
            need_wholes(limit=limit)
            return reading.score_matrix(self.port, tournament, found, limit)

    def bots(self) -> ResultTable[BotSummary]:
        """Return the bots, those added last first."""
        with for_programs():
            return bots_table(all_of(lambda after: self.port.bots.list_bots(MOST_LIMIT, after)))

    def tournaments(self) -> ResultTable[TournamentSummary]:
        """Return the tournaments, single matches too, those created last first."""
        with for_programs():
            lists = self.port.tournaments
            return tournaments_table(all_of(lambda after: lists.list_tournaments(MOST_LIMIT, after)))

    def matches(
        self,
        tournament: str | None = None,
        *,
        bot: str | None = None,
        fault: str | None = None,
        limit: int | None = None,
    ) -> ResultTable[MatchSummary]:
        """Return matches, those planned last first: of a tournament, of a bot, or with a fault (`any`, `TIMEOUT`)."""
        with for_programs():
            optional_texts(tournament=tournament, bot=bot, fault=fault)
            optional_wholes(limit=limit)
            ask = self.port.matches.list_matches
            rows = all_of(lambda after: ask(tournament, bot=bot, fault=fault, limit=MOST_LIMIT, after=after), limit)
            return matches_table(rows)

    def replay(self, match: str) -> MatchReplay:
        """Return a match as it was played, by its id or the end of that."""
        with for_programs():
            need_texts(match=match)
            return reading.replay(self.port, match)

    def logs(self, match: str) -> tuple[SeatLog, ...]:
        """Return what bots printed in a match, if the arena that played it was opened with `logs`."""
        with for_programs():
            need_texts(match=match)
            return self.port.matches.get_logs(match)

    def _pool(
        self, game: str | None, seats: int | None, clock: str | None, tournament: str | None, pool: str | None
    ) -> str | None:
        return choose_pool(self.port, game=game, seats=seats, clock=clock, tournament=tournament, pool=pool)
