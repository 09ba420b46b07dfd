"""Whether this machine gives control groups to tests."""

from __future__ import annotations

import pytest

from arena.hosting.cgroups.hierarchy import GroupError
from arena.hosting.cgroups.offer import find_offer


def need_groups() -> None:
    """The test is skipped where no groups can be made."""
    try:
        find_offer()
    except GroupError as error:
        pytest.skip(f"no control groups here: {error}")
