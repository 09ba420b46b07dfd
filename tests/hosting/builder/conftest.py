from pathlib import Path

import pytest

from tests.support.builds import Workshop
from tests.support.sandboxes import need


@pytest.fixture(params=["standard", "none"])
def workshop(request: pytest.FixtureRequest, tmp_path: Path) -> Workshop:
    return Workshop(tmp_path, need(str(request.param)))


@pytest.fixture
def sandboxed(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path, need("standard"))
