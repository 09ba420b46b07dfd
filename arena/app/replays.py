"""The replays of a database, as a viewer may see them, and whether they are sound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.app.lookup import find_tournament, find_version
from arena.app.place import Place
from arena.app.rights import need_organiser
from arena.app.visibility import hidden_matches, need_shown
from arena.match.replay import ReplayError, dump, load
from arena.model.errors import DamagedError
from arena.model.replays import Replay, ReplayCheck
from ratings.read import match_list, matches
from ratings.read.match_list import MatchFilter
from ratings.store.models import Match
from ratings.store.states import MatchState

_PART = 100


class ReplaysHere:
    """Implements the interface `arena.model.port.Replays`."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def get_replay(self, match: str) -> Replay:
        found = matches.find_match(self._place.database, match)
        need_shown(self._place, found)
        return self._shown(found.id, matches.replay_of(self._place.database, found.id))

    def _shown(self, match_id: str, stored: bytes) -> Replay:
        viewer = self._place.viewer
        if viewer.is_organiser:
            return Replay(match_id, stored)
        seats = matches.match_detail(self._place.database, match_id).seats
        return without_evidence(match_id, stored, [viewer.owns(row.owner_id) for row in seats])

    def verify_match(self, match: str) -> ReplayCheck:
        found = matches.find_match(self._place.database, match)
        need_shown(self._place, found)
        if found.state is not MatchState.FINISHED or found.replay_removed_at_us is not None:
            matches.replay_of(self._place.database, found.id)  # raises, and says why there is none
        (check,) = self._checks(matches.replays(self._place.database, match_id=found.id))
        return check

    def verify_matches(self, tournament: str | None = None) -> Iterator[ReplayCheck]:
        need_organiser(self._place.viewer, "verify whole tournaments here; you may verify match by match")
        chosen = None if tournament is None else find_tournament(self._place, tournament).id
        return self._checks(matches.replays(self._place.database, chosen))

    def _checks(self, chosen: Iterator[tuple[Match, bytes | None]]) -> Iterator[ReplayCheck]:
        from arena.app.verifying import problems_of_match  # plays a match anew, and knows all formats

        for match, stored in chosen:
            if stored is None and match.replay_removed_at_us is not None:
                yield ReplayCheck(match.id, removed_at_us=match.replay_removed_at_us)
                continue
            detail = matches.match_detail(self._place.database, match.id)
            yield ReplayCheck(match.id, tuple(problems_of_match(detail, stored)))

    def download_replays(self, bot: str, after: str | None = None) -> Iterator[Replay]:
        bot_id = find_version(self._place, bot).bot.id
        cursor: str | None = None
        while True:
            only = MatchFilter(bot_id=bot_id, state=MatchState.FINISHED)
            page = match_list.list_matches(self._place.database, only, limit=_PART, after=cursor, newest_first=False)
            for row in page.items:
                if after is None or row.match.id > after:
                    yield from self._one(row.match)
            cursor = page.next
            if cursor is None:
                return

    def _one(self, match: Match) -> Iterator[Replay]:
        if match.replay_removed_at_us is None and not hidden_matches(self._place, [match.id]):
            yield self._shown(match.id, matches.replay_of(self._place.database, match.id))


def without_evidence(match_id: str, stored: bytes, may_see: Sequence[bool]) -> Replay:
    """Return a replay without the evidence about the bots in the seats that may not be seen. Raises DamagedError."""
    try:
        document = load(stored)
    except ReplayError as error:
        raise DamagedError(f"the replay of match {match_id} cannot be read: {error}") from error
    faults = document["result"]["faults"]
    withheld = [fault for fault in faults if fault["evidence"] and not may_see[fault["seat"]]]
    for fault in withheld:
        fault["evidence"] = {}
    return Replay(match_id, dump(document) if withheld else stored, is_whole=not withheld)
