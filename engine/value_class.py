"""A decorator for classes of which a match makes several objects for each decision. No I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def value_class(kind: type[T]) -> type[T]:
    """Make a dataclass whose objects are values: equal by their fields, with a hash, and changed by nobody.

    Only mypy checks that they are not changed. Where Python guards it, as in `dataclass(frozen=True)`, each field is
    set by a call, and making an object takes three times as long.
    """
    return dataclass(slots=True, unsafe_hash=True)(kind)
