"""The speeds of docs/measured.md, one after another: `python -m benchmarks`. Takes a good while."""

from __future__ import annotations

import importlib
import sys

PARTS = (
    ("engine",),
    ("referee",),
    ("arena",),
    ("recording",),
    ("large_database",),
    ("simulated_fields", "official"),
    ("strength",),
)


def main() -> int:
    """Run every part with its defaults; 1 if one of them failed."""
    failed = []
    for part, *words in PARTS:
        name = " ".join([f"benchmarks.{part}", *words])
        print(f"\n== python -m {name}", flush=True)
        if importlib.import_module(f"benchmarks.{part}").main(words) != 0:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
