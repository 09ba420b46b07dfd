"""How a tournament stands, in words: its status, how far it is, how long it may still take."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from arena.model.tournaments import TournamentDetail, TournamentSummary

KNOCKOUT: Final = "knockout"
_PAIR: Final = 2
_TAGS: Final = {"running": "good", "cancelled": "bad", "planned": "warn", "stopped": "warn"}


@dataclass(frozen=True, slots=True)
class TournamentProgress:
    """How far a tournament is."""

    done: int
    total: int
    left_s: float | None
    """How long it may still take at the pace so far; `None` if nothing is played now, or if it is not known."""
    tag: str
    is_open: bool = False
    """Whether nobody knows yet how many matches will follow."""

    @property
    def part(self) -> float:
        """Return the part that is done, 0 to 1."""
        return self.done / self.total if self.total else 0.0


def progress_of(one: TournamentSummary, now_us: float | None = None, expected: int | None = None) -> TournamentProgress:
    """Return how far a tournament is; `expected` is how many matches it will have in all, if that is known."""
    done = one.finished + one.void
    passed_s = ((time.time() * 1e6 if now_us is None else now_us) - one.created_at_us) / 1e6
    in_all = max(expected or 0, one.total) if one.more_waves else one.total
    is_open = one.more_waves and expected is None
    is_known = one.status == "running" and one.leased > 0 and done > 0 and not is_open
    left_s = passed_s * (in_all - done) / done if is_known else None
    return TournamentProgress(done, one.total, left_s, _TAGS.get(one.status, ""), is_open)


def expected_matches(found: TournamentDetail) -> int | None:
    """Return how many matches a tournament will have that plays wave by wave; `None` if that depends on results.

    A Swiss tournament has its rounds. In a knockout of pairs everybody but one loses as often as puts out, and each
    tie may take all its blocks; one that is level then takes more.
    """
    entrants, seats, settings = len(found.standings), found.summary.seats, found.settings
    if found.more_standings is not None or not entrants:
        return None
    if found.summary.format == "swiss" and "rounds" in settings:
        return int(settings["rounds"]) * (entrants // seats * seats) * int(settings.get("blocks", 1))
    if found.summary.format == KNOCKOUT and seats == _PAIR and "lives" in settings:
        lives = int(settings["lives"])
        return (entrants * lives - 1) * int(settings.get("best_of", 1)) * seats
    return None
