"""What the pages of one arena may ask: the arena itself, as anybody may see it, and what is served beside it."""

from __future__ import annotations

from dataclasses import dataclass

from arena.model.people import PlayLimits
from arena.model.port import ShownArena
from arena.web.helper.process import HelperProcess
from arena.web.official.tables import OfficialTables

NOBODY = PlayLimits(most=0)


@dataclass(frozen=True, slots=True)
class Site:
    """An arena that is shown in browsers."""

    arena: ShownArena
    """As somebody without a login may see it."""
    service: str | None = None
    """Where the service is reached that plays, such as `unix:/srv/arena/run/socket`; `None` where nobody plays."""
    is_secure: bool = False
    """Whether browsers reach it by https, so that cookies must not travel otherwise."""
    official: OfficialTables | None = None
    """The official tables, which are fitted in the background; `None` where none are shown."""
    requests_per_second: float = 10.0
    """The pace that one address is held to; whoever is on this machine is not."""
    requests_at_once: int = 300
    """So many requests of an address may come in a row before they are held to the pace."""

    people: PlayLimits = NOBODY
    """What people may do who play here."""
    names: tuple[str, ...] | None = None
    """The names by which browsers may ask for it, besides addresses and `localhost`; `None` for any name."""
    helper: HelperProcess | None = None
    """Does what takes long in a process of its own; `None` where it is done in this one."""
    counter: HelperProcess | None = None
    """Does in another one what may take many seconds; it is started when there is any."""

    @property
    def takes_people(self) -> bool:
        """Return whether people can sit down here."""
        return self.service is not None and self.people.most > 0

    @property
    def is_live(self) -> bool:
        """Return whether a service plays, which shows its matches while they go on and takes what owners send."""
        return self.service is not None
