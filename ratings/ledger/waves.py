"""Writes the waves of a tournament, each in one transaction and once, whoever tries."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import chain
from typing import Any, Protocol

from sqlalchemy import insert
from sqlmodel import Session, select

from engine.text import Text
from ratings.errors import NotFoundError, PlanError
from ratings.ledger import memories
from ratings.ledger.memories import Gathered
from ratings.statistics.blocks import Block, Seating
from ratings.store import tables, waves
from ratings.store.identifiers import new_id, now_us
from ratings.store.models import PoolRecord, TournamentRecord
from ratings.store.waves import EnteredVersion, PlannedWave, WaveBlock, WaveMemory, count_progress
from ratings.values.states import MatchState

_LARGEST_SEED = 2**53 - 1
_BLOCKS_AT_ONCE = 1000
Row = dict[str, Any]


class WaveLedger:
    """What a planner reads and writes of its tournament; valid only while the ledger's transaction is open."""

    def __init__(self, session: Session, tournament_id: str) -> None:
        self._session, self._tournament_id = session, tournament_id

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
        data = {**memory.data, waves.ANNULLED: self.annulled()}
        written = WaveMemory(memory.index, data)
        memories.remember(self._session.connection(), self._tournament_id, written, instead_of)

    def gather(self, groups: Sequence[Gathered]) -> None:
        """Add blocks of waves that are remembered from now on: who sat in each, by place in the order of entry."""
        memories.gather(self._session.connection(), self._tournament_id, groups)

    def gathered(self, group: Gathered) -> int:
        """Return how many blocks that were given to `gather` had exactly these entrants."""
        return memories.gathered(self._session.connection(), self._tournament_id, group)

    def forget(self) -> None:
        """Remember nothing, and nobody who gathered."""
        memories.forget(self._session.connection(), self._tournament_id)

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
        return add_wave(self._session, self._tournament_id, index, blocks, kept)


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
        raise NotFoundError(
            Text(
                "ratings.no_tournament_see_arena_tournament",
                "no tournament {tournament}; see: arena tournament list",
                tournament=tournament_id,
            )
        )
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
        session.add(tournament)
        session.flush()
        return True
    _check_wave(session, tournament, blocks)
    # The first wave is part of what is created.
    planned_at_us = now_us() if index else tournament.created_at_us
    _write_wave(session, tournament_id, index, blocks, planned_at_us)
    _write_blocks(session, tournament, blocks)
    session.expire_all()
    return True


def _check_wave(session: Session, tournament: TournamentRecord, blocks: Sequence[Block]) -> None:
    """Raise PlanError unless the blocks can be played by the tournament's entrants."""
    if len({block.index for block in blocks}) != len(blocks):
        raise PlanError("two blocks have the same index")
    seats = session.get_one(PoolRecord, tournament.pool_id).seats
    entrants = {entrant.version_id for entrant in waves.entered_versions(session, tournament.id)}
    for block in blocks:
        _check_block(block, seats, entrants, is_rated=tournament.rated)


def _check_block(block: Block, seats: int, entrants: Set[str], *, is_rated: bool) -> None:
    if not 0 <= block.chance_seed <= _LARGEST_SEED:
        raise PlanError(f"block {block.index}: a chance seed is 0 or more and below 2^53")
    if len(block.order) != seats:
        raise PlanError(f"block {block.index}: {len(block.order)} versions for {seats} seats")
    if is_rated and len(set(block.order)) != seats:
        raise PlanError(f"block {block.index}: one version sits in two seats; that can only be played unrated")
    if not set(block.order) <= entrants:
        raise PlanError(f"block {block.index}: a version plays that is not entered")


def _write_wave(session: Session, tournament_id: str, index: int, blocks: Sequence[Block], planned_at_us: int) -> None:
    row = {"tournament_id": tournament_id, "index": index, "first_block": min(block.index for block in blocks)}
    session.connection().execute(insert(tables.wave), {**row, "blocks": len(blocks), "planned_at_us": planned_at_us})


def _write_blocks(session: Session, tournament: TournamentRecord, blocks: Sequence[Block]) -> None:
    """Write the blocks and their matches, in schedule order behind the matches that are planned already.

    They are written some at a time: a round robin may have a hundred thousand.
    """
    tournament_id, pool_id = tournament.id, tournament.pool_id
    position, connection = count_progress(session, tournament_id).total, session.connection()
    for start in range(0, len(blocks), _BLOCKS_AT_ONCE):
        part = [(block, _block_row(tournament_id, block)) for block in blocks[start : start + _BLOCKS_AT_ONCE]]
        seatings = [(row, rotation, it) for block, row in part for rotation, it in enumerate(block.rotations())]
        matches = [_match_row(row, pool_id, rotation, position + n) for n, (row, rotation, _) in enumerate(seatings)]
        position += len(matches)
        connection.execute(insert(tables.block), [row for _, row in part])
        connection.execute(insert(tables.match), matches)
        seats = [_seat_rows(match, seating) for match, (_, _, seating) in zip(matches, seatings, strict=True)]
        connection.execute(insert(tables.match_seat), list(chain.from_iterable(seats)))


def _block_row(tournament_id: str, block: Block) -> Row:
    return {
        "id": new_id(),
        "tournament_id": tournament_id,
        "index": block.index,
        "opening": list(block.opening),
        "chance_seed": block.chance_seed,
    }


def _match_row(block: Row, pool_id: str, rotation: int, position: int) -> Row:
    return {
        "id": new_id(),
        "tournament_id": block["tournament_id"],
        "block_id": block["id"],
        "rotation": rotation,
        "position": position,
        "state": MatchState.PLANNED,
        "attempt": 0,
        "pool_id": pool_id,
    }


def _seat_rows(match: Row, seating: Seating) -> list[Row]:
    return [{"match_id": match["id"], "seat": seat, "version_id": version} for seat, version in enumerate(seating)]
