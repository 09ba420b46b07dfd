from pathlib import Path

import pytest

from tests.support.builds import Workshop
from tests.support.sandboxes import STANDARD


@pytest.fixture(params=[STANDARD, "none"])
def workshop(request: pytest.FixtureRequest, tmp_path: Path) -> Workshop:
    return Workshop(tmp_path, str(request.param))


@pytest.fixture(params=[STANDARD])
def sandboxed(request: pytest.FixtureRequest, tmp_path: Path) -> Workshop:
    return Workshop(tmp_path, str(request.param))


@pytest.fixture
def plain(tmp_path: Path) -> Workshop:
    """Without a sandbox, for what is the same in one."""
    return Workshop(tmp_path, "none")
