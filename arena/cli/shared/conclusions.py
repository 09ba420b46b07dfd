"""What a tournament that asks a question has found out: who is best, or whether NEW is better than OLD."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from arena.cli.shared.storage import Storage
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format
from arena.tournament.formats.situation import Situation
from arena.tournament.stored import format_of
from arena.tournament.table import read_situation
from ratings.read.crosstable import names as names_of
from ratings.read.tournaments import tournament_row
from ratings.statistics.compare.comparison import Answer, Comparison
from ratings.store.database import Database
from ratings.store.models import Tournament

if TYPE_CHECKING:  # NumPy is imported when there is something to compute
    from ratings.statistics.stopping.standing import Standing

_MOST_RIVALS_SHOWN = 5
_VERDICTS = {
    Answer.BETTER: "NEW is better than OLD",
    Answer.NOT_BETTER: "NEW is not better than OLD",
    Answer.UNDECIDED: "undecided",
    None: "not known yet",
}


@dataclass(frozen=True, slots=True)
class BestKnown:
    """How well an adaptive tournament has answered its question, and what people call the bots that it names."""

    until: str
    """The question, for example `top 3 known at 95%`."""
    standing: Standing
    names: Mapping[str, str]


Conclusion: TypeAlias = BestKnown | Comparison


def find_conclusion(database: Database, form: Format, situation: Situation) -> Conclusion | None:
    """Return what a tournament has found out so far; `None` for a format that asks nothing."""
    if isinstance(form, Adaptive):
        standing = form.answer(situation)
        return BestKnown(form.until, standing, names_of(database, [*standing.leaders, *standing.contenders]))
    return form.comparison(situation) if isinstance(form, Compare) else None


def conclusion_lines(conclusion: Conclusion | None) -> list[str]:
    """Return a conclusion in lines for people; there are none without one."""
    if isinstance(conclusion, Comparison):
        return comparison_lines(conclusion)
    return [] if conclusion is None else [_best_line(conclusion)]


def _best_line(best: BestKnown) -> str:
    leaders = ", ".join(best.names[id_] for id_ in best.standing.leaders)
    sure = f"{100 * best.standing.confidence:.1f}%"
    if best.standing.is_known:
        return f"{best.until}: yes, {leaders} (at least {sure} sure)"
    rivals = ", ".join(best.names[id_] for id_ in best.standing.contenders[:_MOST_RIVALS_SHOWN]) or "nobody"
    return f"{best.until}: not yet; so far {leaders} ({sure} sure), and {rivals} may belong there"


def conclusion_facts(conclusion: Conclusion | None) -> dict[str, Any] | None:
    """Return a conclusion for programs, or `None` without one."""
    if isinstance(conclusion, Comparison):
        return comparison_facts(conclusion)
    return None if conclusion is None else {"until": conclusion.until, **asdict(conclusion.standing)}


def find_comparison(storage: Storage, tournament: Tournament) -> Comparison | None:
    """Return what the whole pairs of blocks of a comparison say so far; `None` for another format."""
    row = tournament_row(storage.database, tournament.id)
    form = format_of(row.tournament, row.pool)
    return form.comparison(read_situation(storage.database, tournament.id)) if isinstance(form, Compare) else None


def progress_note(storage: Storage, tournament: Tournament) -> str:
    """Return what a line of progress adds for a comparison: how far it is. It is empty for other formats."""
    comparison = find_comparison(storage, tournament)
    return "" if comparison is None else _comparison_note(comparison)


def _comparison_note(comparison: Comparison) -> str:
    """Return the log likelihood ratio between its bounds, and the mean difference with its 95 % interval."""
    low, high = comparison.bounds
    difference = f"NEW {comparison.mean:+.4f} +- {1.96 * comparison.error:.4f} of a rank"
    return f"log ratio {comparison.log_ratio:+.2f} ({low:.2f}..{high:.2f}), {difference}"


def comparison_lines(comparison: Comparison) -> list[str]:
    """Return the verdict of a comparison in lines for people, with what it was asked and how much it rests on."""
    asked = comparison.settings
    verdict = _VERDICTS[comparison.answer]
    lines = [f"{verdict}: {_comparison_note(comparison)}, after {comparison.pairs} pairs of blocks"]
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
    """Return what a comparison says, for programs."""
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
