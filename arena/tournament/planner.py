"""Plans the waves of a tournament as they become ready, each in one transaction, and reads the table of its format.

What is planned is a function of what the database holds, so it does not matter who plans a wave, when, or how often
it was tried before.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.tournament.formats import catalog, seeds
from arena.tournament.formats.blocks import BlockMaker
from arena.tournament.formats.format import Format, Standing
from arena.tournament.formats.situation import BlockState, Entrant, PlayedBlock, Situation, Wave
from arena.tournament.formats.waves import is_ready, plan_wave
from engine import registry as games
from ratings.ledger import waves
from ratings.ledger.waves import MatchRecord, PlannedWave
from ratings.store import models
from ratings.store.database import Session
from ratings.store.models import MatchState, Pool, Tournament


class Planner:
    """Knows the format of one tournament, and remembers the waves that are over."""

    def __init__(self, tournament_id: str, form: Format, maker: BlockMaker) -> None:
        self._tournament_id = tournament_id
        self._form = form
        self._maker = maker
        self._seed = seeds.schedule_seed(maker.secret)
        self._spans: list[PlannedWave] | None = None
        self._over: list[Wave] = []
        self._is_complete = False

    @classmethod
    def of(cls, session: Session, tournament: Tournament) -> Planner | None:
        """The planner of a tournament in the database; None for a single match, which has no format."""
        pool = session.get_one(Pool, tournament.pool_id)
        form = catalog.from_settings(tournament.format, pool.seats, tournament.settings)
        if form is None:
            return None
        game = games.get(pool.game)
        secret, plies = bytes.fromhex(tournament.secret), tournament.settings["opening_plies"]
        return cls(tournament.id, form, BlockMaker(game, pool.seats, game.parse_options(pool.options), secret, plies))

    @property
    def form(self) -> Format:
        """The format with the settings of the tournament."""
        return self._form

    def plan_ready(self, session: Session) -> int:
        """Plan every wave that can be planned now; how many matches they have.

        Inside the caller's transaction, so that a result and the wave that follows from it are written together.
        """
        planned = 0
        while not self._is_complete and self._is_ready(session):
            planned += self._plan_next(session)
        return planned

    def _is_ready(self, session: Session) -> bool:
        spans = self._planned(session)
        if self._is_complete:
            return False
        first_open = waves.first_open_block(session, self._tournament_id)
        for span in spans[len(self._over) :]:
            if first_open is not None and first_open < span.first_block + span.blocks:
                break
            self._over.append(self._read(session, span))
        return is_ready(self._form, len(spans), len(self._over))

    def _planned(self, session: Session) -> list[PlannedWave]:
        """Only who holds the lock of the tournament plans waves, so they are read once."""
        if self._spans is None:
            self._spans = waves.planned_waves(session, self._tournament_id)
            self._is_complete = not waves.lock(session, self._tournament_id).more_waves
        return self._spans

    def _plan_next(self, session: Session) -> int:
        spans = self._planned(session)
        entrants = [_entrant(row) for row in waves.entrants(session, self._tournament_id)]
        played = [*self._over, *(self._read(session, span) for span in spans[len(self._over) :])]
        orders = plan_wave(self._form, entrants, played, self._seed)
        first = spans[-1].first_block + spans[-1].blocks if spans else 0
        shared = self._form.blocks_a_seed
        blocks = [self._maker.block(first + number, order, shared) for number, order in enumerate(orders)]
        if not waves.add_wave(session, self._tournament_id, len(spans), blocks):
            self._is_complete = True  # cancelled meanwhile
            return 0
        self._is_complete = not blocks
        self._spans = [*spans, PlannedWave(first, len(blocks))]
        return sum(len(block.matches) for block in blocks)

    def _read(self, session: Session, span: PlannedWave) -> Wave:
        records = waves.block_records(session, self._tournament_id, span.first_block, span.blocks)
        return tuple(played_block(matches) for matches in records)

    def situation(self, session: Session) -> Situation:
        """Everything that was planned and played so far; entrants by version id."""
        entrants = [_entrant(row) for row in waves.entrants(session, self._tournament_id)]
        played = [self._read(session, span) for span in waves.planned_waves(session, self._tournament_id)]
        return Situation(tuple(entrants), tuple(played), self._seed)

    def standings(self, session: Session) -> list[Standing]:
        """The table of the format so far, best first; entrants by version id."""
        return self._form.standings(self.situation(session))


def _entrant(row: models.Entrant) -> Entrant:
    return Entrant(row.version_id, row.joined_wave, row.withdrawn_wave)


def played_block(matches: Sequence[MatchRecord]) -> PlayedBlock:
    """A block as formats see it: whole only if all its matches are finished, void as soon as one is void."""
    order = matches[0].versions
    if any(match.state is MatchState.VOID for match in matches):
        # Not before the others are over too: a wave ends at one moment for everybody.
        return PlayedBlock(order, BlockState.VOID)
    if any(match.state is not MatchState.FINISHED for match in matches):
        return PlayedBlock(order)
    ranks = tuple(tuple(rank or 0 for rank in match.ranks) for match in matches)
    forfeits = tuple(
        frozenset(version for version, forfeited in zip(match.versions, match.has_forfeited, strict=True) if forfeited)
        for match in matches
    )
    return PlayedBlock(order, BlockState.WHOLE, ranks, forfeits, tuple(match.game_digest or "" for match in matches))
