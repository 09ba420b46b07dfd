"""What a declared field holds, told by its annotation. No I/O."""

from __future__ import annotations

from dataclasses import Field
from typing import Any


def container(each: Field[Any]) -> str:
    """Return `list`, `dict`, `tuple`, `Sequence` or the name of another type, without what is in it.

    An annotation is a text, but for a class that was compiled, which has the type itself there.
    """
    kind: Any = each.type
    return str(getattr(kind, "__name__", kind)).partition("[")[0]
