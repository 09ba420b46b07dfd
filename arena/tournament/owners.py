"""Whether a field can play a rated tournament, in which bots of one owner do not meet. No I/O."""

from __future__ import annotations

from collections.abc import Sequence

from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format
from arena.tournament.formats.roundrobin import Gauntlet
from arena.tournament.formats.same_owner import check_all_apart, check_apart, check_opponents
from arena.tournament.formats.situation import Entrant
from ratings.read.bots import VersionRow


def check_owners(form: Format, found: Sequence[VersionRow]) -> None:
    """Raise ScheduleError, with the remedy, if the bots are of too few owners for a tournament of that format."""
    entrants, names = _entrants(found), _names(found)
    if isinstance(form, Compare):
        check_all_apart(entrants, names)
    elif isinstance(form, Gauntlet):
        check_opponents(form.seats, entrants[0], entrants[1:], names)
    else:
        check_apart(form.seats, entrants)


def check_all(found: Sequence[VersionRow]) -> None:
    """Raise ScheduleError if two of the bots, who are to meet, are of one owner."""
    check_all_apart(_entrants(found), _names(found))


def _entrants(found: Sequence[VersionRow]) -> list[Entrant]:
    return [Entrant(one.version.id, owner=one.bot.owner_id) for one in found]


def _names(found: Sequence[VersionRow]) -> dict[str, str]:
    return {one.version.id: one.bot.name for one in found}
