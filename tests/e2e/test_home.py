"""A home is backed up while its service plays, and goes on wherever it is restored."""

from pathlib import Path

import pytest

from arena.tournament.formats.ladder import LadderFormat
from tests.support.places import Place, plan, serving
from tests.support.processes import wait_until

pytestmark = pytest.mark.needs("minutes")


def finished(place: Place) -> int:
    return place.counts().get("finished", 0)


def restored(place: Place, archive: Path) -> Place:
    """The place that an archive becomes, after everything in it was checked."""
    new = Place(archive.with_name(archive.name.partition(".")[0]))
    done = place.ok("home", "restore", archive, "--home", new.directory, "--json").json
    assert (done["problems"], done["missing"]) == ([], [])
    assert done["matches"] == sum(new.counts().values())
    assert done["replays"] == finished(new)
    assert "is in order" in new.ok("db", "check", "--db", new.db).out
    return new


def test_every_backup_taken_while_matches_are_played_is_a_home_that_goes_on(
    field: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    plan(field, name="endless", bots=("first", "last"), form=LadderFormat(2, 0))
    directory = tmp_path_factory.mktemp("b")  # a socket's path must be short
    archives = [directory / f"{number}.tar.gz" for number in range(2)]
    taken: list[int] = []
    with serving(field, "--workers", "1") as served:
        for archive in archives:
            before = finished(field)
            wait_until(lambda before=before: finished(field) > before + 2)  # type: ignore[misc]
            done = field.ok("home", "backup", archive, "--home", field.directory)
            assert "contains secrets" in done.out
            assert archive.stat().st_mode & 0o777 == 0o600
            taken.append(finished(field))
        wait_until(lambda: finished(field) > taken[-1])
        assert served.stop() == 0
    homes = [restored(field, archive) for archive in archives]
    counts = [finished(home) for home in homes]
    assert counts == sorted(counts)
    assert all(count <= later for count, later in zip(counts, taken, strict=True))
    last = homes[-1]
    with serving(last, "--workers", "1") as served:
        wait_until(lambda: finished(last) > counts[-1] + 2)
        assert served.stop() == 0
    last.ok("db", "check", "--db", last.db)
    again = field.arena("home", "backup", archives[0], "--home", field.directory)
    assert (again.code, again.err.count("\n")) == (1, 1)
    assert "exists already" in again.err
