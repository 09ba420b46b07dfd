"""The pages of a database, served for a browser in a thread of the test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fastapi import FastAPI

from arena.web.app import make_app, open_site
from arena.web.serving import listen, make_server
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
