from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from arena.web.app import make_app, open_site


@pytest.fixture(scope="module")
def app(played: Path) -> Iterator[FastAPI]:
    with open_site(str(played)) as site:
        yield make_app(replace(site, requests_per_second=0.01, requests_at_once=3))


@pytest.fixture(scope="module")
def far(app: FastAPI) -> TestClient:
    """Asks from another machine, which may ask three times."""
    return TestClient(app, client=("203.0.113.7", 4000))
