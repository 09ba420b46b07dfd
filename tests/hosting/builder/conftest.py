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
