"""Serves on a disk that becomes full and has room again, and says what could be seen and what came of it.

python -m tests.e2e.on_a_small_disk DISK
"""

from __future__ import annotations

import sys
import urllib.request
from contextlib import suppress
from pathlib import Path

from tests.support.patience import PATIENCE_S
from tests.support.places import CHOICES, Place, Served, plan, serving, write_quick_bot
from tests.support.processes import wait_until

MATCHES = 15
"""More than there is room for in what the database has of the disk already."""


def fill(file: Path) -> None:
    """Leave no room on the disk, nor in the last piece of it."""
    with file.open("ab", buffering=0) as filler:
        for size in (1 << 20, 1 << 12, 1):
            with suppress(OSError):
                while filler.write(bytes(size)) == size:
                    pass


def looks(place: Place, served: Served) -> list[str]:
    """What could be looked at: by commands on the file, over the service, and in a browser."""
    over = ("--server", f"unix:{served.addresses['socket']}")
    shows = ("tournament", "show", "monday"), (*over, "tournament", "show", "monday"), (*over, "leaderboard")
    seen = [str(place.here(*words).code) for words in shows]
    for page in ("/", "/tournaments", "/matches"):
        with urllib.request.urlopen(served.addresses["web"] + page, timeout=PATIENCE_S) as answer:
            seen.append(str(answer.status))
    return seen


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def main(disk: Path) -> None:
    place = Place(disk / "h")
    place.directory.mkdir()
    place.ok("bot", "add", *(write_quick_bot(place.directory / "sources" / name, name) for name in CHOICES))
    plan(place, blocks=MATCHES // 3)
    place.hold()
    filler = disk / "filler"
    with serving(place, "--workers", "1", web="127.0.0.1:0") as served:
        wait_until(lambda: place.counts().get("leased", 0) > 0)
        fill(filler)
        place.release()
        wait_until(lambda: "tournament monday" in served.health["problems"])
        fill(filler)
        say(*looks(place, served))
        say(place.counts() == {"finished": MATCHES}, "no room left" in served.health["problems"]["tournament monday"])
        filler.unlink()
        wait_until(lambda: place.counts() == {"finished": MATCHES})
        say("tournament monday" in served.health["problems"], served.stop())
    say("Traceback" in served.terminal.text, place.here("db", "check").code)
    say(place.ok("replay", "verify", "--all", "--json").json["verified"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
