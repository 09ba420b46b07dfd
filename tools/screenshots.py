"""Plays a small arena and photographs its pages into docs/pictures, as the documents show them.

    python -m tools.screenshots [--out DIRECTORY] [--keep HOME] [NAME ...]

`make screenshots` runs it. A real database is played with fixed seeds, a real service serves it, and Debian's Chromium
looks at it. Places and sizes are the same every time; results, dates and what is live are those of the day. With names
only those pictures are made. With `--keep` the arena stays in a directory, and is not played again by the next run.
"""

from __future__ import annotations

import argparse
import base64
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from playwright.sync_api import Browser, Page, sync_playwright

from arena.web.app import open_site

ROOT: Final = Path(__file__).resolve().parents[1]
PICTURES: Final = ROOT / "docs" / "pictures"
MOST_BYTES: Final = 250_000
_ARENA: Final = (sys.executable, "-m", "arena.cli.main")
_QUALITY: Final = 80
_PATIENCE_MS: Final = 120_000
_MATCHES: Final = (
    "tournament run round-robin --game rex_romanorum --seats 3 --blocks 3 --name rex --bots search,greedy,random",
    "tournament run round-robin --game foreign_king --seats 3 --blocks 8 --name king --bots search,greedy,random",
    "compare search greedy --game foreign_king --max-blocks 60 --gain 0.1 --name better",
)
"""What is played, each by the seed and the clock below."""
_FIXED: Final = ("--seed", "7", "--time", "20ms")


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture: how a page is reached, and how it is looked at."""

    name: str
    go: Callable[[Page], None]
    width: int = 1440
    height: int = 900
    dark: bool = False


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the pictures. Returns 1 if one is larger than it may be."""
    parser = argparse.ArgumentParser(prog="python -m tools.screenshots", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=PICTURES)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    chosen = parser.parse_args(arguments)
    with _home(chosen.keep) as home:
        if not (home / "arena.db").exists():
            _arena(home, "bot", "add", "random", "greedy", "search")
            for words in _MATCHES:
                sys.stdout.write(f"arena {words}\n")
                _arena(home, *words.split(), *_FIXED)
            _arena(home, "ladder", "open", "king3", "--game", "foreign_king", "--seats", "3", "--time", "1s")
        with _served(home) as address, _chromium() as browser:
            shots = [shot for shot in _shots(home, address) if not chosen.names or shot.name in chosen.names]
            sizes = {shot.name: _take(browser, shot, chosen.out) for shot in shots}
    for name, size in sizes.items():
        sys.stdout.write(f"{name:<14} {size / 1000:6.0f} kB\n")
    return int(any(size > MOST_BYTES for size in sizes.values()))


@contextmanager
def _home(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with TemporaryDirectory(prefix="pictures-") as directory:
        yield Path(directory)


def _arena(home: Path, *words: str) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    environment = clean | {"ARENA_DB": str(home / "arena.db")}
    subprocess.run([*_ARENA, *words], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def _served(home: Path) -> Iterator[str]:
    """Serve the arena in `home`, which plays its ladder meanwhile; yields the address of its pages."""
    words = ("serve", "--home", str(home), "--web-address", "127.0.0.1:0", "--address", "", "--admin-address", "")
    service = subprocess.Popen([*_ARENA, *words], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert service.stdout is not None
        found = next(filter(None, (re.search(r"^ready .*\bweb=(\S+)", line) for line in service.stdout)))
        yield found[1]
    finally:
        service.terminate()
        with suppress(subprocess.TimeoutExpired):
            service.wait(timeout=5)
        service.terminate()  # a second time ends what is still played at once
        service.wait(timeout=60)


@contextmanager
def _chromium() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        raise SystemExit("there is no chromium; apt-get install chromium")
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=[*sandbox, "--disable-dev-shm-usage"])
        try:
            yield browser
        finally:
            browser.close()


def _shots(home: Path, address: str) -> Sequence[Shot]:
    """Return the pictures, in the order in which they are made: what waits for the ladder comes late, a person last."""
    with open_site(str(home / "arena.db")) as site:
        arena = site.arena
        rex, king = (arena.matches.list_matches(tournament=name, limit=1).items[0].id for name in ("rex", "king"))
        pools = {
            board.pool.game: board.pool.pool_id
            for board in reversed(arena.leaderboards.list_leaderboards(limit=1).boards)
        }

    def at(path: str, ready: str = "footer") -> Callable[[Page], None]:
        def go(page: Page) -> None:
            page.goto(address + path)
            page.wait_for_selector(ready)

        return go

    def live(page: Page) -> None:
        _until_live(page, address)
        page.click("[aria-labelledby=now] h3 a")
        page.wait_for_selector("[data-viewer][data-ready]")
        page.wait_for_function("document.querySelector('[data-viewer]').viewer.last >= 40")

    def play(page: Page) -> None:
        page.goto(f"{address}/play?game=foreign_king&seats=3")
        page.fill("[name=name0]", "Leopold")
        page.click("form.order button[type=submit]")
        page.wait_for_selector("#board [tabindex]")

    viewer = "[data-viewer][data-ready]"
    return (
        Shot("leaderboard", at(f"/leaderboards/{pools['foreign_king']}", "td.official + td svg")),
        Shot("tournament", at("/tournaments/king"), height=820),
        Shot("bot", at(f"/bots/search?pool={pools['foreign_king']}", ".u-over")),
        Shot("compare", at("/compare/better"), height=760),
        Shot("rex-romanorum", at(f"/matches/{rex}#ply=180", viewer)),
        Shot("foreign-king", at(f"/matches/{king}#ply=999", viewer), dark=True),
        Shot("game", at("/games/rex_romanorum?seats=4")),
        Shot("phone", at(f"/matches/{king}#ply=60", viewer), 390, 844),
        Shot("front", lambda page: _until_live(page, address), height=960),
        Shot("live", live, dark=True),
        Shot("play", play),
    )


def _until_live(page: Page, address: str) -> None:
    """Go to the front page when a match can be watched there, and wait for its board."""
    page.goto(address)
    while page.locator("[data-board]").count() == 0:
        page.wait_for_timeout(1000)
        page.reload()
    page.wait_for_function("document.querySelector('[data-board]').shadowRoot?.querySelectorAll('g').length > 20")


def _take(browser: Browser, shot: Shot, directory: Path) -> int:
    """Take a picture, as WebP. Returns its size in bytes."""
    context = browser.new_context(
        viewport={"width": shot.width, "height": shot.height},
        color_scheme="dark" if shot.dark else "light",
        reduced_motion="reduce",
        locale="en",
        bypass_csp=True,  # the waiting for functions is done by an eval
    )
    page = context.new_page()
    page.set_default_timeout(_PATIENCE_MS)
    shot.go(page)
    page.wait_for_function("Promise.all([...document.images].map(image => image.decode())).then(() => true)")
    page.wait_for_timeout(500)  # whatever htmx still puts in
    asked = {"format": "webp", "quality": _QUALITY}
    picture = context.new_cdp_session(page).send("Page.captureScreenshot", asked)
    context.close()
    directory.mkdir(parents=True, exist_ok=True)
    return (directory / f"{shot.name}.webp").write_bytes(base64.b64decode(picture["data"]))


if __name__ == "__main__":
    sys.exit(main())
