"""Pickles what a program gave as a bot, so that another process can make it anew.

What can be imported there is pickled by its name. What exists only in this program, such as a function of a notebook's
cell, goes along as it is now, with all that it names; that is done by the package cloudpickle.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from types import FunctionType
from typing import Any

from arena.scripting.errors import CallableError, need_package
from arena.scripting.locality import is_only_here, local_modules

PROTOCOL = 5
_MOST_SHOWN = 200
_REGISTERING = RLock()
"""Held while modules are registered, as all threads of the program share what is."""
_REMEDY = "make what it needs within it, or in `prepare` of a subclass of bots.kit.Bot"
_INSTALL = (
    "install it: pip install 'kingmaker-arena[research]'; what lies in an installed package, or is given as a "
    "directory with a bot.toml, needs none"
)


def pickled(bot: Any, name: str) -> bytes:
    """Return a bot as bytes, from which `pickle.load` makes it in another process of this Python.

    `name` is what people call it. Raises CallableError if it holds something that cannot go along, and
    MissingPackageError if it exists only in this program and cloudpickle is not installed.
    """
    try:
        return _pickled_by_name(bot)
    except _OnlyHereError:
        what_for = f"{name} is defined in this program itself, and to give it to a bot's process"
        library = need_package("cloudpickle", "register_pickle_by_value", what_for, _INSTALL)
    except Exception as error:
        raise _unpicklable(name, error) from error
    try:
        with _by_value(library):
            data: bytes = library.dumps(bot, protocol=PROTOCOL)
    except Exception as error:
        raise _unpicklable(name, error) from error
    return data


class _OnlyHereError(Exception):
    """Something of it cannot be imported elsewhere."""


class _ByName(pickle.Pickler):
    """Pickles what can be imported elsewhere."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, type | FunctionType) and is_only_here(obj):
            raise _OnlyHereError
        return NotImplemented


def _pickled_by_name(bot: Any) -> bytes:
    file = io.BytesIO()
    _ByName(file, PROTOCOL).dump(bot)
    return file.getvalue()


@contextmanager
def _by_value(library: Any) -> Iterator[None]:
    """Have what local modules define go along instead of their names; a bot's process does not find those."""
    registered = []
    with _REGISTERING:
        known = library.list_registry_pickle_by_value()
        try:
            for module in local_modules():
                if module.__name__ not in known:  # else the program itself has registered it, and goes on so
                    library.register_pickle_by_value(module)
                    registered.append(module)
            yield
        finally:
            for module in registered:
                library.unregister_pickle_by_value(module)


def _unpicklable(name: str, error: Exception) -> CallableError:
    return CallableError(f"{name} cannot be pickled for a process of its own ({one_line(error)}); {_REMEDY}")


def one_line(error: Exception) -> str:
    """Return what somebody else's code raised in one line, cut short."""
    why = " ".join(f"{type(error).__name__}: {error}".split())
    return why if len(why) <= _MOST_SHOWN else f"{why[:_MOST_SHOWN]}..."
