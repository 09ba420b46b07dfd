"""The pages of an arena: served to a browser by a thread of the test, and asked by owners without one."""

from __future__ import annotations

import io
import re
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fastapi import FastAPI
from fastapi.testclient import TestClient

from arena.web.app import make_app, open_site
from arena.web.serving import listen, make_server
from tests.support.owners import RunningServer
from tests.support.patience import PATIENCE_S


@contextmanager
def pages_of(db: Path) -> Iterator[str]:
    """The address of the pages of a database, without a slash at its end."""
    with open_site(str(db)) as site, served(make_app(site)) as address:
        yield address


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """The address of an application that is served by a thread of the test."""
    with listen("127.0.0.1", 0) as listening:
        server = make_server(app)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)


ORIGIN = {"origin": "http://testserver"}


@contextmanager
def browsing(server: RunningServer, *, is_secure: bool = False) -> Iterator[TestClient]:
    """A browser at the pages of a service."""
    place, service = server.addresses.socket, f"unix:{server.addresses.socket}"
    assert place is not None
    with (
        open_site(str(place.parents[1] / "arena.db"), service, is_secure=is_secure) as site,
        TestClient(make_app(site), headers=ORIGIN) as made,
    ):
        yield made


def sign_in(client: TestClient, token: str) -> str:
    """Sign in, and return the proof that forms hold."""
    page = client.post("/login", data={"token": f" {token}\n"})
    assert page.status_code == 200, page.text
    found = re.search(r'name="proof" value="([^"]+)"', page.text)
    assert found is not None
    return found[1]


def zipped(directory: Path) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        for file in sorted(directory.iterdir()):
            archive.write(file, f"{directory.name}/{file.name}")
    return kept.getvalue()


def tarred(directory: Path) -> bytes:
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w:gz") as archive:
        archive.add(directory, ".")
    return kept.getvalue()
