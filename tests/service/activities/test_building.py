"""That a tournament of the service builds again what was built for a runtime that has changed since."""

from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.builder.build import build_version
from arena.hosting.builds import BuildMissingError
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.programs import StoredPrograms
from arena.service.activities.context import build_entrants
from arena.service.logs import get_logger
from arena.service.supervision import Health, Supervisor
from arena.tournament.creation import create_match
from tests.support.venvs import NAME, add_package, make_venv, settings_for
from tests.tournament.book import TERMS, Book


async def test_entrants_are_built_for_the_runtime_as_it_is(book: Book, tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "venv", "fakenet==1")

    def programs() -> StoredPrograms:
        return replace(book.programs, runtimes=RuntimeCatalog(settings_for(venv), tmp_path / "cache"))

    make = "import fakenet; open('made', 'w').write(fakenet.VERSION)"
    version = book.add_bot("eva", runtime=NAME, build=make).content_hash
    before = programs()
    await build_version(before, version, has_owner=False)
    bots = ("eva", "ann", "bob")
    match = create_match(book.database, before, TERMS, bots=bots, choose_name=lambda _: "one")
    add_package(venv, "fakenet", "2")
    after = programs()
    with pytest.raises(BuildMissingError):
        after.find(version)
    await build_entrants(book.database, after, match.id, Supervisor(Health(), get_logger("test")))
    assert (after.find(version).directory / "made").read_text(encoding="utf-8") == "2"
