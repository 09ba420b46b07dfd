"""Pickles what a program gave as a bot, so that another process can make it anew, and tells it from what it was before.

What can be imported there is pickled by its name. What exists only in this program, such as a function of a notebook's
cell, goes along as it is now, with all that it names; that is done by the package cloudpickle.

Equal code with equal values has one fingerprint, also in another session. The bytes of a pickle do not tell that: they
hold names of files and numbers of lines, and ids that are drawn. So what makes up the callable is written down without
these, and hashed. Where that is not possible there is no fingerprint, and the callable counts as a new one.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from threading import RLock
from types import CodeType, FunctionType, ModuleType
from typing import Any

from arena.scripting.errors import CallableError, need_package

PROTOCOL = 5
_MOST_SHOWN = 200
_REGISTERING = RLock()
"""Held while modules are registered, as all threads of the program share what is."""
_REMEDY = "make what it needs within it, or in `prepare` of a subclass of bots.kit.Bot"
_INSTALL = (
    "install it: pip install 'kingmaker-arena[research]'; what lies in an installed package, or is given as a "
    "directory with a bot.toml, needs none"
)
_NOT_OWN = {
    *("__dict__", "__weakref__", "__module__", "__doc__", "__slotnames__"),
    *("__firstlineno__", "__static_attributes__", "_abc_impl"),
}
"""What a class has that says nothing of what it does, or another thing each time."""
OURS = ("arena", "bots", "engine", "ratings")
"""The arena's own packages, which bots find wherever they lie."""
MAIN = "__main__"


def pickled(bot: Any, name: str) -> bytes:
    """Return a bot as bytes, from which `pickle.load` makes it in another process of this Python.

    `name` is what people call it. Raises CallableError if it holds something that cannot go along, and
    MissingPackageError if it exists only in this program and cloudpickle is not installed.
    """
    file = io.BytesIO()
    try:
        _ByName(file, PROTOCOL).dump(bot)
        return file.getvalue()
    except _OnlyHereError:
        what_for = f"{name} is defined in this program itself, and to give it to a bot's process"
        library = need_package("cloudpickle", "register_pickle_by_value", what_for, _INSTALL)
    except Exception as error:
        raise _unpicklable(name, error) from error
    registered = []
    try:
        with _REGISTERING:
            known = library.list_registry_pickle_by_value()
            try:
                # What local modules define goes along instead of their names, which a bot's process does not find.
                for module in local_modules():
                    if module.__name__ not in known:  # else the program itself has registered it, and goes on so
                        library.register_pickle_by_value(module)
                        registered.append(module)
                data: bytes = library.dumps(bot, protocol=PROTOCOL)
            finally:
                for module in registered:
                    library.unregister_pickle_by_value(module)
    except Exception as error:
        raise _unpicklable(name, error) from error
    return data


class _OnlyHereError(Exception):
    """Something of it cannot be imported elsewhere."""


class _ByName(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, type | FunctionType) and is_only_here(obj):
            raise _OnlyHereError
        return NotImplemented


def _unpicklable(name: str, error: Exception) -> CallableError:
    return CallableError(f"{name} cannot be pickled for a process of its own ({one_line(error)}); {_REMEDY}")


def one_line(error: Exception) -> str:
    """Return what somebody else's code raised in one line, cut short."""
    why = " ".join(f"{type(error).__name__}: {error}".split())
    return why if len(why) <= _MOST_SHOWN else f"{why[:_MOST_SHOWN]}..."


def fingerprint_of(bot: Any) -> str | None:
    """Return the fingerprint of a callable, or of a bot, as hexadecimal digits; None if it cannot be told."""
    file = io.BytesIO()
    try:
        _Printer(file).dump(bot)
    except Exception:  # whatever there is that cannot be written down: it costs no more than a new version
        return None
    return hashlib.sha256(file.getvalue()).hexdigest()


class _Printer(pickle.Pickler):
    """Writes down what functions and classes of this program consist of; all else as pickle does."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, 5)
        self.fast = True  # else it would matter which equal texts happen to be one object
        self._seen: dict[int, int] = {}

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, type | FunctionType) and is_only_here(obj):
            return _facts(self._once(obj))
        if isinstance(obj, ModuleType):
            return _facts(("module", obj.__name__))
        if isinstance(obj, property):
            return _facts(("property", obj.fget, obj.fset, obj.fdel))
        if isinstance(obj, staticmethod | classmethod):
            return _facts((type(obj).__name__, obj.__func__))
        return NotImplemented

    def _once(self, obj: Any) -> tuple[Any, ...]:
        """Return what an object consists of; where it comes again, only that it does."""
        if id(obj) in self._seen:
            return ("again", self._seen[id(obj)])
        self._seen[id(obj)] = len(self._seen)
        if isinstance(obj, type):
            own = {name: value for name, value in sorted(vars(obj).items()) if name not in _NOT_OWN}
            return ("class", obj.__qualname__, obj.__bases__, own)
        names = sorted(set(_names_in(obj.__code__)) & obj.__globals__.keys())
        return (
            "function",
            _code_facts(obj.__code__),
            obj.__defaults__,
            obj.__kwdefaults__,
            [cell.cell_contents for cell in obj.__closure__ or ()],
            {name: obj.__globals__[name] for name in names},
        )


def _facts(what: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple, (what,)


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def _code_facts(code: CodeType) -> tuple[Any, ...]:
    return (
        code.co_name,
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_flags,
        code.co_exceptiontable,
        [
            _code_facts(one)
            if isinstance(one, CodeType)
            else sorted(map(repr, one))
            if isinstance(one, frozenset)
            else one
            for one in code.co_consts
        ],
    )


def is_local(module: str) -> bool:
    """Return whether a module exists only here: the program itself, a notebook's cells, files beside the program.

    What is installed, the standard library and what PYTHONPATH names are found by a bot's process, too.
    """
    if module.partition(".")[0] in OURS:
        return False
    found = sys.modules.get(module)
    if module == MAIN or found is None:
        return True
    file = getattr(found, "__file__", None)
    if file is None:  # built in, or a package without an __init__.py
        return not all(_is_below_installed(Path(place)) for place in getattr(found, "__path__", ()))
    return not _is_below_installed(Path(file))


def is_only_here(obj: type | FunctionType) -> bool:
    """Return whether a class or function cannot be imported by its name in another process."""
    return is_local(obj.__module__ or "") or "<" in obj.__qualname__


def local_modules() -> Iterator[ModuleType]:
    """Yield the modules that exist only here and were imported by a name."""
    for name, module in list(sys.modules.items()):
        if name != MAIN and isinstance(module, ModuleType) and getattr(module, "__file__", None) and is_local(name):
            yield module


def _is_below_installed(file: Path) -> bool:
    return _is_below(file, os.environ.get("PYTHONPATH", ""))


@cache
def _is_below(file: Path, python_path: str) -> bool:
    """Return whether a file is installed; kept, as it is asked of every module for every callable."""
    place = file.resolve()
    return any(place.is_relative_to(root) for root in _installed_roots(python_path))


@cache
def _installed_roots(python_path: str) -> tuple[Path, ...]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    places = [sysconfig.get_path(name) for name in names] + [place for place in python_path.split(os.pathsep) if place]
    return tuple(dict.fromkeys(Path(place).resolve() for place in places))
