"""Tournaments as a viewer may see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena.app.place import Place
from arena.app.pool_values import pool_value
from arena.app.visibility import has_secrets, hidden_matches, is_hidden
from arena.model.page import MOST_LIMIT, Page
from arena.model.tournaments import (
    STOPPED,
    BotFaults,
    HostLoss,
    LeakFinding,
    PlayedBy,
    StandingRow,
    TournamentDetail,
    TournamentSummary,
)
from arena.tournament.playing import player_of, service_of
from ratings.read import bot_faults, host_losses
from ratings.read.blocks import EarlyResult, early_results
from ratings.read.leaks import LeakRow, leak_checks
from ratings.read.paging import part_of
from ratings.read.report import tournament_report
from ratings.read.tournaments import TournamentRow

PLANNED, RUNNING = "planned", "running"
STANDINGS = "standings"
"""Tells the cursors of the table of a tournament from others."""
_MOST_FAULTS = 100


def summary_of(place: Place, row: TournamentRow) -> TournamentSummary:
    """Return a tournament as a list shows it."""
    tournament, pool, progress = row.tournament, row.pool, row.progress
    status, player = standing_of(place, row)
    leased = 0 if status == STOPPED else progress.leased
    return TournamentSummary(
        id=tournament.id,
        name=tournament.name,
        format=tournament.format,
        status=status,
        game=pool.game,
        seats=pool.seats,
        time_control=pool.time_control,
        pool_id=pool.id,
        rated=tournament.rated,
        created_at_us=tournament.created_at_us,
        cancelled_at_us=tournament.cancelled_at_us,
        planned=progress.planned + progress.leased - leased,
        leased=leased,
        finished=progress.finished,
        void=progress.void,
        total=progress.total,
        more_waves=progress.more_waves,
        remote=pool.remote,
        played_by=player if place.viewer.is_organiser else None,
    )


def standing_of(place: Place, row: TournamentRow) -> tuple[str, PlayedBy | None]:
    """Return the status of a tournament, which is `stopped` if it was begun and nobody plays it, and who plays it.

    A service plays all that is not over on its home; what it has not begun yet is planned.
    """
    if row.status not in (PLANNED, RUNNING):
        return row.status, None
    found = player_of(place.database, row.tournament.id)
    if found is None and row.status == RUNNING:
        found = service_of(place.database, remote=row.pool.remote)
    if found is None:
        return (STOPPED if row.status == RUNNING else PLANNED), None
    return RUNNING, PlayedBy(found.host, found.pid, found.since_us)


def detail_of(place: Place, tournament_id: str) -> TournamentDetail:
    """Return all that the viewer may see of a tournament but its matches."""
    from arena.app.tables import make_table  # formats, which no list of tournaments needs

    report = tournament_report(place.database, tournament_id)
    row = report.row
    table = make_table(place.database, report)
    hidden = _is_hidden(place, row)
    standings = part_of(_shown(place, row, table.rows), STANDINGS, MOST_LIMIT, None)
    checks = list_leak_checks(place, tournament_id, MOST_LIMIT, None)
    return TournamentDetail(
        summary=summary_of(place, row),
        pool=pool_value(row.pool),
        settings=_settings(row, hidden=hidden),
        secret=_secret(place, row),
        standings=standings.items,
        best=table.best,
        comparison=table.comparison,
        leak_checks=checks.items,
        more_standings=standings.next,
        more_leak_checks=checks.next,
        host_losses=tuple(map(_host_loss, host_losses.host_losses(place.database, tournament_id))),
        faults=_faults(place, tournament_id, hidden=hidden),
    )


def standings_of(place: Place, tournament_id: str) -> tuple[StandingRow, ...]:
    """Return the whole table of a tournament as the viewer may see it, best first."""
    from arena.app.tables import make_table

    report = tournament_report(place.database, tournament_id)
    return _shown(place, report.row, make_table(place.database, report).rows)


def list_leak_checks(place: Place, tournament_id: str, limit: int | None, after: str | None) -> Page[LeakFinding]:
    """Return what leak checks found, as far as the viewer may see it. Raises PageError."""
    page = leak_checks(place.database, tournament_id, limit=limit, after=after)
    return Page(_leak_checks(place, page.items), page.next)


def _secret(place: Place, row: TournamentRow) -> str | None:
    """Return the secret if it is published, or if the organiser asks who chose it with a seed: he may repeat it."""
    if row.tournament.seeded and place.viewer.is_organiser:
        return row.tournament.secret
    from ratings.read.publishing import published_secret  # asks for seasons, which no list of tournaments does

    return published_secret(place.database, row.tournament.id)


def _is_hidden(place: Place, row: TournamentRow) -> bool:
    if row.progress.is_over:  # whatever its game is, which need not be loaded for that
        return False
    return is_hidden(place.viewer, has_secrets=has_secrets(row.pool.game), is_open=True)


def _shown(place: Place, row: TournamentRow, standings: tuple[StandingRow, ...]) -> tuple[StandingRow, ...]:
    return _without_early(place, row, standings) if _is_hidden(place, row) else standings


def _settings(row: TournamentRow, *, hidden: bool) -> Mapping[str, Any]:
    """Return the settings; the seed, from which the secret follows, only when nothing is to come."""
    settings = row.tournament.settings
    return {**settings, "seed": None} if hidden else settings


def _without_early(place: Place, row: TournamentRow, standings: Sequence[StandingRow]) -> tuple[StandingRow, ...]:
    """Return the table without the matches of blocks that are not over."""
    early: dict[str, list[EarlyResult]] = {}
    for one in early_results(place.database, row.tournament.id):
        early.setdefault(one.version_id, []).append(one)
    return tuple(_less(line, early.get(line.version_id, ())) for line in standings)


def _less(line: StandingRow, early: Sequence[EarlyResult]) -> StandingRow:
    return replace(
        line,
        matches=line.matches - len(early),
        wins=line.wins - sum(one.firsts.wins for one in early),
        shared=line.shared - sum(one.firsts.shared for one in early),
        draws=line.draws - sum(one.firsts.draws for one in early),
        forfeits=line.forfeits - sum(one.has_forfeited for one in early),
    )


def _leak_checks(place: Place, rows: Sequence[LeakRow]) -> tuple[LeakFinding, ...]:
    hidden = hidden_matches(place, [row.check.match_id for row in rows])
    return tuple(_leak_finding(place, row) for row in rows if row.check.match_id not in hidden)


def _leak_finding(place: Place, row: LeakRow) -> LeakFinding:
    check = row.check
    return LeakFinding(
        bot=row.bot,
        version=row.version.number,
        match_id=check.match_id,
        seat=check.seat,
        verdict=check.verdict,
        ply=check.ply,
        sentence=check.sentence,
        evidence=check.evidence if place.viewer.owns(row.owner_id) else {},
    )


def _faults(place: Place, tournament_id: str, *, hidden: bool) -> tuple[BotFaults, ...]:
    found = bot_faults.bot_faults(place.database, tournament_id, _MOST_FAULTS, besides_open=hidden)
    return tuple(BotFaults(one.bot, one.number, one.cause, one.matches, one.match_id) for one in found)


def _host_loss(loss: host_losses.HostLoss) -> HostLoss:
    return HostLoss(loss.cause, loss.attempts, loss.matches, loss.bot, loss.number, loss.sat_in)
