"""What may be removed by age and size, as conditions in SQL: what reading and writing both need."""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, or_, select

from ratings.store import tables
from ratings.values.states import AdmissionState, MatchState

_m, _t, _s, _v = tables.match, tables.tournament, tables.match_seat, tables.version
_OPEN = (MatchState.PLANNED, MatchState.LEASED)

ENDED_US = _m.c.started_at_us + _m.c.duration_us
"""When a finished match ended."""


def first_id(at_us: int) -> str:
    """Return an id that is below all that were made at this instant or later, and above all that were made before."""
    text = f"{max(0, at_us) // 1000:012x}"
    return f"{text[:8]}-{text[8:12]}"


def removable_replay(before_us: int) -> ColumnElement[bool]:
    """Return whether the replay of a match may be removed that ended before an instant.

    It may not as long as its tournament is played or its season is not closed, and if the match was annulled: whoever
    doubts that reads the replay.
    """
    return and_(
        _m.c.state == MatchState.FINISHED,
        _m.c.replay_removed_at_us.is_(None),
        before_us > ENDED_US,
        ~_is_played(),
        ~_in_open_season(),
        ~_is_annulled(),
    )


def removable_log(before_us: int) -> ColumnElement[bool]:
    """Return whether what the bots of a match wrote may be removed: if it ended before an instant."""
    return and_(_m.c.state == MatchState.FINISHED, before_us > ENDED_US)


def _is_played() -> ColumnElement[bool]:
    """Return whether the tournament of the match is not over; so no block of it can be open either."""
    other = _m.alias()
    is_open = select(other.c.id).where(other.c.tournament_id == _m.c.tournament_id, other.c.state.in_(_OPEN)).exists()
    goes_on = select(_t.c.id).where(_t.c.id == _m.c.tournament_id, _t.c.more_waves).exists()
    return or_(is_open, goes_on)


def _in_open_season() -> ColumnElement[bool]:
    season = tables.season
    its = (season.c.tournament_id == _m.c.tournament_id) | (season.c.final_tournament_id == _m.c.tournament_id)
    return select(season.c.number).where(its, season.c.closed_at_us.is_(None)).exists()


def _is_annulled() -> ColumnElement[bool]:
    annulled = tables.annulled_block
    return select(annulled.c.block_id).where(annulled.c.block_id == _m.c.block_id).exists()


def removable_files(before_us: int) -> ColumnElement[bool]:
    """Return whether the files of a version may be removed that was withdrawn or refused before an instant.

    They may not as long as the version is active, still has matches to play, takes part in a tournament that is not
    over, or played a match whose replay is kept. Remote ones have no files.
    """
    active, bot = tables.active_version, tables.bot.alias()
    return and_(
        ~select(bot.c.id).where(bot.c.id == _v.c.bot_id, bot.c.remote).exists(),
        _v.c.files_removed_at_us.is_(None),
        or_(_v.c.withdrawn_at_us < before_us, _is_refused(before_us)),
        ~select(active.c.bot_id).where(active.c.version_id == _v.c.id).exists(),
        ~_plays_or_is_kept(),
        ~_is_entered(),
    )


def _is_refused(before_us: int) -> ColumnElement[bool]:
    """Return whether the last word on the version is that it was refused."""
    admission = tables.admission
    newer = admission.alias()
    is_newest = (
        ~select(newer.c.id).where(newer.c.version_id == admission.c.version_id, newer.c.id > admission.c.id).exists()
    )
    is_refused = and_(admission.c.state == AdmissionState.REFUSED, admission.c.ended_at_us < before_us)
    return select(admission.c.id).where(admission.c.version_id == _v.c.id, is_refused, is_newest).exists()


def _plays_or_is_kept() -> ColumnElement[bool]:
    replay = tables.replay
    return (
        select(_s.c.match_id)
        .join(_m, _m.c.id == _s.c.match_id)
        .outerjoin(replay, replay.c.match_id == _m.c.id)
        .where(_s.c.version_id == _v.c.id, or_(_m.c.state.in_(_OPEN), replay.c.match_id.is_not(None)))
        .exists()
    )


def _is_entered() -> ColumnElement[bool]:
    """Return whether the version takes part in a tournament that goes on."""
    entrant = tables.entrant
    return (
        select(entrant.c.tournament_id)
        .join(_t, _t.c.id == entrant.c.tournament_id)
        .where(entrant.c.version_id == _v.c.id, entrant.c.withdrawn_wave.is_(None), _t.c.more_waves)
        .exists()
    )
