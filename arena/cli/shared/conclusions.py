"""What a tournament that asks a question has found out, in lines for people and facts for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from arena.cli.shared.saying import say, told
from arena.model.answers import BestKnown, ComparisonResult, comparison_note, elo_text
from arena.model.tournaments import TournamentDetail
from ratings.statistics.stopping_question import question_in_words

_MOST_RIVALS_SHOWN = 5
_VERDICTS = {
    "better": "cli_shared.new_is_better",
    "not better": "cli_shared.new_is_not_better",
    "undecided": "cli_shared.undecided",
    None: "cli_shared.not_known_yet",
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
        return say("cli_shared.best_known", until=_question(best.until), leaders=leaders, sure=sure)
    rivals = ", ".join(best.contender_names[:_MOST_RIVALS_SHOWN]) or say("cli_shared.nobody")
    return say("cli_shared.best_not_yet", until=_question(best.until), leaders=leaders, sure=sure, rivals=rivals)


def _question(until: str) -> str:
    asked = question_in_words(until)
    return told(asked) if asked == until else until


def conclusion_facts(detail: TournamentDetail) -> dict[str, Any] | None:
    """Return what a tournament has found out for programs, or `None` if it asks nothing."""
    if detail.comparison is not None:
        return comparison_facts(detail.comparison)
    return None if detail.best is None else asdict(detail.best)


def comparison_lines(found: ComparisonResult) -> list[str]:
    """Return the verdict of a comparison in lines for people, with what it was asked and how much it rests on."""
    verdict = say(_VERDICTS[found.answer])
    lines = [say("cli_shared.compared", verdict=verdict, note=told(comparison_note(found)), pairs=found.pairs)]
    lines.append(
        say(
            "cli_shared.asked",
            lower=elo_text(found.lower),
            upper=elo_text(found.upper),
            alpha=f"{100 * found.alpha:g}",
            beta=f"{100 * found.beta:g}",
        )
    )
    if found.identical_games:
        lines.append(
            say("cli_shared.identical", games=found.identical_games, all=found.games, pairs=found.identical_pairs)
        )
    return lines


def comparison_facts(found: ComparisonResult) -> dict[str, Any]:
    """Return what a comparison says, for programs."""
    return {key: value for key, value in asdict(found).items() if key not in _ASKED}
