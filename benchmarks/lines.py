"""What a game costs its author: lines of the files in its folder that are written by hand.

    python -m benchmarks.lines

Golden files, data (JSON) and what a command writes (clones.py) are left out. The rules should be more than half of the
rest, evaluation and drawing apart.
"""

from __future__ import annotations

import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

from engine import registry

MADE = {"clones.py"}
"""Files that a command writes."""
PARTS = {"rules": "rules", "scoring": "rules", "evaluation": "evaluation", "view": "drawing"}
"""What the first part of a file's path counts as; everything else is `rest`."""


def lines_of(folder: Path) -> Counter[str]:
    """Return the lines of a game's Python files by what they are for."""
    counts: Counter[str] = Counter()
    for path in folder.rglob("*.py"):
        if path.name not in MADE:
            part = path.relative_to(folder).parts[0].removesuffix(".py")
            counts[PARTS.get(part, "rest")] += len(path.read_text(encoding="utf-8").splitlines())
    return counts


GOAL = 0.5
"""Rules and scoring are more than this part of what is neither evaluation nor drawing."""


def main() -> int:
    """Count and print; 1 if a game misses the goal."""
    missed = False
    print(f"{'game':<16}{'rules':>8}{'rest':>8}{'share':>8}{'evaluation':>12}{'drawing':>9}{'all':>8}")
    for name in registry.single_names():
        counts = lines_of(Path(str(import_module(registry.package_of(name)).__file__)).parent)
        share = counts["rules"] / (counts["rules"] + counts["rest"])
        missed |= share <= GOAL
        print(
            f"{name:<16}{counts['rules']:>8}{counts['rest']:>8}{share:>8.0%}"
            f"{counts['evaluation']:>12}{counts['drawing']:>9}{counts.total():>8}"
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
