"""What would be written of a tournament, before it is. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.tournament.forecast import count_matches
from arena.tournament.formats.blocks import BlockDraw
from arena.tournament.formats.format import Format
from arena.tournament.formats.situation import Entrant
from ratings.ledger.tournaments import TournamentPlan
from ratings.read.bots import NamedVersion
from ratings.store.waves import OWNERS_APART


@dataclass(frozen=True, slots=True)
class Draft:
    """What would be written of a tournament."""

    plan: TournamentPlan
    draw: BlockDraw
    seated: Sequence[NamedVersion]
    """The versions in the order of entry, of a single match one for each seat."""
    form: Format | None = None
    """`None` for a single match."""

    @property
    def entrants(self) -> list[NamedVersion]:
        """The versions, each once, in the order of entry."""
        return list({one.version.id: one for one in self.seated}.values())

    def count_matches(self) -> tuple[int | None, bool]:
        """Return how many matches it has, `None` without end, and whether results may make them fewer."""
        if self.form is None:
            return 1, False
        is_apart = OWNERS_APART in self.plan.settings
        owners = [one.bot.owner_id if is_apart else None for one in self.seated]
        entrants = [Entrant(one.version.id, owner=owner) for one, owner in zip(self.seated, owners, strict=True)]
        return count_matches(self.form, tuple(entrants), self.draw.secret)
