import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.match.spec import SeatSpec
from tests.support import scripted_bot
from tests.support.processes import marked_processes
from tests.support.specs import installed_script_game

BOT = Path(scripted_bot.__file__)


def scripted(behaviour: str = "", at: int = 0) -> SeatSpec:
    """A seat for the scripted bot; equal behaviour, equal version."""
    flags = ("--do", behaviour, "--at", str(at)) if behaviour else ()
    return SeatSpec(
        version=(f"{behaviour}-{at}" if behaviour else "honest"),
        name=behaviour or "honest",
        directory=str(BOT.parent),
        command=(sys.executable, str(BOT), *flags),
        seed=1,
    )


@pytest.fixture(scope="module")
def mark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Stands in the environment of every process that the tests of a module start; none outlives them."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        yield f"HOME={home}"
        assert marked_processes(f"HOME={home}") == {}


@pytest.fixture(scope="module", autouse=True)
def _script_game() -> Iterator[None]:
    with installed_script_game():
        yield
