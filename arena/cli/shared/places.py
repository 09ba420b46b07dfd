"""Where a command works: on a database, or at a service that a stored login names."""

from __future__ import annotations

import enum
import re

import typer

from arena.cli.shared import settings
from arena.cli.shared.errors import MisuseError
from arena.model.errors import LocalOnlyError
from engine.text import Text
from ratings.store.urls import keep_password

SERVICE = "arena://"
"""What a place begins with that is a service; the name of a stored login follows."""
_MISTYPED = re.compile(r"^postgres(ql)?:|\bpassword=", re.IGNORECASE)
HERE_REMEDY = "leave out --server and ARENA_SERVER, and name a database of this machine with --db"


def service_name(place: str) -> str | None:
    """Return the name of the login if the place is a service, or `None` if it is a database."""
    return place.removeprefix(SERVICE) if place.startswith(SERVICE) else None


def need_here(place: str, remedy: str = HERE_REMEDY) -> str:
    """Return the place if it is a database. Raise LocalOnlyError, which ends with `remedy`, if it is a service."""
    name = service_name(place)
    if name is not None:
        raise LocalOnlyError(
            Text(
                "command.done_where_database_lies_not",
                "this is done where the database lies, not over the service {name}; {remedy}",
                name=repr(name),
                remedy=remedy,
            )
        )
    return place


def read_place(context: typer.Context, db: str | None) -> str | None:
    """Return the place that `--db` and the option `--server` of the whole command line mean together.

    This is the callback of `--db`. What is written on the command line counts more than what the environment says.
    Raise MisuseError if both are written there.
    """
    if db is not None and "://" in db and not db.startswith(SERVICE):
        db = keep_password(db)
    elif db is not None and _MISTYPED.search(db):  # a path to others, which would be shown, and may hold a password
        raise MisuseError(
            Text(
                "command.database_server_written_postgresql_name",
                "a database on a server is written as postgresql://NAME@HOST/DATABASE",
            )
        )
    server = context.find_root().params.get("server") or settings.NO_SERVER
    names_db = was_written(context.get_parameter_source("db"))
    names_server = was_written(context.find_root().get_parameter_source("server"))
    if db == settings.DB.default and not _is_given(context.get_parameter_source("db")):
        db = settings.usual_database()
    if server == settings.NO_SERVER:
        return db
    if names_db and names_server:
        raise MisuseError(
            Text("command.server_db_exclude_each_other", "--server and --db exclude each other; give one of them")
        )
    return db if names_db else f"{SERVICE}{server}"


def _is_given(source: enum.Enum | None) -> bool:
    """Return whether a value stands on the command line or in the environment."""
    return source is not None and source.name in ("COMMANDLINE", "ENVIRONMENT")


def was_written(source: enum.Enum | None) -> bool:
    """Return whether a parameter of that source stands on the command line, not in the environment or nowhere."""
    return source is not None and source.name == "COMMANDLINE"


def refuse_server(context: typer.Context) -> None:
    """Raise MisuseError if `--server` is written before a command that works on this machine alone."""
    if was_written(context.find_root().get_parameter_source("server")):
        words = context.command_path.removeprefix(f"{context.find_root().command_path} ")
        raise MisuseError(
            Text(
                "command.arena_works_machine_not_service",
                "`arena {words}` works on this machine, not at a service; leave out --server",
                words=words,
            )
        )


def place_words(place: str) -> tuple[list[str], list[str]]:
    """Return what a suggested command line needs before its words and after them, to work at the same place."""
    name = service_name(place)
    if name is not None:
        return ([] if name == settings.SERVER.value else ["--server", name]), []
    is_usual = place == settings.usual_database() and settings.SERVER.value == settings.NO_SERVER
    return [], [] if is_usual else ["--db", place]
