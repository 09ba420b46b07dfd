"""The classes of errors that the product defines, and those of them that a service tells its clients."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache

from tests.support.import_graph import is_generated, modules_below
from tests.support.sources import ROOT

CLIENTS = "arena.rpc."
"""What a client makes of an answer has reasons that services gave."""
PRODUCT = ("arena", "engine", "ratings")
MIGRATIONS = "ratings.store.migrations"


@cache
def error_classes() -> tuple[type[BaseException], ...]:
    """Return every class of exceptions that a module of the product defines, but where a package is not installed."""
    for name, path in modules_below(ROOT, PRODUCT).items():
        if not is_generated(path) and path.name != "__main__.py" and not name.startswith(MIGRATIONS):
            try:
                importlib.import_module(name)
            except ImportError:
                continue
    ours = (kind for kind in _below(BaseException) if kind.__module__.partition(".")[0] in PRODUCT)
    return tuple(sorted(set(ours), key=name_of))


def told_errors() -> list[BaseException]:
    """Return an error of each class that carries a reason, which a service tells its clients."""
    kinds = [kind for kind in error_classes() if not kind.__module__.startswith(CLIENTS)]
    told = (kind for kind in kinds if isinstance(reason := getattr(kind, "reason", None), str) and reason)
    return [kind.__new__(kind) for kind in told]


def name_of(kind: type[BaseException]) -> str:
    """Return the dotted name of a class."""
    return f"{kind.__module__}.{kind.__qualname__}"


def _below(kind: type[BaseException]) -> Iterator[type[BaseException]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)
