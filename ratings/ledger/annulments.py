"""Annuls matches: they stay as they were, and count for nothing any more."""

from __future__ import annotations

from sqlalchemy import Connection, Select, func, insert, literal, select, update
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from engine.translatable import Text
from ratings.errors import NotFoundError, PlanError
from ratings.ledger import rebuild
from ratings.ledger import tally_updates as tallies
from ratings.ledger.bots import record_event
from ratings.ledger.participation import withdraw
from ratings.store import tables
from ratings.store.identifiers import new_id, now_us
from ratings.store.ladder_queries import annulled
from ratings.store.models import (
    AnnulledBlockRecord,
    AnnulmentRecord,
    EntrantRecord,
    MatchRecord,
    TournamentRecord,
    annulment_value,
)
from ratings.store.sessions import get_version, save
from ratings.store.waves import count_progress
from ratings.values.states import BotEventKind, RatingVerdict
from ratings.values.tournament_incidents import Annulled

_m, _s, _o, _x = tables.match, tables.match_seat, tables.rating_order, tables.annulled_block


def annul_match(session: Session, match_id: str, *, why: str, actor: str) -> Annulled:
    """Take a match and the others of its block out of everything that is counted, and ask for the ratings anew.

    It is left to the caller to have `ratings.ledger.rebuild.finish` compute those, behind this transaction. One that
    was annulled already stays so, for the first reason. Raises NotFoundError, PlanError without a reason.
    """
    _check_reason(why)
    match = session.get(MatchRecord, match_id)
    if match is None:
        raise NotFoundError(Text("no match {match}; see: arena match list", match=match_id))
    known = session.get(AnnulledBlockRecord, match.block_id)
    if known is not None:
        return Annulled(annulment_value(session.get_one(AnnulmentRecord, known.annulment_id)), 0, ())
    annulment = save(session, AnnulmentRecord(id=new_id(), match_id=match_id, why=why, actor=actor, at_us=now_us()))
    session.add(AnnulledBlockRecord(block_id=match.block_id, annulment_id=annulment.id))
    session.flush()
    return _apply(session, annulment)


def annul_version(session: Session, version_id: str, *, why: str, actor: str) -> Annulled:
    """Annul every match that a version played or was to play, and take it out of all tournaments.

    It cannot become active or enter a tournament again. One that was annulled already stays so, for the first reason.
    The ratings are left to the caller as by `annul_match`. Raises NotFoundError.
    """
    _check_reason(why)
    version = get_version(session, version_id)
    if annulled(session, [version_id]):
        return Annulled(annulment_value(_of_version(session, version_id)), 0, ())
    annulment = save(session, AnnulmentRecord(id=new_id(), version_id=version_id, why=why, actor=actor, at_us=now_us()))
    record_event(session, version.bot_id, BotEventKind.ANNULLED, version_id=version_id, actor=actor, message=why)
    _mark_blocks(session, annulment)
    query = (
        select_rows(TournamentRecord.id)
        .join(EntrantRecord, col(EntrantRecord.tournament_id) == TournamentRecord.id)
        .where(EntrantRecord.version_id == version_id, col(EntrantRecord.withdrawn_wave).is_(None))
        .where(col(TournamentRecord.cancelled_at_us).is_(None))
    )
    for tournament_id in session.exec(query).all():
        if not count_progress(session, tournament_id).is_over:
            withdraw(session, tournament_id, version_id, Text("a version that plays in it was annulled"))
    return _apply(session, annulment)


def _check_reason(why: str) -> None:
    if not why.strip():
        raise PlanError(Text("an annulment needs a reason that people are told; give one with --why"))


def _mark_blocks(session: Session, annulment: AnnulmentRecord) -> None:
    """Mark every block in which the annulled version plays, unless it is marked already."""
    marked = select(_x.c.block_id)
    its_blocks = (
        select(_m.c.block_id, literal(annulment.id))
        .join(_s, _s.c.match_id == _m.c.id)
        .where(_s.c.version_id == annulment.version_id, _m.c.block_id.not_in(marked))
        .distinct()
    )
    session.connection().execute(insert(_x).from_select(["block_id", "annulment_id"], its_blocks))


def cover_tournament(session: Session, tournament_id: str) -> None:
    """Annul what versions that were annulled here played in an imported tournament; ratings are left to the caller."""
    versions = session.exec(
        select_rows(EntrantRecord.version_id).where(EntrantRecord.tournament_id == tournament_id)
    ).all()
    for version_id in sorted(annulled(session, versions)):
        annulment = _of_version(session, version_id)
        _mark_blocks(session, annulment)
        _set_verdicts(session.connection(), annulment)


def _of_version(session: Session, version_id: str) -> AnnulmentRecord:
    query = select_rows(AnnulmentRecord).where(
        AnnulmentRecord.version_id == version_id, col(AnnulmentRecord.match_id).is_(None)
    )
    return session.exec(query.order_by(col(AnnulmentRecord.id).desc())).all()[0]


def _apply(session: Session, annulment: AnnulmentRecord) -> Annulled:
    """Let the matches of the blocks that an annulment marked count for nothing."""
    connection = session.connection()
    matches = _matches_of(annulment)
    count = connection.execute(select(func.count()).select_from(matches.subquery())).scalar_one()
    query = (
        select(_o.c.pool_id, func.min(_o.c.rating_seq))
        .where(_o.c.match_id.in_(matches), _o.c.verdict == RatingVerdict.RATED)
        .group_by(_o.c.pool_id)
        .order_by(_o.c.pool_id)
    )
    firsts = [(pool_id, first) for pool_id, first in connection.execute(query)]
    _set_verdicts(connection, annulment)
    for pool_id, first in firsts:
        rebuild.ask(session, pool_id, first)
    tallies.rebuild(connection, select(_m.c.tournament_id).where(_m.c.id.in_(matches)))
    session.expire_all()
    session.refresh(annulment)
    return Annulled(annulment_value(annulment), int(count), tuple(pool_id for pool_id, _ in firsts))


def _matches_of(annulment: AnnulmentRecord) -> Select[str]:
    block = tables.block
    return (
        select(_m.c.id)
        .select_from(_x)
        .join(block, block.c.id == _x.c.block_id)
        # Both columns: the index covers the pair, and a database would read every match otherwise.
        .join(_m, (_m.c.tournament_id == block.c.tournament_id) & (_m.c.block_id == block.c.id))
        .where(_x.c.annulment_id == annulment.id)
    )


def _set_verdicts(connection: Connection, annulment: AnnulmentRecord) -> None:
    its = _o.c.match_id.in_(_matches_of(annulment))
    connection.execute(update(_o).where(its).values(verdict=RatingVerdict.ANNULLED))
