"""Writes new tournaments with their entrants, cancels them, and writes their waves, each in one transaction and once.

With each wave is kept what a format remembers of those before it, and in how many blocks the same entrants sat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from sqlalchemy import Connection, bindparam, delete, insert, null, update
from sqlalchemy import select as core_select
from sqlmodel import Session, col, select

from engine.translatable import Text
from ratings.errors import BotError, NotFoundError, PlanError
from ratings.ledger.leasing import release
from ratings.ledger.rating import pool_for, rate_prefix
from ratings.statistics.blocks import Block
from ratings.statistics.skill import SkillSettings
from ratings.store import tables, waves
from ratings.store.identifiers import new_id, now_us
from ratings.store.ladder_queries import annulled
from ratings.store.models import BotRecord, PoolRecord, TournamentRecord, VersionRecord, with_text
from ratings.store.sessions import Source, get_tournament, read, save
from ratings.store.waves import EnteredVersion, PlannedWave, WaveBlock, WaveMemory, count_progress
from ratings.values.pools import Pool
from ratings.values.states import MatchState

_m, _w, _g = tables.match, tables.wave, tables.gathering
_LARGEST_SEED = 2**53 - 1
_BLOCKS_AT_ONCE = 1000
Row = dict[str, Any]
Gathered: TypeAlias = tuple[int, ...]
"""The entrants of a block: their places in the order of entry, ascending, each once."""
_THIS = (_w.c.tournament_id == bindparam("tournament"), _w.c.index == bindparam("the_index"))
_REMEMBER = update(_w).where(*_THIS).values(memory=bindparam("data"))
_FORGET = update(_w).where(*_THIS).values(memory=null())
_GATHERED = core_select(_g.c.blocks).where(
    _g.c.tournament_id == bindparam("tournament"), _g.c.members == bindparam("members")
)
_GATHER_AGAIN = (
    update(_g)
    .where(_g.c.tournament_id == bindparam("tournament"), _g.c.members == bindparam("the_members"))
    .values(blocks=_g.c.blocks + bindparam("more"))
)


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """All that is known of a tournament before its first wave is planned."""

    name: str
    format: str
    pool: Pool
    secret: str
    """What all seeds are derived from, in hexadecimal digits."""
    seeded: bool
    settings: Mapping[str, Any]
    entrants: Sequence[str]
    """The ids of the versions that take part, in the order of entry."""
    rated: bool = True
    rates_same_owner: bool = False
    """Whether matches between bots of one registered owner are rated too."""
    skill: SkillSettings = field(default_factory=SkillSettings)
    """The constants of the pool, if it does not exist yet."""


def write_tournament(session: Session, plan: TournamentPlan) -> TournamentRecord:
    """Write a tournament and its entrants, without any wave. Raises PlanError or BotError, with nothing written."""
    _check(session, plan)
    pool = pool_for(session, plan.pool, plan.skill)
    tournament = TournamentRecord(
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
        more_waves=True,
    )
    save(session, tournament)
    rows = [
        {"tournament_id": tournament.id, "position": position, "version_id": version}
        for position, version in enumerate(plan.entrants)
    ]
    if rows:
        session.connection().execute(insert(tables.entrant), rows)
    return tournament


def check_plan(source: Source, plan: TournamentPlan) -> None:
    """Raise PlanError or BotError if `write_tournament` would; nothing is written."""
    with read(source) as session:
        _check(session, plan)


def _check(session: Session, plan: TournamentPlan) -> None:
    twice = [version for version, count in Counter(plan.entrants).items() if count > 1]
    if twice:
        raise PlanError(Text("version {name} is entered twice; enter every version once", name=twice[0]))
    check_versions(session, plan.entrants)
    check_kinds(session, plan.entrants, remote=plan.pool.remote)


def check_versions(session: Session, versions: Sequence[str]) -> None:
    """Raise PlanError for a version that does not exist, BotError for one that may not play any more."""
    query = (
        select(VersionRecord, BotRecord.name, BotRecord.disabled_at_us)
        .join(BotRecord)
        .where(col(VersionRecord.id).in_(versions))
    )
    found = {version.id: (version, name, disabled) for version, name, disabled in session.exec(query)}
    out = annulled(session, versions)
    for version_id in versions:
        if version_id not in found:
            raise PlanError(Text("there is no version {version}; add the bot first", version=version_id))
        version, name, disabled = found[version_id]
        if disabled is not None:
            raise BotError(
                Text(
                    "bot {bot} is disabled; leave it out, or let it in again: arena bot disable {name} --undo",
                    bot=repr(name),
                    name=name,
                )
            )
        if version.withdrawn_at_us is not None or version_id in out:
            if version_id in out:
                raise BotError(
                    Text(
                        "version {number} of {bot} was annulled; leave it out, or enter another version",
                        number=version.number,
                        bot=repr(name),
                    )
                )
            raise BotError(
                Text(
                    "version {number} of {bot} was withdrawn; leave it out, or enter another version",
                    number=version.number,
                    bot=repr(name),
                )
            )
        if version.files_removed_at_us is not None:
            raise BotError(
                Text(
                    "the files of version {number} of {bot} are not here; add it again",
                    number=version.number,
                    bot=repr(name),
                )
            )


def check_kinds(session: Session, versions: Sequence[str], *, remote: bool) -> None:
    """Raise BotError for a remote bot in a pool that is not remote; a hosted one may play in either."""
    query = (
        select(BotRecord.name)
        .join(VersionRecord, col(VersionRecord.bot_id) == BotRecord.id)
        .where(col(VersionRecord.id).in_(versions))
    )
    strangers = [] if remote else session.exec(query.where(col(BotRecord.remote)).order_by(BotRecord.name)).all()
    if strangers:
        raise BotError(
            Text(
                "bot {names} is remote, and this is played by hosted bots, for whose code and clock the arena "
                "vouches; enter it in a tournament or ladder of remote bots",
                names=repr(strangers[0]),
            )
        )


def cancel(session: Session, tournament_id: str) -> int:
    """Make every match that is not over void, and return how many they were.

    Results that arrive later are not recorded. Raises NotFoundError.
    """
    tournament = get_tournament(session, tournament_id)
    release(session, tournament_id)
    why = with_text("void_reason", Text("the tournament was cancelled"))
    void = session.connection().execute(
        update(_m)
        .where(_m.c.tournament_id == tournament_id, _m.c.state == MatchState.PLANNED)
        .values(state=MatchState.VOID, **why)
    )
    cancelled = int(void.rowcount)
    if tournament.cancelled_at_us is None and (cancelled or tournament.more_waves):
        tournament.cancelled_at_us = now_us()
        tournament.more_waves = False
        save(session, tournament)
    rate_prefix(session.connection(), tournament_id)
    session.expire_all()
    return cancelled


class WaveLedger:
    """What a planner reads and writes of its tournament; valid only while the ledger's transaction is open."""

    def __init__(self, session: Session, tournament_id: str) -> None:
        self._session, self._tournament_id = session, tournament_id
        self.first_added: int | None = None
        """The index of the first wave that was written through it; `None` if none was."""

    def has_more_waves(self) -> bool:
        """Return whether further waves may be planned; from here on nobody else plans, joins or withdraws."""
        return lock(self._session, self._tournament_id).more_waves

    def entrants(self) -> list[EnteredVersion]:
        """Return everybody who ever entered, in the order of entry."""
        return waves.entered_versions(self._session, self._tournament_id)

    def planned(self, start: int = 0) -> list[PlannedWave]:
        """Return the waves from index `start` on, in order."""
        return waves.planned_waves(self._session, self._tournament_id, start)

    def newest_annulment(self) -> str | None:
        """Return what changes whenever blocks are annulled, in this tournament or another; it costs next to nothing."""
        return waves.newest_annulment(self._session)

    def annulled(self) -> int:
        """Return how many blocks were annulled so far: what is remembered from before does not count any more."""
        return waves.count_annulled(self._session, self._tournament_id)

    def memory(self) -> WaveMemory | None:
        """Return what is remembered of the most waves, or `None` if nothing is, or blocks were annulled since."""
        return waves.current_memory(self._session, self._tournament_id)

    def remember(self, memory: WaveMemory, instead_of: int | None) -> None:
        """Remember a wave that is over and all before it, instead of what was remembered of an earlier wave."""
        connection, of_wave = self._session.connection(), {"tournament": self._tournament_id}
        data = {**memory.data, waves.ANNULLED: self.annulled()}
        connection.execute(_REMEMBER, {**of_wave, "the_index": memory.index, "data": data})
        if instead_of is not None:  # only the newest is ever read
            connection.execute(_FORGET, {**of_wave, "the_index": instead_of})

    def gather(self, groups: Sequence[Gathered]) -> None:
        """Add blocks of waves that are remembered from now on: who sat in each, by place in the order of entry."""
        connection = self._session.connection()
        for group, more in Counter(groups).items():
            ask = {"tournament": self._tournament_id, "the_members": _members(group), "more": more}
            if connection.execute(_GATHER_AGAIN, ask).rowcount == 0:
                row = {"tournament_id": self._tournament_id, "members": _members(group), "blocks": more}
                connection.execute(insert(_g), row)

    def gathered(self, group: Gathered) -> int:
        """Return how many blocks that were given to `gather` had exactly these entrants."""
        ask = {"tournament": self._tournament_id, "members": _members(group)}
        return self._session.connection().execute(_GATHERED, ask).scalar_one_or_none() or 0

    def forget(self) -> None:
        """Remember nothing, and nobody who gathered."""
        forget(self._session.connection(), self._tournament_id)

    def first_open_block(self) -> int | None:
        """Return the index of the first block with a match that is neither finished nor void, or `None`."""
        return waves.first_open_block(self._session, self._tournament_id)

    def played(self, wave: PlannedWave) -> list[WaveBlock]:
        """Return the matches of every block of a wave, by rotation, as they stand."""
        return waves.block_records(self._session, self._tournament_id, wave)

    def add_wave(self, index: int, blocks: Sequence[Block], answer: Row | None = None) -> bool:
        """Write wave `index`, or, without blocks, that no wave follows any more, and the answer that is the reason.

        Return False, with nothing changed, if the wave is there already or the tournament was cancelled. Raises
        PlanError, with nothing written, for what cannot be played.
        """
        kept = None if answer is None else {**answer, waves.ANNULLED: self.annulled()}
        is_added = add_wave(self._session, self._tournament_id, index, blocks, kept)
        if is_added and blocks and self.first_added is None:
            self.first_added = index
        return is_added


