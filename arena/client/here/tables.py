"""The table of a tournament as its format ranks the entrants, and what the tournament has found out so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.client.values.answers import BestKnown, ComparisonResult
from arena.client.values.page import MOST_LIMIT
from arena.client.values.tournaments import StandingRow
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format, Standing
from arena.tournament.formats.situation import Situation
from arena.tournament.formats.waves import seen_by_plan
from arena.tournament.stored import format_of
from arena.tournament.table import read_situation, table_situation
from ratings.read.crosstable import names as names_of
from ratings.read.report import TournamentReport
from ratings.read.tournaments import EntrantRow, tournament_row
from ratings.store.database import Database

if TYPE_CHECKING:
    from ratings.statistics.compare.comparison import Comparison
    from ratings.statistics.stopping.standing import Standing as Known


@dataclass(frozen=True, slots=True)
class TournamentTable:
    """The entrants of a tournament, best first, and the answer to what it asks, if it asks anything."""

    rows: tuple[StandingRow, ...]
    best: BestKnown | None = None
    comparison: ComparisonResult | None = None


def make_table(database: Database, report: TournamentReport) -> TournamentTable:
    """Return the table of a tournament, given how all its entrants fared."""
    form, entrants = format_of(report.row.tournament, report.row.pool), report.entrants
    if form is None:  # a single match has no format, and so no blocks, points and status to tell
        return TournamentTable(tuple(_unranked(place, row) for place, row in enumerate(entrants, start=1)))
    situation, rows = table_situation(database, form, report), {row.version_id: row for row in entrants}
    # Entrants stay, but one may have joined since the report was read.
    ranked = tuple(_ranked(rows[line.entrant], line) for line in form.standings(situation) if line.entrant in rows)
    return TournamentTable(ranked, _best_known(database, form, situation, report), _comparison(form, situation))


def comparison_of(database: Database, tournament_id: str) -> ComparisonResult | None:
    """Return what the whole steps of a comparison say so far; `None` for another format."""
    row = tournament_row(database, tournament_id)
    form = format_of(row.tournament, row.pool)
    return _comparison(form, read_situation(database, tournament_id)) if isinstance(form, Compare) else None


def _unranked(place: int, row: EntrantRow) -> StandingRow:
    return _line(row, place=place, blocks=0, points=0, score=row.score, status="")


def _ranked(row: EntrantRow, standing: Standing) -> StandingRow:
    return _line(
        row,
        place=standing.place,
        blocks=standing.blocks,
        points=standing.points,
        score=standing.score,
        status=standing.status,
    )


def _line(row: EntrantRow, *, place: int, blocks: int, points: int, score: float, status: str) -> StandingRow:
    return StandingRow(
        place=place,
        version_id=row.version_id,
        bot=row.bot,
        number=row.number,
        content_hash=row.content_hash,
        matches=row.matches,
        **row.firsts._asdict(),
        blocks=blocks,
        points=points,
        score=score,
        forfeits=row.forfeits,
        status=status,
    )


def _answer(form: Adaptive, situation: Situation, report: TournamentReport) -> Known:
    """Return the answer that ended the tournament, or else the one that all its matches give."""
    if report.answer is not None:
        return form.recorded(report.answer)
    if not report.row.tournament.more_waves:  # one that was over before answers were recorded
        found = form.answer(seen_by_plan(form, situation.entrants, situation.waves, situation.seed, situation.past))
        if found.is_known:
            return found
    return form.answer(situation)


def _best_known(database: Database, form: Format, situation: Situation, report: TournamentReport) -> BestKnown | None:
    if not isinstance(form, Adaptive):
        return None
    standing = _answer(form, situation, report)
    leaders, contenders = standing.leaders[:MOST_LIMIT], standing.contenders[:MOST_LIMIT]
    names = names_of(database, [*leaders, *contenders])
    return BestKnown(
        until=form.until,
        is_known=standing.is_known,
        confidence=standing.confidence,
        leaders=leaders,
        contenders=contenders,
        leader_names=tuple(names[id_] for id_ in leaders),
        contender_names=tuple(names[id_] for id_ in contenders),
    )


def _comparison(form: Format, situation: Situation) -> ComparisonResult | None:
    return comparison_value(form.comparison(situation)) if isinstance(form, Compare) else None


def comparison_value(comparison: Comparison) -> ComparisonResult:
    """Return what a comparison says, as the value that crosses the interface."""
    asked, (low, high) = comparison.settings, comparison.interval
    wins, ties, losses = comparison.outcomes
    return ComparisonResult(
        answer=None if comparison.answer is None else comparison.answer.value,
        log_ratio=comparison.log_ratio,
        bounds=comparison.bounds,
        mean=comparison.gain,
        error=comparison.error,
        pairs=comparison.steps,
        answered_after=comparison.answered_after,
        games=comparison.games,
        identical_games=comparison.identical_games,
        identical_pairs=comparison.identical,
        lower=asked.lower,
        upper=asked.upper,
        alpha=asked.alpha,
        beta=asked.beta,
        wins=wins,
        ties=ties,
        losses=losses,
        new_forfeits=comparison.forfeits[0],
        old_forfeits=comparison.forfeits[1],
        low=low,
        high=high,
        superiority=comparison.superiority,
    )
