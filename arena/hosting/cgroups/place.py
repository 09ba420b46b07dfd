"""Where a group's files lie: a plain value that crosses the launcher's pipe."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.hosting.cgroups.hierarchies import read_text
from arena.hosting.cgroups.version import CGROUP_VERSIONS, CgroupVersion


@dataclass(frozen=True, slots=True)
class GroupPlace:
    """The directories of one group, by role; in version 2 all of them are the same."""

    version: int
    directories: Mapping[str, str]

    @property
    def cgroup_version(self) -> CgroupVersion:
        """The names of its files."""
        return CGROUP_VERSIONS[self.version]

    @property
    def distinct(self) -> list[str]:
        """Each of its directories once, the one of the memory first."""
        return list(dict.fromkeys(self.directories.values()))

    def path(self, where: tuple[str, str]) -> str:
        """Return the path of a file, given by role and name."""
        role, name = where
        return os.path.join(self.directories[role], name)  # noqa: PTH118 - pathlib would double the launcher's start-up

    def read(self, where: tuple[str, str]) -> str:
        """Return the content of a file, given by role and name. Raises OSError."""
        return read_text(self.path(where))

    def below(self, name: str) -> GroupPlace:
        """Return the place of the group of that name in this one."""
        inside = {role: os.path.join(path, name) for role, path in self.directories.items()}  # noqa: PTH118 - as above
        return GroupPlace(self.version, inside)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON data; `from_json` is the inverse."""
        return {"version": self.version, "directories": dict(self.directories)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GroupPlace:
        """Return the place that `to_json` wrote."""
        return cls(data["version"], data["directories"])
