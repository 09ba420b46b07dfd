"""Opens tables: single matches in which people sit, in their browsers, perhaps beside bots."""

from __future__ import annotations

from arena.app.lookup import find_version
from arena.app.policy import AppContext, check_ready, need_organiser
from arena.app.tournament_planning import name_chooser, terms_of
from arena.model.errors import RefusedError
from arena.model.human_play import LONGEST_NAME, OpenedTable, TableRequest, is_guest
from arena.model.tournament_requests import TournamentRequest
from arena.model.tournaments import SINGLE_MATCH
from arena.tournament import creation
from arena.tournament.stored import PERSONS
from engine.translatable import Text
from ratings.read.active_versions import active_version
from ratings.read.bots import VersionRow
from ratings.read.match_list import MatchFilter, list_matches

_KIND = "table"
_START_LIMIT = "60s"
_DIGITS = 16


class LocalTables:
    """Implements the interface `arena.model.port.Tables`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def open_table(self, request: TableRequest) -> OpenedTable:
        """Write the match of a table. After an error nothing was written.

        Raises ForbiddenError unless the viewer is the organiser, who asks for his visitors; RefusedError for a bot that
        cannot play now, or a name that cannot be shown; and the errors of `arena.tournament.creation`.
        """
        need_organiser(self._context.viewer, Text("open a table for people"))
        sitting = [_sitting(self._context, bot) for bot in request.bots]
        if len(request.people) != len(sitting):
            raise RefusedError(
                Text(
                    "there are {sitting} seats and {people} names; give one for each seat",
                    sitting=len(sitting),
                    people=len(request.people),
                )
            )
        for name in request.people:
            if len(name) > LONGEST_NAME or not name.isprintable():
                raise RefusedError(
                    Text(
                        "a name has at most {most} characters that can be shown; choose another one", most=LONGEST_NAME
                    )
                )
        guests = [is_guest(one.bot.name) for one in sitting]
        if guests != [bool(name) for name in request.people] or not any(guests):
            raise RefusedError(
                Text("at a table sits a person, and every person has a name; give one for each guest, and no bot")
            )
        remote = [one.version.id for one in sitting if one.bot.remote]
        if len(set(remote)) < len(remote):
            raise RefusedError(Text("a remote bot, or a guest, sits in one seat of a match; choose each once"))
        order = TournamentRequest(
            format=SINGLE_MATCH,
            game=request.game,
            seats=len(request.bots),
            bots=(),
            time=request.time,
            start_limit=_START_LIMIT,
            options=request.options,
            opening_plies=0,  # people begin at the beginning
            rated=request.rated,
        )
        tournament = creation.create_match(
            self._context.database,
            self._context.programs,
            terms_of(self._context, order, None),
            bots=[f"{one.bot.name}@{one.version.content_hash[:_DIGITS]}" for one in sitting],
            choose_name=name_chooser(self._context, None, _KIND),
            own_may_meet=True,  # all guests are of one owner
            notes={PERSONS: {str(seat): name for seat, name in enumerate(request.people) if name}},
        )
        (match,) = list_matches(self._context.database, MatchFilter(tournament_id=tournament.id)).items
        return OpenedTable(tournament.name, match.match.id)


def _sitting(context: AppContext, bot: str) -> VersionRow:
    """Return who sits in a seat: a guest, or the version of a bot that plays on ladders; of a sample its newest."""
    found = find_version(context, bot.partition("@")[0])
    active = active_version(context.database, found.bot.name)
    if active is None and found.bot.owner_id is not None:
        raise RefusedError(Text("no version of {name} has been admitted; choose another bot", name=found.bot.name))
    one = found if active is None else VersionRow(found.bot, active)
    check_ready(context, one)
    return one
