"""The settings of all commands in one table: name, environment variable, default, help. It reads the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class CommandSetting:
    """A value that an environment variable sets for all commands."""

    name: str
    default: str
    help: str

    @property
    def variable(self) -> str:
        """Return the name of the environment variable that sets it."""
        return f"ARENA_{self.name.upper()}"

    @property
    def value(self) -> str:
        """Return the current value or the default; an empty variable counts as unset."""
        return os.environ.get(self.variable) or self.default

    @property
    def is_set(self) -> bool:
        """Return whether the environment sets it."""
        return bool(os.environ.get(self.variable))


NO_FILE = NO_SERVER = "none"

DB = CommandSetting(
    "db",
    "arena.db",
    "The database: a file, which is created if it is missing, or a URL, postgresql://HOST/NAME. If ARENA_HOME is "
    "set, the default is the database in that directory. Option --db.",
)
SERVER = CommandSetting(
    "server",
    NO_SERVER,
    "The service to use, by the name that you gave it in `arena login`; none = use a database directly. Option "
    "--server.",
)
WORKERS = CommandSetting(
    "workers", "0", "Number of matches played at the same time; 0 = one for each processor core. Option --workers."
)
LANG = CommandSetting(
    "lang",
    "en",
    "Language of messages and of the names in games: en, de, fr, it. If it is not set, the locale decides. Option "
    "--lang.",
)
DEBUG = CommandSetting("debug", "0", "1 = show the traceback of an error, for a bug report.")

SANDBOX = CommandSetting(
    "sandbox",
    "auto",
    "Sandbox level of bots: auto (a sandbox for bots that have an owner, none for your own bots), strict, standard, "
    "reduced, none. Option --sandbox.",
)

LEAK_CHECKS = CommandSetting(
    "leak_checks",
    "2%",
    "Share of matches for which a deterministic bot's decisions are repeated in fresh processes (leak check). "
    "Option --leak-checks.",
)
WARM_MEMORY = CommandSetting(
    "warm_memory",
    "auto",
    "Megabytes of memory for bots that wait for their next match; auto = a quarter of the machine's memory. Option "
    "--warm-memory.",
)

EXECUTOR = CommandSetting(
    "executor",
    "local",
    "Where matches are played: local = on this machine, ray = on the machines of a Ray cluster. Option --executor.",
)
RAY_ADDRESS = CommandSetting(
    "ray_address",
    "auto",
    "Head node of the Ray cluster, as HOST:PORT; auto = RAY_ADDRESS, or the cluster that runs on this machine. "
    "Option --address.",
)

GRPC = CommandSetting(
    "grpc",
    "auto",
    "How messages of bots are transported: queue = one thread polls grpcio's completion queue, aio = grpc.aio, "
    "which needs more processor time; auto = queue with versions of grpcio that were tested, aio with others. Bots "
    "that use the Python kit read this setting too.",
)

RUNTIMES = CommandSetting(
    "runtimes",
    NO_FILE,
    "A file that defines runtimes for bots, in tables [runtimes.NAME]; none = only arena, bundled and the installed "
    "runtimes. Option --runtimes.",
)

STORE = CommandSetting(
    "store",
    "auto",
    "Directory for the files of bots if the database is on a server; auto = a directory of this user. Machines that "
    "share the database must all name the same directory.",
)

HOME = CommandSetting(
    "home", "arena-home", "The directory of a service: settings, database, bots, logs. Option --home."
)

HOME_DATABASE = "arena.db"
"""The file name of a service's database in its home directory."""


def usual_database() -> str:
    """Return the database of commands without --db: that of ARENA_DB, or that in the directory of ARENA_HOME."""
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
"""The default address of `arena web`."""
