"""Fuzzes the API of a database against its own OpenAPI, at length: `python -m benchmarks.api_fuzz --db FILE`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping

from fastapi.testclient import TestClient

from arena.web.app import make_app, open_site
from engine import registry
from tests.support.api_fuzzing import fuzz_api


def _known(client: TestClient) -> Mapping[str, list[str]]:
    """Return names that exist, by the parameters that take them."""

    def items(path: str) -> list[dict[str, str]]:
        found: list[dict[str, str]] = client.get(f"/api/v1/{path}").json()["items"]
        return found

    boards = client.get("/api/v1/leaderboards?limit=1").json()["boards"]
    return {
        "bot": [one["name"] for one in items("bots?limit=20")] or ["none"],
        "tournament": [one["name"] for one in items("tournaments?limit=20")] or ["none"],
        "match": [one["id"] for one in items("matches?limit=20")] or ["none"],
        "ladder": [one["name"] for one in items("ladders?limit=20")] or ["none"],
        "pool": [board["pool"]["pool_id"] for board in boards] or ["none"],
        "game": list(registry.single_names()),
    }


def main() -> None:
    """Send the requests, and tell how many there were; an answer that breaks the OpenAPI is raised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", required=True)
    parser.add_argument("--examples", type=int, default=200, help="so many requests to each call")
    options = parser.parse_args()
    with open_site(options.db) as site:
        app = make_app(site)
        began = time.monotonic()
        sent = fuzz_api(app, _known(TestClient(app)), options.examples)
        print(f"{sent} requests in {time.monotonic() - began:.0f} s; no answer broke the OpenAPI")


if __name__ == "__main__":
    main()
