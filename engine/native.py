"""What the sources say to mypyc, which compiles a part of this package; without it they mean nothing. Never compiled.

`i64` is for annotations alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
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
