"""The history of the split: one line of JSON for each version that was measured, and what changed since the last one.

Figures of another machine, or of the same at another hour, cannot be compared. So each entry has a bare gRPC echo,
measured in turn with it, and what is compared is how many bare round trips a part takes; and an entry is compared with
the last one of the same kind of machine alone. It is all standard library, so that any version can read it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

FILE = Path(__file__).with_name("history") / "arena.jsonl"
TOTAL = "all"
NOISE = 0.1
"""A part that costs up to a tenth more may do so by chance: caches and neighbours of the machine are others."""
LEAST = 0.01
"""A loss of less than a hundredth of a decision is none."""
QUIET = 0.8
"""The least share of the cores of a run whose figures other work has not spoilt; instant bots take over 0.9."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What was measured of one version on one machine."""

    date: str
    """The day, as in 2026-11-26, UTC."""
    version: str
    commit: str
    """Short; it ends with `+` if files differed from it."""
    machine: str
    """Processor, cores and interpreter; only entries that agree in it are compared."""
    game: str
    decisions: int
    decisions_per_s: float
    bare_us: float
    """Processor time of a bare round trip, both ends, in microseconds."""
    spread: float
    """The standard error of the ratio of the whole to the bare round trip over the rounds, as a share of the ratio."""
    had: float
    """The share of the cores that it had: beside other work decisions last longer, and are looked at more often."""
    parts: Mapping[str, float]
    """Microseconds of processor time of a decision by part; `all` is their sum."""
    margins: Mapping[str, float]
    """Two standard errors of each from sampling."""

    @property
    def kind(self) -> tuple[str, str]:
        """What must be equal for a comparison."""
        return self.machine, self.game


@dataclass(frozen=True, slots=True)
class Change:
    """How a part changed from one entry to another, in bare round trips."""

    part: str
    before: float
    now: float
    threshold: float
    """By how much it may differ by chance."""

    @property
    def ratio(self) -> float | None:
        """Now against before; None if it cost nothing before."""
        return self.now / self.before if self.before > 0 else None

    @property
    def is_loss(self) -> bool:
        """Whether it costs more than chance explains."""
        return self.now - self.before > self.threshold

    @property
    def is_gain(self) -> bool:
        """Whether it costs less than chance explains."""
        return self.before - self.now > self.threshold


@dataclass(frozen=True, slots=True)
class History:
    """What a file holds."""

    entries: Sequence[Entry]
    damaged: Sequence[int]
    """The numbers of the lines that are no entries, from 1."""

    def last_like(self, entry: Entry) -> Entry | None:
        """Return the newest entry with which another one can be compared."""
        return next((one for one in reversed(self.entries) if one.kind == entry.kind), None)


def read_history(file: Path) -> History:
    """Return the entries of a file, oldest first; none if it is not there. A line that is damaged is passed over."""
    entries, damaged = [], []
    text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            entry = _parse(line)
            if entry is None:
                damaged.append(number)
            else:
                entries.append(entry)
    return History(entries, damaged)


def add_entry(file: Path, entry: Entry) -> None:
    """Write an entry behind the last line, which is ended first if somebody left it cut off."""
    file.parent.mkdir(exist_ok=True)
    text = file.read_bytes() if file.exists() else b""
    line = json.dumps(asdict(entry), ensure_ascii=False, sort_keys=True).encode()
    file.write_bytes(text + (b"" if not text or text.endswith(b"\n") else b"\n") + line + b"\n")


def _parse(line: str) -> Entry | None:
    try:
        entry = Entry(**json.loads(line))
        numbers = [
            entry.bare_us,
            entry.spread,
            entry.had,
            entry.decisions_per_s,
            *entry.parts.values(),
            *entry.margins.values(),
        ]
        is_sound = all(math.isfinite(number) and number >= 0 for number in numbers) and entry.bare_us > 0
    except (ValueError, TypeError, AttributeError):
        return None
    return entry if is_sound and TOTAL in entry.parts else None


def changes(before: Entry, now: Entry) -> Iterator[Change]:
    """Yield how each part changed, those too that only one of the two knows.

    By chance a part may differ by the greater of NOISE and two standard errors of both runs, each as a share of what it
    cost, and by the errors of its sampling besides; and by LEAST of a decision in any case.
    """
    runs = max(NOISE, 2 * math.hypot(before.spread, now.spread))
    least = LEAST * before.parts[TOTAL] / before.bare_us
    for part in dict.fromkeys((*before.parts, *now.parts)):
        first, last = _in_bare(before, before.parts.get(part, 0.0)), _in_bare(now, now.parts.get(part, 0.0))
        sampling = math.hypot(
            _in_bare(before, before.margins.get(part, 0.0)), _in_bare(now, now.margins.get(part, 0.0))
        )
        yield Change(part, first, last, max(runs * first + sampling, least))


def _in_bare(entry: Entry, cost_us: float) -> float:
    return cost_us / entry.bare_us
