"""kill -9 of the arena, of a worker, of the launcher, of all three: nothing is left, nothing lost, nothing twice.

`python -m benchmarks.robustness killing` does it at more moments, and looks at the clock.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.hosting.sandbox.limits import STANDARD
from tests.support.killing import ALL, ARENA, VICTIMS, Field, add_fierce_bots, kill, order, survivors
from tests.support.processes import wait_until

pytestmark = pytest.mark.needs("sandbox")  # only a sandbox ends with everybody who could end it
BLOCKS = 1
MATCHES = 3 * BLOCKS


@pytest.fixture(scope="module")
def temporary() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ka-") as directory:
        yield Path(directory)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, temporary: Path) -> Field:
    field = Field(tmp_path_factory.mktemp("fierce"), temporary, STANDARD)
    add_fierce_bots(field)
    return field


@pytest.fixture(scope="module")
def undisturbed(prepared: Field) -> list[tuple[object, ...]]:
    """The table of the same tournament when nobody is killed; the place is as before then."""
    database = prepared.db.read_bytes()
    prepared.ok(*order(BLOCKS))
    prepared.wait_until_nothing_runs()
    table = prepared.table()
    prepared.put_back(database)
    return table


@pytest.mark.host_fault("command-killed", "worker-killed", "launcher-killed", "guardian-killed")
@pytest.mark.parametrize("victim", VICTIMS)
def test_whoever_is_killed_nothing_is_left_and_the_table_is_the_same(
    prepared: Field, undisturbed: list[tuple[object, ...]], victim: str
) -> None:
    field = prepared
    database = field.db.read_bytes()
    field.hold()
    try:
        with field.on_terminal(*order(BLOCKS)) as terminal:
            terminal.wait_for(rf"[1-{MATCHES - 1}]/{MATCHES} matches, ")
            before = kill(field, terminal.process.pid, victim)
            assert before is not None
            wait_until(lambda: not survivors(field, before))
            field.release()
            assert terminal.end() == (-9 if victim in (ARENA, ALL) else 0)
        field.wait_until_nothing_runs()
        if victim != ALL:  # with nobody left to do it, the next start does
            assert field.left_behind() == []
        if victim in (ARENA, ALL):
            field.ok("tournament", "resume", "monday")
            field.wait_until_nothing_runs()
        assert field.left_behind() == []
        assert field.counts() == {"finished": MATCHES}
        assert field.table() == undisturbed
        field.ok("db", "check")
    finally:
        field.release()
        field.put_back(database)
