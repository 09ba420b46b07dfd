"""Finds the commands of a noun: only the verb that is called is imported, of the others there is a line in the help.

The file of a noun, `arena/cli/nouns/<noun>.py`, has in `VERBS` the files of its verbs in `arena/cli/verbs/<noun>`, in
the order of the help, each with the verbs that are in it. So looking at something does not import what plays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from importlib import import_module

import typer

Verbs = Mapping[str, Sequence[str]]


def app_of(noun: str, verb: str | None = None) -> typer.Typer:
    """Return a noun with its verbs, of which only `verb` can be called; with all of them if that is `None`."""
    module = import_module(f"arena.cli.nouns.{noun}")
    verbs: Verbs = getattr(module, "VERBS", {})
    app: typer.Typer = copy(module.app)  # the file's own one stays as it is, for the next parser
    app.registered_groups = list(app.registered_groups)
    for file, names in verbs.items():
        is_called = verb is None or verb in names
        found = import_module(f"arena.cli.verbs.{noun}.{file}").app if is_called else _lines(names)
        app.add_typer(found, name=None if found.registered_commands else names[0])
    return app


def _lines(names: Sequence[str]) -> typer.Typer:
    """Return commands that are only there to be listed."""
    app = typer.Typer()
    for name in names:
        app.command(name)(_nothing)
    return app


def _nothing() -> None:
    """Stand for a verb that was not called."""
