"""What `arena bot test` and `arena bot watch` may be told, and what they make of it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import join
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import printable
from arena.cli.shared.errors import MisuseError, unknown
from arena.cli.shared.hosting import AUTO, RuntimesFile, read_hosting
from arena.cli.shared.language import say, translated
from arena.cli.shared.match_order import DEFAULT_START_LIMIT, DEFAULT_TIME, Cores, Seed, StartLimit, granted_workers
from arena.cli.shared.options import Workers, get_game, parse_names
from arena.hosting.errors import SandboxUnavailableError
from arena.hosting.manifest import load_manifest
from arena.hosting.procfs.processes import has_proc
from arena.hosting.sandbox.host_capacity import check_host
from arena.hosting.sandbox.limits import NONE, SandboxPolicy, find_level, strongest_level
from arena.match.spec import SeatSpec
from arena.match.time_control import TimeControl, parse_time_control
from arena.trial.artifacts import ArtifactDirectory, held, usual_place
from arena.trial.lineup import GREEDY, RANDOM, SEARCH, sample_seat, setups_of
from arena.trial.trials import TrialSetup
from engine.translatable import Text

SAMPLES = (RANDOM, GREEDY, SEARCH)
DEFAULT_AGAINST = ",".join(SAMPLES)
SEARCH_PLAYOUTS = 20
_QUICK_SAMPLES = (RANDOM, GREEDY)
_SEED_BITS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class BotTestOptions:
    """What a test shall be like: its fields are the options of both commands."""

    directory: Annotated[Path, typer.Argument(metavar="DIRECTORY", show_default=False)]
    game: Annotated[str | None, typer.Option("--game", metavar="GAME")] = None
    seats: Annotated[int | None, typer.Option("--seats", metavar="N")] = None
    against: Annotated[str, typer.Option("--against", metavar="A,B,...")] = DEFAULT_AGAINST
    matches: Annotated[int, typer.Option("--matches", min=0, metavar="N")] = 0
    quick: Annotated[bool, typer.Option("--quick")] = False
    time: Annotated[str, typer.Option("--time", "--time-control", metavar="TIME")] = DEFAULT_TIME
    cores: Cores = 1
    start_limit: StartLimit = DEFAULT_START_LIMIT
    seed: Seed = None
    workers: Workers = 0
    sandbox: Annotated[str, typer.Option("--sandbox", metavar="LEVEL")] = AUTO
    runtimes: RuntimesFile = settings.RUNTIMES.default
    keep: Annotated[Path | None, typer.Option("--keep", metavar="DIRECTORY")] = None

    @property
    def clock(self) -> TimeControl:
        """The time control. Raises TimeControlError, MisuseError."""
        start = parse_time_control(self.start_limit).decision_limit_us
        if not start:
            raise MisuseError(
                Text(
                    "--start-limit {text} is no time; write for example --start-limit 10s", text=repr(self.start_limit)
                )
            )
        return replace(parse_time_control(self.time), start_limit_us=start)

    @property
    def number_of_matches(self) -> int:
        """How many matches are played in each setting; 0 for one in every seat."""
        return self.matches or (1 if self.quick else 0)

    def drawn_seed(self) -> int:
        """Return the seed that was asked for, or one that is drawn."""
        return secrets.randbits(_SEED_BITS) if self.seed is None else self.seed

    def samples(self) -> Mapping[str, SeatSpec]:
        """Return the seats of the samples. Raises MisuseError for one that is not there, BotDirectoryError."""
        names = (
            _QUICK_SAMPLES if self.quick and self.against == DEFAULT_AGAINST else parse_names(self.against, "against")
        )
        for name in names:
            if name not in SAMPLES:
                raise unknown("sample", name, SAMPLES, Text("there are {names}", names=", ".join(SAMPLES)))
        arguments = {SEARCH: ("--playouts", str(SEARCH_PLAYOUTS))}
        return {name: sample_seat(name, NONE, *arguments.get(name, ())) for name in names}

    def check(self) -> None:
        """Check the options, the bot's manifest, and what this machine allows.

        Raises MisuseError, TimeControlError, BotDirectoryError, HostingError.
        """
        if self.clock.may_ponder and self.cores > 1:
            raise MisuseError(Text("pondering bots share one core; leave out pondering, or --cores"))
        granted_workers(self.workers, self.cores)
        check_host(1)
        self.samples()
        if self.game is not None:
            game = get_game(self.game)
            if self.seats is not None:
                game.check_seats(self.seats)
        manifest = load_manifest(self.directory)
        self.grounds(manifest.name, manifest.games)

    def grounds(self, name: str, games: tuple[str, ...]) -> tuple[TrialSetup, ...]:
        """Return where the bot `name`, which claims these games, is tested. Raises MisuseError if that is nowhere."""
        claimed = setups_of(games)
        if not claimed:
            raise MisuseError(
                Text(
                    "{name} plays {games}, none of which is installed; `arena game list` shows all",
                    name=name,
                    games=", ".join(games),
                )
            )
        wanted = [one for one in claimed if self.game in (None, one.game) and self.seats in (None, one.seats)]
        if not wanted:
            asked = " ".join(filter(None, [self.game, f"with {self.seats} seats" if self.seats is not None else ""]))
            played = dict.fromkeys(f"{one.game} with {one.seats}" for one in claimed)
            raise MisuseError(
                Text(
                    "{name} does not play {asked}; its bot.toml claims {played} seats",
                    name=name,
                    asked=asked,
                    played=", ".join(played),
                )
            )
        return tuple(_outermost(wanted) if self.quick else wanted)


def _outermost(grounds: list[TrialSetup]) -> list[TrialSetup]:
    seats: dict[str, list[int]] = {}
    for ground in grounds:
        seats.setdefault(ground.game, []).append(ground.seats)
    return [ground for ground in grounds if ground.seats in (min(seats[ground.game]), max(seats[ground.game]))]


@contextmanager
def place_to_keep(directory: Path, keep: Path | None) -> Iterator[Path]:
    """Give the directory for replays and logs, emptied, which no other test uses for the time of the block.

    Raises MisuseError or KeepingError if it may not be that.
    """
    place = keep or usual_place(directory)
    if place.resolve().is_relative_to(directory.resolve()):
        raise MisuseError(
            Text(
                "--keep {place} lies in the bot's directory, of which it would be a part; name one outside", place=place
            )
        )
    with held(place):
        yield ArtifactDirectory(place).directory


@dataclass(frozen=True, slots=True)
class BotTestSandbox:
    """The level of the sandbox in which a bot is tested."""

    name: str
    note: str
    """Where it runs, in one line."""


def find_test_level(sandbox: str) -> BotTestSandbox:
    """Return the level at which a bot is tested.

    Raises MisuseError for an unknown level, SandboxUnavailableError if one that was asked for does not work here.
    """
    policy = read_hosting(sandbox=sandbox).policy
    if sandbox != AUTO:
        return _level(find_level(has_owner=False, policy=policy), say("cli_bot.as_asked"))
    if not has_proc():
        return _level(NONE, say("cli_bot.no_proc"))
    try:
        return _level(find_level(has_owner=False, policy=SandboxPolicy(strongest_level())), say("cli_bot.as_service"))
    except SandboxUnavailableError as error:
        return _level(NONE, translated(str(error)))


def _level(name: str, why: str) -> BotTestSandbox:
    return BotTestSandbox(
        name,
        say("cli_bot.without_sandbox", why=why) if name == NONE else say("cli_bot.in_sandbox", level=name, why=why),
    )


def announce(directory: Path, level: BotTestSandbox) -> None:
    """Say on stderr what is tested and where it runs, and that it is built first if it is."""
    typer.echo(say("cli_bot.testing", directory=printable(str(directory)), place=level.note), err=True)
    if build := load_manifest(directory).build:
        typer.echo(say("cli_bot.building", command=printable(join(build))), err=True)
