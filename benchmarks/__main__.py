"""The speeds of docs/measured.md, one after another: `python -m benchmarks`. Takes a good while."""

from __future__ import annotations

import importlib
import sys

PARTS = ("engine", "referee", "arena", "database", "book", "official", "loading", "strength")


def main() -> int:
    """Run every part with its defaults; 1 if one of them failed."""
    failed = []
    for part in PARTS:
        print(f"\n== python -m benchmarks.{part}", flush=True)
        if importlib.import_module(f"benchmarks.{part}").main([]) != 0:
            failed.append(part)
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
