"""The rounds of a tournament, and the answer of one that asks something."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from arena.app.policy import AppContext
from arena.model.errors import RefusedError
from arena.model.ratings import WalkPoint
from arena.model.tournaments import BestKnown, ComparisonResult, ConfidencePoint, Paired, Pairing
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.catalog import seen_by_plan
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format, Situation
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.past_pairings import Met, pairings
from arena.tournament.formats.swiss import Swiss
from arena.tournament.stored import format_of, read_situation, situation_of
from engine.translatable import Text
from ratings.read.paging import part_of
from ratings.read.statistics import names
from ratings.read.tournament_report import TournamentReport
from ratings.read.tournaments import tournament_row, tournament_waves
from ratings.store.database import Database
from ratings.values.page import MOST_LIMIT, Page

if TYPE_CHECKING:
    from ratings.statistics.block_allocation import QuestionStatus as Known
    from ratings.statistics.sequential_test import Comparison


_MOST_POINTS = 24
"""At so many moments the answer of an adaptive tournament is computed anew: each is a fit of all its matches."""


def list_pairings(context: AppContext, tournament_id: str, limit: int | None, after: str | None) -> Page[Pairing]:
    """Return a page of who met whom; nothing for a format without rounds. Raises PageError."""
    row = tournament_row(context.database, tournament_id)
    form = format_of(row.tournament, row.pool)
    met: list[Met] = []
    if isinstance(form, Knockout | Swiss):
        met = pairings(form, situation_of(tournament_waves(context.database, tournament_id)))
    page = part_of(met, "pairings", limit, after)
    known = names(context.database, sorted({entrant for one in page.items for entrant in one.entrants}))
    return Page(tuple(_pairing(one, known) for one in page.items), page.next)


def list_confidence(context: AppContext, tournament_id: str) -> tuple[ConfidencePoint, ...]:
    """Return how sure an adaptive tournament was of its answer, at a few moments; nothing of any other."""
    row = tournament_row(context.database, tournament_id)
    form = format_of(row.tournament, row.pool)
    if not isinstance(form, Adaptive):
        return ()
    answers = form.answers(situation_of(tournament_waves(context.database, tournament_id)), _MOST_POINTS)
    known = names(context.database, sorted({leader for _, answer in answers for leader in answer.leaders[:MOST_LIMIT]}))
    return tuple(
        ConfidencePoint(blocks, answer.confidence, tuple(known[leader] for leader in answer.leaders[:MOST_LIMIT]))
        for blocks, answer in answers
    )


def _pairing(met: Met, known: Mapping[str, str]) -> Pairing:
    entrants = (
        Paired(entrant, known[entrant], points, lost, None if met.ahead is None else entrant in met.ahead)
        for entrant, points, lost in zip(met.entrants, met.points, met.lost, strict=True)
    )
    return Pairing(met.round, tuple(entrants), met.blocks, met.ahead is not None)


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
    drifting = standing.drifting[:MOST_LIMIT]
    named = names(database, [*leaders, *contenders, *drifting])
    return BestKnown(
        until=form.until,
        is_known=standing.is_known,
        confidence=standing.confidence,
        leaders=leaders,
        contenders=contenders,
        leader_names=tuple(named[id_] for id_ in leaders),
        contender_names=tuple(named[id_] for id_ in contenders),
        drifting=tuple(named[id_] for id_ in drifting),
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


def walk_of(database: Database, tournament_id: str, points: int) -> tuple[WalkPoint, ...]:
    """Return where the log ratio stood from the first pair on, thinned. Raises RefusedError.

    Planning needs the newest memory of the format alone, so the whole way is read from the matches.
    """
    row = tournament_row(database, tournament_id)
    form = format_of(row.tournament, row.pool)
    if not isinstance(form, Compare):
        raise RefusedError(
            Text(
                "{name} compares nothing: its format is {format}",
                name=repr(row.tournament.name),
                format=row.tournament.format,
            )
        )
    seen = list(form.walk(situation_of(tournament_waves(database, tournament_id))))
    every = max(1, len(seen) // points)
    kept = [*seen[:-1:every], seen[-1]]
    return tuple(WalkPoint(one.steps, one.log_ratio) for one in kept)
