"""A service from its first day to its second home.

Competitors make bots, come in, improve, end a season and find it all again.
"""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import ANY_TIME
from tests.support.places import QUICK_BOT, Place, Served, Terminal, left_behind, serving
from tests.support.processes import wait_until

pytestmark = pytest.mark.needs("sandbox")  # without one no owner's bot is taken


@pytest.fixture
def house() -> Iterator[Place]:
    """An empty place whose path is short, because a socket's path must be."""
    with tempfile.TemporaryDirectory(prefix="kma") as directory:
        made = Place(Path(directory) / "old")
        made.directory.mkdir()
        made.environment["XDG_CONFIG_HOME"] = str(Path(directory) / "config")
        yield made
        made.wait_until_nothing_runs()


WORDS = ("--tls-self-signed", "--workers", "1")
PACE = "240"
"""Ten matches at once, and then few: an unhurried ladder leaves the machine to the checks of new versions."""
BOTS = {"ada/fox", "bob/hare"}


def new_bot(house: Place, name: str, remark: str = "") -> Path:
    """A bot as `arena bot new` writes it, but for one that answers at once, and for a remark in its last line."""
    directory = house.directory.parent / f"{name}{remark}"
    house.ok("bot", "new", directory, "--name", name, "--game", "foreign_king")
    (directory / "main.py").write_text(f"{QUICK_BOT}# {remark}\n", encoding="utf-8")
    return directory


def come_in(house: Place, served: Served, owner: str) -> None:
    """Invite somebody, who logs in; the login is called like the owner."""
    code = re.search(r"kmi_[\w-]+", house.ok("owner", "invite", owner).out)
    assert code
    words = ("--name", owner, "--invitation", code[0], "--fingerprint", served.addresses["fingerprint"])
    assert f"as {owner} (competitor)" in house.ok("login", served.addresses["owners"], *words).out


def submit(house: Place, owner: str, source: Path, message: str) -> str:
    """Hand a version in and see it admitted; the hash of its content."""
    done = house.ok("--server", owner, "bot", "submit", source, "--message", message)
    assert "admitted: " in done.err
    found = re.search(r"submitted \S+ version \d+ \((\w+)\)", done.err)
    assert found
    return found[1]


def active(house: Place, owner: str, bot: str) -> str:
    """The hash of the version that went onto the ladder last."""
    events = house.ok("--server", owner, "bot", "log", bot, "--json").json
    return str(next(event["content_hash"] for event in events if event["kind"] in ("promoted", "rolled_back")))


def board(house: Place, owner: str) -> dict[str, Any]:
    """The rows of the one leaderboard by the name of the bot."""
    boards = house.ok("--server", owner, "leaderboard", "--json").json
    return {row["bot"]: row for table in boards for row in table["table"]}


def test_the_whole_story_of_a_service(house: Place) -> None:
    archive = house.directory.parent / "monday.tar.gz"
    with serving(house, *WORDS, "--play-address", "127.0.0.1:0", address="127.0.0.1:0") as served:
        house.ok(
            "ladder", "open", "king2", "--game", "foreign_king", "--seats", "2", "--matches-per-day", PACE, *ANY_TIME
        )
        come_in(house, served, "ada")
        come_in(house, served, "bob")
        submit(house, "bob", new_bot(house, "hare"), "my first bot")
        old = submit(house, "ada", new_bot(house, "fox"), "my first bot")
        wait_until(lambda: set(board(house, "bob")) >= BOTS)
        for sample in ('arena_admission_seconds_count{verdict="admitted"}', 'arena_upload_seconds_count{outcome="OK"}'):
            wait_until(lambda sample=sample: served.metric(sample) == len(BOTS))  # type: ignore[misc]
        refuse_to_show_anothers(house)
        new = submit(house, "ada", new_bot(house, "fox", "-anew"), "written anew")
        assert active(house, "ada", "fox").startswith(new)
        house.ok("--server", "ada", "bot", "promote", f"fox@{old}", "--message", "the old one was better")
        assert active(house, "ada", "fox").startswith(old)
        play_from_home(house)
        end_the_season(house)
        house.ok("home", "backup", archive, "--home", house.directory)
        address = served.addresses["owners"]
        assert served.stop() == 0
    assert left_behind(house) == []
    go_on_from(house, archive, address, old)


def play_from_home(house: Place) -> None:
    """Bots play each other from the machines of their authors, on a ladder of their own, and are ranked there."""
    words = ("--remote", "--game", "foreign_king", "--seats", "2", "--matches-per-day", PACE)
    house.ok("ladder", "open", "homes", *words, *ANY_TIME)
    with connected(house, "ada", "fox", "owl") as ada, connected(house, "bob", "hare", "wolf") as bob:
        wait_until(lambda: set(board(house, "ada")) >= {"ada/owl", "bob/wolf"})
        for terminal in (ada, bob):
            terminal.wait_for("is over: rank")
            terminal.interrupt()
            terminal.wait_for("no new match is started|leaving")  # or both signals would be one to it
            terminal.interrupt()
            terminal.end()


@contextmanager
def connected(house: Place, owner: str, directory: str, name: str) -> Iterator[Terminal]:
    """A bot that plays from its author's machine."""
    home = Place(house.directory.parent / f"home-of-{owner}")
    home.directory.mkdir()
    home.environment["XDG_CONFIG_HOME"] = house.environment["XDG_CONFIG_HOME"]
    source = house.directory.parent / directory
    with home.on_terminal("--server", owner, "bot", "connect", source, "--name", name) as terminal:
        yield terminal


def refuse_to_show_anothers(house: Place) -> None:
    """Nobody may manage, or see the log of, what is not his, nor do what is the organiser's."""
    for words in (("bot", "withdraw", "bob/hare"), ("owner", "list"), ("token", "new", "--owner", "bob")):
        refused = house.here("--server", "ada", *words)
        assert refused.code == 2, refused
        assert refused.err.count("\n") == 1


def end_the_season(house: Place) -> None:
    """Freeze, play the short final, close, publish the secret, and begin the next one."""
    frozen = house.ok("season", "freeze", "king2", "--final-blocks", "2", "--json").json
    assert (frozen["state"], frozen["secret"]) == ("final", None)
    wait_until(lambda: house.here("season", "close", "king2").code == 0)
    kept = house.ok("--server", "bob", "season", "show", "king2", "1", "--json").json
    assert kept["season"]["state"] == "closed"
    assert re.fullmatch(r"[0-9a-f]{64}", kept["season"]["secret"])
    assert {row["bot"] for row in kept["table"]} == BOTS
    house.ok("season", "open", "king2", "--name", "spring")


def go_on_from(house: Place, archive: Path, address: str, old: str) -> None:
    """Everything is there in the restored home, and plays on; those who were logged in still are."""
    second = Place(house.directory.parent / "new")
    second.environment["XDG_CONFIG_HOME"] = house.environment["XDG_CONFIG_HOME"]
    assert second.directory.exists() is False
    assert house.ok("home", "restore", archive, "--home", second.directory, "--json").json["problems"] == []
    played = second.counts()["finished"]
    with serving(second, *WORDS, address=address) as served:
        assert served.addresses["owners"] == address
        assert [season["name"] for season in second.ok("season", "list", "king2", "--json").json] == [
            "spring",
            "season 1",
        ]
        assert active(second, "ada", "fox").startswith(old)
        assert set(board(second, "bob")) >= BOTS
        wait_until(lambda: second.counts()["finished"] > played)
        assert served.stop() == 0
    second.ok("db", "check")
