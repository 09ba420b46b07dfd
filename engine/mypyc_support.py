"""What the sources say to mypyc, which compiles a part of this package; without it they mean nothing. Never compiled.

`i64` is for annotations alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MethodDescriptorType
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from mypy_extensions import i64 as i64
    from mypy_extensions import mypyc_attr as mypyc_attr
else:
    T = TypeVar("T")

    def mypyc_attr(**_meanings: Any) -> Callable[[T], T]:
        """Return a decorator that returns the class as it is."""
        return lambda kind: kind


def is_native(kind: type[Any]) -> bool:
    """Tell whether a class was compiled: its methods are not looked up by those who are compiled, too."""
    return "__mypyc_attrs__" in vars(kind)


def give_methods(kind: type[Any], **methods: Callable[..., Any]) -> None:
    """Set methods of a class, unless it was compiled and has to keep those of its source, which do the same."""
    if not is_native(kind):
        for name, method in methods.items():
            setattr(kind, name, method)


DEMANDED: Final[Mapping[str, Sequence[str]]] = {
    "State": (
        *("seat", "legal_actions", "is_legal", "apply_unchecked"),
        *("clone", "outcome", "caretaker_action", "to_json"),
    ),
    "Chance": ("permutation", "d6", "draw"),
}
"""The abstract methods of the classes that plug-ins derive from: a compiled class does not know which they are."""


def refuse_unfinished(kind: type[Any], base: type[Any]) -> None:
    """Let a class make no objects while it lacks a method that a compiled `base` demands; `abc` does not see to it.

    `base` calls it in `__init_subclass__`. An object without the method would end the process, not raise.
    """
    is_compiled = any(type(value) is MethodDescriptorType for value in vars(kind).values())
    if is_compiled or not is_native(base) or "__new__" in vars(kind) or not _missing(kind, base):
        return

    def new(cls: type[Any], *_values: Any, **_named: Any) -> Any:
        missing = _missing(cls, base)
        if missing:
            names = ", ".join(missing)
            raise TypeError(f"Can't instantiate abstract class {cls.__name__} with abstract methods {names}")
        compiled: Any = next(each for each in cls.__mro__ if is_native(each))
        return compiled.__new__(cls)

    kind.__new__ = new  # type: ignore[assignment] # classes below inherit it, which may lack nothing


def _missing(kind: type[Any], base: type[Any]) -> list[str]:
    return sorted(name for name in DEMANDED[base.__name__] if getattr(kind, name) is getattr(base, name))
