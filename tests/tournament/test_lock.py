import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.tournament.errors import AlreadyRunningError
from arena.tournament.lock import exclusive, lock_path


def test_the_lock_lies_beside_the_database(tmp_path: Path) -> None:
    assert lock_path(tmp_path / "arena.db", "0198-7") == tmp_path / "arena.db-0198-7.lock"


@pytest.mark.host_fault("two-commands-play-one-tournament")
def test_a_lock_that_is_held_is_refused_naming_its_holder(tmp_path: Path) -> None:
    with (
        exclusive(tmp_path / "lock"),
        pytest.raises(AlreadyRunningError, match=f"process {os.getpid()} is playing this tournament now; wait"),
        exclusive(tmp_path / "lock"),
    ):
        pass


def test_a_lock_can_be_taken_again_and_leaves_nothing_behind(tmp_path: Path) -> None:
    for _ in range(2):
        with exclusive(tmp_path / "lock"):
            assert (tmp_path / "lock").exists()
        assert list(tmp_path.iterdir()) == []


def test_two_locks_do_not_hinder_each_other(tmp_path: Path) -> None:
    with exclusive(tmp_path / "one"), exclusive(tmp_path / "other"):
        pass


@pytest.mark.host_fault("command-killed")
def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    holder = (
        "import os, pathlib, signal, sys\n"
        "from arena.tournament.lock import exclusive\n"
        "with exclusive(pathlib.Path(sys.argv[1])):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", holder, str(tmp_path / "lock")], check=False)
    assert killed.returncode == -9
    assert (tmp_path / "lock").exists()
    with exclusive(tmp_path / "lock"):
        pass
