"""The home of a service: made private, refused where it cannot be used, held by one process alone."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from arena.service.errors import HomeError, HomeHeldError
from arena.service.home import held, holder_of, make_home

HOLDER = """
import sys
from pathlib import Path
from arena.service.home import held

with held(Path(sys.argv[1])) as lock:
    lock.publish(["127.0.0.1:7733", "unix:owners.sock"])
    print("held", flush=True)
    sys.stdin.read()
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_home_is_open_to_its_user_alone(tmp_path: Path) -> None:
    home = make_home(tmp_path / "deep" / "home", "# settings\n")
    for place in (home.directory, home.store, home.builds, home.uploads, home.tls, home.run, home.logs):
        assert mode(place) == 0o700
    assert mode(home.settings_file) == 0o600
    assert home.settings_file.read_text(encoding="utf-8") == "# settings\n"


def test_the_settings_of_an_old_home_stay_and_what_others_could_read_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "settings.toml").write_text("mine", encoding="utf-8")
    home = make_home(tmp_path, "# settings\n")
    assert home.settings_file.read_text(encoding="utf-8") == "mine"
    assert mode(tmp_path) == 0o700


def test_a_home_that_is_a_file_or_has_too_long_a_path_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(HomeError, match=r"file is a file, where a directory .* give another --home"):
        make_home(tmp_path / "file", "")
    with pytest.raises(HomeError, match=r"cannot be used: .* give another --home"):
        make_home(Path("/proc/nowhere"), "")
    with pytest.raises(HomeError, match="the home has no name"):
        make_home(Path(), "")
    with pytest.raises(HomeError, match=r"too long for a socket by .* shorter path"):
        make_home(tmp_path / ("x" * 120), "")


def test_a_home_of_another_user_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a directory away")
    os.chown(tmp_path, 12345, -1)
    with pytest.raises(HomeError, match="belongs to user 12345"):
        make_home(tmp_path, "")


def test_the_second_service_on_a_home_is_told_who_has_it(tmp_path: Path) -> None:
    lock = tmp_path / "home" / "run" / "lock"
    lock.parent.mkdir(parents=True)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        message = rf"home is served already, by process {holder.pid} since .* UTC at 127.0.0.1:7733, unix:owners.sock"
        with pytest.raises(HomeHeldError, match=message), held(lock):
            pass
        assert (holder_of(lock) or {})["pid"] == holder.pid
        holder.kill()
    assert holder_of(lock) is None
    with held(lock):
        pass


def test_nobody_holds_a_home_that_was_never_served(tmp_path: Path) -> None:
    assert holder_of(tmp_path / "lock") is None
