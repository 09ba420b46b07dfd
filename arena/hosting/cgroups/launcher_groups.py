"""Makes the groups of one launcher's bots, whose names say whose they are, and removes what is left of any launcher."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import suppress

from arena.hosting.cgroups.cgroup import Cgroup, Freezer, kill_all, remove_group, take_lock
from arena.hosting.cgroups.hierarchy import GroupLimits, GroupPlace, read_hierarchies
from arena.hosting.cgroups.offer import TOP, find_offer, take_offer

PREFIX = "kingmaker-arena-bot-"
_MOST_DIRECTORIES = 5_000  # how many groups of a machine are looked at for those of dead arenas


class GroupHolder:
    """The groups of one launcher."""

    def __init__(self) -> None:
        self.name = f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
        """What all its groups are called, before a dot and a number."""
        self._place: GroupPlace | None = None

    def make(self, key: int, limits: GroupLimits) -> Cgroup:
        """Make the group of a bot. Raises OSError, with the remedy where it is known."""
        if self._place is None:
            self._place = take_offer()
        return Cgroup(self._place.below(f"{self.name}.{key}"), limits)

    def close(self) -> None:
        """Remove what is left, if anything was made; its living bots are lost."""
        if self._place is not None:
            self.clear()

    def clear(self) -> None:
        """Remove every group of this launcher, whoever made them, with everybody in it; its living bots are lost."""
        with suppress(OSError):
            around = self._place or find_offer()
            beginning = self.name + "."
            names = {name for path in around.distinct for name in _list_directories(path) if name.startswith(beginning)}
            for name in names:
                _remove(around.below(name))
            for directory in around.distinct:
                if os.path.basename(directory) == TOP:  # noqa: PTH119 - pathlib would double the start-up of the launcher
                    with suppress(OSError):  # other arenas may be in it
                        os.rmdir(directory)  # noqa: PTH106 - as above


def _remove(place: GroupPlace) -> None:
    try:
        freezer = Freezer(place)
    except OSError:  # it is half made, or half removed
        remove_group(place, None)
        return
    kill_all(place, freezer)
    remove_group(place, freezer)
    freezer.close()


def sweep_groups() -> list[str]:
    """Remove the groups of arenas that are dead, however they ended, and return their names.

    A group is locked by the launcher that made it, as long as that lives.
    """
    removed = []
    for place in _list_left_behind():
        lock = take_lock(place)
        if lock is not None:
            _remove(place)
            os.close(lock)
            removed.append(os.path.basename(place.distinct[0]))  # noqa: PTH119 - as above
    return removed


def _list_left_behind() -> Iterator[GroupPlace]:
    """Yield the groups of bots that we may remove; in version 1 those of the same name elsewhere go with them."""
    try:
        around = find_offer()
    except OSError:
        return
    marker = around.distinct[0]
    tree = next((one.point for one in read_hierarchies() if f"{marker}/".startswith(f"{one.point}/")), marker)
    waiting, looked = [tree], 0
    while waiting and looked < _MOST_DIRECTORIES:
        directory, looked = waiting.pop(), looked + 1
        for name in _list_directories(directory):
            if not name.startswith(PREFIX):
                waiting.append(f"{directory}/{name}")
            elif directory == marker:
                yield around.below(name)
            else:
                yield _elsewhere(around, directory, name)


def _elsewhere(around: GroupPlace, directory: str, name: str) -> GroupPlace:
    """Return the place of a group that another group's arena made; in version 1 all but memory is a guess."""
    if around.version == 2:
        return GroupPlace(2, dict.fromkeys(around.directories, f"{directory}/{name}"))
    beside = around.below(name).directories
    return GroupPlace(1, {**beside, "memory": f"{directory}/{name}"})


def _list_directories(directory: str) -> list[str]:
    try:
        with os.scandir(directory) as entries:
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