class Planner(Protocol):
    """Plans the waves of one tournament."""

    def plan_ready(self, waves: WaveLedger) -> int:
        """Add every wave that can be planned now, and return how many matches they have."""


def lock(session: Session, tournament_id: str) -> TournamentRecord:
    """Return the tournament, on which nobody else can plan, join or withdraw until the transaction ends.

    Raises NotFoundError.
    """
    query = select(TournamentRecord).where(TournamentRecord.id == tournament_id).with_for_update()
    found = session.exec(query).one_or_none()
    if found is None:
        raise NotFoundError(Text("no tournament {tournament}; see: arena tournament list", tournament=tournament_id))
    return found


def add_wave(
    session: Session, tournament_id: str, index: int, blocks: Sequence[Block], answer: Row | None = None
) -> bool:
    """Write wave `index`, or, without blocks, that no wave follows any more; see `WaveLedger.add_wave`."""
    tournament = lock(session, tournament_id)
    if not tournament.more_waves or waves.count_waves(session, tournament_id) != index:
        return False
    if not blocks:
        tournament.more_waves = False
        tournament.answer = answer
        save(session, tournament)
        return True
    if len({block.index for block in blocks}) != len(blocks):
        raise PlanError("two blocks have the same index")
    seats = session.get_one(PoolRecord, tournament.pool_id).seats
    entrants = {entrant.version_id for entrant in waves.entered_versions(session, tournament.id)}
    for block in blocks:
        if not 0 <= block.chance_seed <= _LARGEST_SEED:
            raise PlanError(f"block {block.index}: a chance seed is 0 or more and below 2^53")
        if len(block.order) != seats:
            raise PlanError(f"block {block.index}: {len(block.order)} versions for {seats} seats")
        if tournament.rated and len(set(block.order)) != seats:
            raise PlanError(f"block {block.index}: one version sits in two seats; that can only be played unrated")
        if not set(block.order) <= entrants:
            raise PlanError(f"block {block.index}: a version plays that is not entered")
    # The first wave is part of what is created.
    planned_at_us = now_us() if index else tournament.created_at_us
    wave = {"tournament_id": tournament_id, "index": index, "planned_at_us": planned_at_us}
    wave |= {"first_block": min(block.index for block in blocks), "blocks": len(blocks)}
    session.connection().execute(insert(tables.wave), wave)
    _write_blocks(session, tournament, blocks)
    session.expire_all()
    return True


