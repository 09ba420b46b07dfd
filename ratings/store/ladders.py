"""Ladders and their seasons by name, in an open session: what reading and writing both need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, func, select

from engine.text import Text
from ratings.errors import NotFoundError
from ratings.store.bot_event import ActiveVersion
from ratings.store.models import Bot, Owner, Pool, Tournament, Version
from ratings.store.season import Season
from ratings.store.service import Absence, Guest, Ladder
from ratings.values.names import PEOPLE


@dataclass(frozen=True, slots=True)
class RunningLadder:
    """An open ladder with the season that is played."""

    ladder: Ladder
    pool: Pool
    season: Season
    tournament: Tournament


def get_ladder(session: Session, name: str) -> Ladder:
    """Return the open ladder of that name, or the one that was closed last. Raises NotFoundError."""
    query = select(Ladder).where(Ladder.name == name).order_by(col(Ladder.closed_at_us).is_not(None))
    found = session.exec(query.order_by(col(Ladder.id).desc()).limit(1)).first()
    if found is None:
        raise NotFoundError(
            Text("ratings.no_ladder_see_arena_ladder", "no ladder {name}; see: arena ladder list", name=repr(name))
        )
    return found


def running_ladders(session: Session, ladder_id: str | None = None) -> list[RunningLadder]:
    """Return the open ladders whose season is not closed, or one of them, by name."""
    query = (
        select(Ladder, Pool, Season, Tournament)
        .join(Pool, col(Pool.id) == Ladder.pool_id)
        .join(Season, col(Season.ladder_id) == Ladder.id)
        .join(Tournament, col(Tournament.id) == Season.tournament_id)
        .where(col(Ladder.closed_at_us).is_(None), col(Season.closed_at_us).is_(None))
        .order_by(Ladder.name)
    )
    if ladder_id is not None:
        query = query.where(Ladder.id == ladder_id)
    return [RunningLadder(*row) for row in session.exec(query)]


def may_play(session: Session, pool: Pool) -> list[Version]:
    """Return the active versions that play in a pool and can be started, in the order in which their bots were made."""
    active = active_in(session, pool)
    query = select(Absence.version_id).where(col(Absence.version_id).in_([version.id for version in active]))
    absent = set(session.exec(query))
    return [version for version in active if version.id not in absent]


def active_in(session: Session, pool: Pool) -> list[Version]:
    """Return the active versions that play in a pool, those too that cannot be started at present.

    Remote bots play in pools of remote bots, and there besides them only the guests of the open ladder. What is
    disabled does not play, nor do the seats that people take. They come in the order in which their bots were made.
    """
    guests = select(Guest.bot_id).join(Ladder, col(Ladder.id) == Guest.ladder_id)
    guests = guests.where(Ladder.pool_id == pool.id, col(Ladder.closed_at_us).is_(None))
    query = (
        select(Version)
        .join(ActiveVersion, col(ActiveVersion.version_id) == Version.id)
        .join(Bot, col(Bot.id) == Version.bot_id)
        .join(Owner, col(Owner.id) == col(Bot.owner_id), isouter=True)
        .where(col(Bot.disabled_at_us).is_(None), col(Owner.disabled_at_us).is_(None))
        .where(func.coalesce(Owner.name, "") != PEOPLE)
        .where(col(Bot.remote) | col(Bot.id).in_(guests) if pool.remote else ~col(Bot.remote))
        .order_by(Bot.id)
    )
    return [version for version in session.exec(query) if plays(version.manifest, pool.game, pool.rules_version)]


def plays(manifest: Mapping[str, Any], game: str, rules_version: str) -> bool:
    """Return whether a manifest names the game, and, if it states a version of its rules, states this one."""
    games, rules = manifest.get("games", ["*"]), manifest.get("rules", {})
    return ("*" in games or game in games) and rules.get(game, rules_version) == rules_version
