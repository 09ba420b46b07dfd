"""The way of a competitor at the command line: invited, logged in, a bot handed in; limits, and what goes wrong."""

from __future__ import annotations

import io
import random
import signal
import stat
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.hosting.sandbox.probe import Probe
from arena.hosting.uploads.resumable_uploads import UploadArea
from arena.rpc.profiles import load_profile
from ratings.ledger.service_ledger import ServiceLedger
from tests.cli.support import Arena, write_bot
from tests.support.owners import RunningServer, running_server
from tests.support.patience import PATIENCE_S
from tests.support.places import ARENA


@pytest.fixture
def server(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningServer]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with tempfile.TemporaryDirectory(prefix="kma") as directory, running_server(Path(directory)) as running:
        yield running


def organiser(server: RunningServer) -> tuple[str, str]:
    return "--server", f"unix:{server.addresses.socket}"


def invite(arena: Arena, server: RunningServer, name: str) -> str:
    finished = arena(*organiser(server), "owner", "invite", name)
    assert finished.code == 0, finished
    return finished.out.strip()


def log_in(arena: Arena, server: RunningServer, name: str = "club", owner: str = "ada") -> None:
    address = server.addresses.address or ""
    code = invite(arena, server, owner)
    finished = arena("login", address, "--name", name, "--invitation", code, "--fingerprint", server.tls.fingerprint)
    assert finished.code == 0, finished
    assert f"as {owner} (competitor)" in finished.out


def test_an_invited_owner_logs_in_and_hands_a_bot_in(arena: Arena, server: RunningServer, tmp_path: Path) -> None:
    log_in(arena, server)
    bot = write_bot(tmp_path / "fox", "fox", games='["foreign_king", "rex_romanorun"]')
    submitted = arena("--server", "club", "bot", "submit", bot, "-m", "the first", "--no-wait", "--json")
    assert submitted.code == 0, submitted
    assert "note: games in bot.toml names 'rex_romanorun'" in submitted.err
    assert "did you mean 'rex_romanorum'?" in submitted.err
    assert (submitted.json["bot"], submitted.json["number"]) == ("ada/fox", 1)
    assert submitted.json["admission"]["state"] == "queued"
    assert "submitted ada/fox version 1" in submitted.err
    assert [row["name"] for row in arena("--server", "club", "bot", "list", "--json").json] == ["ada/fox"]
    shown = arena("--server", "club", "bot", "admission", "fox")
    assert "queued" in shown.out


def test_the_verdict_of_an_admission_is_waited_for_and_told(
    arena: Arena, server: RunningServer, tmp_path: Path
) -> None:
    log_in(arena, server)
    bot = write_bot(tmp_path / "fox", "fox")
    assert arena("--server", "club", "bot", "submit", bot, "--no-wait").code == 0
    ledger = ServiceLedger(server.database)
    taken = ledger.take_admission()
    assert taken is not None
    finding = {"check": "start", "state": "failed", "sentence": "it ended before it joined"}
    assert ledger.finish_admission(
        taken.admission.id, is_admitted=False, summary="it does not start", findings=[finding]
    )
    assert "it does not start" in arena("--server", "club", "bot", "admission", "fox").out
    assert "FAILED   start: it ended before it joined" in arena("--server", "club", "bot", "admission", "fox").out
    again = arena("--server", "club", "bot", "submit", bot, "--no-wait")
    assert again.code == 0
    assert "these files were submitted before: ada/fox version 1 (" in again.err
    assert "; they wait to be built and checked, even if they failed before\n" in again.err
    assert ledger.take_admission() is not None
    assert "; they are checked now\n" in arena("--server", "club", "bot", "submit", bot, "--no-wait").err


def test_a_refusal_says_that_the_same_files_may_be_tried_again(
    arena: Arena, server: RunningServer, tmp_path: Path
) -> None:
    log_in(arena, server)
    ledger = ServiceLedger(server.database)

    def refuse() -> None:
        while (taken := ledger.take_admission()) is None:
            threading.Event().wait(0.01)
        ledger.finish_admission(taken.admission.id, is_admitted=False, summary="Refused: too slow.", findings=[])

    refuser = threading.Thread(target=refuse)
    refuser.start()
    refused = arena("--server", "club", "bot", "submit", write_bot(tmp_path / "fox", "fox"))
    refuser.join()
    assert refused.code == 1
    assert refused.err.endswith(
        "the same files are then built and checked again\narena: ada/fox version 1: Refused: too slow.\n"
    )


