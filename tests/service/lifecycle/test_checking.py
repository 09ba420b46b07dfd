from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena.service.home import make_home
from arena.service.lifecycle.checking import WARNED_BEFORE, check, check_certificate
from arena.service.server.tls import LIFETIME, make_certificate
from arena.service.settings.reading import load_settings


def test_a_check_tells_that_bots_of_owners_could_not_run(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    checked = check(home, load_settings(home.settings_file, {"service.sandbox": "none"}, {}))
    assert checked.problems == ()
    (note,) = checked.notes
    assert note.startswith("bots of owners would wait: ")
    assert "leave out `--sandbox none`" in note


def test_a_check_tells_of_a_certificate_before_it_expires(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    make_certificate(home.tls, [])
    end = datetime.now(UTC) + LIFETIME
    assert check_certificate(home, "", end - WARNED_BEFORE - timedelta(days=1)) == ([], [])
    problems, (note,) = check_certificate(home, "", end - WARNED_BEFORE)
    assert problems == []
    assert "expires in 59 days; remove " in note
    (problem,), notes = check_certificate(home, "", end)
    assert notes == []
    assert "has expired" in problem


def test_a_check_tells_of_a_certificate_that_is_none(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    (tmp_path / "cert.pem").write_text("nothing of the kind")
    (problem,) = check(
        home, load_settings(home.settings_file, {"service.tls_certificate": str(tmp_path / "cert.pem")}, {})
    ).problems
    assert "is no certificate in PEM" in problem


def test_a_check_tells_that_remote_bots_need_a_certificate(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", "")
    settings = load_settings(home.settings_file, {"service.play_address": "127.0.0.1:7735"}, {})
    assert any(note.startswith("remote bots need a certificate") for note in check(home, settings).notes)
    make_certificate(home.tls, [])
    assert not any("remote bots" in note for note in check(home, settings).notes)
