from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from tests.support.owners import RunningServer, running_server
from tests.support.web_pages import browsing


@pytest.fixture(autouse=True)
def sandbox_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let bots wait for their turn alone, also on a machine without a sandbox."""
    monkeypatch.setattr("arena.service.server.submissions.sandbox_problem", lambda _programs: "")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with running_server(tmp_path_factory.mktemp("kma")) as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Iterator[TestClient]:
    with browsing(server) as found:
        yield found
