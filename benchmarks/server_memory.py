"""What the ladders of a large book remember of all waves that are over: made up, and as long as a real one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sqlmodel import Session, col, select

from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.ladder_memory import LadderMemory
from arena.tournament.formats.past import Past, Tally
from arena.tournament.formats.remembering import to_json
from benchmarks.server_layout import TOURNAMENTS_A_POOL, Segment
from benchmarks.server_rows import TOURNAMENT, text_id
from ratings.ledger.tournaments import WaveLedger
from ratings.statistics.skill import Skill
from ratings.store.models import EntrantRecord, EntrantTallyRecord
from ratings.store.waves import WaveMemory


def remember(session: Session, found: Iterable[Segment]) -> None:
    """Write what ladders remember of all waves but those that are still to be played."""
    last = {segment.tournament: segment for segment in found if segment.tournament % TOURNAMENTS_A_POOL == 0}
    for number, wave in last.items():
        id_, is_over = text_id(TOURNAMENT, number), wave.first_seq is not None
        entrants = _entrants(session, id_)
        tallies = _tallies(session, id_, entrants, wave.reach)
        own = LadderMemory({version: Skill(25.0, 0.8) for version in tallies}, dict.fromkeys(tallies, 0))
        waves = wave.wave + is_over
        blocks = (wave.first_place + wave.matches * is_over) // 2
        data = to_json(LadderFormat(2, 0), Past(waves=waves, blocks=blocks, tallies=tallies, own=own), entrants)
        WaveLedger(session, id_).remember(WaveMemory(waves - 1, data), None)


def _entrants(session: Session, tournament_id: str) -> list[str]:
    query = select(EntrantRecord.version_id).where(EntrantRecord.tournament_id == tournament_id)
    return list(session.exec(query.order_by(col(EntrantRecord.position))))


def _tallies(session: Session, tournament_id: str, entrants: list[str], reach: int) -> dict[str, Tally]:
    """Return how everybody fared, who met those before and behind him in the order of entry."""
    rows = session.exec(select(EntrantTallyRecord).where(EntrantTallyRecord.tournament_id == tournament_id))
    tallies = {row.version_id: _tally(row) for row in rows}
    for place, version in enumerate(entrants):
        near = (entrants[(place + step) % len(entrants)] for step in range(1, reach + 1))
        for other in near:
            if version in tallies and other in tallies:
                tallies[version].met[other] += 1
                tallies[other].met[version] += 1
    return tallies


def _tally(row: EntrantTallyRecord) -> Tally:
    met: Counter[str] = Counter()
    return Tally(row.block_points, 2 * row.block_matches, row.blocks, planned=row.blocks, met=met)
