"""Plans the matches in which a bot is tested by its author: each setup against each sample.

Equal lineups plan equal matches. Each has an opening, dice and seeds of its own, the same against every sample. The
setups are every game that the bot claims and that is installed, with all its seats. Only `sample_seat` reads files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from arena.hosting.content import content_hash
from arena.hosting.manifest import load_manifest, resolve_command
from arena.hosting.sample_bots import sample_directory
from arena.match.spec import DRAWN_LATER, MatchSpec, SeatSpec
from arena.match.time_control import TimeControl
from arena.model.bots import Finding
from arena.tournament.formats.openings import draw_opening
from arena.tournament.formats.random_seeds import derive, secret_from_seed
from arena.trial.trials import RULES, TrialMatch, TrialSetup, failed, one_of_each_game
from engine import registry
from engine.translatable import Text

EVERY_GAME = "*"
RANDOM, GREEDY, SEARCH = "random", "greedy", "search"
QUICK_SAMPLES = (RANDOM, GREEDY)
RIVAL = SEARCH


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
        trials = [self._trial(setup, self._samples_on(setup)[0], 0) for setup in one_of_each_game(self.setups)]
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
        """Return the samples that can play a setup: only the random one can if the game values no position."""
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


def setups_of(games: Sequence[str]) -> tuple[TrialSetup, ...]:
    """Return the setups of a manifest's `games`, with default options; empty if it plays nothing that is installed."""
    claimed = [registry.get(name) for name in registry.names() if name in games or EVERY_GAME in games]
    return tuple(TrialSetup(game.name, game.rules_version, seats) for game in claimed for seats in game.seats)


def of_known_rules(
    setups: Sequence[TrialSetup], rules: Mapping[str, str]
) -> tuple[tuple[TrialSetup, ...], tuple[Finding, ...]]:
    """Return the setups whose installed rules a bot knows, and a finding for each game of which it knows others.

    `rules` is the table of its manifest: the one version that it knows of some games.
    """
    known = tuple(setup for setup in setups if rules.get(setup.game, setup.rules_version) == setup.rules_version)
    others = {setup.game: setup.rules_version for setup in setups if setup not in known}
    return known, tuple(_other_rules(game, rules[game], installed) for game, installed in others.items())


def _other_rules(game: str, version: str, installed: str) -> Finding:
    return failed(
        RULES,
        Text(
            "Its bot.toml says that it knows version {version} of the rules of {game} only, and version {installed} is "
            "installed here, so it plays none of it. Adapt it to what `arena game show {game_2}` tells, and write "
            "{line} into [rules].",
            version=version,
            game=game,
            installed=installed,
            game_2=game,
            line=f'{game} = "{installed}"',
        ),
        {"game": game, "rules_version": version, "installed": installed},
    )


def sample_seat(name: str, level: str, *arguments: str) -> SeatSpec:
    """Return a seat for an installed sample bot, started with these further arguments.

    It counts as not deterministic, since samples are not checked for leaks. Raises BotDirectoryError if it is not
    installed.
    """
    directory = sample_directory(name).resolve()
    manifest = load_manifest(directory)
    return SeatSpec(
        version=content_hash(directory),
        name=name,
        directory=str(directory),
        command=(*resolve_command(manifest, directory), *arguments),
        seed=DRAWN_LATER,
        memory_mb=manifest.memory_mb,
        sandbox=level,
        protocol=manifest.protocol,
        games=manifest.games,
    )
