"""Plans the matches in which a bot is tested at home: each ground against each sample. Pure.

Equal lineups plan equal matches. Each has an opening, dice and seeds of its own, the same against every sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.tournament.formats.openings import draw_opening
from arena.tournament.formats.seeds import derive, secret_from_seed
from arena.trial.seats import RANDOM
from arena.trial.values import Bout, Ground
from engine import registry


@dataclass(frozen=True, slots=True)
class Lineup:
    """A bot, and against whom it is tested where."""

    bot: SeatSpec
    grounds: tuple[Ground, ...]
    """At least one; those of one game stand together, the fewest seats first."""
    samples: Mapping[str, SeatSpec]
    """At least one by name; in its matches it sits in all seats that are not the bot's."""
    clock: TimeControl
    seed: int
    matches: int = 0
    """How many on each ground against each sample; 0 for one in every seat."""
    cores: int = 1
    """How many processor cores each bot is granted."""

    def first_bouts(self) -> list[Bout]:
        """Return one match of each game for new processes, to see whether it plays at all."""
        first: dict[str, Ground] = {}
        for ground in self.grounds:
            first.setdefault(ground.game, ground)
        bouts = [self._bout(ground, self._samples_on(ground)[0], 0) for ground in first.values()]
        return [replace(bout, spec=replace(bout.spec, uses_fresh_bots=True)) for bout in bouts]

    def other_bouts(self, games: Iterable[str]) -> list[Bout]:
        """Return all matches of these games but the first of each."""
        first = {bout.spec.match_id for bout in self.first_bouts()}
        wanted = frozenset(games)
        bouts = (
            self._bout(ground, sample, index)
            for ground in self.grounds
            if ground.game in wanted
            for index in range(self.matches or ground.seats)
            for sample in self._samples_on(ground)
        )
        return [bout for bout in bouts if bout.spec.match_id not in first]

    def _samples_on(self, ground: Ground) -> list[str]:
        """Return who can play there: only the random one knows what to do in a game that values no position."""
        names = list(self.samples)
        if registry.get(ground.game).playable is None and RANDOM in names:
            return [RANDOM]
        return names

    def _bout(self, ground: Ground, sample: str, index: int) -> Bout:
        own = index % ground.seats
        secret = secret_from_seed(self.seed)

        def draw(*what: str | int) -> int:
            return derive(secret, ground.game, ground.seats, index, *what)

        game, chance_seed = registry.get(ground.game), draw("chance")
        spec = MatchSpec(
            match_id=f"{ground.game}-{ground.seats}-{sample}-{index + 1}",
            attempt=1,
            game=ground.game,
            rules_version=ground.rules_version,
            options=ground.options,
            clock=self.clock,
            cores=self.cores,
            chance_seed=chance_seed,
            opening=draw_opening(
                game,
                seats=ground.seats,
                options=game.parse_options(ground.options),
                chance_seed=chance_seed,
                seed=draw("opening"),
            ),
            seats=tuple(
                replace(self.bot if seat == own else self.samples[sample], seed=draw("bot", seat))
                for seat in range(ground.seats)
            ),
            keeps_logs=True,
        )
        return Bout(ground, spec, (own,))


def opponent_in(bout: Bout) -> str:
    """Return the name of the sample in a match of a lineup."""
    return next(seat.name for index, seat in enumerate(bout.spec.seats) if index not in bout.own)
