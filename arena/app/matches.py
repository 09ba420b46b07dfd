"""The matches of a database, as a viewer may see them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from arena.app.annulled import why_annulled
from arena.app.begun import left_behind
from arena.app.lookup import find_tournament, find_version
from arena.app.match_summaries import match_summary
from arena.app.place import Place
from arena.app.visibility import hidden_matches, need_shown
from arena.match.result import FaultCause
from arena.model.errors import RefusedError, unknown
from arena.model.matches import ANY_FAULT, MatchSummary
from arena.model.page import DEFAULT_LIMIT, Page
from ratings.read import match_list, matches
from ratings.read.blocks import awaited_by
from ratings.read.match_search import MatchFilter, leave_nothing_out
from ratings.read.pools import find_pool
from ratings.store.states import Fared, MatchState

if TYPE_CHECKING:  # who lists matches imports nothing that tells one in full, or ply by ply: the methods below do
    from arena.app.live_values import Stage
    from arena.model.live import LogPart, MatchEvent
    from arena.model.match_details import MatchDetail, MatchTimes, SeatLog


class MatchesHere:
    """Implements the interface `arena.model.port.Matches`."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def list_matches(
        self,
        tournament: str | None = None,
        state: MatchState | None = None,
        bot: str | None = None,
        fault: str | None = None,
        pool: str | None = None,
        limit: int | None = DEFAULT_LIMIT,
        after: str | None = None,
        opponent: str | None = None,
        fared: Fared | None = None,
        least_plies: int | None = None,
        most_plies: int | None = None,
    ) -> Page[MatchSummary]:
        if bot is None and (opponent is not None or fared is not None):
            raise RefusedError("an opponent, or how a bot fared, needs the bot that it is about; name one")
        bot_id, version_id = self._meant(bot)
        other_bot_id, other_version_id = self._meant(opponent)
        only = MatchFilter(
            tournament_id=None if tournament is None else find_tournament(self._place, tournament).id,
            pool_id=None if pool is None else find_pool(self._place.database, pool).id,
            bot_id=bot_id,
            version_id=version_id,
            state=state,
            cause=None if fault is None or _is_any(fault) else _cause(fault),
            is_faulty=fault is not None and _is_any(fault),
            fared=fared,
            other_bot_id=other_bot_id,
            other_version_id=other_version_id,
            least_plies=least_plies,
            most_plies=most_plies,
        )
        return self._page(only, limit, after)

    def _meant(self, bot: str | None) -> tuple[str | None, str | None]:
        """Return the id of the bot that is meant, or of the version if its hash is named, too."""
        if bot is None:
            return None, None
        found = find_version(self._place, bot)
        return (None, found.version.id) if "@" in bot else (found.bot.id, None)

    def _page(self, only: MatchFilter, limit: int | None, after: str | None) -> Page[MatchSummary]:
        leave_out = partial(hidden_matches, self._place) if only.tells_results else leave_nothing_out
        page = match_list.list_matches(self._place.database, only, limit=limit, after=after, leave_out=leave_out)
        hidden = hidden_matches(self._place, [row.match.id for row in page.items])
        why = why_annulled(self._place, [row.match.id for row in page.items])
        gone = left_behind(self._place, [row.match for row in page.items])
        shown = [row for row in page.items if only.state is not MatchState.LEASED or row.match.id not in gone]
        items = (match_summary(row, hidden=row.match.id in hidden) for row in shown)
        told = (replace(item, annulled=why.get(item.id)) for item in items)
        return Page(tuple(replace(one, state=MatchState.PLANNED) if one.id in gone else one for one in told), page.next)

    def get_match(self, match: str) -> MatchDetail:
        from arena.app.match_values import match_value

        detail = matches.match_detail(self._place.database, matches.find_match(self._place.database, match).id)
        hidden = bool(hidden_matches(self._place, [detail.match.id]))
        value = match_value(detail, self._place.viewer, hidden=hidden)
        if left_behind(self._place, [detail.match]):
            value = replace(value, state=MatchState.PLANNED)
        awaits = tuple(awaited_by(self._place.database, value.match_id)) if hidden else ()
        annulled = why_annulled(self._place, [value.match_id]).get(value.match_id)
        return replace(value, annulled=annulled, awaits=awaits)

    def get_times(self, match: str) -> MatchTimes:
        found = matches.find_match(self._place.database, match)
        need_shown(self._place, found)
        from arena.app.times import times_of

        return times_of(matches.replay_of(self._place.database, found.id))

    def get_logs(self, match: str, seat: int | None = None) -> tuple[SeatLog, ...]:
        found = matches.find_match(self._place.database, match)
        need_shown(self._place, found)
        from arena.app.seat_logs import read_logs

        return read_logs(self._place, found.id, seat)

    def watch_match(self, match: str, after: int | None = None) -> Iterator[MatchEvent]:
        from arena.app import watching

        return watching.watch_match(self._place, match, after)

    def watch_logs(self, match: str, seat: int, after: int = 0) -> Iterator[LogPart]:
        from arena.app import watching

        return watching.watch_logs(self._place, match, seat, after)

    def look(self, match: str, seat: int | None = None) -> Stage:
        """Return a match that the viewer may watch, for a service that shows it live. Raises what `stage_of` does."""
        from arena.app import watching

        return watching.stage_of(self._place, match, seat)

    def read_events(self, stage: Stage, after: int) -> list[MatchEvent]:
        """Return the events, after that sequence, of a match that is over."""
        from arena.app import watching

        return watching.history(self._place, stage, after)

    def read_log(self, stage: Stage, seat: int, after: int) -> list[LogPart]:
        """Return the log, behind that many bytes, of a seat in a match that is over."""
        from arena.app import watching

        return watching.stored_log(self._place, stage, seat, after)


def _is_any(fault: str) -> bool:
    return fault.lower() == ANY_FAULT


def _cause(text: str) -> FaultCause:
    """Return the cause of faults of that name. Raises UnknownError."""
    try:
        return FaultCause(text.upper())
    except ValueError:
        known = [*(cause.value for cause in FaultCause), ANY_FAULT]
        raise unknown("cause of a fault", text, known, f"there are {', '.join(known)}") from None
