"""The matches of a database as a viewer may see them, without what is hidden and evidence about others' bots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from arena.app.lookup import find_tournament, find_version
from arena.app.policy import WHY_HIDDEN, AppContext, Viewer, hidden_matches, need_shown
from arena.match.result import FaultCause
from arena.model.errors import ForbiddenError, RefusedError, unknown
from arena.model.matches import (
    ANY_FAULT,
    AttemptFact,
    FaultFact,
    LeakFact,
    MatchDetail,
    MatchSeat,
    MatchSummary,
    MatchTimes,
    SeatLog,
    SeatSummary,
)
from arena.tournament.stored import PERSONS
from engine.translatable import Text, text_from_json
from ratings.read import match_list, matches
from ratings.read.embargo import awaited_by
from ratings.read.match_list import MatchFilter, MatchRow, leave_nothing_out
from ratings.read.matches import SeatRow, annulments_of, match_detail
from ratings.read.pool_lookup import find_pool, pool_value
from ratings.store.models import AttemptRecord, MatchRecord
from ratings.values.page import DEFAULT_LIMIT, Page
from ratings.values.states import Fared, MatchState

if TYPE_CHECKING:
    from arena.app.match_visibility import WatchedMatch
    from arena.model.live import LogPart, MatchEvent
    from ratings.read.matches import StoredLog
    from ratings.store.rating import RatingChangeRecord

_BY_HOST = "host"
_PART = 500


class LocalMatches:
    """Implements the interface `arena.model.port.Matches`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

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
            raise RefusedError(Text("an opponent, or how a bot fared, needs the bot that it is about; name one"))
        bot_id, version_id = self._meant(bot)
        other_bot_id, other_version_id = self._meant(opponent)
        only = MatchFilter(
            tournament_id=None if tournament is None else find_tournament(self._context, tournament).id,
            pool_id=None if pool is None else find_pool(self._context.database, pool).id,
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
        leave_out = partial(hidden_matches, self._context) if only.tells_results else leave_nothing_out
        page = match_list.list_matches(self._context.database, only, limit=limit, after=after, leave_out=leave_out)
        hidden = hidden_matches(self._context, [row.match.id for row in page.items])
        why = why_annulled(self._context, [row.match.id for row in page.items])
        gone = left_behind(self._context, [row.match for row in page.items])
        shown = [row for row in page.items if only.state is not MatchState.LEASED or row.match.id not in gone]
        items = (match_summary(row, hidden=row.match.id in hidden) for row in shown)
        told = (replace(item, annulled=why.get(item.id)) for item in items)
        return Page(tuple(replace(one, state=MatchState.PLANNED) if one.id in gone else one for one in told), page.next)

    def _meant(self, bot: str | None) -> tuple[str | None, str | None]:
        """Return the id of the bot that is meant, or of the version if its hash is named, too."""
        if bot is None:
            return None, None
        found = find_version(self._context, bot)
        return (None, found.version.id) if "@" in bot else (found.bot.id, None)

    def get_match(self, match: str) -> MatchDetail:
        detail = matches.match_detail(self._context.database, matches.find_match(self._context.database, match).id)
        hidden = bool(hidden_matches(self._context, [detail.match.id]))
        value = match_value(detail, self._context.viewer, hidden=hidden)
        if left_behind(self._context, [detail.match]):
            value = replace(value, state=MatchState.PLANNED)
        awaits = tuple(awaited_by(self._context.database, value.match_id)) if hidden else ()
        annulled = why_annulled(self._context, [value.match_id]).get(value.match_id)
        return replace(value, annulled=annulled, awaits=awaits)

    def get_times(self, match: str) -> MatchTimes:
        found = matches.find_match(self._context.database, match)
        need_shown(self._context, found)

        from arena.app.replays import times_of

        return times_of(matches.replay_of(self._context.database, found.id))

    def get_logs(self, match: str, seat: int | None = None) -> tuple[SeatLog, ...]:
        found = matches.find_match(self._context.database, match)
        need_shown(self._context, found)

        seats = match_detail(self._context.database, found.id).seats
        own = [row for row in seats if self._context.viewer.owns(row.owner_id) and seat in (None, row.seat.seat)]
        if not own:
            raise ForbiddenError(
                Text("no log of match {match} is yours to read; an owner sees those of his own bots", match=found.id)
            )
        from ratings.read.matches import seat_log  # reads tables of the service, which no list of matches does

        return tuple(_log_value(row, seat_log(self._context.database, found.id, row.seat.seat)) for row in own)

    def watch_match(self, match: str, after: int | None = None) -> Iterator[MatchEvent]:
        from arena.app import match_visibility as watching

        return watching.watch_match(self._context, match, after)

    def watch_logs(self, match: str, seat: int, after: int = 0) -> Iterator[LogPart]:
        from arena.app import match_visibility as watching

        return watching.watch_logs(self._context, match, seat, after)

    def look(self, match: str, seat: int | None = None) -> WatchedMatch:
        """Return a match that the viewer may watch, for a service that shows it live. Raises as `watched_match`."""
        from arena.app import match_visibility as watching

        return watching.watched_match(self._context, match, seat)

    def read_events(self, watched: WatchedMatch, after: int) -> list[MatchEvent]:
        """Return the events, after that sequence, of a finished match."""
        from arena.app import match_visibility as watching

        return watching.history(self._context, watched, after)

    def read_log(self, watched: WatchedMatch, seat: int, after: int) -> list[LogPart]:
        """Return the log, behind that many bytes, of a seat in a finished match."""
        from arena.app import match_visibility as watching

        return watching.stored_log(self._context, watched, seat, after)


def _is_any(fault: str) -> bool:
    return fault.lower() == ANY_FAULT


def _cause(text: str) -> FaultCause:
    """Return the cause of faults of that name. Raises UnknownError."""
    try:
        return FaultCause(text.upper())
    except ValueError:
        known = [*(cause.value for cause in FaultCause), ANY_FAULT]
        raise unknown("cause of a fault", text, known, Text("there are {names}", names=", ".join(known))) from None


def match_value(detail: matches.StoredMatch, viewer: Viewer, *, hidden: bool) -> MatchDetail:
    """Return all that the viewer may see of a match."""
    match = detail.match
    planned = MatchDetail(
        match_id=match.id,
        tournament=detail.tournament.name,
        tournament_id=detail.tournament.id,
        pool=pool_value(detail.pool),
        block=detail.block.index,
        rotation=match.rotation,
        state=match.state,
        void_reason=void_reason_of(match),
        attempt=match.attempt,
        rated=None,
        sandbox=match.sandbox,
        seats=tuple(_sitting(detail, row) for row in detail.seats),
        attempts=tuple(_attempt(attempt, viewer) for attempt in detail.attempts),
        logs_removed_at_us=match.logs_removed_at_us,
        replay_removed_at_us=match.replay_removed_at_us,
    )
    if hidden:
        return replace(planned, hidden=True, why_hidden=WHY_HIDDEN)
    may_see = [viewer.owns(row.owner_id) for row in detail.seats]
    return replace(
        planned,
        rated=match.rated and detail.tournament.rated,
        valid_result=match.rated,
        seats=tuple(_seat(detail, row) for row in detail.seats),
        by_rules=match.by_rules,
        plies=match.plies,
        decisions=match.decisions,
        started_at_us=match.started_at_us,
        duration_us=match.duration_us,
        game_digest=match.game_digest,
        record_digest=match.record_digest,
        details=match.details,
        faults=fault_facts(detail, may_see),
        leak_checks=tuple(
            LeakFact(
                seat=check.seat,
                bot=detail.seats[check.seat].bot,
                verdict=check.verdict,
                ply=check.ply,
                sentence=text_from_json(check.sentence, check.sentence_text),
                evidence=_evidence(check.evidence, shown=may_see[check.seat]),
            )
            for check in detail.leak_checks
        ),
    )


def _attempt(attempt: AttemptRecord, viewer: Viewer) -> AttemptFact:
    return AttemptFact(
        number=attempt.number,
        worker=attempt.worker,
        state=attempt.state,
        owner=None if attempt.cause is None else _BY_HOST,
        cause=attempt.cause,
        reason=attempt.reason and text_from_json(attempt.reason, attempt.reason_text),
        evidence=attempt.evidence if viewer.is_organiser else None,
        leased_at_us=attempt.leased_at_us,
        ended_at_us=attempt.ended_at_us,
    )


def _sitting(detail: matches.StoredMatch, row: SeatRow) -> MatchSeat:
    return MatchSeat(
        seat=row.seat.seat,
        bot=row.bot,
        version=row.version.number,
        content_hash=row.version.content_hash,
        runtime=row.seat.runtime,
        runtime_name=detail.runtime_names.get(row.seat.runtime or ""),
        remote=row.is_remote,
        sandbox=row.seat.sandbox,
        person=detail.tournament.settings.get(PERSONS, {}).get(str(row.seat.seat)),
    )


def _seat(detail: matches.StoredMatch, row: SeatRow) -> MatchSeat:
    seat, change, ended = row.seat, row.change, None
    if detail.match.state is MatchState.FINISHED:
        ended = "resigned" if seat.resigned else "played" if seat.forfeit is None else "forfeited"
    return replace(
        _sitting(detail, row),
        rank=seat.rank if detail.match.rated else None,
        forfeit=seat.forfeit,
        resigned=seat.resigned,
        notes_left_out=bool(seat.notes_left_out),
        ended=ended,
        rating_change=None if change is None else _exposure_change(change),
    )


def _exposure_change(change: RatingChangeRecord) -> float:
    before = change.mu_before - 3 * change.sigma_before
    return change.mu_after - 3 * change.sigma_after - before


def _evidence(evidence: Mapping[str, Any], *, shown: bool) -> Mapping[str, Any]:
    return evidence if shown else {}


def fault_facts(detail: matches.StoredMatch, may_see: Sequence[bool]) -> tuple[FaultFact, ...]:
    """Return what bots did wrong in a match, with evidence about those in the seats that may be seen."""
    return tuple(
        FaultFact(
            seat=fault.seat,
            bot=detail.seats[fault.seat].bot,
            cause=fault.cause,
            ply=fault.ply,
            explanation=text_from_json(fault.explanation, fault.explanation_text),
            evidence=_evidence(fault.evidence, shown=may_see[fault.seat]),
        )
        for fault in detail.faults
    )


def void_reason_of(match: MatchRecord) -> str | None:
    """Return why a match is void, or `None` if it is not."""
    return match.void_reason and text_from_json(match.void_reason, match.void_reason_text)


def match_summary(row: MatchRow, *, hidden: bool) -> MatchSummary:
    """Return a match as a list shows it."""
    match = row.match
    planned = MatchSummary(
        id=match.id,
        tournament=row.tournament,
        position=match.position + 1,
        block=row.block_index,
        rotation=match.rotation,
        seats=tuple(SeatSummary(bot) for bot, _ in row.seats),
        attempt=match.attempt,
        sandbox=match.sandbox,
        state=match.state,
        void_reason=void_reason_of(match),
    )
    if hidden:
        return replace(planned, hidden=True, why_hidden=WHY_HIDDEN)
    return replace(
        planned,
        seats=tuple(SeatSummary(bot, rank, row.faults.get(seat)) for seat, (bot, rank) in enumerate(row.seats)),
        valid_result=match.rated,
        plies=match.plies,
        decisions=match.decisions,
        game_digest=match.game_digest,
        ended_at_us=None
        if match.started_at_us is None or match.duration_us is None
        else match.started_at_us + match.duration_us,
    )


def _log_value(row: SeatRow, log: StoredLog | None) -> SeatLog:
    """Return the log as text, with a line where something was left out."""
    text, cut_bytes = ("", 0) if log is None else (log.data.decode(errors="replace"), log.cut_bytes)
    if log is not None and cut_bytes:
        from arena.match.worker_report import LOG_HEAD_BYTES

        head, tail = log.data[:LOG_HEAD_BYTES], log.data[LOG_HEAD_BYTES:]
        text = f"{head.decode(errors='replace')}\n[{cut_bytes} bytes left out]\n{tail.decode(errors='replace')}"
    return SeatLog(row.seat.match_id, row.seat.seat, row.bot, text, cut_bytes)


def left_behind(context: AppContext, found: Iterable[MatchRecord]) -> frozenset[str]:
    """Return the ids of those of the matches that are leased although nobody plays their tournament.

    For people, and for programs, they are planned again: that is what they become when somebody goes on.
    """
    begun = [match for match in found if match.state is MatchState.LEASED]
    if not begun:  # as in most lists of matches
        return frozenset()
    from arena.app.tournaments import standing_of
    from arena.model.tournaments import STOPPED
    from ratings.read.tournaments import tournament_row

    stopped = set()
    for id_ in {match.tournament_id for match in begun}:
        status, _ = standing_of(context, tournament_row(context.database, id_))
        if status == STOPPED:
            stopped.add(id_)
    return frozenset(match.id for match in begun if match.tournament_id in stopped)


def why_annulled(context: AppContext, match_ids: Sequence[str]) -> dict[str, str]:
    """Return why matches do not count, by match; those that do count are left out."""
    found: dict[str, str] = {}
    for start in range(0, len(match_ids), _PART):
        part = annulments_of(context.database, match_ids[start : start + _PART])
        found.update((match_id, annulment.why) for match_id, annulment in part.items())
    return found
