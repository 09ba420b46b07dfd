"""What a tournament that asks a question has found out: who is best, or whether NEW is better than OLD."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from arena.cli.shared.storage import Book
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.situation import Situation
from arena.tournament.stored import format_of, situation_of
from ratings.read.crosstable import names as names_of
from ratings.read.waves import tournament_waves
from ratings.statistics.compare.comparison import Answer, Comparison
from ratings.store.database import Source
from ratings.store.models import Tournament


def answer_lines(source: Source, tournament_id: str) -> list[str]:
    """For people; none for a format that asks nothing."""
    waves = tournament_waves(source, tournament_id)
    form = format_of(waves.tournament, waves.pool)
    if isinstance(form, Adaptive):
        return _adaptive_lines(source, form, situation_of(waves))
    if isinstance(form, Compare):
        return comparison_lines(form.comparison(situation_of(waves).blocks))
    return []


def _adaptive_lines(source: Source, form: Adaptive, situation: Situation) -> list[str]:
    answer = form.answer(situation)
    names = names_of(source, [*answer.leaders, *answer.contenders])
    leaders = ", ".join(names[id_] for id_ in answer.leaders)
    sure = f"{100 * answer.confidence:.1f}%"
    if answer.is_known:
        return [f"{form.until}: yes, {leaders} (at least {sure} sure)"]
    rivals = ", ".join(names[id_] for id_ in answer.contenders[:5]) or "nobody"
    return [f"{form.until}: not yet; so far {leaders} ({sure} sure), and {rivals} may belong there"]


def answer_facts(source: Source, tournament_id: str) -> dict[str, Any] | None:
    """For programs; None for a format that asks nothing."""
    waves = tournament_waves(source, tournament_id)
    form = format_of(waves.tournament, waves.pool)
    if isinstance(form, Adaptive):
        return {"until": form.until, **asdict(form.answer(situation_of(waves)))}
    if isinstance(form, Compare):
        return comparison_facts(form.comparison(situation_of(waves).blocks))
    return None


def known(book: Book, tournament: Tournament) -> Comparison | None:
    """What the whole pairs of blocks of a comparison say so far; None for another format."""
    waves = tournament_waves(book.engine, tournament.id)
    form = format_of(waves.tournament, waves.pool)
    return form.comparison(situation_of(waves).blocks) if isinstance(form, Compare) else None


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
