from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from unittest import mock

import pytest
from fastapi.testclient import TestClient

from arena.web.app import make_app, open_site
from arena.web.official_fitting import Fitter
from arena.web.shared.official_tables import FitError
from tests.support.browsing import PHONE, WIDE, Watched, chromium, find_chromium
from tests.support.web_pages import pages_of, played_database

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def shared_by_all(factory: pytest.TempPathFactory) -> Path:
    """A directory that all testing processes of this run share."""
    base = factory.getbasetemp()
    return base.parent if base.name.startswith("popen-") else base


class NoFitter:
    """Fits no table: the pages start a process for each that is looked at, which hardly a test is about."""

    def __init__(self, _db: str) -> None: ...

    def fit(self, _pool: str) -> NoReturn:
        raise FitError("no table is fitted here")

    fit_overall = fit

    def close(self) -> None: ...


@pytest.fixture(scope="module", autouse=True)
def no_fits() -> Iterator[None]:
    with mock.patch("arena.web.app.Fitter", NoFitter):
        yield


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database made by real tournaments; to be read only."""
    return played_database(shared_by_all(tmp_path_factory))


@pytest.fixture(scope="module")
def ids(played: Path) -> dict[str, str]:
    """What stands in the addresses for their places."""
    with open_site(str(played)) as site:
        return {
            "pool": site.arena.leaderboards.list_leaderboards(limit=1).boards[0].pool.pool_id,
            "match": site.arena.matches.list_matches(limit=1).items[0].id,
        }


@pytest.fixture(scope="module")
def client(played: Path) -> Iterator[TestClient]:
    """Asks the pages of that database without a browser."""
    with open_site(str(played)) as site, TestClient(make_app(site)) as made:
        yield made


@pytest.fixture(scope="module")
def address(played: Path) -> Iterator[str]:
    """Where a browser finds the pages of that database."""
    find_chromium()
    with mock.patch("arena.web.app.Fitter", Fitter), pages_of(played) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser: Browser) -> Iterator[Watched]:
    """A page of a desktop's size; a test fails that leaves troubles in it."""
    yield from _watched(browser, WIDE)


@pytest.fixture
def phone(browser: Browser) -> Iterator[Watched]:
    """A page of a phone's size."""
    yield from _watched(browser, PHONE)


def _watched(browser: Browser, size: dict[str, int]) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": size["width"], "height": size["height"]})
    watched = Watched(context.new_page())
    yield watched
    context.close()
    assert watched.troubles == []
