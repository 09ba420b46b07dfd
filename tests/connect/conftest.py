"""The certificate of a service, made once."""

import pytest

from arena.service.server.tls import TlsFiles, make_certificate


@pytest.fixture(scope="session")
def tls(tmp_path_factory: pytest.TempPathFactory) -> TlsFiles:
    return make_certificate(tmp_path_factory.mktemp("tls"), [])
