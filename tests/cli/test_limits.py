"""`arena owner limit` and `show`, at a database and at a service; what an owner is told of his own limits."""

from pathlib import Path

from tests.cli.support import Arena, write_bot
from tests.cli.test_service import log_in, server
from tests.support.owners import RunningServer

__all__ = ["server"]


def test_limits_are_set_one_by_one_shown_and_reset(arena_cli: Arena) -> None:
    assert arena_cli("owner", "add", "ann").code == 0
    assert arena_cli("owner", "limit", "ann", "--versions", "3", "--stored-mb", "0").code == 0
    shown = arena_cli("owner", "limit", "ann", "--concurrent-matches", "2")
    assert "versions            0 of 3 (of his own)" in shown.out
    assert "stored mb           0.0, no limit (of his own)" in shown.out
    assert "archive mb          64\n" in shown.out
    assert "concurrent matches  2 (of his own)" in shown.out
    assert "versions=3, stored_mb=0, concurrent_matches=2" in arena_cli("owner", "list").out
    found = arena_cli("owner", "show", "ann", "--json").json
    assert found["own"] == ["versions", "stored_mb", "concurrent_matches"]
    reset = arena_cli("owner", "limit", "ann", "--reset", "--versions", "7", "--json").json
    assert (reset["own"], reset["limits"]["versions"]) == (["versions"], 7)
    assert arena_cli("owner", "limit", "ann", "--reset", "--json").json["own"] == []


IMPOSSIBLE: list[tuple[tuple[str, ...], str]] = [
    (("ann", "--version", "3"), "No such option: --version"),
    (("ann", "--versions", "-1"), "greater than or equal to 0"),
    (("ann",), "this changes nothing; name a limit such as --versions 50, or --reset"),
    (("eve2", "--versions", "3"), "no owner 'eve2'"),
]


def test_limits_that_cannot_be_are_refused(arena_cli: Arena) -> None:
    arena_cli("owner", "add", "ann")
    assert arena_cli.misses((["owner", "limit", *words], said) for words, said in IMPOSSIBLE) == []


def test_at_a_database_the_limits_of_its_home_count(arena: Arena) -> None:
    assert arena("owner", "add", "ann").code == 0
    (arena.db.parent / "settings.toml").write_text("[limits]\nversions = 9\n", encoding="utf-8")
    assert "versions            0 of 9\n" in arena("owner", "show", "ann").out


def test_an_owner_is_told_what_he_has_and_only_that(arena: Arena, server: RunningServer, tmp_path: Path) -> None:
    log_in(arena, server)
    bot = write_bot(tmp_path / "fox", "fox")
    assert arena("--server", "club", "bot", "submit", bot, "--no-wait").code == 0
    shown = arena("--server", "club", "owner", "show")
    assert "owner               ada\n" in shown.out
    assert "uploads per hour    1 of 60\n" in shown.out
    assert "only an organiser may see what another owner has" in arena.refusal(
        "--server", "club", "owner", "show", "bob"
    )
    assert "scope organiser" in arena.refusal("--server", "club", "owner", "limit", "ada", "--versions", "900")
    assert "whoever asks is none" in arena.refusal("--server", f"unix:{server.addresses.socket}", "owner", "show")
