"""Ladders and seasons as their organiser opens and ends them, over a database."""

from __future__ import annotations

from dataclasses import asdict

from arena.app.ladders import LocalLadders
from arena.app.policy import AppContext, need_organiser
from arena.app.tournament_planning import plan_ladder
from arena.app.tournaments import standings_of
from arena.model.ladders import Ladder, LadderRequest, Season
from arena.tournament.planner import planner_of
from arena.tournament.proof import close_proof
from arena.tournament.rate_limit import MATCHES_PER_DAY
from arena.tournament.seasons import announce_freeze, freeze_season, open_season
from engine.translatable import Text
from ratings.ledger.ladders import LadderPlan, Table
from ratings.ledger.season_ledger import LadderLedger
from ratings.read.ladders import running_ladder
from ratings.store.ladder_queries import RunningLadder

_FIRST_SEASON = "season 1"


class LocalSeasons:
    """Implements the interface `arena.model.port.Seasons`."""

    def __init__(self, context: AppContext) -> None:
        need_organiser(context.viewer, Text("open and close ladders and seasons"))
        self._context = context
        self._ledger = LadderLedger(context.database)
        self._shown = LocalLadders(context)

    def open_ladder(self, request: LadderRequest) -> Ladder:
        settings = {} if request.matches_per_day is None else {MATCHES_PER_DAY: request.matches_per_day}
        played = plan_ladder(self._context, request.tournament, remote=request.remote)
        plan = LadderPlan(request.name, played, settings, request.season or _FIRST_SEASON)
        self._ledger.open_ladder(plan, planner_of)
        return self._shown.get_ladder(request.name)

    def close_ladder(self, ladder: str, why: str) -> Ladder:
        is_between_seasons = self._shown.get_ladder(ladder).season is None
        running = None if is_between_seasons else running_ladder(self._context.database, ladder)
        self._ledger.close_ladder(ladder, why, table=None if running is None else self._table(running))
        if running is not None:
            self._close_proofs(running)
        return self._shown.get_ladder(ladder)

    def announce_freeze(self, ladder: str, at_us: int, final_blocks: int) -> Season:
        announce_freeze(self._context.database, ladder, at_us, final_blocks)
        return self._newest(ladder)

    def freeze_season(self, ladder: str, final_blocks: int | None = None) -> Season:
        freeze_season(self._context.database, ladder, final_blocks)
        return self._newest(ladder)

    def close_season(self, ladder: str) -> Season:
        running = running_ladder(self._context.database, ladder)
        self._ledger.close_season(ladder, table=self._table(running))
        self._close_proofs(running)
        return self._newest(ladder)

    def open_season(self, ladder: str, name: str | None = None) -> Season:
        open_season(self._context.database, ladder, name)
        return self._newest(ladder)

    def _newest(self, ladder: str) -> Season:
        return self._shown.list_seasons(ladder, limit=1).items[0]

    def _close_proofs(self, running: RunningLadder) -> None:
        """Sign the end of the tournaments of a season, whose secrets are public now."""
        for tournament in (running.tournament.id, running.season.final_tournament_id):
            if tournament is not None:
                close_proof(self._context.database, tournament, self._context.programs.root)

    def _table(self, running: RunningLadder) -> Table:
        """Return what a season comes to: the table of its final, or of the ladder if it has none."""
        decided_in = running.season.final_tournament_id or running.tournament.id
        return [asdict(row) for row in standings_of(self._context, decided_in)]
