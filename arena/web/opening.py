"""Opens a database for the pages: to be read and never written, as somebody without a login may see it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.app.store import store_of
from arena.hosting.sandbox.programs import StoredPrograms
from arena.model.people import PlayLimits
from arena.web.official_fitting import Fitter
from arena.web.shared.helper import IDLE, HelperProcess
from arena.web.shared.official_tables import OfficialTables
from arena.web.shared.site import NOBODY, Site
from ratings.store.database import open_for_reading
from ratings.values.states import Scope


@contextmanager
def open_site(
    db: str,
    service: str | None = None,
    *,
    is_secure: bool = False,
    people: PlayLimits = NOBODY,
    names: tuple[str, ...] | None = None,
    is_helped: bool = False,
) -> Iterator[Site]:
    """Open the site of a database, a path or URL; it is closed at the end.

    `service` is where the service is reached that plays over it, if there is one; `people` may play there, `names` are
    those by which browsers may ask for it, None for any. With `is_helped` processes of their own do what takes long, as
    a site that many look at needs.
    Raises the errors of `ratings.store.database.open_for_reading`.
    """
    database = open_for_reading(db)
    fitter = Fitter(db)
    official = OfficialTables(fitter.fit)
    helper, counter = (HelperProcess(db), HelperProcess(db, IDLE)) if is_helped else (None, None)
    try:
        programs = StoredPrograms(store_of(db))
        arena = LocalArena(database, programs, Viewer(Scope.VIEWER))
        yield Site(
            *(arena, service, is_secure),
            official=official,
            people=people,
            names=names,
            helper=helper,
            counter=counter,
        )
    finally:
        for one in (helper, counter):
            if one is not None:
                one.close()
        fitter.close()
        official.close()
        database.close()
