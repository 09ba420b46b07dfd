"""What a tournament asks of the place where its bots' programs lie: two protocols, which the caller fills in."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from arena.match.programs import SeatProgram
from arena.tournament.errors import RequestError
from engine.text import Text
from ratings.ledger.bots import DescribedRuntime


class VersionProgram(SeatProgram, Protocol):
    """The program of one version, as its files say; they were checked when it was found."""

    @property
    def games(self) -> tuple[str, ...]:
        """The games that it says it plays, as written: names, or `*` for every game."""

    def plays(self, game: str) -> bool:
        """Return whether it says it plays that game."""


class Programs(Protocol):
    """The programs of all versions of one database."""

    @property
    def root(self) -> Path:
        """The directory that holds them, the same for everybody who plays from this database."""

    def find(self, content_hash: str) -> VersionProgram:
        """Return the program of a version. Raises an error of its own if its files are missing or were changed."""

    def describe_runtime(self, runtime: str) -> DescribedRuntime | None:
        """Return what the runtime with that hash consists of, which a program that was found runs in; None if unknown.

        It may be unknown because it was changed meanwhile.
        """

    def sandbox_level(self, *, has_owner: bool) -> str:
        """Return the level at which bots run that have an owner, or that have none.

        Raises an error of its own if this machine has no sandbox that will do.
        """


def check_plays(program: VersionProgram, game: str, name: str) -> None:
    """Raise RequestError, which calls the bot `name`, unless its program says that it plays the game."""
    if not program.plays(game):
        raise RequestError(
            Text(
                "tournaments.does_not_play_bot_toml",
                "{bot} does not play {game}; its bot.toml names: {games}",
                bot=name,
                game=game,
                games=", ".join(program.games),
            )
        )
