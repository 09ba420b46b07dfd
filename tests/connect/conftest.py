"""The certificate of a service, made once, and bots that need no process."""

import pytest

from arena.service.server.tls import TlsFiles, make_certificate
from tests.connect.inside import play_inside


@pytest.fixture(scope="session")
def tls(tmp_path_factory: pytest.TempPathFactory) -> TlsFiles:
    return make_certificate(tmp_path_factory.mktemp("tls"), [])


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bots of bridges are threads of this process."""
    play_inside(monkeypatch.setattr)
