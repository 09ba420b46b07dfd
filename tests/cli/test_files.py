"""Files that commands write: whole or not at all."""

import os
import signal
from pathlib import Path

import pytest

from arena.cli.shared.errors import MisuseError
from arena.cli.shared.files import write_file, written


def test_a_file_appears_whole_and_takes_the_place_of_another(tmp_path: Path) -> None:
    file = tmp_path / "made.html"
    file.write_text("before")
    file.chmod(0o640)
    with written(file, "--html") as stream:
        stream.write(b"after")
        assert file.read_text() == "before"
    assert file.read_text() == "after"
    assert file.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [file]


def test_what_is_broken_off_leaves_everything_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "made.html"
    with pytest.raises(KeyboardInterrupt):
        _break_off(file)
    assert list(tmp_path.iterdir()) == []


def _break_off(file: Path) -> None:
    with written(file, "--html") as stream:
        stream.write(b"half")
        raise KeyboardInterrupt


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_a_signal_breaks_off_leaves_everything_as_it_was(tmp_path: Path, number: signal.Signals) -> None:
    before = signal.signal(number, signal.SIG_DFL)  # tests may run under nohup
    try:
        with pytest.raises(KeyboardInterrupt):
            _tell_twice(tmp_path / "made.html", number)
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)
    assert list(tmp_path.iterdir()) == []


def _tell_twice(file: Path, number: signal.Signals) -> None:
    with written(file, "--html"):
        try:
            os.kill(os.getpid(), number)
        finally:
            os.kill(os.getpid(), number)  # a terminal that is closed may tell so twice


def test_a_file_of_another_kind_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "README.md"
    file.write_text("# Mine")
    with pytest.raises(MisuseError, match=r"README.md is there, .*; remove it, or name another file after --html"):
        written(file, "--html", lambda beginning: beginning.startswith(b"<")).__enter__()
    assert file.read_text() == "# Mine"
    file.write_text("")
    for text in (b"<one>", b"<two>"):
        with written(file, "--html", lambda beginning: beginning.startswith(b"<")) as stream:
            stream.write(text)
    assert file.read_bytes() == b"<two>"
    with written(Path("/dev/null"), "--html", lambda _beginning: False) as stream:
        stream.write(b"a device")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "there", tmp_path / "link"
    link.symlink_to(file)
    write_file(link, "text", "--html")
    assert link.is_symlink()
    assert file.read_text() == "text"


def test_a_place_that_cannot_be_written_is_told_before_anything_is_made(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none" / "made.html"):
        with pytest.raises(MisuseError, match=r"cannot write .*; name another file after --html"):
            written(place, "--html").__enter__()
    write_file(Path("/dev/null"), "text", "--html")
    assert not Path("/dev/null").is_file()
