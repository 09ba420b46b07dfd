"""What a tournament that asks a question has found out, in lines for people and facts for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from arena.client.values.answers import BestKnown, ComparisonResult, comparison_note
from arena.client.values.tournaments import TournamentDetail

_MOST_RIVALS_SHOWN = 5
_VERDICTS = {
    "better": "NEW is better than OLD",
    "not better": "NEW is not better than OLD",
    "undecided": "undecided",
    None: "not known yet",
}
_ASKED = ("lower", "upper", "alpha", "beta")


def conclusion_lines(detail: TournamentDetail) -> list[str]:
    """Return what a tournament has found out in lines for people; there are none if it asks nothing."""
    if detail.comparison is not None:
        return comparison_lines(detail.comparison)
    return [] if detail.best is None else [_best_line(detail.best)]


def _best_line(best: BestKnown) -> str:
    leaders = ", ".join(best.leader_names)
    sure = f"{100 * best.confidence:.1f}%"
    if best.is_known:
        return f"{best.until}: yes, {leaders} (at least {sure} sure)"
    rivals = ", ".join(best.contender_names[:_MOST_RIVALS_SHOWN]) or "nobody"
    return f"{best.until}: not yet; so far {leaders} ({sure} sure), and {rivals} may belong there"


def conclusion_facts(detail: TournamentDetail) -> dict[str, Any] | None:
    """Return what a tournament has found out for programs, or `None` if it asks nothing."""
    if detail.comparison is not None:
        return comparison_facts(detail.comparison)
    return None if detail.best is None else asdict(detail.best)


def comparison_lines(found: ComparisonResult) -> list[str]:
    """Return the verdict of a comparison in lines for people, with what it was asked and how much it rests on."""
    verdict = _VERDICTS[found.answer]
    lines = [f"{verdict}: {comparison_note(found)}, after {found.pairs} pairs of blocks"]
    lines.append(
        f"asked: a gain of {found.lower:g} or of {found.upper:g} of a normalised rank, "
        f"wrong in {100 * found.alpha:g}% and {100 * found.beta:g}% at most"
    )
    if found.identical_games:
        lines.append(
            f"{found.identical_games} of {found.games} games were identical, move by move, "
            f"and {found.identical_pairs} pairs of blocks whole"
        )
    return lines


def comparison_facts(found: ComparisonResult) -> dict[str, Any]:
    """Return what a comparison says, for programs."""
    return {key: value for key, value in asdict(found).items() if key not in _ASKED}
