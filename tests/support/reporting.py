"""How a test that looks at many things tells all that is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest


def report(faults: Iterable[object]) -> None:
    """Fail with a line for each fault, and for each key of a mapping, or do nothing if there is none."""
    told = [f"{name}: {what}" for name, what in faults.items()] if isinstance(faults, Mapping) else map(str, faults)
    lines = list(told)
    if lines:
        pytest.fail("\n".join(lines), pytrace=False)
