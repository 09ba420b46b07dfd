"""What a tournament would be, without writing it: how many matches, in which pool, and what the clock allows them."""

from __future__ import annotations

from arena.match.time_control import TimeControl
from arena.tournament.formats import seeds
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import LadderFormat, is_endless
from arena.tournament.formats.situation import Entrant, Situation
from arena.tournament.formats.swiss import Swiss
from engine.core import Game


def count_matches(form: Format, entrants: tuple[Entrant, ...], secret: bytes) -> tuple[int | None, bool]:
    """Return how many matches a tournament has, `None` without end, and whether results may make them fewer.

    A format that looks at no results is planned; of the others it is the most that their settings allow.
    """
    if is_endless(form):
        return None, False
    if not form.traits.lag:
        planned = form.plan(Situation(entrants, (), seeds.schedule_seed(secret)))
        return len(planned) * form.seats, False
    return _most_matches(form, len(entrants)), True


def _most_matches(form: Format, entrants: int) -> int | None:
    tables = entrants // form.seats
    if isinstance(form, Swiss):
        return tables * form.seats * form.blocks * form.rounds
    if isinstance(form, Knockout):
        return entrants * form.lives * form.best_of * form.seats
    if isinstance(form, LadderFormat):
        return tables * form.seats * form.waves
    if isinstance(form, Adaptive):
        return form.blocks * form.seats
    return form.pairs * form.blocks_per_seed * form.seats if isinstance(form, Compare) else None


def longest_match_us(game: Game, seats: int, clock: TimeControl) -> int | None:
    """Return how long a match of the usual number of decisions takes if each seat uses all of its time.

    `None` without a clock, and for a game that does not say how many decisions are usual.
    """
    if game.playable is None:
        return None
    decisions = game.playable.usual_decisions(seats)
    limits = [decisions * clock.decision_limit_us] if clock.decision_limit_us else []
    if clock.has_bank:
        limits.append(seats * clock.bank_us + decisions * clock.increment_us)
    return min(limits, default=None)
