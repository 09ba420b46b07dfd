"""Keeps what became of each fault, so that `--again` need not try those that were noticed already."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tools.mutants.faults import Fault

PLACE = Path(__file__).resolve().parents[2] / ".mutants"
"""Where the results are, a file an area; git does not know it."""


class Results:
    """What noticed each fault of an area when it was last tried; nothing for a survivor."""

    def __init__(self, area: str) -> None:
        """Read what is kept."""
        self._file = PLACE / f"{area}.json"
        self._kept: dict[str, dict[str, str]] = {}
        if self._file.exists():
            self._kept = json.loads(self._file.read_text(encoding="utf-8"))

    def noticed_by(self, fault: Fault) -> str:
        """Return which test noticed this very fault, in a file that has not changed since; or nothing."""
        kept = self._kept.get(fault.key, {})
        return kept.get("by", "") if kept.get("code") == _digest(fault) else ""

    def keep(self, fault: Fault, by: str) -> None:
        """Keep which test noticed a fault, or that none did."""
        self._kept[fault.key] = {"code": _digest(fault), "by": by}
        PLACE.mkdir(exist_ok=True)
        self._file.write_text(json.dumps(self._kept, indent=1, ensure_ascii=False), encoding="utf-8")


def _digest(fault: Fault) -> str:
    return hashlib.sha256(fault.code.encode()).hexdigest()
