"""Fits an official table, or the one over all games, in a process of its own, which gives way to everything else.

    python -m arena.web.official_fitting

reads a line of JSON that tells what to fit, and writes the table as JSON. In the process of the pages the fit would
hold up every page. It ends at once when whoever asked has gone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.model.errors import ClientError
from arena.model.ratings import OfficialTable, OverallTable
from arena.web.shared.helper_process import IDLE, SOON, give_way, was_starved
from arena.web.shared.official_tables import FitError
from arena.web.shared.public_message import public_message
from engine.translatable import Text, from_json, to_json
from ratings.errors import RatingsError
from ratings.statistics.errors import StatisticsError
from ratings.store.database import open_for_reading
from ratings.values.pools import Pool, RatingMethod
from ratings.values.states import Scope
from ratings.values.statistics import Circle, OfficialRow, OverallPool, OverallRow, SeatAdvantage

LONGEST_S = 1800.0
_COMMAND = (sys.executable, "-m", "arena.web.official_fitting")


class Fitter:
    """Fits official tables of a database in another process, one at a time; `close` ends that process.

    It gives way to all; if it was not let run for `patience_s` another one is started that gives way less. One that
    takes longer than `longest_s` is ended.
    """

    def __init__(self, db: str, longest_s: float = LONGEST_S, patience_s: float = 60.0) -> None:
        self._db, self._longest_s, self._patience_s = db, longest_s, patience_s
        self._process: subprocess.Popen[str] | None = None
        self._starting = threading.Lock()
        self._is_closed = False

    def fit(self, pool: str) -> OfficialTable:
        """Return the official table of a pool. Raises FitError."""
        return _read_answer(self._answer_to({"pool": pool}))

    def fit_overall(self, methods: str) -> OverallTable:
        """Return the table over all games with these methods, separated by commas. Raises FitError."""
        return _read_overall(self._answer_to({"methods": methods.split(",")}))

    def _answer_to(self, asked: dict[str, Any]) -> bytes:
        written = self._fitted(asked, IDLE, self._patience_s)
        return written if written is not None else self._fitted(asked, SOON, self._longest_s) or b""

    def close(self) -> None:
        """End the process, and start no new one."""
        with self._starting:
            self._is_closed = True
            if self._process is not None:
                self._process.kill()

    def _fitted(self, what: dict[str, Any], niceness: int, patience_s: float) -> bytes | None:
        """Return the output of the process, or `None` if it got too little processor time. Raises FitError."""
        asked = {**what, "db": self._db, "niceness": niceness}
        with tempfile.TemporaryFile() as written:
            with self._starting:
                if self._is_closed:
                    raise FitError(Text("the pages are being closed"))
                process = self._process = subprocess.Popen(
                    _COMMAND,
                    stdin=subprocess.PIPE,
                    stdout=written,
                    text=True,
                    process_group=0,  # Ctrl-C in a terminal is for the pages, which end it
                )
            # Its input stays open: the process ends when that ends. One that has ended at once gives no answer.
            with suppress(BrokenPipeError), process:
                assert process.stdin is not None
                # Not among the arguments, which everybody on the machine can read.
                process.stdin.write(json.dumps(asked) + "\n")
                process.stdin.flush()
                has_ended = partial(_has_ended, process, time.monotonic(), self._longest_s)
                if was_starved(process.pid, has_ended, patience_s):
                    process.kill()
                    return None
            written.seek(0)
            return written.read()


def _has_ended(process: subprocess.Popen[str], start_s: float, longest_s: float, waited_s: float) -> bool:
    """Wait for a process so many seconds; `longest_s` after its start it is killed. Raises FitError then."""
    left_s = max(0.0, start_s + longest_s - time.monotonic())
    try:
        process.wait(min(waited_s, left_s))
    except subprocess.TimeoutExpired as error:
        if left_s > waited_s:
            return False
        process.kill()
        raise FitError(Text("the fit took longer than {seconds} s", seconds=f"{longest_s:.0f}")) from error
    return True


def _read_answer(text: bytes) -> OfficialTable:
    data = _data_of(text)
    parts = {
        "pool": _pool_of(data["pool"]),
        "rows": tuple(OfficialRow(**{**row, "stronger": ()}) for row in data["rows"]),
        "seats": tuple(SeatAdvantage(**seat) for seat in data["seats"]),
        "circles": tuple(
            Circle(**{**circle, **{key: tuple(circle[key]) for key in ("versions", "bots", "shares", "blocks")}})
            for circle in data["circles"]
        ),
    }
    return OfficialTable(**{**data, **parts, "unsteady": tuple(data["unsteady"])})


def _read_overall(text: bytes) -> OverallTable:
    data = _data_of(text)
    tuples = ("copies", "missing", "figures", "places")
    parts = {
        "pools": tuple(OverallPool(**{**one, "pool": _pool_of(one["pool"])}) for one in data["pools"]),
        "methods": tuple(data["methods"]),
        **{
            kind: tuple(OverallRow(**{**row, **{key: tuple(row[key]) for key in tuples}}) for row in data[kind])
            for kind in ("rows", "apart")
        },
    }
    return OverallTable(**{**data, **parts})


def _pool_of(data: dict[str, Any]) -> Pool:
    return Pool(**{**data, "rating_method": RatingMethod(data["rating_method"])})


def _data_of(text: bytes) -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise FitError(Text("the process that fits ended without an answer")) from error
    if "why_not" in data:
        raise FitError(from_json(data["why_not"]))
    return data


def main() -> int:
    """Fit what standard input asks for."""
    asked = json.loads(sys.stdin.readline())
    give_way(asked["niceness"])

    def end_with_input() -> None:
        sys.stdin.read()
        os._exit(1)

    threading.Thread(target=end_with_input, daemon=True).start()
    json.dump(_answer(asked["db"], asked.get("pool", ""), asked.get("methods", ())), sys.stdout)
    return 0


def _answer(db: str, pool: str, methods: Sequence[str] = ()) -> dict[str, Any]:
    """Return the official table of a pool, or with methods the one over all games, as JSON has it."""
    try:
        database = open_for_reading(db)
        try:
            programs = StoredPrograms(VersionStore(Path("none.bots")))  # of bots only the names are read
            arena = LocalArena(database, programs, Viewer(Scope.VIEWER))
            if methods:
                return asdict(arena.ratings.get_overall_table(methods=tuple(methods)))
            return asdict(arena.overview.fit_official(pool))
        finally:
            database.close()
    except (RatingsError, StatisticsError, ClientError) as error:
        return {"why_not": to_json(public_message(error))}


if __name__ == "__main__":
    sys.exit(main())
