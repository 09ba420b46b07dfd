"""Plans the matches in which a bot is tested by its author: each setup against each sample. Pure.

Equal lineups plan equal matches. Each has an opening, dice and seeds of its own, the same against every sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.tournament.formats.blocks import draw_opening
from arena.tournament.formats.seeds import derive, secret_from_seed
from arena.trial.seats import RANDOM
from arena.trial.values import TrialMatch, TrialSetup
from engine import registry


@dataclass(frozen=True, slots=True)
class Lineup:
    """A bot, and against whom it is tested where."""

    bot: SeatSpec
    setups: tuple[TrialSetup, ...]
    """At least one; those of one game stand together, the fewest seats first."""
    samples: Mapping[str, SeatSpec]
    """At least one by name; in its matches it sits in all seats that are not the bot's."""
    clock: TimeControl
    seed: int
    matches: int = 0
    """How many on each setup against each sample; 0 for one in every seat."""
    cores: int = 1
    """How many processor cores each bot is granted."""

    def first_trials(self) -> list[TrialMatch]:
        """Return one match of each game for new processes, to see whether it plays at all."""
        first: dict[str, TrialSetup] = {}
        for setup in self.setups:
            first.setdefault(setup.game, setup)
        trials = [self._trial(setup, self._samples_on(setup)[0], 0) for setup in first.values()]
        return [replace(trial, spec=replace(trial.spec, uses_fresh_bots=True)) for trial in trials]

    def other_trials(self, games: Iterable[str]) -> list[TrialMatch]:
        """Return all matches of these games but the first of each."""
        first = {trial.spec.match_id for trial in self.first_trials()}
        wanted = frozenset(games)
        trials = (
            self._trial(setup, sample, index)
            for setup in self.setups
            if setup.game in wanted
            for index in range(self.matches or setup.seats)
            for sample in self._samples_on(setup)
        )
        return [trial for trial in trials if trial.spec.match_id not in first]

    def _samples_on(self, setup: TrialSetup) -> list[str]:
        """Return who can play there: only the random one knows what to do in a game that values no position."""
        names = list(self.samples)
        if registry.get(setup.game).playable is None and RANDOM in names:
            return [RANDOM]
        return names

    def _trial(self, setup: TrialSetup, sample: str, index: int) -> TrialMatch:
        own = index % setup.seats
        secret = secret_from_seed(self.seed)

        def draw(*what: str | int) -> int:
            return derive(secret, setup.game, setup.seats, index, *what)

        game, chance_seed = registry.get(setup.game), draw("chance")
        spec = MatchSpec(
            match_id=f"{setup.game}-{setup.seats}-{sample}-{index + 1}",
            attempt=1,
            game=setup.game,
            rules_version=setup.rules_version,
            options=setup.options,
            clock=self.clock,
            cores=self.cores,
            chance_seed=chance_seed,
            opening=draw_opening(
                game,
                seats=setup.seats,
                options=game.parse_options(setup.options),
                chance_seed=chance_seed,
                seed=draw("opening"),
            ),
            seats=tuple(
                replace(self.bot if seat == own else self.samples[sample], seed=draw("bot", seat))
                for seat in range(setup.seats)
            ),
            keeps_logs=True,
        )
        return TrialMatch(setup, spec, (own,))


def opponent_in(trial: TrialMatch) -> str:
    """Return the name of the sample in a match of a lineup."""
    return next(seat.name for index, seat in enumerate(trial.spec.seats) if index not in trial.own)
