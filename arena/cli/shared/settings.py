"""All settings in one table: name, environment variable, default, help. No I/O but reading the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class CommandSetting:
    """One value that a user may set for all commands, by an environment variable."""

    name: str
    default: str
    help: str

    @property
    def variable(self) -> str:
        """Return the name of the environment variable that sets it."""
        return f"ARENA_{self.name.upper()}"

    @property
    def value(self) -> str:
        """Return what is set now, or the default; an empty variable counts as unset."""
        return os.environ.get(self.variable) or self.default

    @property
    def is_set(self) -> bool:
        """Return whether the environment sets it."""
        return bool(os.environ.get(self.variable))


NO_FILE = NO_SERVER = "none"

DB = CommandSetting(
    "db",
    "arena.db",
    "The database: a file, created if missing, or a URL, postgresql://HOST/NAME; with ARENA_HOME, that of the "
    "home. Option --db.",
)
SERVER = CommandSetting(
    "server",
    NO_SERVER,
    "The service to use instead of a database, by the name of its login; none = a database. Option --server.",
)
WORKERS = CommandSetting(
    "workers", "0", "Number of matches to play at once; 0 = one per processor core. Option --workers."
)
LANG = CommandSetting(
    "lang",
    "en",
    "Language of the output and of a game's names: en, de, fr or it; by default that of the locale. Option --lang.",
)
DEBUG = CommandSetting("debug", "0", "1 shows the traceback of an error; for reports to the authors.")

SANDBOX = CommandSetting(
    "sandbox",
    "auto",
    "Sandbox of the bots: auto (the bots of owners run in one, your own do not), strict, standard, reduced or none. "
    "Option --sandbox.",
)

LEAK_CHECKS = CommandSetting(
    "leak_checks",
    "2%",
    "Share of the matches after which a deterministic bot is asked again in fresh processes. Option --leak-checks.",
)
WARM_MEMORY = CommandSetting(
    "warm_memory",
    "auto",
    "Megabytes for bots that wait for their next match; auto = a quarter of the machine's memory. "
    "Option --warm-memory.",
)

EXECUTOR = CommandSetting(
    "executor",
    "local",
    "Where matches are played: local = on this machine, ray = on the machines of a Ray cluster. Option --executor.",
)
RAY_ADDRESS = CommandSetting(
    "ray_address",
    "auto",
    "The head node of the Ray cluster, as HOST:PORT; auto = RAY_ADDRESS, or the one on this machine. Option --address.",
)

GRPC = CommandSetting(
    "grpc",
    "auto",
    "How messages of bots are transported: queue = one thread polls grpcio, aio = grpc.aio, which costs more; auto = "
    "queue with the versions of grpcio that were tested. Bots of the kit obey it, too.",
)

RUNTIMES = CommandSetting(
    "runtimes",
    NO_FILE,
    "A file that defines runtimes for bots, in tables [runtimes.NAME]; without one there are arena, bundled and what "
    "is installed. Option --runtimes.",
)

STORE = CommandSetting(
    "store",
    "auto",
    "The directory for the files of the bots of a database on a server; auto = one of this user. Machines that share "
    "the database name one that all of them see.",
)

HOME = CommandSetting(
    "home", "arena-home", "The directory of a service: settings, database, bots, logs. Option --home."
)

HOME_DATABASE = "arena.db"
"""The database of a service, in its home."""


def usual_database() -> str:
    """Return the database that is meant when none is named: that of ARENA_DB, or of the home in ARENA_HOME."""
    home = os.environ.get(HOME.variable)
    if home and not os.environ.get(DB.variable):
        return f"{home.rstrip('/')}/{HOME_DATABASE}"
    return DB.value


SETTINGS = (
    HOME,
    DB,
    SERVER,
    WORKERS,
    LANG,
    DEBUG,
    SANDBOX,
    LEAK_CHECKS,
    WARM_MEMORY,
    EXECUTOR,
    RAY_ADDRESS,
    GRPC,
    RUNTIMES,
    STORE,
)


WEB_ADDRESS: Final = "127.0.0.1:7780"
"""Where `arena web` shows a database unless it is told otherwise."""
