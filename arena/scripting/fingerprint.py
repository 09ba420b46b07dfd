"""Tells whether a callable is the one that it was in another session: equal code with equal values has one fingerprint.

The bytes of a pickle do not tell that: they hold names of files and numbers of lines, and ids that are drawn. So what
makes up the callable is written down without these, and hashed. Where that is not possible there is no fingerprint, and
the callable counts as a new one.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from arena.scripting.locality import is_only_here

_NOT_OWN = {
    *("__dict__", "__weakref__", "__module__", "__doc__", "__slotnames__"),
    *("__firstlineno__", "__static_attributes__", "_abc_impl"),
}
"""What a class has that says nothing of what it does, or another thing each time."""


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
        return _class_facts(obj) if isinstance(obj, type) else _function_facts(obj)


def _facts(what: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple, (what,)


def _class_facts(kind: type) -> tuple[Any, ...]:
    own = {name: value for name, value in sorted(vars(kind).items()) if name not in _NOT_OWN}
    return ("class", kind.__qualname__, kind.__bases__, own)


def _function_facts(function: FunctionType) -> tuple[Any, ...]:
    names = sorted(set(_names_in(function.__code__)) & function.__globals__.keys())
    return (
        "function",
        _code_facts(function.__code__),
        function.__defaults__,
        function.__kwdefaults__,
        [cell.cell_contents for cell in function.__closure__ or ()],
        {name: function.__globals__[name] for name in names},
    )


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
        [_constant(one) for one in code.co_consts],
    )


def _constant(value: Any) -> Any:
    if isinstance(value, CodeType):
        return _code_facts(value)
    return sorted(map(repr, value)) if isinstance(value, frozenset) else value
