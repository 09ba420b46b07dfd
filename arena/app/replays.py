"""The replays of a database: given out, and the times in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.app.lookup import find_tournament, find_version
from arena.app.policy import AppContext, hidden_matches, need_organiser, need_shown
from arena.match.replay import ReplayError, dump, load, read_figures, timed_entries
from arena.match.time_control import TimingError
from arena.model.errors import ClientError, DamagedError
from arena.model.matches import DecisionTime, MatchTimes, Replay, ReplayCheck, SeatTime
from engine.translatable import Text
from ratings.read import match_list, matches
from ratings.read.match_list import MatchFilter
from ratings.store.models import MatchRecord
from ratings.values.states import MatchState

_PART = 100
_FIGURES = ("wall_us", "cpu_us", "queue_wait_us", "referee_lag_us", "charged_us")


class LocalReplays:
    """Implements the interface `arena.model.port.Replays`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def get_replay(self, match: str) -> Replay:
        found = matches.find_match(self._context.database, match)
        need_shown(self._context, found)
        return self._shown(found.id, matches.replay_of(self._context.database, found.id))

    def _shown(self, match_id: str, stored: bytes) -> Replay:
        viewer = self._context.viewer
        if viewer.is_organiser:
            return Replay(match_id, stored)
        seats = matches.match_detail(self._context.database, match_id).seats
        may_see = [viewer.owns(row.owner_id) for row in seats]
        try:
            document = load(stored)
        except ReplayError as error:
            raise DamagedError(
                Text("the replay of match {match} cannot be read: {why}", match=match_id, why=error)
            ) from error
        faults = document["result"]["faults"]
        withheld = [fault for fault in faults if fault["evidence"] and not may_see[fault["seat"]]]
        for fault in withheld:
            fault["evidence"] = {}
        return Replay(match_id, dump(document) if withheld else stored, is_whole=not withheld)

    def verify_match(self, match: str) -> ReplayCheck:
        found = matches.find_match(self._context.database, match)
        need_shown(self._context, found)
        if found.state is not MatchState.FINISHED or found.replay_removed_at_us is not None:
            matches.replay_of(self._context.database, found.id)  # raises, and says why there is none
        (check,) = self._checks(matches.replays(self._context.database, match_id=found.id))
        return check

    def verify_matches(self, tournament: str | None = None) -> Iterator[ReplayCheck]:
        need_organiser(self._context.viewer, Text("verify whole tournaments here; you may verify match by match"))
        chosen = None if tournament is None else find_tournament(self._context, tournament).id
        return self._checks(matches.replays(self._context.database, chosen))

    def _checks(self, chosen: Iterator[tuple[MatchRecord, bytes | None]]) -> Iterator[ReplayCheck]:
        from arena.app.verification import problems_of_match  # who only looks at a replay does not pay for it

        for match, stored in chosen:
            if stored is None and match.replay_removed_at_us is not None:
                yield ReplayCheck(match.id, removed_at_us=match.replay_removed_at_us)
                continue
            detail = matches.match_detail(self._context.database, match.id)
            yield ReplayCheck(match.id, tuple(problems_of_match(detail, stored)))

    def download_replays(self, bot: str, after: str | None = None) -> Iterator[Replay]:
        bot_id = find_version(self._context, bot).bot.id
        cursor: str | None = None
        while True:
            only = MatchFilter(bot_id=bot_id, state=MatchState.FINISHED)
            page = match_list.list_matches(self._context.database, only, limit=_PART, after=cursor, newest_first=False)
            for match in (row.match for row in page.items if after is None or row.match.id > after):
                if match.replay_removed_at_us is None and not hidden_matches(self._context, [match.id]):
                    yield self._shown(match.id, matches.replay_of(self._context.database, match.id))
            cursor = page.next
            if cursor is None:
                return


def times_of(stored: bytes) -> MatchTimes:
    """Return the decisions of a stored replay and the totals of each seat. Raises ClientError."""
    try:
        document = load(stored)
        found = []
        for entry, figures in zip(timed_entries(document), read_figures(document), strict=True):
            was_read = figures.looks > 0 and figures.is_readable
            found.append(
                DecisionTime(
                    ply=entry["ply"],
                    seat=entry["seat"],
                    bot=document["seats"][entry["seat"]]["name"],
                    wall_us=figures.wall_us,
                    cpu_us=figures.cpu_us if was_read else None,
                    queue_wait_us=figures.queue_wait_us if was_read else None,
                    referee_lag_us=figures.referee_lag_us if was_read else None,
                    charged_us=entry["charged_us"],
                    looks=figures.looks,
                    readable=figures.is_readable,
                )
            )
        decisions = tuple(found)
    except (ReplayError, TimingError) as error:
        raise ClientError(Text("the replay cannot be read: {why}", why=error)) from error
    names = [seat["name"] for seat in document["seats"]]
    return MatchTimes(decisions, tuple(_total(seat, name, decisions) for seat, name in enumerate(names)))


def _total(seat: int, name: str, decisions: Sequence[DecisionTime]) -> SeatTime:
    own = [one for one in decisions if one.seat == seat]
    sums = {key: sum(getattr(one, key) or 0 for one in own) for key in _FIGURES}
    return SeatTime(seat, name, len(own), **sums, longest_us=max((one.charged_us for one in own), default=0))
