"""Clients that hand bots in all the while, each as the command does, and try again whatever becomes of the service."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from arena.model.errors import ClientError
from benchmarks.submission_clients import Client, Source, hand_in, reason_of, write_source

BETWEEN_S = 0.1
GONE = {"UNAVAILABLE", "CANCELLED", "DEADLINE_EXCEEDED"}
"""What a client is told when the service is killed, and the attempts to reach it again are used up."""


@dataclass
class Uploaders:
    """Some owners who hand one bot in after the other while the block runs; each finishes its last one."""

    clients: Sequence[tuple[str, Client]]
    sources: Path
    handed_in: list[tuple[str, Source]] = field(default_factory=list)
    resumed: int = 0
    """How many of them went on where an earlier attempt had stopped."""
    failures: Counter[str] = field(default_factory=Counter)
    _stop: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> Uploaders:
        """Have every client begin."""
        for place, (owner, client) in enumerate(self.clients):
            self._threads.append(threading.Thread(target=self._work, args=(place, owner, client), daemon=True))
            self._threads[-1].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Hand in what is begun, and no more."""
        self._stop.set()

    def wait(self, patience_s: float) -> bool:
        """Wait until everybody has handed in what was begun; return whether they have."""
        self._stop.set()
        for thread in self._threads:
            thread.join(patience_s)
        return not any(thread.is_alive() for thread in self._threads)

    def wrong(self) -> list[str]:
        """What clients were told that a kill does not explain."""
        return [
            f"a client was told {reason} {count} times" for reason, count in self.failures.items() if reason not in GONE
        ]

    def _work(self, place: int, owner: str, client: Client) -> None:
        number = 0
        while not self._stop.is_set():
            number += 1
            directory = self.sources / f"{owner}-{number}"
            source = write_source(directory, f"fox{number % 3}", 1000 * place + number, smallest=18, largest=23)
            self._hand_in(owner, client, source)
            self._stop.wait(BETWEEN_S)

    def _hand_in(self, owner: str, client: Client, source: Source) -> None:
        while True:
            try:
                result = hand_in(client, source)
            except ClientError as error:
                self.failures[reason_of(error)] += 1
                threading.Event().wait(BETWEEN_S)
            else:
                self.resumed += result.resumed
                self.handed_in.append((owner, source))
                return
