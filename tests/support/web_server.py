"""The pages of a database, served for a browser in a thread of the test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from arena.web.app import make_app
from arena.web.frame.site import NOBODY, Rules
from arena.web.opening import open_site
from arena.web.serving import listen
from tests.support.patience import PATIENCE_S


@contextmanager
def pages_of(db: Path, service: str | None = None, people: Rules = NOBODY) -> Iterator[str]:
    """The address of the pages of a database, without a slash at its end; people play with the service."""
    with open_site(str(db), service, people=people) as site, listen("127.0.0.1", 0) as listening:
        server = uvicorn.Server(uvicorn.Config(make_app(site), log_level="warning", access_log=False, ws="none"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)
