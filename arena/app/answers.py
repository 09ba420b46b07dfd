"""What a tournament has found out: who is best, or whether one version is better than another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.model.answers import BestKnown, ComparisonResult
from arena.model.page import MOST_LIMIT
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format
from arena.tournament.formats.situation import Situation
from arena.tournament.formats.waves import seen_by_plan
from arena.tournament.stored import format_of
from arena.tournament.table import read_situation
from ratings.read.crosstable import names as names_of
from ratings.read.report import TournamentReport
from ratings.read.tournaments import tournament_row
from ratings.store.database import Database

if TYPE_CHECKING:
    from ratings.statistics.compare.comparison import Comparison
    from ratings.statistics.stopping.status import QuestionStatus as Known


def comparison_of(database: Database, tournament_id: str) -> ComparisonResult | None:
    """Return what the whole steps of a comparison say so far; `None` for another format."""
    row = tournament_row(database, tournament_id)
    form = format_of(row.tournament, row.pool)
    return comparison_in(form, read_situation(database, tournament_id)) if isinstance(form, Compare) else None


def _answer(form: Adaptive, situation: Situation, report: TournamentReport) -> Known:
    """Return the answer that ended the tournament, or else the one that all its matches give."""
    if report.answer is not None:
        return form.recorded(report.answer)
    if not report.row.tournament.more_waves:  # one that was over before answers were recorded
        found = form.answer(seen_by_plan(form, situation.entrants, situation.waves, situation.seed, situation.past))
        if found.is_known:
            return found
    return form.answer(situation)


def best_known(database: Database, form: Format, situation: Situation, report: TournamentReport) -> BestKnown | None:
    """Return what a tournament that asks for the best knows; `None` for another format."""
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


def comparison_in(form: Format, situation: Situation) -> ComparisonResult | None:
    """Return what the blocks of a situation say of a comparison; `None` for another format."""
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
