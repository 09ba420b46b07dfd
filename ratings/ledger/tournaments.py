"""The plan of a tournament: its first wave of matches, or all; `ratings.ledger.waves` adds what is planned later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import insert
from sqlmodel import Session, col, select

from ratings.errors import BotError, PlanError
from ratings.ledger.pools import PoolKey, pool_for
from ratings.statistics.blocks import Block
from ratings.statistics.skill import SkillSettings
from ratings.store import tables
from ratings.store.ids import new_id, now_us
from ratings.store.models import Bot, MatchState, Tournament, Version

_LARGEST_SEED = 2**53 - 1


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """One match of a block: `versions[seat]` are version ids."""

    rotation: int
    versions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """One opening (action ids) and one chance seed (below 2^53), and the matches that share them."""

    index: int
    opening: tuple[int, ...]
    chance_seed: int
    matches: Sequence[MatchPlan]


def plan_of(block: Block) -> BlockPlan:
    """The block with its matches spelled out."""
    matches = [MatchPlan(turn, seating) for turn, seating in enumerate(block.rotations())]
    return BlockPlan(block.index, block.opening, block.chance_seed, matches)


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """Everything a tournament is. The order of blocks, and of matches in them, is the schedule."""

    name: str
    format: str
    pool: PoolKey
    secret: str
    """Hex."""
    seeded: bool
    settings: Mapping[str, Any]
    entrants: Sequence[str]
    """Version ids."""
    blocks: Sequence[BlockPlan] = ()
    rated: bool = True
    rates_same_owner: bool = False
    """Whether matches between bots of one registered owner are rated too."""
    skill: SkillSettings = field(default_factory=SkillSettings)
    """For a pool that does not exist yet."""
    more_waves: bool = False
    """Whether `blocks` are only the first wave, and the others are planned when results are there."""


def create_tournament(session: Session, plan: TournamentPlan) -> Tournament:
    """Write a plan down. Raises PlanError or BotError, naming what is wrong, before anything is written."""
    _check_plan(plan)
    tournament = write_tournament(session, plan)
    write_wave(session, tournament.id, 0, plan.blocks, planned_at_us=tournament.created_at_us)
    return tournament


def write_tournament(session: Session, plan: TournamentPlan) -> Tournament:
    """Write a tournament and its entrants, without any wave. Raises PlanError or BotError, with nothing written."""
    _check_entered_once(plan.entrants)
    check_versions(session, plan.entrants)
    pool = pool_for(session, plan.pool, plan.skill)
    tournament = Tournament(
        id=new_id(),
        name=plan.name,
        format=plan.format,
        pool_id=pool.id,
        secret=plan.secret,
        seeded=plan.seeded,
        settings=dict(plan.settings),
        rated=plan.rated,
        rates_same_owner=plan.rates_same_owner,
        created_at_us=now_us(),
        more_waves=plan.more_waves,
    )
    session.add(tournament)
    session.flush()
    entrants = [
        {"tournament_id": tournament.id, "position": position, "version_id": version}
        for position, version in enumerate(plan.entrants)
    ]
    session.connection().execute(insert(tables.entrant), entrants)
    return tournament


def _check_plan(plan: TournamentPlan) -> None:
    _check_entered_once(plan.entrants)
    if not any(block.matches for block in plan.blocks):
        raise PlanError("the tournament has no matches; enter more bots or ask for more rounds")
    check_blocks(plan.blocks, seats=plan.pool.seats, rated=plan.rated, entrants=set(plan.entrants))


def _check_entered_once(entrants: Sequence[str]) -> None:
    twice = [version for version, count in Counter(entrants).items() if count > 1]
    if twice:
        raise PlanError(f"version {twice[0]} is entered twice; enter every version once")


def check_blocks(blocks: Sequence[BlockPlan], *, seats: int, rated: bool, entrants: Set[str]) -> None:
    """Raise PlanError unless the blocks can be played by these versions in so many seats."""
    if len({block.index for block in blocks}) != len(blocks):
        raise PlanError("two blocks have the same index")
    for block in blocks:
        _check_block(block, seats, rated, entrants)


def _check_block(block: BlockPlan, seats: int, rated: bool, entrants: Set[str]) -> None:
    if not 0 <= block.chance_seed <= _LARGEST_SEED:
        raise PlanError(f"block {block.index}: a chance seed is 0 or more and below 2^53")
    if len({match.rotation for match in block.matches}) != len(block.matches):
        raise PlanError(f"block {block.index}: two matches have the same rotation")
    for match in block.matches:
        place = f"block {block.index}, rotation {match.rotation}"
        if len(match.versions) != seats:
            raise PlanError(f"{place}: {len(match.versions)} versions for {seats} seats")
        if rated and len(set(match.versions)) != seats:
            raise PlanError(f"{place}: one version sits in two seats; that can only be played unrated")
        if not set(match.versions) <= entrants:
            raise PlanError(f"{place}: a version plays that is not entered")


def check_versions(session: Session, versions: Sequence[str]) -> None:
    """Raise PlanError for a version that does not exist, BotError for one whose bot is disabled."""
    query = select(Version.id, Bot.name, Bot.disabled_at_us).join(Bot).where(col(Version.id).in_(versions))
    found = {version: (name, disabled) for version, name, disabled in session.exec(query)}
    for version in versions:
        if version not in found:
            raise PlanError(f"there is no version {version}; add the bot first")
        name, disabled = found[version]
        if disabled is not None:
            raise BotError(
                f"bot {name!r} is disabled; leave it out, or let it in again: arena bot disable {name} --undo"
            )


def write_wave(
    session: Session,
    tournament_id: str,
    index: int,
    plans: Sequence[BlockPlan],
    *,
    planned_at_us: int,
    first_position: int = 0,
) -> None:
    """Write blocks and matches down, in schedule order from `first_position` on, and that they are wave `index`."""
    wave = {"tournament_id": tournament_id, "index": index, "first_block": min(plan.index for plan in plans)}
    session.connection().execute(insert(tables.wave), {**wave, "blocks": len(plans), "planned_at_us": planned_at_us})
    blocks: list[dict[str, Any]] = []
    matches: list[dict[str, Any]] = []
    seats: list[dict[str, Any]] = []
    for plan in plans:
        block = {"id": new_id(), "tournament_id": tournament_id, "index": plan.index}
        blocks.append({**block, "opening": list(plan.opening), "chance_seed": plan.chance_seed})
        for match in plan.matches:
            match_id = new_id()
            matches.append(
                {
                    "id": match_id,
                    "tournament_id": tournament_id,
                    "block_id": block["id"],
                    "rotation": match.rotation,
                    "position": first_position + len(matches),
                    "state": MatchState.PLANNED,
                    "attempt": 0,
                }
            )
            seats.extend(
                {"match_id": match_id, "seat": seat, "version_id": version}
                for seat, version in enumerate(match.versions)
            )
    connection = session.connection()
    connection.execute(insert(tables.block), blocks)
    connection.execute(insert(tables.match), matches)
    connection.execute(insert(tables.match_seat), seats)