def test_a_bot_that_waits_for_a_sandbox_says_so_at_once(
    arena: Arena, server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_in(arena, server)
    monkeypatch.setattr("arena.hosting.sandbox.limits._probe", lambda level: Probe(level, (), "no bwrap", "install it"))
    submitted = arena("--server", "club", "bot", "submit", write_bot(tmp_path / "fox", "fox"), "--no-wait")
    assert submitted.code == 0
    assert "It waits: no bot of an owner can run at this service now" in submitted.err
    assert "bwrap" not in submitted.err
    shown = arena("--server", "club", "bot", "admission", "fox").out
    assert "waits" in shown
    assert "`arena serve --check`" in shown
    monkeypatch.undo()
    taken = ServiceLedger(server.database).take_admission()
    assert taken is not None
    assert taken.admission.summary is None


@pytest.mark.needs("minutes")
def test_ctrl_c_in_an_upload_says_in_one_line_how_to_go_on(
    arena: Arena, server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_in(arena, server)
    bot = write_bot(tmp_path / "fox", "fox")
    (bot / "weights.bin").write_bytes(random.Random(1).randbytes(1_000_000))
    arrived, go_on = threading.Event(), threading.Event()
    append = UploadArea.append

    def one_part(area: UploadArea, upload_id: str, offset: int, chunk: bytes, turn: int) -> int:
        if offset:
            arrived.set()
            go_on.wait(PATIENCE_S)
        return append(area, upload_id, offset, chunk, turn)

    monkeypatch.setattr(UploadArea, "append", one_part)
    words = [*ARENA, "--server", "club", "bot", "submit", str(bot), "--no-wait"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert arrived.wait(PATIENCE_S)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE_S)
    go_on.set()
    assert (process.returncode, said.splitlines()[-1]) == (
        130,
        "arena: stopped; what has arrived is kept, and the same command goes on there",
    )
    assert "Traceback" not in said
    assert arena("--server", "club", "bot", "submit", bot, "--no-wait").code == 0


def test_a_login_is_for_its_user_only_and_is_forgotten_by_logout(arena: Arena, server: RunningServer) -> None:
    log_in(arena, server)
    profile = load_profile("club")
    assert profile.fingerprint == server.tls.fingerprint
    files = list(Path(arena.db.parent / "config").rglob("club.json"))
    assert [stat.S_IMODE(path.stat().st_mode) for path in files] == [0o600]
    assert "club" in arena("logout").out
    assert profile.token not in arena("logout", "--json").out
    assert arena("logout", "club").code == 0
    assert "there is no login 'club'" in arena.refusal("--server", "club", "bot", "list")


def test_the_token_can_come_by_the_standard_input(
    arena: Arena, server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = arena(*organiser(server), "token", "new", "--scope", "viewer", "--name", "page").out.strip()
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{token}\n"))
    address = server.addresses.address or ""
    finished = arena("login", address, "--token-stdin", "--fingerprint", server.tls.fingerprint)
    assert finished.code == 0, finished
    assert "(viewer)" in finished.out
    assert "needs a token of scope organiser" in arena.refusal("--server", "127.0.0.1", "owner", "list")


def test_an_unknown_certificate_is_told_with_the_fingerprint_to_compare(arena: Arena, server: RunningServer) -> None:
    address = server.addresses.address or ""
    said = arena.refusal("login", address, "--invitation", "kmi_x", code=1)
    assert f"--fingerprint {server.tls.fingerprint}" in said
    wrong = "AB" * 32
    said = arena.refusal("login", address, "--invitation", "kmi_x", "--fingerprint", wrong, code=1)
    assert "shows a certificate with the fingerprint" in said


def test_an_invitation_works_once(arena: Arena, server: RunningServer) -> None:
    address, code = server.addresses.address or "", invite(arena, server, "ada")
    words = ("login", address, "--invitation", code, "--fingerprint", server.tls.fingerprint)
    assert arena(*words).code == 0
    assert "invitation" in arena.refusal(*words)


def test_another_certificate_than_the_pinned_one_is_refused(arena: Arena, server: RunningServer) -> None:
    log_in(arena, server)
    socket = server.addresses.socket
    assert socket is not None
    again = socket.parent.parent / "again"
    again.mkdir()
    with running_server(again) as other:
        path = next(Path(arena.db.parent / "config").rglob("club.json"))
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(server.addresses.address or "", other.addresses.address or ""), encoding="utf-8")
        said = arena.refusal("--server", "club", "bot", "list", code=1)
    assert "shows another certificate" in said


MISTAKES: list[tuple[tuple[str, ...], int, str]] = [
    (("login", "nowhere"), 2, "write HOST:PORT"),
    (("login", "127.0.0.1:1", "--invitation", "kmi_x"), 1, "cannot reach 127.0.0.1:1"),
    (("login", "127.0.0.1:1", "--name", "../x"), 2, "cannot be the name of a login"),
    (("login", "127.0.0.1:1", "--invitation", "x", "--token-stdin"), 2, "exclude each other"),
    (("--server", "unix:/nowhere", "bot", "list"), 1, "no service listens at /nowhere"),
    (("--server", "club", "bot", "list"), 2, "there is no login 'club'"),
    (("bot", "submit", "."), 2, "name one with --server"),
]


def test_mistakes_are_told_in_one_line(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    missed = [one for words, code, said in MISTAKES for one in arena.misses([(words, said)], code=code)]
    assert missed == []


def test_an_owner_manages_his_own_tokens(arena: Arena, server: RunningServer) -> None:
    log_in(arena, server)
    assert arena(*organiser(server), "owner", "add", "bob").code == 0
    made = arena("--server", "club", "token", "new", "--name", "laptop", "--scope", "player", "--json").json
    assert (made["summary"]["owner"], made["summary"]["scope"]) == ("ada", "player")
    listed = arena("--server", "club", "token", "list", "--json")
    assert {row["owner"] for row in listed.json} == {"ada"}
    assert made["token"] not in listed.out
    assert arena("--server", "club", "token", "revoke", "laptop", "--owner", "ada").code == 0
    assert "scope organiser" in arena.refusal("--server", "club", "token", "list", "--owner", "bob")
    assert "no token" in arena.refusal("--server", "club", "token", "revoke", "laptop")


def test_owners_and_tokens_are_managed_on_the_database_too(arena: Arena) -> None:
    assert arena("owner", "add", "ada").code == 0
    made = arena("token", "new", "--owner", "ada", "--name", "laptop", "--days", "3", "--json").json
    assert made["token"].startswith("kma_")
    assert made["summary"]["scope"] == "competitor"
    assert made["token"] not in arena("token", "list", "--json").out
    assert arena("token", "revoke", "laptop", "--owner", "ada").code == 0
    assert arena("token", "list", "--json").json[0]["revoked_at_us"] is not None
    assert arena("owner", "disable", "ada").code == 0
    assert arena("owner", "list", "--json").json[0]["disabled_at_us"] is not None
    assert arena("owner", "disable", "ada", "--undo").code == 0
    assert "'nobody'" in arena.refusal("token", "new", "--owner", "nobody")
    assert "ada" in arena.refusal("owner", "add", "ada")


__all__ = ["server"]


def test_limits_are_set_one_by_one_shown_and_reset(arena_cli: Arena) -> None:
    assert arena_cli("owner", "add", "ann").code == 0
    assert arena_cli("owner", "limit", "ann", "--versions", "3", "--stored-mb", "0").code == 0
    shown = arena_cli("owner", "limit", "ann", "--concurrent-matches", "2")
    assert "versions            0 of 3 (individual)" in shown.out
    assert "stored mb           0.0, no limit (individual)" in shown.out
    assert "archive mb          64\n" in shown.out
    assert "concurrent matches  2 (individual)" in shown.out
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
    (arena.db.parent / "settings.toml").write_text("[limits]\nversions = 9\nnotes_mb = 7\n", encoding="utf-8")
    assert "versions            0 of 9\n" in arena("owner", "show", "ann").out
    assert "up to 7 MB of them for all bots of ann" in arena("bot", "add", "random", "--owner", "ann").err
    shown = arena("owner", "limit", "ann", "--notes-mb", "0").out
    assert shown.endswith("notes mb            0.0, no limit (individual)\n")
    assert "notes" not in arena("bot", "add", "random", "--owner", "ann").err


def test_an_owner_is_told_what_he_has_and_only_that(arena: Arena, server: RunningServer, tmp_path: Path) -> None:
    log_in(arena, server)
    bot = write_bot(tmp_path / "fox", "fox")
    submitted = arena("--server", "club", "bot", "submit", bot, "--no-wait")
    assert submitted.code == 0
    assert "\nnotes: the replays keep up to 256 MB of them for all bots of ada, 0.0 MB so far" in submitted.err
    shown = arena("--server", "club", "owner", "show")
    assert "owner               ada\n" in shown.out
    assert "notes mb            0.0 of 256\n" in shown.out
    assert "uploads per hour    1 of 60\n" in shown.out
    assert "only an organiser may see what another owner has" in arena.refusal(
        "--server", "club", "owner", "show", "bob"
    )
    assert "scope organiser" in arena.refusal("--server", "club", "owner", "limit", "ada", "--versions", "900")
    assert "whoever asks is none" in arena.refusal("--server", f"unix:{server.addresses.socket}", "owner", "show")
