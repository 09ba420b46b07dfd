"""What a tournament that asks a question has found out: who is best, or whether NEW is better than OLD."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from arena.cli.shared.storage import Book
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.compare import Compare
from arena.tournament.planner import Planner
from ratings.read.crosstable import names as names_of
from ratings.statistics.compare.comparison import Answer, Comparison
from ratings.store.database import Session, read
from ratings.store.models import Tournament


def answer_lines(session: Session, tournament_id: str) -> list[str]:
    """For people; none for a format that asks nothing."""
    planner = Planner.of(session, session.get_one(Tournament, tournament_id))
    if planner is not None and isinstance(planner.form, Adaptive):
        return _adaptive_lines(session, planner, planner.form)
    if planner is not None and isinstance(planner.form, Compare):
        return comparison_lines(planner.form.comparison(planner.situation(session).blocks))
    return []


def _adaptive_lines(session: Session, planner: Planner, form: Adaptive) -> list[str]:
    answer = form.answer(planner.situation(session))
    names = names_of(session, [*answer.leaders, *answer.contenders])
    leaders = ", ".join(names[id_] for id_ in answer.leaders)
    sure = f"{100 * answer.confidence:.1f}%"
    if answer.is_known:
        return [f"{form.until}: yes, {leaders} (at least {sure} sure)"]
    rivals = ", ".join(names[id_] for id_ in answer.contenders[:5]) or "nobody"
    return [f"{form.until}: not yet; so far {leaders} ({sure} sure), and {rivals} may belong there"]


def answer_facts(session: Session, tournament_id: str) -> dict[str, Any] | None:
    """For programs; None for a format that asks nothing."""
    planner = Planner.of(session, session.get_one(Tournament, tournament_id))
    if planner is not None and isinstance(planner.form, Adaptive):
        return {"until": planner.form.until, **asdict(planner.form.answer(planner.situation(session)))}
    if planner is not None and isinstance(planner.form, Compare):
        return comparison_facts(planner.form.comparison(planner.situation(session).blocks))
    return None


def known(book: Book, tournament: Tournament) -> Comparison | None:
    """What the whole pairs of blocks of a comparison say so far; None for another format."""
    with read(book.engine) as session:
        planner = Planner.of(session, tournament)
        if planner is None or not isinstance(planner.form, Compare):
            return None
        return planner.form.comparison(planner.situation(session).blocks)


def progress_note(book: Book, tournament: Tournament) -> str:
    """What a line of progress tells besides: of a comparison how far it is, of others nothing."""
    comparison = known(book, tournament)
    return "" if comparison is None else comparison_note(comparison)


_VERDICTS = {
    Answer.BETTER: "NEW is better than OLD",
    Answer.NOT_BETTER: "NEW is not better than OLD",
    Answer.UNDECIDED: "undecided",
    None: "not known yet",
}


def comparison_note(comparison: Comparison) -> str:
    """For the line of progress: the log likelihood ratio between its bounds, and the mean difference."""
    low, high = comparison.bounds
    return f"log ratio {comparison.log_ratio:+.2f} ({low:.2f}..{high:.2f}), {_difference(comparison)}"


def _difference(comparison: Comparison) -> str:
    return f"NEW {comparison.mean:+.4f} +- {1.96 * comparison.error:.4f} of a rank"


def comparison_lines(comparison: Comparison) -> list[str]:
    """What is known, and from how much."""
    asked = comparison.settings
    verdict = _VERDICTS[comparison.answer]
    lines = [f"{verdict}: {comparison_note(comparison)}, after {comparison.pairs} pairs of blocks"]
    lines.append(
        f"asked: a gain of {asked.lower:g} or of {asked.upper:g} of a normalised rank, "
        f"wrong in {100 * asked.alpha:g}% and {100 * asked.beta:g}% at most"
    )
    if comparison.identical_games:
        lines.append(
            f"{comparison.identical_games} of {comparison.games} games were identical, move by move, "
            f"and {comparison.identical} pairs of blocks whole"
        )
    return lines


def comparison_facts(comparison: Comparison) -> dict[str, Any]:
    """For programs."""
    low, high = comparison.bounds
    return {
        "answer": comparison.answer.value if comparison.answer is not None else None,
        "log_ratio": comparison.log_ratio,
        "bounds": [low, high],
        "mean": comparison.mean,
        "error": comparison.error,
        "pairs": comparison.pairs,
        "answered_after": comparison.answered_after,
        "games": comparison.games,
        "identical_games": comparison.identical_games,
        "identical_pairs": comparison.identical,
    }
