"""Owners at the pages of a service, without a browser."""

import io
import re
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fastapi.testclient import TestClient

from arena.web.app import make_app, open_site
from tests.support.owners import RunningServer

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