def _write_blocks(session: Session, tournament: TournamentRecord, blocks: Sequence[Block]) -> None:
    """Write the blocks and their matches, in schedule order behind the matches that are planned already.

    They are written some at a time: a round robin may have a hundred thousand.
    """
    tournament_id, pool_id = tournament.id, tournament.pool_id
    position, connection = count_progress(session, tournament_id).total, session.connection()
    for start in range(0, len(blocks), _BLOCKS_AT_ONCE):
        part = [
            (
                block,
                {
                    "id": new_id(),
                    "tournament_id": tournament_id,
                    "index": block.index,
                    "opening": list(block.opening),
                    "chance_seed": block.chance_seed,
                },
            )
            for block in blocks[start : start + _BLOCKS_AT_ONCE]
        ]
        seatings = [(row, rotation, it) for block, row in part for rotation, it in enumerate(block.rotations())]
        matches = [
            {
                "id": new_id(),
                "tournament_id": row["tournament_id"],
                "block_id": row["id"],
                "rotation": rotation,
                "position": position + n,
                "state": MatchState.PLANNED,
                "attempt": 0,
                "pool_id": pool_id,
            }
            for n, (row, rotation, _) in enumerate(seatings)
        ]
        position += len(matches)
        connection.execute(insert(tables.block), [row for _, row in part])
        connection.execute(insert(tables.match), matches)
        seats = [
            {"match_id": match["id"], "seat": seat, "version_id": version}
            for match, (_, _, seating) in zip(matches, seatings, strict=True)
            for seat, version in enumerate(seating)
        ]
        connection.execute(insert(tables.match_seat), seats)


def forget(connection: Connection, tournament_id: str) -> None:
    """Take away all memories of a tournament, and who gathered."""
    remembered = _w.c.memory.is_not(None)
    connection.execute(update(_w).where(_w.c.tournament_id == tournament_id, remembered).values(memory=null()))
    connection.execute(delete(_g).where(_g.c.tournament_id == tournament_id))


def _members(group: Gathered) -> str:
    return ",".join(map(str, group))
